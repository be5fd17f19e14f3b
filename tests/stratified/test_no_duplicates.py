"""Batches without two rows that share a value: the rule for all small tables, what is promised, and the output."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations, product
from math import ceil
from typing import Any, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import NoDuplicatesBatchSampler, epoch_permutation

PAIRS = {"query": list("aabbcdee"), "document": list("pqqrpsat")}


def made(columns: Sequence[Sequence[Any]], batch_size: int, **parameters: Any) -> NoDuplicatesBatchSampler:
    """Return a sampler of columns; values that are too frequent do not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        keys = {str(place): list(column) for place, column in enumerate(columns)}
        return NoDuplicatesBatchSampler(keys, batch_size, **{"seed": 1, **parameters})


def rows_of(columns: Sequence[Sequence[Any]], across: bool) -> list[set[Any]]:
    """Return what each row has: values, or values with the number of their column."""
    return [set(row) if across else set(enumerate(row)) for row in zip(*columns)]


def enough_batches(columns: Sequence[Sequence[Any]], batch_size: int, across: bool, replicas: int = 1) -> int:
    """Return the number of batches; one that exceeds the rows if there is none."""
    rows = rows_of(columns, across)
    n_rows, n_columns, counts = len(rows), len(columns), Counter(value for row in rows for value in row)
    n_batches = ceil(ceil(n_rows / batch_size) / replicas) * replicas
    if n_columns == 1 or (n_columns == 2 and not across):
        return max(n_batches, ceil(max(counts.values()) / replicas) * replicas)
    most = max(sum(bool(row & other) for other in rows) - 1 for row in rows)
    others = sorted((count - 1 for count in counts.values()), reverse=True)
    while n_batches <= n_rows:
        besides = ceil(n_rows / n_batches) - 1
        if (n_batches - most) * (n_rows // n_batches) >= min(most * besides, sum(others[: besides * n_columns])):
            break
        n_batches += replicas
    return n_batches


def check(sampler: NoDuplicatesBatchSampler, columns: Any, epoch: int, across: bool = False) -> list[list[int]]:
    """See that every row comes once, that no batch has two rows that are alike, and that sizes differ by at most 1."""
    rows, batches = rows_of(columns, across), [batch.tolist() for batch in sampler.batches(epoch)]
    assert sorted(row for batch in batches for row in batch) == list(range(len(rows)))
    sizes = [len(batch) for batch in batches]
    assert len(batches) == len(sampler) and sizes == sorted(sizes, reverse=True)
    assert sampler.plan.size_range == (sizes[-1], sizes[0]) and sizes[0] - sizes[-1] <= 1
    for batch in batches:
        assert not any(rows[left] & rows[right] for left, right in combinations(batch, 2))
    return batches


def refused(*arguments: Any, **parameters: Any) -> str:
    with warnings.catch_warnings(), pytest.raises((TypeError, ValueError)) as error:
        warnings.simplefilter("ignore")
        NoDuplicatesBatchSampler(*arguments, **parameters)
    return str(error.value).replace(" parameter", "")


def numberings(length: int, most: int = 0) -> Iterator[list[int]]:
    """Yield all lists of numbers that appear in order: the other lists only name the values otherwise."""
    if length == 0:
        yield []
        return
    for first in range(most + 1):
        for rest in numberings(length - 1, max(most, first + 1)):
            yield [first, *rest]


@pytest.mark.parametrize(
    "n_rows, n_columns, across",
    [(7, 1, False), (4, 2, False), (3, 3, False), (2, 4, False), (3, 2, True), (2, 3, True)],
)
def test_small_tables_exhaustively(n_rows: int, n_columns: int, across: bool) -> None:
    tables: Iterator[Any] = product(numberings(n_rows), repeat=n_columns)
    if across:
        tables = (tuple(np.reshape(values, (n_columns, n_rows)).tolist()) for values in numberings(n_rows * n_columns))
    for columns in tables:
        for batch_size in (2, 3):
            sampler = made(columns, batch_size, across_columns=across)
            assert len(sampler) == enough_batches(columns, batch_size, across)
            check(sampler, columns, 1, across)


@given(st.data())
def test_any_table(data: st.DataObject) -> None:
    n_rows, n_columns = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 4))
    n_values, across = data.draw(st.integers(1, 40)), data.draw(st.booleans())
    column = st.lists(st.integers(0, n_values), min_size=n_rows, max_size=n_rows)
    columns = data.draw(st.lists(column, min_size=n_columns, max_size=n_columns))
    batch_size, replicas = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    n_batches = enough_batches(columns, batch_size, across, replicas)
    given: dict[str, Any] = {"across_columns": across, "num_replicas": replicas}
    if n_batches > n_rows:
        text = refused(dict(enumerate(columns)), batch_size, **given)
        assert f"leave each batch a row: there are {n_rows} for {n_batches} batches" in text
        return
    seed, epoch = data.draw(st.integers(0, 2**31 - 2)), data.draw(st.sampled_from([0, 1, 6_700_000]))
    sampler = made(columns, batch_size, seed=seed, **given)
    assert len(sampler) == n_batches
    place = np.argsort(epoch_permutation(n_rows, seed=seed, epoch=epoch))
    for batch in check(sampler, columns, epoch, across):
        assert batch == sorted(batch, key=place.__getitem__)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=30), st.integers(1, 12))
