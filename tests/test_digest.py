"""Fingerprints: equal for equal content, and different otherwise; what differs has a name that users know."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pystrat import EpochSubsetBatchSampler, StratifiedBatchSampler, UniformBatchSampler, WeightedBatchSampler
from pystrat.core.digest import difference, fingerprint_of
from tests.specimens import samplers


def test_samplers_with_other_batches_have_other_fingerprints(tmp_path: Path) -> None:
    found = [sampler.state()["fingerprint"] for sampler in samplers(tmp_path)]
    again = [sampler.state()["fingerprint"] for sampler in samplers(tmp_path)]
    assert found == again and len(set(found)) == len(found)
    assert all(re.fullmatch("kind=[a-z_]+( [a-z_]+=[0-9a-z_-]+)+", text) for text in found)


def test_other_values_have_other_fingerprints() -> None:
    values = [[1], [2], [1.5], [0, 1], [1, 0], [1, 0, 0], []]
    texts = [["a"], ["b"], ["a", "b"], ["é"]]
    found = [fingerprint_of(rows=np.array(each, dtype=float)) for each in values]
    found += [fingerprint_of(rows=each) for each in texts]
    assert len(set(found)) == len(found) and fingerprint_of(a=["x"], b=["y"]) != fingerprint_of(a=["y"], b=["x"])


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


def test_the_first_difference_is_the_kind_then_the_seed_and_last_what_follows() -> None:
    own = "kind=a seed=1 codes=2 n_batches=3"
    assert difference(own, "kind=b seed=2 codes=3 n_batches=4") == "another kind, b,"
    assert difference(own, "kind=a seed=2 codes=3 n_batches=4") == "another seed, 2,"
    assert difference(own, "kind=a seed=1 n_batches=4 more") == "other strata"
    assert difference(own, "more=1 " + own) == "another 'more'"
    assert difference(own, "kind=a seed=1 codes=2") == difference(own, own + " ")
