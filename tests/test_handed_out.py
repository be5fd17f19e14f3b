"""Modifying the objects that a sampler returns does not change its later batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
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