def test_one_key_with_a_minimum_of_every_stratum(rows: list[tuple[int, int]], batch_size: int) -> None:
    key, strata = map(list, zip(*rows))
    n_batches = enough_batches([key], batch_size, False)
    least = min(strata.count(stratum) // n_batches for stratum in strata)
    given: dict[str, Any] = {"strata": strata, "min_samples_per_stratum": max(1, least)}
    if least == 0:
        assert f"'strata' must have at least {n_batches} rows of" in refused(key, batch_size, **given)
        return
    sampler, more = made([key], batch_size, **given), {**given, "min_samples_per_stratum": least + 1}
    assert f"be at most {least} for {n_batches} batch" in refused(key, batch_size, **more)
    batches = check(sampler, [key], 2)
    for stratum in set(strata):
        held = [sum(strata[row] == stratum for row in batch) for batch in batches]
        assert least <= min(held) and max(held) - min(held) <= 1
    order = list(dict.fromkeys(strata))
    for batch in batches:
        assert batch == sorted(batch, key=lambda row: order.index(strata[row])), "ordered by stratum"


def test_a_frequent_value_costs_few_batches_beyond_its_rows() -> None:
    rng = np.random.default_rng(1)
    hub = np.where(np.arange(20_000) < 1000, 0, np.arange(20_000))
    sampler = made([hub, rng.permutation(20_000), rng.permutation(20_000)], 64)
    assert 1000 <= len(sampler) <= 1060  # twice the rows that share a value with one row are 1998
    for epoch in (0, 1):
        batches = sampler.batches(epoch)
        assert np.array_equal(np.sort(batches.rows), np.arange(20_000))
        assert all(sum(hub[batch] == 0) <= 1 for batch in batches)


def test_the_plan_and_the_warning() -> None:
    text = "a long document " * 20
    frequent = text[:100] + "..."
    with pytest.warns(UserWarning) as warned:
        sampler = NoDuplicatesBatchSampler({"query": [text] * 3 + ["b", "c"], "document": list("pqrst")}, 4, seed=1)
    assert [str(warning.message) for warning in warned] == [
        "Rows that share values are dealt to 3 batches, which are enough for every order, instead of the 2 that the "
        "'batch_size' parameter asks for. A batch has at most 2 rows. The most frequent value, "
        f"'{frequent}', has 3 rows."
    ]
    assert sampler.plan.summary().splitlines()[0] == "3 batches of 1 to 2 rows, no two with the same value"
    assert sampler.plan.table().loc["query"].tolist() == [3, 3, frequent]
    assert sampler.plan.table().loc["document"].tolist() == [5, 1, "p"]
    across = NoDuplicatesBatchSampler(PAIRS, 1, across_columns=True, seed=1).plan.table()
    assert across.to_dict("index") == {"query, document": {"values": 10, "largest": 3, "frequent": "a"}}


@pytest.mark.parametrize(
    "parameters, text",
    [
        ({"keys": {"a": [1, None]}}, "The 'keys' must have no missing values. Got 1 missing of 2 rows instead."),
        ({"keys": {"\udc80": [1]}}, "The 'keys' must have columns whose names are Unicode text. Got text that is not"),
        ({"keys": []}, "The 'keys' must have at least one row. Got 0 rows instead."),
        (
            {"keys": {"a": [1, 2], "b": ["1", "2"]}, "across_columns": True},
            "The 'keys' must have columns of one kind if values count in all of them. Got number and text instead.",
        ),
        (
            {"min_samples_per_stratum": 1},
            "The 'strata' must be given together with 'min_samples_per_stratum'. Got nothing instead.",
        ),
        (
            {"strata": [1] * 8, "min_samples_per_stratum": 1},
            "The 'min_samples_per_stratum' must be given for a single key only. Got 1 instead. 'keys' has 2 columns.",
        ),
        (
            {"keys": [1, 2, 3], "strata": [1] * 4, "min_samples_per_stratum": 1},
            "The 'strata' must have one value for each row of 'keys', 3. Got 4 values instead.",
        ),
        (
            {"keys": [1, 2, 3, 4], "strata": list("xxyy"), "min_samples_per_stratum": 2},
            "The 'min_samples_per_stratum' must be at most 1 for 2 batches, since 'x' has 2 rows. Got 2 instead. Lower "
            "it, or raise 'batch_size'.",
        ),
        (
            {"keys": ["k"] * 2 + ["l"], "batch_size": 9, "strata": list("xxy"), "min_samples_per_stratum": 1},
            "The 'strata' must have at least 2 rows of 'y', one for each batch. Got 1 row instead. The most frequent "
            "key needs as many batches.",
        ),
    ],
)
def test_refusals(parameters: dict[str, Any], text: str) -> None:
    assert refused(**{"keys": PAIRS, "batch_size": 2, **parameters})[: len(text)] == text
