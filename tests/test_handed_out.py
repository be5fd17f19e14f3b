"""Modifying the objects that a sampler returns does not change its later batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pystrat import BatchSampler
from tests.specimens import samplers


def epochs(sampler: BatchSampler) -> list[list[int]]:
    return [batch.tolist() for epoch in range(2) for batch in sampler.batches(epoch)]


def spoil(array: np.ndarray) -> None:
    """Overwrite an array if it can be written to."""
    if array.flags.writeable:
        array[...] = 0


def test_batches_may_be_overwritten(tmp_path: Path) -> None:
    for sampler in samplers(tmp_path):
        before = epochs(sampler)
        for epoch in range(2):
            batches = sampler.batches(epoch)
            spoil(batches.rows)
            with pytest.raises(ValueError, match="read-only"):
                batches.offsets[1] = 0
        assert epochs(sampler) == before, sampler
