"""Part of the dataset every epoch: which examples each method visits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import BatchSampler, EpochSubsetBatchSampler, PerplexityBatchSampler, epoch_permutation
from pystrat.base import epoch_seed
from tests.reference.naive_random import NaiveStream

METHODS = ("uniform", "uniform_without_replacement", "partition", "perplexity")


def sampler_of(method: str, n: int, sample: int, batch_size: int, **parameters: Any) -> BatchSampler:
    if method == "perplexity":
        return PerplexityBatchSampler(n, sample, batch_size, **parameters)
    return EpochSubsetBatchSampler(n, sample, batch_size, method=method, **parameters)


def visited(sampler: EpochSubsetBatchSampler, epoch: int) -> list[int]:
    return sampler.batches(epoch).rows.tolist()


# Uniform --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [100, 2000])
def test_the_published_settings(sample: int) -> None:
    sampler = EpochSubsetBatchSampler(1234, sample, 64, seed=1)
    for epoch in range(3):
        rows = visited(sampler, epoch)
        assert rows == NaiveStream(epoch_seed(1, epoch)).indices(1234, sample).tolist()
        assert len(rows) == sample and min(rows) >= 0 and max(rows) < 1234
    assert [len(batch) for batch in sampler.batches(0)] == [64] * (sample // 64) + [sample % 64]


def test_without_replacement_is_the_beginning_of_the_epoch_order() -> None:
    sampler = EpochSubsetBatchSampler(1234, 600, 64, method="uniform_without_replacement", seed=1)
    for epoch in range(3):
        assert visited(sampler, epoch) == epoch_permutation(1234, seed=1, epoch=epoch)[:600].tolist()


def test_frequencies() -> None:
    """Chi squared of 60 draws per example: within 5 standard deviations of its mean, for each method that draws."""
    for method in ("uniform", "uniform_without_replacement"):
        sampler = EpochSubsetBatchSampler(100, 60, 60, method=method, seed=3)
        counts = np.bincount(np.concatenate([sampler.batches(epoch).rows for epoch in range(100)]), minlength=100)
        spread = 1 if method == "uniform" else 0.4  # without replacement an epoch's counts vary less
        chi_squared = ((counts - 60) ** 2 / 60).sum() / spread
        assert abs(chi_squared - 99) < 5 * math.sqrt(2 * 99)


# Partition ------------------------------------------------------------------------------------------------------------


def partition_as_published(n: int, sample: int) -> Any:
    """Yield epoch after epoch, step by step, counted from 1."""
    step = max(1, n // sample)
    start = index = 1
    while True:
        drawn = []
        for _ in range(sample):
            drawn.append(index)
            index += step
            if index > n:
                start = index = start % step + 1
        yield drawn


def test_partition_of_ten() -> None:
    sampler = EpochSubsetBatchSampler(10, 4, 4, method="partition")
    drawn = [[row + 1 for row in visited(sampler, epoch)] for epoch in range(3)]
    assert drawn == [[1, 3, 5, 7], [9, 2, 4, 6], [8, 10, 1, 3]]


def test_partition_of_the_published_setting() -> None:
    sampler = EpochSubsetBatchSampler(1234, 600, 64, method="partition")
    assert [row + 1 for row in visited(sampler, 0)] == list(range(1, 1200, 2))
    assert [row + 1 for row in visited(sampler, 1)] == list(range(1201, 1234, 2)) + list(range(2, 1167, 2))


def test_partition_goes_as_published_for_every_small_setting() -> None:
    for n in range(1, 61):
        for sample in range(1, 61):
            drawn: list[int] = []
            sampler = EpochSubsetBatchSampler(n, sample, sample, method="partition")
            for epoch, expected in zip(range(2 + 2 * n // sample), partition_as_published(n, sample)):
                rows = [row + 1 for row in visited(sampler, epoch)]
                assert rows == expected, (n, sample, epoch)
                drawn += rows
            assert sorted(drawn[:n]) == list(range(1, n + 1)), "n draws cover every example once"
            assert drawn[n:] == drawn[: len(drawn) - n], "with period n, and so any n consecutive draws do"


@given(n=st.integers(1, 2**31 - 1), sample=st.integers(1, 300), epoch=st.integers(0, 6_700_000))
def test_partition_of_any_epoch_is_computed_directly(n: int, sample: int, epoch: int) -> None:
    rows = EpochSubsetBatchSampler(n, sample, sample, method="partition").batches(epoch).rows
    assert rows.min() >= 0 and rows.max() < n
    assert len(set(rows.tolist())) == min(n, sample)


def test_partition_needs_no_seed() -> None:
    state = EpochSubsetBatchSampler(10, 4, 4, method="partition", seed=1).state_dict()
    EpochSubsetBatchSampler(10, 4, 4, method="partition", seed=2).load_state_dict(state)


# All methods ----------------------------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 40),
    sample=st.integers(1, 80),
    batch_size=st.integers(1, 30),
    replicas=st.none() | st.integers(1, 5),
    method=st.sampled_from(METHODS),
)
def test_sizes_of_batches(n: int, sample: int, batch_size: int, replicas: int, method: str) -> None:
    if method == "uniform_without_replacement":
        sample = min(n, sample)
    if sample < 5:
        replicas = None
    if replicas is not None and -(-sample // batch_size) > sample - replicas:
        return
    sampler = sampler_of(method, n, sample, batch_size, seed=1, num_replicas=replicas)
    sizes = [len(batch) for batch in sampler.batches(0)]
    assert len(sizes) == len(sampler) and sum(sizes) == sample and 0 < min(sizes) and max(sizes) <= batch_size
    if replicas is None:
        assert set(sizes[:-1]) <= {batch_size}
    else:
        assert len(sizes) % replicas == 0 and max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rows": 0}, "'n_rows' parameter must be an integer from 1 to 2147483647. Got 0"),
        ({"sample": 0}, "'sample' parameter must be an integer from 1 to 2147483647. Got 0"),
        ({"batch_size": 0}, "'batch_size' parameter must be a positive integer. Got 0"),
        ({"method": "random"}, "must be one of 'uniform', 'uniform_without_replacement', 'partition'. Got 'random'"),
        (
            {"sample": 11, "method": "uniform_without_replacement"},
            "must be at most 10, the number of examples, without replacement. Got 11 instead.",
        ),
        ({"num_replicas": 6}, "must leave each batch a row: 5 are drawn for 6 batches. Got 6"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        EpochSubsetBatchSampler(**{"n_rows": 10, "sample": 5, "batch_size": 2, **parameters})
    assert message in str(refused.value)
