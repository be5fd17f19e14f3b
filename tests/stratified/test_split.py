"""Parts of rows with their share of every stratum: exact sums, floor or ceiling, whole groups, golden vectors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pystrat import epoch_permutation, stratified_split

pytestmark = pytest.mark.filterwarnings("ignore:Strata that are not in every part")
LABELS = np.repeat(["yes", "no", "no idea"], [4, 8, 3])


def counts_of(parts: Any, codes: np.ndarray) -> np.ndarray:
    """Return the rows of each stratum in each part."""
    return np.array([np.bincount(codes[rows], minlength=codes.max() + 1) for rows in parts]).T


def check(parts: list[np.ndarray], codes: np.ndarray, seed: int) -> None:
    """See that parts are disjoint and ordered, and that each has its share, from the first rows of the epoch."""
    rows = np.concatenate(parts)
    assert len(set(rows.tolist())) == len(rows) and all((np.diff(part) > 0).all() for part in parts)
    rest = np.setdiff1d(np.arange(len(codes)), rows)
    table = counts_of([*parts, rest], codes)
    products = np.outer(np.bincount(codes), table.sum(axis=0))
    assert (table >= products // len(codes)).all() and (table <= -(-products // len(codes))).all()
    order = epoch_permutation(len(codes), seed=seed, epoch=0)
    for stratum, counts in enumerate(table):
        ends = np.cumsum(counts)
        ranked = order[codes[order] == stratum]
        for part, end, count in zip([*parts, rest], ends, counts):
            assert sorted(ranked[end - count : end].tolist()) == part[codes[part] == stratum].tolist()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.data())
def test_numbers_of_rows_are_met_and_strata_have_their_share(strata: list[int], data: st.DataObject) -> None:
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(strata)), strata))
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=6))
    assume(sum(sizes) <= len(codes))
    parts = stratified_split(codes, sizes, seed=3)
    assert [len(rows) for rows in parts] == sizes
    check(parts, codes, 3)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.lists(st.integers(1, 50), min_size=2, max_size=6))
def test_shares_are_rounded_by_the_largest_remainder(strata: list[int], weights: list[int]) -> None:
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(strata)), strata))
    n_rows, total = len(codes), sum(weights)
    expected = [n_rows * weight // total for weight in weights]
    remainders = [n_rows * weight % total for weight in weights]
    largest = sorted(range(len(weights)), key=lambda part: -remainders[part])
    for part in largest[: n_rows - sum(expected)]:
        expected[part] += 1
    tied = sorted(remainders)[::-1]
    n_more = n_rows - sum(n_rows * weight // total for weight in weights)
    assume(min(expected) > 0)
    assume(n_more == 0 or tied[n_more - 1] != tied[n_more])  # 9 decimals may decide between equal remainders
    parts = stratified_split(codes, [weight / total for weight in weights], seed=3)
    assert [len(rows) for rows in parts] == expected
    check(parts, codes, 3)


def test_of_equal_remainders_the_first_parts_get_a_row_more() -> None:
    assert [len(rows) for rows in stratified_split(LABELS, [0.3, 0.1, 0.6], seed=1)] == [5, 1, 9]
    assert [len(rows) for rows in stratified_split(LABELS[:8], [1 / 3] * 3, seed=1)] == [3, 3, 2]


def test_parts_have_the_names_of_their_sizes() -> None:
    named = stratified_split(LABELS, {"train": 0.8, 2: 0.2}, seed=1)
    assert isinstance(named, dict) and list(named) == ["train", 2]
    for sizes in ([0.8, 0.2], (12, 3.0), np.array([0.8, 0.2]), pd.Series([12, 3])):
        unnamed = stratified_split(LABELS, sizes, seed=1)
        assert [rows.tolist() for rows in unnamed] == [rows.tolist() for rows in named.values()]


def test_missing_strata() -> None:
    strata = ["a", None, "b", "a", "b", "a"]
    with pytest.raises(ValueError, match="no missing values"):
        stratified_split(strata, [3, 3])
    assert 1 not in np.concatenate(stratified_split(strata, [2, 3], missing="drop", seed=1))
    assert 1 in np.concatenate(stratified_split(strata, [3, 3], missing="stratum", seed=1))
    dropped = stratified_split(strata, [1, 3], groups=[1, 9, 2, 2, 3, 3], missing="drop", seed=1)
    assert sorted(np.concatenate(dropped).tolist()) == [0, 2, 3, 4, 5]


@given(st.lists(st.integers(1, 9), min_size=4, max_size=30), st.integers(1, 4), st.integers(2, 4), st.integers(0, 99))
def test_groups_are_whole_and_parts_miss_their_size_by_less_than_the_largest(
    groups: list[int], n_strata: int, n_parts: int, seed: int
) -> None:
    numbers = np.repeat(np.arange(len(groups)), groups)
    codes = np.random.default_rng(seed).integers(0, n_strata, len(numbers))
    sizes = np.bincount(np.arange(len(numbers)) % n_parts)
    parts = stratified_split(codes, sizes, groups=numbers, seed=seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(numbers)))
    assert all(len(rows) > 0 for rows in parts)
    assert sum(len(set(numbers[rows])) for rows in parts) == len(groups)
    if min(sizes) >= max(groups):
        assert all(abs(len(rows) - size) < max(groups) for rows, size in zip(parts, sizes))


def test_groups_that_can_be_divided_exactly_are() -> None:
    """Patients with 2 to 5 images, of which some are sick: the parts are exact up to less than one row."""
    images = np.tile([2, 3, 4, 5], 50)
    patients = np.repeat(np.arange(200), images)
    sick = np.repeat(np.arange(200) % 7 == 0, images).astype(int)
    parts = stratified_split(sick, {"train": 0.7, "valid": 0.15, "test": 0.15}, groups=patients, seed=1)
    exact = np.outer(np.bincount(sick), [0.7, 0.15, 0.15])
    assert (np.abs(counts_of(parts.values(), sick) - exact) < 1).all()


def test_a_warning_names_strata_that_are_not_in_every_part() -> None:
    labels = ["a"] * 20 + ["b"] + ["c"] * 2 + ["d"] * 9
    with pytest.warns(UserWarning, match="^Strata that are not in every part, 2 of 4: 'b', 'c'.$"):
        stratified_split(labels, [0.6, 0.2, 0.2], seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stratified_split(labels[:20] + labels[23:], [0.6, 0.2, 0.2], seed=1)
