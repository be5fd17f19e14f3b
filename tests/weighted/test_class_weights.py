"""Class weights: the formulas of their help pages, and how labels are read."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import (
    DownsampledBatchSampler,
    MultilabelBatchSampler,
    class_weights,
    effective_number_weights,
    inverse_frequency_weights,
    repeat_factors,
    temperature_weights,
)
from tests.refused import refusals

LABELS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=60)


def test_effective_numbers_of_large_classes_lose_no_digits() -> None:
    for n, beta in [(1_000_000, 0.5), (1_000_000, 0.9999), (999_999, 1 - 1e-6), (5_000_000, np.nextafter(1, 0))]:
        found = effective_number_weights(np.zeros(n, dtype=np.int8), beta=beta)[0]
        with localcontext(Context(prec=50)):
            exact = Decimal(float(beta))
            expected = (1 - exact) / (1 - exact**n)
        assert found == pytest.approx(float(expected), rel=1e-14, abs=0)


@given(LABELS, st.floats(0, 1))
def test_repeat_factors_of_one_label_a_row(labels: list[str], threshold: float) -> None:
    found = repeat_factors(labels, threshold=threshold)
    shares = [labels.count(label) / len(labels) for label in labels]
    assert found.tolist() == [max(1, np.sqrt(threshold / share)) for share in shares]
    matrix = np.array([[label == other for other in sorted(set(labels))] for label in labels])
    assert repeat_factors(matrix, threshold=threshold).tolist() == found.tolist()


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=40), st.floats(0, 1))
def test_the_repeat_factor_of_a_row_is_the_largest_of_its_labels(rows: list[tuple], threshold: float) -> None:
    matrix = np.array([*rows, (True, True, True)])
    factors = [max(1, np.sqrt(threshold / (column.sum() / len(matrix)))) for column in matrix.T]
    expected = [max([1.0, *(factor for has, factor in zip(row, factors) if has)]) for row in matrix]
    assert repeat_factors(matrix, threshold=threshold).tolist() == expected


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        torch.tensor,
        pd.DataFrame,
        scipy.sparse.csr_matrix,
        lambda rows: [np.array(row) for row in rows],
        lambda rows: [torch.tensor(row) for row in rows],
        lambda rows: tuple(map(tuple, rows)),
    ],
)
def test_forms_of_a_matrix(form: Any) -> None:
    rows = [[1, 0], [1, 1], [1, 0], [0, 0]]
    assert repeat_factors(form(rows), threshold=1).tolist() == repeat_factors(rows, threshold=1).tolist()


test_refused = refusals(
    lambda by, labels=("a", "b"), **given: by(list(labels), **given),
    [
        ({"by": inverse_frequency_weights, "labels": ["a", None]}, "'labels' parameter must have no missing values. "),
        ({"by": inverse_frequency_weights, "labels": []}, "'labels' parameter must have at least one row. Got 0 rows"),
        ({"by": effective_number_weights, "beta": 1}, "'beta' parameter must be below 1. Got 1"),
        ({"by": effective_number_weights, "beta": -1}, "'beta' parameter must be a finite number"),
        ({"by": temperature_weights, "temperature": 0.5}, "'temperature' parameter must be a finite"),
        ({"by": repeat_factors, "threshold": 1.5}, "'threshold' parameter must be at most 1. Got 1.5"),
        ({"by": repeat_factors, "threshold": -1}, "'threshold' parameter must be a finite number of at"),
    ],
)


def test_a_matrix_with_a_label_that_no_row_has_is_refused() -> None:
    with pytest.raises(ValueError, match="'labels' parameter must have a row of every label. Got no"):
        repeat_factors([[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="'labels' parameter must hold 0 and 1, or text. Got 2"):
        repeat_factors(np.array([[1, 2], [1, 0]]))


# Weights of a loss, in the order of the outputs of a network ----------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [[2, 0, 2, 2, 1], ["c", "a", "c", "c", "b"], torch.tensor([2, 0, 2, 2, 1]), pd.Categorical(list("cacca"))]
)
def test_all_classes_count_equally_in_the_order_of_numpy_unique(labels: object) -> None:
    weights = class_weights(labels)
    _, counts = np.unique(np.asarray(labels), return_counts=True)
    np.testing.assert_allclose(weights * counts, 5 / len(counts), rtol=1e-6)
    assert weights.dtype == np.float32


def test_the_classes_of_a_categorical_are_its_categories() -> None:
    labels = pd.Categorical(["lo", "hi", "hi"], categories=["lo", "hi", "none"])
    assert class_weights(labels).tolist() == class_weights(pd.Series(labels)).tolist() == [1.5, 0.75, 0]


def test_the_weights_of_a_sampler_are_those_of_its_epochs_in_the_type_of_losses() -> None:
    found = class_weights(DownsampledBatchSampler([1] * 10 + [0] * 40, 1, 5, seed=1))
    assert found.dtype == np.float32 and found.tolist() == [4, 1]
    with pytest.raises(TypeError, match="Got a value of class 'MultilabelBatchSampler' instead"):
        class_weights(MultilabelBatchSampler([[1, 0], [1, 1]], 1))
