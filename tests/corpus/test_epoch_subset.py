"""Part of the dataset every epoch: which examples each method visits, also if the rows change by epoch."""

from __future__ import annotations

from math import ceil
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import EpochSubsetBatchSampler, epoch_permutation
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_random import NaiveStream
from tests.refused import refusals

METHODS = ("uniform", "uniform_without_replacement", "partition")


def visited(sampler: Any, epoch: int) -> list[int]:
    return sampler.batches(epoch).rows.tolist()


@pytest.mark.parametrize("sample", [100, 2000])
def test_uniform_rows_are_those_of_r(sample: int) -> None:
    sampler = EpochSubsetBatchSampler(1234, sample, 64, seed=1)
    without = EpochSubsetBatchSampler(1234, 600, 64, method="uniform_without_replacement", seed=1)
    for epoch in range(3):
        assert visited(sampler, epoch) == NaiveStream(epoch_seed(1, epoch)).indices(1234, sample).tolist()
        assert visited(without, epoch) == epoch_permutation(1234, seed=1, epoch=epoch)[:600].tolist()


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


def test_partition_goes_as_published_for_every_small_setting() -> None:
    sampler = EpochSubsetBatchSampler(1234, 600, 64, method="partition")
    assert [row + 1 for row in visited(sampler, 0)] == list(range(1, 1200, 2))
    assert [row + 1 for row in visited(sampler, 1)] == list(range(1201, 1234, 2)) + list(range(2, 1167, 2))
    for n in range(1, 31):
        for sample in range(1, 31):
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


@given(
    n=st.integers(1, 40),
    sample=st.integers(1, 80),
    batch_size=st.integers(1, 30),
    replicas=st.none() | st.integers(1, 5),
    method=st.sampled_from(METHODS),
)
def test_sizes_of_batches(n: int, sample: int, batch_size: int, replicas: Optional[int], method: str) -> None:
    if method == "uniform_without_replacement":
        sample = min(n, sample)
    n_batches = ceil(ceil(sample / batch_size) / (replicas or 1)) * (replicas or 1)
    if n_batches > sample:
        return
    sampler = EpochSubsetBatchSampler(n, sample, batch_size, method=method, seed=1, num_replicas=replicas)
    sizes = [len(batch) for batch in sampler.batches(0)]
    assert len(sizes) == len(sampler) == n_batches and sum(sizes) == sample
    assert max(sizes) - min(sizes) <= 1 and max(sizes) <= batch_size


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, dict[int, list[int]]]:
    """Return a number of rows, and a table of some of them by first epoch."""
    n_rows = draw(st.integers(1, 20))
    begins = {0, *draw(st.sets(st.integers(1, 8), max_size=3))}
    of_stage = st.lists(st.integers(0, n_rows - 1), min_size=1, unique=True)
    return n_rows, {begin: draw(of_stage) for begin in sorted(begins)}


@given(tables(), st.sampled_from(METHODS), st.integers(0, 11), st.data())
def test_places_among_the_rows_of_the_epoch_are_drawn_as_those_of_a_dataset_of_these_rows(
    table: tuple[int, dict[int, list[int]]], method: str, epoch: int, data: st.DataObject
) -> None:
    n_rows, rows = table
    begin = max(first for first in rows if first <= epoch)
    most = min(map(len, rows.values())) if method == "uniform_without_replacement" else 2 * n_rows
    settings = {"sample": data.draw(st.integers(1, most)), "batch_size": data.draw(st.integers(1, 5)), "method": method}
    sampler = EpochSubsetBatchSampler(n_rows, rows=rows, seed=3, **settings)
    among = EpochSubsetBatchSampler(len(rows[begin]), seed=3, **settings)
    places = among.batches(epoch - begin if method == "partition" else epoch)
    found = sampler.batches(epoch)
    assert found.rows.tolist() == np.array(rows[begin])[places.rows].tolist()
    assert found.offsets.tolist() == places.offsets.tolist() and len(sampler) == len(found)
    alone, for_all = (EpochSubsetBatchSampler(n_rows, rows=own, seed=3, **settings) for own in (rows[0], {0: rows[0]}))
    assert visited(alone, 30) == visited(for_all, 30)


WITHOUT = {"method": "uniform_without_replacement"}


test_refused = refusals(
    lambda **given: EpochSubsetBatchSampler(**{"n_rows": 10, "sample": 5, "batch_size": 2, **given}),
    [
        ({"sample": 11, **WITHOUT}, "must be at most 10, the number of examples, without replacement. Got 11 instead."),
        ({"num_replicas": 6}, "must leave each batch a row: 5 are drawn for 6 batches. Got 6"),
        ({"rows": {1: [1]}}, "'rows' parameter must have rows from epoch 0 on. Got a table from epoch 1 on"),
        ({"rows": {0: []}}, "'rows' parameter must have rows for each epoch. Got 0 values"),
        ({"rows": {0: [1, 2], 3: [4, 5, 4]}}, "'rows' parameter must have no row twice for an epoch. Got 4"),
        ({"rows": {0: [10, 1]}}, "'rows' parameter must hold row positions from 0 to 9, counted from 0. Got 10"),
        ({"rows": {"a": [1]}}, "must be a table from epochs, integers from 0 to 6700000, to rows. Got the epoch"),
        ({"rows": {0: range(5), 5: [3]}, **WITHOUT}, "'sample' parameter must be at most 1, the fewest examples of an"),
        ({"rows": [0.5]}, "'rows' parameter must hold row positions. Got float64 values"),
    ],
)
