"""R's generator against the standard library's Mersenne-Twister, set to R's state.

The same numbers are compared with a live R in tests/bridge.
"""

from __future__ import annotations

import pytest

from pystrat import UniformBatchSampler, epoch_permutation
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_random import NaiveStream


@pytest.mark.parametrize("n_rows", [*range(60), 255, 256, 257, 623, 624, 625, 65_535, 65_540])
def test_permutations_are_those_of_r(n_rows: int) -> None:
    for epoch in (0, 3):
        expected = NaiveStream(epoch_seed(11, epoch)).permutation(n_rows)
        assert epoch_permutation(n_rows, seed=11, epoch=epoch).tolist() == expected


@pytest.mark.parametrize("limit", [1, 2, 3, 255, 65_535, 65_536, 65_537, 10**6, 2**31 - 1])
def test_draws_with_replacement_are_those_of_r(limit: int) -> None:
    sampler = UniformBatchSampler(limit, 100, replacement=True, n_batches=20, seed=7)
    assert sampler.batches(0).rows.tolist() == NaiveStream(7).indices(limit, 2000).tolist()
