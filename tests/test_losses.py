"""The AUM loss against known answers, its definition and the slopes of its pieces."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat.losses import AUMLoss
from tests.given_by_pystrat import GOLDEN, values_of
from tests.refused import refusals

LOSSES = json.loads((GOLDEN / "losses.json").read_text(encoding="utf-8"))

# Sixteenths are exact in float32, and so are their differences.
SCORES = st.one_of(st.integers(-2, 2), st.integers(-1000, 1000)).map(lambda number: number / 16)
BATCHES = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=40)
TYPES = [torch.float64, torch.float32]

Batch = Sequence[tuple[float, bool]]


def tensor_of(values: list[Any], dtype: torch.dtype = torch.float64) -> torch.Tensor:
    rows = [values_of(row) if isinstance(row, list) else values_of([row])[0] for row in values]
    return torch.tensor(rows, dtype=dtype)


def loss_and_gradient(predictions: Any, labels: Any, dtype: torch.dtype = torch.float64) -> tuple[float, list[float]]:
    leaf = torch.as_tensor(predictions, dtype=dtype).clone().requires_grad_()
    loss = AUMLoss()(leaf, torch.as_tensor(labels))
    assert loss.shape == () and loss.dtype == dtype
    loss.backward()
    assert leaf.grad is not None and leaf.grad.shape == leaf.shape
    return loss.item(), leaf.grad.tolist()


def of_batch(batch: Batch, dtype: torch.dtype = torch.float64) -> tuple[float, list[float]]:
    return loss_and_gradient([score for score, _ in batch], [label for _, label in batch], dtype)


def by_definition(batch: Batch) -> Fraction:
    """The definition in the help, word for word, in fractions: all thresholds, all rows."""
    negatives = [score for score, positive in batch if not positive]
    positives = [score for score, positive in batch if positive]
    if not negatives or not positives:
        return Fraction(0)
    distinct = sorted({score for score, _ in batch})
    area = Fraction(0)
    for low, high in zip(distinct, distinct[1:]):
        false_positive_rate = Fraction(sum(score > low for score in negatives), len(negatives))
        false_negative_rate = Fraction(sum(score <= low for score in positives), len(positives))
        area += min(false_positive_rate, false_negative_rate) * (Fraction(high) - Fraction(low))
    return area


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("case", LOSSES["known"], ids=[case["name"] for case in LOSSES["known"]])
def test_known_answers(case: dict, dtype: torch.dtype) -> None:
    loss, gradient = loss_and_gradient(tensor_of(case["input"], dtype), tensor_of(case["target"]), dtype)
    assert loss == case["loss"]
    assert np.allclose(gradient, case["gradient"], rtol=1e-7, atol=0)


@pytest.mark.parametrize("dtype", TYPES)
@given(batch=BATCHES)
def test_the_loss_is_that_of_the_definition(dtype: torch.dtype, batch: Batch) -> None:
    tolerance = 1e-13 if dtype == torch.float64 else 1e-5
    assert of_batch(batch, dtype)[0] == pytest.approx(float(by_definition(batch)), rel=tolerance, abs=tolerance)


@given(BATCHES)
def test_at_ties_the_gradient_is_the_mean_of_negatives_above_and_of_negatives_below_the_positives(batch: Batch) -> None:
    """Positives that move by far less than the distance of neighbors; tied rows of one class stay tied."""
    moved = [of_batch([(score + step * label, label) for score, label in batch])[1] for step in (1e-4, -1e-4)]
    assert of_batch(batch)[1] == pytest.approx(np.mean(moved, axis=0), abs=1e-13)


def test_a_batch_of_one_class_trains_nothing_and_stops_nothing() -> None:
    network = torch.nn.Linear(3, 1)
    for label in (0.0, 1.0):
        loss = AUMLoss()(network(torch.randn(5, 3)), torch.full((5, 1), label))
        network.zero_grad()
        loss.backward()
        assert loss.item() == 0 and all(parameter.grad.eq(0).all() for parameter in network.parameters())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_predictions_are_computed_with_in_float32(dtype: torch.dtype) -> None:
    predictions = torch.tensor([2.0, -3.5, -1.0, 1.5], dtype=dtype, requires_grad=True)
    loss = AUMLoss()(predictions, torch.tensor([0, 0, 1, 1]))
    loss.backward()
    assert loss.dtype == torch.float32 and loss.item() == 1.5
    assert predictions.grad is not None and predictions.grad.tolist() == [0.5, 0.0, -0.5, 0.0]


@pytest.mark.parametrize("case", LOSSES["refused"], ids=[case["name"] for case in LOSSES["refused"]])
def test_refused(case: dict) -> None:
    with pytest.raises(ValueError) as refused:
        AUMLoss()(tensor_of(case["input"]), tensor_of(case["target"]))
    assert str(refused.value) == case["message"].format(loss="AUMLoss")


test_what_is_no_tensor_of_numbers_is_refused = refusals(
    lambda input, target=torch.tensor([0, 1]): AUMLoss()(input, target),
    [
        ({"input": [1.0, 2.0]}, "'input' parameter must be a tensor of shape (n) or (n, 1). Got 2 values"),
        ({"input": torch.tensor([1, 2])}, "must hold floating point numbers. Got torch.int64 values instead."),
        ({"input": torch.tensor([1.0]), "target": np.array([1])}, "'target' parameter must be a tensor of shape"),
    ],
)
