"""Fingerprints: equal for equal content, in any process, and different otherwise."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pystrat import EpochSubsetBatchSampler, StratifiedBatchSampler, UniformBatchSampler, WeightedBatchSampler
from pystrat.digest import difference, fingerprint
from tests.specimens import samplers


def test_samplers_with_other_batches_have_other_fingerprints(tmp_path: Path) -> None:
    found = [sampler.state()["fingerprint"] for sampler in samplers(tmp_path)]
    again = [sampler.state()["fingerprint"] for sampler in samplers(tmp_path)]
    assert found == again and len(set(found)) == len(found)
    assert all(re.fullmatch("kind=[a-z_]+( [a-z_]+=[0-9a-z_-]+)+", text) for text in found)


LABELS = [0, 1] * 12


@pytest.mark.parametrize(
    ("made", "changed", "differs"),
    [
        (lambda seed: UniformBatchSampler(24, 2, seed=seed), 2, "another seed, 2,"),
        (lambda labels: StratifiedBatchSampler(labels, 2, seed=1), sorted(LABELS), "other strata"),
        (lambda m: StratifiedBatchSampler(LABELS, m, seed=1), 2, "another 'min_samples_per_stratum'"),
        (lambda n: UniformBatchSampler(24, 2, seed=1, num_replicas=n), 5, "another number of batches, such as"),
        (lambda size: WeightedBatchSampler([1] * 24, size, seed=1), 3, "another 'batch_size'"),
        (lambda n: EpochSubsetBatchSampler(24, 20, 3, seed=1, num_replicas=n), 2, "another number of batches, such as"),
    ],
)
def test_the_refusal_of_a_state_says_what_differs(made: Any, changed: Any, differs: str) -> None:
    state = made(changed).state()
    with pytest.raises(ValueError, match=f"Got that of a sampler with {differs}.* Make the sampler as it was made"):
        made(1 if isinstance(changed, int) else LABELS).load_state_dict(state)


def test_what_differs_has_the_name_of_a_parameter_or_another_one_that_users_know(tmp_path: Path) -> None:
    made = list(samplers(tmp_path))
    known = {name for sampler in made for name in inspect.signature(type(sampler)).parameters} | {"kind"}
    for sampler in made:
        parts = {entry.partition("=")[0] for entry in sampler.state()["fingerprint"].split(" ")}
        for part in parts - known:
            assert difference(f"{part}=1", f"{part}=2") != f"another '{part}'"


@pytest.mark.parametrize("form", [np.array, tuple])
def test_parts_that_differ_in_anything_have_other_fingerprints(form: Any) -> None:
    parts: list[dict[str, Any]] = [
        {},
        {"a": None},
        {"b": None},
        {"a": 1},
        {"a": 1.0},
        {"a": True},
        {"a": "1"},
        {"a": Fraction(1, 3)},
        {"a": form([])},
        {"a": form([1, 2, 3])},
        {"a": form([1, 2]), "b": form([3])},
        {"a": form([1]), "b": form([2, 3])},
        {"a": form([[1, 2], [3, 4]])},
        {"a": form([1, 2, 3, 4])},
        {"a": form([1.0, 2.0, 3.0])},
        {"a": "1", "b": "2"},
        {"a": "1 str 1 b str 3 '2'"},
    ]
    found = [fingerprint("kind", **part) for part in parts]
    assert len(set(found)) == len(found) and fingerprint("other", **parts[3]) not in found


def test_it_is_the_same_in_another_process() -> None:
    code = "from pystrat.digest import fingerprint; print(fingerprint('kind', a=[1, 'x'], b=0.5))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == fingerprint("kind", a=[1, "x"], b=0.5)


@pytest.mark.parametrize("part", [object(), {1, 2}, b"1", np.array(["a"], dtype=object), [print]])
def test_what_may_hold_an_address_is_refused(part: Any) -> None:
    with pytest.raises(TypeError, match="^A fingerprint cannot have a part of class '"):
        fingerprint("kind", part=part)
