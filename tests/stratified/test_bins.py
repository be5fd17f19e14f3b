"""Quantile bins of a numeric target: the definition and its consequences; tests/test_arrays.py has forms of values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from fractions import Fraction
from itertools import groupby
from typing import Any, Optional, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import bin_target
from tests.reference.naive_stratified import shown

FEW = st.lists(st.integers(-4, 4), min_size=1, max_size=60)
ANY = st.lists(st.floats(allow_nan=False), min_size=1, max_size=60)
N_BINS = st.integers(1, 70)


def naive_bins(values: Sequence[Optional[float]], n_bins: int) -> dict[str, Any]:
    """Return the names and the bins of values, -1 where missing, as the help of `bin_target` defines them."""
    ordered = sorted(value for value in values if value is not None and value == value)
    middles = {value: bisect_left(ordered, value) + bisect_right(ordered, value) for value in ordered}
    bins = {value: n_bins * middle // (2 * len(ordered)) for value, middle in middles.items()}
    members = [list(own) for _, own in groupby(bins, key=bins.__getitem__)]
    names: list[str] = []
    for digits in (15, 17):
        if len(set(names)) < len(members):
            names = [f"[{shown(own[0], digits)}, {shown(own[-1], digits)}]" for own in members]
    number = {bins[own[0]]: place for place, own in enumerate(members)}
    return {"names": names, "codes": [number[bins[value]] if value in bins else -1 for value in values]}


@given(st.one_of(FEW, ANY), N_BINS)
def test_the_bins_are_those_of_the_definition(values: list[float], n_bins: int) -> None:
    bins = bin_target(values, n_bins)
    assert {"names": list(bins.categories), "codes": bins.codes.tolist()} == naive_bins(values, n_bins)
    assert bins.ordered and set(bins.codes.tolist()) == set(range(len(bins.categories))), "no bin is empty"
    assert len(bins.categories) <= n_bins
    assert n_bins == 1 or (len(bins.categories) > 1) == (len(set(values)) > 1)
    ordered = sorted(zip(values, bins.codes))
    for (low, low_bin), (high, high_bin) in zip(ordered, ordered[1:]):
        assert low_bin == high_bin if low == high else low_bin <= high_bin
    share, most_ties = Fraction(len(values), n_bins), max(Counter(values).values())
    assert all(abs(rows - share) < most_ties for rows in Counter(bins.codes.tolist()).values())


@given(st.lists(st.one_of(st.none(), st.integers(-4, 4)), min_size=1, max_size=60), N_BINS)
def test_missing_values_stay_missing_and_count_for_nothing(values: list[Optional[int]], n_bins: int) -> None:
    present = [value for value in values if value is not None]
    if present:
        bins = bin_target(values, n_bins)
        assert pd.isna(bins).tolist() == [value is None for value in values]
        assert [name for name in bins if not pd.isna(name)] == list(bin_target(present, n_bins))


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ("text", "'text'"),
        (np.ones((2, 3)), "an array of shape 2x3"),
        (pd.Categorical([1, 2]), "categorical values"),
        (pd.to_datetime(["2020-01-01"]), "dates"),
        ([1, "a"], "a mix of kinds"),
    ],
)
def test_what_is_no_vector_of_numbers_is_refused(values: Any, got: str) -> None:
    with pytest.raises(TypeError, match=f"The 'values' parameter must be a vector of numbers. Got {got} instead."):
        bin_target(values)
