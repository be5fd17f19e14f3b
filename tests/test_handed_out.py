"""Modifying the objects that a sampler returns does not change its later batches."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from pystrat import BatchSampler, PerplexityBatchSampler
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


def shared_arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays that public attributes lead to, except those that are made on each access, and all of plans."""
    for name in dir(value):
        if name.startswith("_") or callable(getattr(value, name)):
            continue
        first, second, found = getattr(value, name), getattr(value, name), f"{path}.{name}"
        if isinstance(first, (np.ndarray, pd.Series, pd.DataFrame)):
            if np.shares_memory(np.asarray(first), np.asarray(second)):
                yield found, np.asarray(first)
        elif type(first).__module__.startswith("pystrat") and first is not value:
            yield from shared_arrays(first, found)
            values = (
                [*vars(first).values(), *getattr(first, "parts", {}).values()] if hasattr(first, "__dict__") else []
            )
            yield from ((f"{found} inside", each) for each in values if isinstance(each, np.ndarray))


@pytest.mark.parametrize(
    "copied",
    [lambda given: given, lambda given: pickle.loads(pickle.dumps(given)), copy.deepcopy],
    ids=["itself", "pickled", "copied"],
)
def test_no_array_of_a_sampler_its_plan_or_its_tree_can_be_written_to(
    tmp_path: Path, copied: Callable[[Any], Any]
) -> None:
    found = [
        (f"{type(sampler).__name__}{name}", array)
        for sampler in samplers(tmp_path)
        for name, array in shared_arrays(copied(sampler))
    ]
    expected = {
        "StratifiedBatchSampler.strata.codes",
        "StrataSubsetBatchSampler.plan.blocks",
        "StratifiedGroupBatchSampler.plan inside",
    }
    assert expected <= {name for name, _ in found} and len(found) > 300
    assert [name for name, array in found if array.flags.writeable] == []
