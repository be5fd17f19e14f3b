"""Quantile bins of a numeric target: the definition and its consequences, and the forms of values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, Optional

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler, bin_target
from tests.reference.golden_vectors import naive_bins

FEW = st.lists(st.integers(-4, 4), min_size=1, max_size=60)
ANY = st.lists(st.floats(allow_nan=False), min_size=1, max_size=60)
N_BINS = st.integers(1, 70)


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


@given(st.integers(1, 200), N_BINS, st.randoms(use_true_random=False))
def test_without_ties_bins_have_an_equal_share_rounded_down_or_up(n_rows: int, n_bins: int, random: Any) -> None:
    n_bins = min(n_bins, n_rows)
    rows = np.bincount(bin_target(random.sample(range(n_rows), n_rows), n_bins).codes)
    assert len(rows) == n_bins
    assert set(rows.tolist()) <= {n_rows // n_bins, -(-n_rows // n_bins)}


@given(st.lists(st.one_of(st.none(), st.integers(-4, 4)), min_size=1, max_size=60), N_BINS)
def test_missing_values_stay_missing_and_count_for_nothing(values: list[Optional[int]], n_bins: int) -> None:
    present = [value for value in values if value is not None]
    if present:
        bins = bin_target(values, n_bins)
        assert pd.isna(bins).tolist() == [value is None for value in values]
        assert [name for name in bins if not pd.isna(name)] == list(bin_target(present, n_bins))


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, None, 2.5],
        np.array([3, 1, np.nan, 2.5], dtype=np.float16),
        np.array([3, 1, np.nan, 2.5], dtype=">f8"),
        np.array([3, 1, None, 2.5], dtype=object),
        pd.Series([3, 1, None, 2.5], index=[7, 7, 2, 0]),
        pd.Series([3, 1, pd.NA, 2.5], dtype="Float64"),
        torch.tensor([3, 1, float("nan"), 2.5], requires_grad=True),
    ],
)
def test_the_bins_are_the_same_whatever_form_the_values_come_in(values: Any) -> None:
    bins = bin_target(values, 2)
    assert bins.codes.tolist() == [1, 0, -1, 1]
    assert list(bins.categories) == ["[1, 1]", "[2.5, 3]"]


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ("text", "'text'"),
        (np.ones((2, 3)), "an array of shape 2x3"),
        (pd.Categorical([1, 2]), "categorical values"),
        (pd.to_datetime(["2020-01-01"]), "dates"),
        ([1, "a"], "a mix of kinds"),
        ([2**53 + 1], "the integer 9007199254740993, which no double holds exactly,"),
    ],
)
def test_what_is_no_vector_of_numbers_is_refused(values: Any, got: str) -> None:
    with pytest.raises(TypeError, match=f"The 'values' parameter must be a vector of numbers. Got {got} instead."):
        bin_target(values)


def test_every_batch_of_a_sampler_holds_rows_of_every_bin() -> None:
    bins = bin_target(np.random.default_rng(1).lognormal(size=1000), 5)
    sampler = StratifiedBatchSampler(bins, min_samples_per_stratum=4, seed=1)
    assert sorted(sampler.plan.names) == sorted(bins.categories) and len(sampler) == 50
    assert all(np.bincount(bins.codes[batch]).tolist() == [4] * 5 for batch in sampler)
