"""Fingerprints: equal for equal content, in any process, and different otherwise."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    MultilabelBatchSampler,
    NegativePairBatchSampler,
    NoDuplicatesBatchSampler,
    PerLabelBatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    ShardedStratifiedBatchSampler,
    OneStratumBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
    TreeSampler,
    TripleBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    shard_counts,
)
from pystrat.corpus import RareEventBatchSampler, CorpusMixtureBatchSampler
from pystrat.digest import fingerprint

LABELS = [0, 1, 0, 1, 1, 0, 1, 1]
SHUFFLED = {"mode": "shuffle"}


def sharded() -> list[BatchSampler]:
    """Sharded samplers that differ in one thing from the last one."""
    counts = shard_counts({"a": LABELS, "b": LABELS})

    def of(minimum: int = 1, counts: pd.DataFrame = counts, **given: Any) -> BatchSampler:
        given = {"counts": counts, "shards": ["b"], "seed": 1, **given}
        return ShardedStratifiedBatchSampler(LABELS, minimum, **given)

    others = shard_counts({"a": LABELS[:-1], "b": LABELS})
    return [of(2), of(counts=others), of(seed=2), of(scope="local"), of(shuffle=False), of()]


def samplers(folder: Path) -> list[BatchSampler]:
    """One sampler of each kind, and others that differ from it in one thing."""
    (folder / "a.txt").write_text("line\n" * 30)
    corpus = {"suffixes": [".txt"], "seed": 1}
    for name in ("b.rows", "c.rows"):
        (folder / name).write_text("line\n" * 30)
    files = [folder / "a.txt"], [folder / "b.rows", folder / "c.rows"]
    return [
        StratifiedBatchSampler(LABELS, 1, seed=1),
        StratifiedBatchSampler(LABELS[::-1], 1, seed=1),
        StratifiedBatchSampler(LABELS, 1, seed=2),
        StratifiedBatchSampler(LABELS, 1, shuffle=False),
        StratifiedBatchSampler(LABELS, 3, seed=1),
        StratifiedBatchSampler(LABELS, 1, assign="even", seed=1),
        StratifiedBatchSampler(LABELS, mean_batch_size=4, balance="over", seed=1),
        StratifiedBatchSampler(LABELS, mean_batch_size=4, balance="under", seed=1),
        *sharded(),
        StrataSubsetBatchSampler(LABELS, 1, 1, seed=1),
        StrataSubsetBatchSampler(LABELS, 1, 1, exact=True, seed=1),
        StrataSubsetBatchSampler(LABELS, 1, 1, balance="mean", seed=1),
        StrataSubsetBatchSampler(LABELS, 2, 1, seed=1),
        OneStratumBatchSampler(LABELS, 2, seed=1),
        OneStratumBatchSampler(LABELS, 2, order="round_robin", seed=1),
        OneStratumBatchSampler(LABELS, 3, seed=1),
        NoDuplicatesBatchSampler([0, 1, 2, 3, 4, 5, 6, 0], 3, seed=1),
        NoDuplicatesBatchSampler([0, 1, 2, 3, 4, 5, 6, 0], 3, strata=LABELS, min_samples_per_stratum=1, seed=1),
        NoDuplicatesBatchSampler({"a": range(8), "b": range(1, 9)}, 2, seed=1),
        NoDuplicatesBatchSampler({"a": range(8), "b": range(1, 9)}, 2, across_columns=True, seed=1),
        StratifiedGroupBatchSampler(LABELS, 1, groups=[0, 0, 1, 1, 2, 2, 3, 3], seed=1),
        StratifiedGroupBatchSampler(LABELS, 1, groups=[0, 0, 1, 1, 2, 3, 2, 3], seed=1),
        StratifiedGroupBatchSampler(LABELS, 1, groups=[0, 1, 2, 3, 3, 0, 1, 4], seed=1),
        StratifiedGroupBatchSampler(LABELS, 1, groups=[0, 1, 2, 3, 3, 2, 1, 4], seed=1),
        StratifiedGroupBatchSampler(LABELS, 2, groups=[0, 1, 2, 3, 3, 0, 1, 4], seed=1),
        StratifiedGroupBatchSampler(LABELS, 1, groups=[0, 1, 2, 3, 3, 0, 1, 4], keep="apart", seed=1),
        DownsampledBatchSampler(LABELS, 1, 4, seed=1),
        DownsampledBatchSampler(LABELS, 1, 4, in_turn=True, seed=1),
        DownsampledBatchSampler(LABELS, 1, 2, seed=1),
        DownsampledBatchSampler(LABELS, 1, 2, weights={1: 2}, seed=1),
        PerLabelBatchSampler([[1, 0], [0, 1]] * 4, 1, 1, seed=1),
        PerLabelBatchSampler([[1, 0], [0, 1]] * 4, 1, 2, seed=1),
        MultilabelBatchSampler([[1, 0], [0, 1]] * 4, 1, seed=1),
        MultilabelBatchSampler([[0, 1], [1, 0]] * 3 + [[1, 1]] * 2, 1, seed=1),
        MultilabelBatchSampler([[1, 0], [0, 1]] * 4, 2, seed=1),
        NegativePairBatchSampler([0, 1, 2], [0, 1, 2], 0.5, 3, n_items=9, seed=1),
        NegativePairBatchSampler([0, 1, 2], [0, 1, 2], 0.4, 3, n_items=9, seed=1),
        NegativePairBatchSampler([0, 1, 2], [0, 1, 2], 0.5, 3, n_items=9, unique=True, seed=1),
        TripleBatchSampler([0, 1, 2], [0, 1, 2], 3, n_items=9, seed=1),
        TripleBatchSampler([0, 1, 2], [0, 1, 2], 3, n_items=9, unique=True, seed=1),
        TripleBatchSampler([0, 1, 2], [0, 1, 2], 2, n_items=9, seed=1),
        UniformBatchSampler(10, 3, seed=1),
        UniformBatchSampler(10, 3, replacement=True, seed=1),
        UniformBatchSampler(10, 3, n_batches=4, seed=1),
        WeightedBatchSampler([1.0] * 10, 3, seed=1),
        WeightedBatchSampler([1.0] * 11, 3, seed=1),
        PrioritizedBatchSampler(10, 3, seed=1),
        PrioritizedBatchSampler(10, 3, alpha=0.5, seed=1),
        PrioritizedBatchSampler(10, 3, stratified=True, seed=1),
        PrioritizedBatchSampler(10, 3, method="rank", seed=1),
        EpochSubsetBatchSampler(10, 3, 2, seed=1),
        EpochSubsetBatchSampler(10, 3, 2, method="partition"),
        PerplexityBatchSampler(10, 3, 2, seed=1),
        PerplexityBatchSampler(10, 3, 2, initial=9, seed=1),
        RareEventBatchSampler(*files, 1, 4, seed=1),
        RareEventBatchSampler(*files, 1, 4, negative_files_per_epoch=1, seed=1),
        RareEventBatchSampler(*files, 1, 4, negative_weight=3, seed=1),
        CorpusMixtureBatchSampler(folder, 4, sample=10, **corpus),  # type: ignore[arg-type]
        CorpusMixtureBatchSampler(folder, 4, sample=11, **corpus),  # type: ignore[arg-type]
        TreeSampler({"x": LABELS}, SHUFFLED, length=8, seed=1),
        TreeBatchSampler({"x": LABELS}, SHUFFLED, 2, length=8, seed=1),
        TreeBatchSampler({"x": LABELS}, {**SHUFFLED, "auxiliary": {"u": "uniform(0, 1)"}}, 2, length=8, seed=1),
        TreeBatchSampler({"x": LABELS}, {**SHUFFLED, "auxiliary": {"u": "uniform(0, 2)"}}, 2, length=8, seed=1),
    ]


def test_samplers_with_other_batches_have_other_fingerprints(tmp_path: Path) -> None:
    found = [sampler.state_dict()["fingerprint"] for sampler in samplers(tmp_path)]
    again = [sampler.state_dict()["fingerprint"] for sampler in samplers(tmp_path)]
    assert found == again and len(set(found)) == len(found)
    assert all(re.fullmatch("[0-9a-f]{16}", text) for text in found)


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


def test_the_memory_of_an_array_does_not_matter() -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    forms = [array, array.astype(">i4"), np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2]]
    assert len({fingerprint("kind", array=form) for form in forms}) == 1
    for one, other in combinations([array, array.T, array.ravel(), array.astype(np.int64)], 2):
        assert fingerprint("kind", array=one) != fingerprint("kind", array=other)


def test_numbers_of_numpy_are_those_of_python() -> None:
    assert fingerprint("kind", a=np.int16(3), b=np.float64(0.5)) == fingerprint("kind", a=3, b=0.5)


def test_it_is_the_same_in_another_process() -> None:
    code = "from pystrat.digest import fingerprint; print(fingerprint('kind', a=[1, 'x'], b=0.5))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == fingerprint("kind", a=[1, "x"], b=0.5)


@pytest.mark.parametrize("part", [object(), {1, 2}, b"1", np.array(["a"], dtype=object), [print]])
def test_what_may_hold_an_address_is_refused(part: Any) -> None:
    with pytest.raises(TypeError, match="^A fingerprint cannot have a part of class '"):
        fingerprint("kind", part=part)
