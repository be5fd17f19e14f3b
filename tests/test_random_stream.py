"""R's generator against the standard library's Mersenne-Twister, set to R's state.

The same numbers are compared with a live R in tests/bridge.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pystrat import UniformBatchSampler, epoch_permutation
from pystrat.core.seeds import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
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


def test_an_index_of_two_outputs_across_a_refill_is_below_its_limit(tmp_path: Path) -> None:
    before, seed = 623, 286  # outputs of which the last of a refill remains
    stream = NaiveStream(seed)
    stream.indices(2**15, before)
    limit = stream.index(2**17)  # the next index with these bits, which is drawn again
    (tmp_path / "a.txt").write_text("\n" * 2**15)
    (tmp_path / "b.txt").write_text("\n" * limit)
    mixture = CorpusMixtureBatchSampler(
        tmp_path, 100, suffixes=[".txt"], sample=before + 2, weights=[before, 2], shuffle=False, seed=seed
    )
    stream = NaiveStream(seed)
    expected = [*sorted(stream.indices(2**15, before)), *sorted(2**15 + stream.indices(limit, 2))]
    assert mixture.batches(0).rows.tolist() == expected
