"""Downsampling: exact counts, uniform and complete choice of rows, correcting weights, corrected probabilities."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import DownsampledBatchSampler, correct_probabilities
from tests.refused import refusals

PUBLISHED = np.repeat([1, 0], [1000, 2000])


def sampler_of(labels: Any, multiplier: Any = 1, batch_size: int = 10, **parameters: Any) -> DownsampledBatchSampler:
    parameters.setdefault("seed", 1)
    return DownsampledBatchSampler(labels, multiplier, batch_size, **parameters)


def refused(*arguments: Any, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        DownsampledBatchSampler(*arguments, **parameters)
    return str(error.value)


def lists(batches: Any) -> list[list[int]]:
    return [list(map(int, batch)) for batch in batches]


@given(
    minority=st.integers(3, 60),
    more=st.integers(1, 300),
    multiplier=st.decimals("0.34", "9", places=3),
    batch_size=st.integers(60, 400),
    in_turn=st.booleans(),
    replicas=st.integers(1, 3),
    epoch=st.integers(0, 6_700_000),
)
def test_counts_and_sizes_are_exact(
    minority: int, more: int, multiplier: Any, batch_size: int, in_turn: bool, replicas: int, epoch: int
) -> None:
    labels = np.random.default_rng(1).permutation(np.repeat([1, 0], [minority, minority + more]))
    kept = min(minority + more, math.floor(Fraction(str(multiplier)) * minority + Fraction(1, 2)))
    total = minority + kept
    n_batches = -(-(-(-total // batch_size)) // replicas) * replicas
    if min(kept, minority) < n_batches:
        return
    sampler = sampler_of(labels, float(multiplier), batch_size, in_turn=in_turn, num_replicas=replicas)
    batches = sampler.batches(epoch)
    assert len(batches) == len(sampler) == n_batches
    rows = batches.rows
    assert len(rows) == total == len(np.unique(rows))
    assert labels[rows].sum() == minority
    sizes = [len(batch) for batch in batches]
    assert max(sizes) <= batch_size and max(sizes) - min(sizes) <= 1
    for label, count in ((1, minority), (0, kept)):
        held = [(labels[batch] == label).sum() for batch in batches]
        assert set(held) <= {count // n_batches, -(-count // n_batches)}


@pytest.mark.parametrize(
    "multiplier, minority, kept",
    [
        (Fraction(1, 3), 3 * 10**5 // 2, 50_000),
        (2.5 - 1e-15, 1, 3),
        (np.int8(3), 100, 300),
    ],
)
def test_a_multiplier_is_exact(multiplier: Any, minority: int, kept: int) -> None:
    labels = np.repeat([1, 0], [minority, 2 * minority + 300])
    for one_or_each in (multiplier, {0: multiplier}):
        assert sampler_of(labels, one_or_each, 10**6).plan.counts.tolist() == [minority, kept]


@pytest.mark.parametrize("majority, kept", [(50, 7), (12, 12), (60, 45), (13, 1)])
def test_walk_covers_every_row_and_returns_equally_often(majority: int, kept: int) -> None:
    labels = np.array([1] * 100 + [0] * majority + [2] * 2)
    sampler = sampler_of(labels, {0: kept / 2}, batch_size=10**6, in_turn=True)
    period = majority // math.gcd(majority, kept)
    rows = [sampler.batches(epoch).rows for epoch in range(2 * period)]
    chosen = [row[labels[row] == 0] for row in rows]
    assert all(len(set(part)) == kept for part in chosen)
    span = -(-majority // kept)
    for first in range(2 * period - span + 1):
        assert len(set(np.concatenate(chosen[first : first + span]))) == majority
    for first in range(period):
        visits = np.bincount(np.concatenate(chosen[first : first + period]))[100 : 100 + majority]
        assert set(visits) == {kept * period // majority}


def test_weights_that_are_given_replace_those_of_their_classes() -> None:
    labels = ["a"] * 10 + ["b"] * 30 + ["c"] * 200
    sampler = sampler_of(labels, 0.5, 20, majority="c", weights={"a": 3, "c": 2.5})
    assert sampler.class_weights().to_dict() == {"a": 3, "b": 1, "c": 2.5}
    assert sampler.weights([0, 10, 239]).tolist() == [3, 1, 2.5]
    assert sampler.parameters["weights"] == {"a": 3, "c": 2.5}
    rows = sampler.batches(0).rows
    assert sampler.weights(rows, normalize=True).mean() == pytest.approx(1)
    normalised = sampler.class_weights(normalize=True)
    assert (normalised / sampler.class_weights()).to_numpy() == pytest.approx([60 / (10 * 3 + 30 + 20 * 2.5)] * 3)
    plain = sampler_of(labels, 0.5, 20, majority="c")
    assert lists(plain.batches(3)) == lists(sampler.batches(3)), "weights change no batch"


test_refusals_say_what_would_work = refusals(
    lambda **given: DownsampledBatchSampler(
        **{"strata": PUBLISHED, "multiplier": 1, "batch_size": 10, "seed": 1, **given}
    ),
    [
        ({"multiplier": {7: 1}}, "name one of the classes, 1, 0. Got 7 instead."),
        ({"multiplier": {0: 1, "0": 2}}, "name one of the classes, 1, 0. Got '0' instead. Use 0 instead, the value"),
        ({"majority": float("nan")}, "name one of the classes, 1, 0. Got NA instead"),
        ({"majority": [0]}, "name a class by its label. Got 1 value instead"),
        ({"strata": [1, None, 1]}, "Got 1 missing of 3 rows instead. Leave these rows out of the dataset."),
    ],
)


def test_a_missing_label_names_no_class_not_even_one_that_is_called_na() -> None:
    labels = ["yes"] * 10 + ["NA"] * 200
    assert sampler_of(labels, 2, majority="NA").class_weights().to_dict() == {"yes": 1, "NA": 10}
    for missing in (float("nan"), np.nan, pd.NA, pd.NaT):
        assert "name one of the classes, 'yes', 'NA'. Got NA instead" in refused(labels, 2, 10, majority=missing)


def test_the_majority_of_several_columns_is_a_tuple() -> None:
    columns = {"a": [1] * 20 + [2] * 5, "b": ["y"] * 20 + ["n"] * 5}
    assert sampler_of(columns, 2, majority=(1, "y")).plan.counts.tolist() == [10, 5]


def test_the_batch_size_that_a_refusal_names_works_and_no_smaller_one() -> None:
    labels = np.repeat([1, 0], [7, 100])
    for replicas in (1, 2, 3):
        said = refused(labels, 5, 4, num_replicas=replicas)
        least = int(re.search(r"at least (\d+)", said).group(1))
        sampler_of(labels, 5, least, num_replicas=replicas)
        assert f"at least {least}" in refused(labels, 5, least - 1, num_replicas=replicas)


def test_corrected_probabilities_are_bayes_rule() -> None:
    """Rows of known probabilities are thinned; the probabilities among what is left lead back to them."""
    known = np.random.default_rng(1).dirichlet([1, 2, 5], size=100)
    rates = np.array([1, 0.5, 0.02])
    thinned = known * rates / (known * rates).sum(axis=1, keepdims=True)
    assert np.allclose(correct_probabilities(thinned, rates), known)
    pair = np.stack([known[:, 0], 1 - known[:, 0]], axis=1)
    for rate in (1, 0.3, 0.01):
        left = pair[:, 0] / (pair[:, 0] + rate * pair[:, 1])
        assert np.allclose(correct_probabilities(left, rate), pair[:, 0])
        assert np.allclose(correct_probabilities(np.stack([left, 1 - left], 1), [1, rate]), pair)
        assert np.allclose(correct_probabilities([[1, 0], [0, 0.9991]], [2.0**-1022, rate]), [[1, 0], [0, 1]])
        column = correct_probabilities(left[:, None].astype(np.float32), [rate])
        assert column.shape == (100, 1) and np.allclose(column[:, 0], pair[:, 0], atol=1e-6)


def test_classes_of_a_table_of_probabilities_are_matched_by_value() -> None:
    keep_rates = sampler_of(PUBLISHED, 0.5, 100).keep_rates
    table = pd.DataFrame({0: [0.5], 1: [0.5]})
    assert list(keep_rates.index) == [0, 1]
    assert np.allclose(correct_probabilities(table, keep_rates), [[0.8, 0.2]])
    with pytest.raises(ValueError, match="a column for each class of 'keep_rate', 0, 1. Got 0, 2 instead"):
        correct_probabilities(table.rename(columns={1: 2}), keep_rates)
    for unnamed in (table.to_numpy(), [[0.5, 0.5]], torch.tensor([[0.5, 0.5]])):
        with pytest.raises(ValueError, match="have named columns if 'keep_rate' has names. Got columns without names"):
            correct_probabilities(unnamed, keep_rates)
        assert np.allclose(correct_probabilities(unnamed, keep_rates.to_numpy()), [[0.8, 0.2]])
    assert np.allclose(correct_probabilities(table, pd.Series([1, 0.25], index=[1, 0])), [[0.8, 0.2]])
    assert np.allclose(correct_probabilities(table.astype("Float64"), keep_rates), [[0.8, 0.2]])
    with pytest.raises(ValueError, match="name each class once. Got 0.3 twice"):
        correct_probabilities(table, pd.Series([1, 0.25], index=[0.3, 0.3]))


test_impossible_probabilities_are_refused = refusals(
    lambda probabilities, keep_rate=0.5: correct_probabilities(probabilities, keep_rate),
    [
        ({"probabilities": [[[0.5]]]}, "be a vector or a table. Got 3 dimensions instead"),
        *(
            ({"probabilities": wrong}, "hold numbers. Got other")
            for wrong in (["a"], [True], [[0.5], [0.5, 0.5]], "0.5")
        ),
        ({"probabilities": [[0.5, 0.498]], "keep_rate": [1, 0.5]}, "sum to 1. Got a row that sums to 0.998 instead"),
    ],
)


@pytest.mark.parametrize(
    "labels, majority", [([True] * 3 + [False] * 3, False), ([1.5] * 4 + [2] * 4, 2), ("aabb", "b")]
)
def test_equal_sizes_need_the_majority(labels: Any, majority: Any) -> None:
    labels = list(labels)
    half = len(labels) // 2
    assert "both of" in refused(labels, 1, 2)
    sampler = sampler_of(labels, 0.5, 10, majority=majority)
    assert sampler.plan.counts.tolist() == [half, -(-half // 2)]
