"""Epochs that visit a part of some rows only, by a table from first epochs to rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import EpochSubsetBatchSampler

METHODS = ["uniform", "uniform_without_replacement", "partition"]


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


@pytest.mark.parametrize("method", METHODS)
def test_a_curriculum_visits_only_the_rows_of_its_epochs(method: str) -> None:
    easy, medium = [2, 3, 5, 7], [1, 2, 3, 4, 5, 6]
    sampler = EpochSubsetBatchSampler(10, 4, 2, method=method, rows={0: easy, 2: medium, 5: range(10)}, seed=1)
    visited = [set(sampler.batches(epoch).rows.tolist()) for epoch in range(40)]
    assert all(rows <= set(easy) for rows in visited[:2]) and all(rows <= set(medium) for rows in visited[2:5])
    assert set().union(*visited[5:]) == set(range(10))
    for_all = EpochSubsetBatchSampler(10, 4, 2, method=method, rows=easy, seed=1)
    assert (
        for_all.batches(30).rows.tolist()
        == EpochSubsetBatchSampler(10, 4, 2, method=method, rows={0: easy}, seed=1).batches(30).rows.tolist()
    )


def test_in_turn_every_row_of_a_stage_comes_equally_often() -> None:
    sampler = EpochSubsetBatchSampler(9, 4, 4, method="partition", rows={0: [0, 8], 3: [1, 3, 4, 6, 7, 8]}, seed=1)
    rows = np.concatenate([sampler.batches(epoch).rows for epoch in range(3, 6)])
    assert np.bincount(rows, minlength=9).tolist() == [0, 2, 0, 2, 2, 0, 2, 2, 2]


def test_with_batches_by_length() -> None:
    lengths = np.arange(1, 31)
    rows = {0: np.flatnonzero(lengths <= 10), 4: np.arange(30)}
    sampler = EpochSubsetBatchSampler(30, 8, rows=rows, lengths=lengths, max_tokens=60, seed=1)
    for epoch in range(8):
        for batch in sampler.batches(epoch):
            assert len(batch) * lengths[batch].max() <= 60 and (epoch >= 4 or lengths[batch].max() <= 10)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({1: [1]}, "'rows' parameter must have rows from epoch 0 on. Got a table from epoch 1 on"),
        ({}, "'rows' parameter must have rows from epoch 0 on. Got an empty table"),
        ({0: []}, "'rows' parameter must have rows for each epoch. Got 0 values"),
        ({0: [1, 2], 3: [4, 5, 4]}, "'rows' parameter must have no row twice for an epoch. Got 4"),
        ({0: [10, 1]}, "'rows' parameter must hold row positions from 0 to 9, counted from 0. Got 10"),
        ([-1, 2], "'rows' parameter must hold row positions from 0 to 9, counted from 0. Got -1"),
        (
            {"a": [1]},
            "'rows' parameter must be a table from epochs, integers from 0 to 6700000, to rows. Got the epoch",
        ),
        ({0: [1, 2], 5: [3]}, "'sample' parameter must be at most 1, the fewest examples of an epoch, without"),
        ([0.5], "'rows' parameter must hold row positions. Got float64 values"),
    ],
)
def test_refused(rows: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        EpochSubsetBatchSampler(10, 2, 2, method="uniform_without_replacement", rows=rows, seed=1)
    assert text in str(refused.value)
