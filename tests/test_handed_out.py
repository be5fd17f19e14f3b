"""Modifying the objects that a sampler returns does not change its later batches."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from pystrat import (
    BatchSampler,
    PerplexityBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
)
from tests.specimens import samplers


def epochs(sampler: BatchSampler) -> list[list[int]]:
    return [batch.tolist() for epoch in range(2) for batch in sampler.batches(epoch)]


def spoil(array: np.ndarray) -> None:
    """Overwrite an array if it can be written to."""
    if array.flags.writeable:
        array[...] = 0


def test_batches_may_be_overwritten(tmp_path: Path) -> None:
    for sampler in samplers(tmp_path):
        if isinstance(sampler, PerplexityBatchSampler):
            continue  # it has no epoch but the next; see below
        before = epochs(sampler)
        for epoch in range(2):
            batches = sampler.batches(epoch)
            spoil(batches.rows)
            with pytest.raises(ValueError, match="read-only"):
                batches.offsets[1] = 0
        assert epochs(sampler) == before, sampler


def test_the_running_epoch_of_the_perplexity_sampler_may_be_overwritten() -> None:
    sampler = PerplexityBatchSampler(10, 6, 2, seed=1)
    expected = sampler.batches(0).rows.reshape(3, 2).tolist()
    iterator = iter(sampler)
    delivered = [next(iterator)]
    spoil(sampler.batches(0).rows)
    assert delivered + list(iterator) == expected


COPIES: list[Callable[[Any], Any]] = [
    lambda given: given,
    lambda given: pickle.loads(pickle.dumps(given)),
    copy.deepcopy,
]


def shared_arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays that can be reached through public attributes, except those that are made on each access."""
    for name in dir(value):
        if name.startswith("_") or callable(getattr(value, name)):
            continue
        first, second, found = getattr(value, name), getattr(value, name), f"{path}.{name}"
        if isinstance(first, (np.ndarray, pd.Series, pd.DataFrame)):
            if np.shares_memory(np.asarray(first), np.asarray(second)):
                yield found, np.asarray(first)
        elif type(first).__module__.startswith("pystrat") and first is not value:
            yield from shared_arrays(first, found)


@pytest.mark.parametrize("copied", COPIES, ids=["itself", "pickled", "copied"])
def test_no_array_of_a_sampler_or_its_plan_can_be_written_to(tmp_path: Path, copied: Callable[[Any], Any]) -> None:
    found = {}
    for sampler in samplers(tmp_path):
        for name, array in shared_arrays(copied(sampler)):
            found[f"{type(sampler).__name__}{name}"] = array.flags.writeable
    expected = {
        "StratifiedBatchSampler.strata.codes",
        "StrataSubsetBatchSampler.plan.blocks",
        "TreeBatchSampler.tree.options",
    }
    assert expected <= set(found)
    assert [name for name, writeable in found.items() if writeable] == []


@pytest.mark.parametrize("copied", COPIES, ids=["itself", "pickled", "copied"])
def test_no_array_of_a_plan_by_itself_can_be_written_to(copied: Callable[[Any], Any]) -> None:
    for sampler, n_arrays in [
        (StratifiedBatchSampler([0, 1, 1], 1), 2),
        (StrataSubsetBatchSampler([0, 1, 1], 1, 1), 2),
        (StratifiedGroupBatchSampler([0, 1, 1], 1, groups=[0, 1, 2], keep="apart"), 5),
    ]:
        arrays = [value for value in vars(copied(sampler.plan)).values() if isinstance(value, np.ndarray)]
        assert len(arrays) == n_arrays
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 10**8


@pytest.mark.parametrize("pickled", [False, True])
def test_the_arrays_of_a_tree_cannot_be_written_to(pickled: bool) -> None:
    sampler = TreeBatchSampler({"x": [1, 2, 2, 1]}, {"mode": "shuffle"}, 2, length=4, seed=1)
    tree = pickle.loads(pickle.dumps(sampler)).tree if pickled else sampler.tree
    values = [*vars(tree).values(), *tree.parts.values()]
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    assert len(arrays) == 13 and not any(array.flags.writeable for array in arrays)
    with pytest.raises(ValueError, match="read-only"):
        tree.options[:] = 10**8
