"""Prioritized replay: probabilities, importance weights, new rows, and unbiased estimates."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import PrioritizedBatchSampler
from tests.reference.chi_square import assert_follows

RANDOM = np.random.default_rng(1)


def sampler_of(priorities: Any, k: int = 4, **parameters: Any) -> PrioritizedBatchSampler:
    sampler = PrioritizedBatchSampler(len(priorities), k, **{"n_batches": 50_000, "seed": 1, **parameters})
    sampler.update(np.arange(len(priorities)), priorities)
    return sampler


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("alpha", [0.6, 2.0])
def test_rows_are_drawn_in_proportion_to_their_priorities_to_the_power_of_alpha(stratified: bool, alpha: float) -> None:
    priorities = RANDOM.normal(size=40)
    expected = (np.abs(priorities) + 0.01) ** alpha
    rows = sampler_of(priorities, alpha=alpha, epsilon=0.01, stratified=stratified).batches(0).rows
    assert_follows(np.bincount(rows, minlength=40), expected / expected.sum())


def test_a_stratified_batch_has_one_row_of_each_equal_slice_of_the_total() -> None:
    priorities = np.arange(1.0, 33.0)
    sampler = sampler_of(priorities, k=8, alpha=1.0, epsilon=1e-9, stratified=True, n_batches=5_000)
    ends = np.cumsum(priorities + 1e-9)
    starts = ends - (priorities + 1e-9)
    for batch in sampler.batches(0):
        for slice_, row in enumerate(batch):
            low, high = slice_ * ends[-1] / 8, (slice_ + 1) * ends[-1] / 8
            assert starts[row] <= high + 1e-9 and ends[row] >= low - 1e-9


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30),
    st.floats(0, 2),
    st.floats(0, 1),
)
def test_importance_weights_are_n_times_the_probability_to_the_power_of_minus_beta(
    priorities: list[float], alpha: float, beta: float
) -> None:
    n = len(priorities)
    weights = (np.abs(priorities) + 0.01) ** alpha
    probability = weights / weights.sum()
    raw = (n * probability) ** -beta
    options = {"alpha": alpha, "beta": beta, "epsilon": 0.01, "n_batches": 1}
    rows = RANDOM.integers(0, n, 9)
    plain = sampler_of(priorities, normalize=False, **options).importance_weights(rows)
    np.testing.assert_allclose(plain, raw[rows], rtol=1e-12)
    divided = sampler_of(priorities, **options).importance_weights(rows)
    np.testing.assert_allclose(divided, raw[rows] / raw.max(), rtol=1e-12)
    assert (divided <= 1).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("beta", "normalize", "expected"),
    [
        (0.4, False, [(1 / 3) ** 0.4 * 1e240, (1 / 3) ** 0.4, (1 / 3) ** 0.4 * 1e120]),
        (0.4, True, [1, 1e-240, 1e-120]),
        (0.0, False, [1, 1, 1]),
        (1.0, True, [1, 0, 1e-300]),
        (2.0, True, [1, 0, 0]),
    ],
)
def test_importance_weights_are_right_where_quotients_of_priorities_have_no_double(
    beta: float, normalize: bool, expected: list[float]
) -> None:
    sampler = sampler_of([0.0, 1e300, 1.0], alpha=1, beta=beta, epsilon=1e-300, normalize=normalize)
    np.testing.assert_allclose(sampler.importance_weights([0, 1, 2]), expected, rtol=1e-12)


def test_beta_as_a_function_of_the_number_of_the_batch() -> None:
    asked = []

    def beta(batch: int) -> float:
        asked.append(batch)
        return min(1.0, batch / 10)

    sampler = sampler_of([0.0, 1.0], alpha=1, beta=beta, epsilon=1.0)
    assert sampler.importance_weights([0, 1], batch=0).tolist() == [1, 1]
    assert sampler.importance_weights([0, 1], batch=10).tolist() == [1, 0.5]
    assert asked == [0, 10]
    with pytest.raises(ValueError, match="'batch' parameter must be given if 'beta' is a"):
        sampler.importance_weights([0])
    wrong = sampler_of([0.0, 1.0], beta=lambda batch: -1.0)
    with pytest.raises(ValueError, match="'beta' parameter must be a finite number of at"):
        wrong.importance_weights([0], batch=3)


def weights_of(sampler: PrioritizedBatchSampler) -> list[float]:
    return sampler.state()["weights"].tolist()


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"weights": [1.0] * 6}, "'state' parameter must hold from 0 to 5 weights. Got 6 values"),
        ({"weights": [1.0, 0.0, 1.0, 1.0]}, "must hold weights above 0. Got 0"),
        ({"next_position": 1}, "'next_position' parameter must be an integer from 4 to 4"),
    ],
)
def test_a_state_of_a_buffer_that_cannot_be_is_refused_and_changes_nothing(changed: dict, text: str) -> None:
    def buffer() -> PrioritizedBatchSampler:
        return PrioritizedBatchSampler(3, 2, capacity=5, n_batches=4, seed=1)

    sampler, other = buffer(), buffer()
    sampler.append()
    next(iter(sampler))
    state = sampler.state(0)
    with pytest.raises(ValueError, match=text):
        other.load_state_dict({**state, **changed})
    with pytest.raises(ValueError, match="hold row positions from 0 to 3, counted from 0. Got 4"):
        other.load_state_dict({**state, "drawn": [4, 0]})
    assert weights_of(other) == [1, 1, 1]
    other.load_state_dict(state)
    assert weights_of(other) == [1, 1, 1, 1]


def test_drawing_from_an_empty_buffer_is_an_error() -> None:
    sampler = PrioritizedBatchSampler(0, 2, capacity=10)
    with pytest.raises(ValueError, match=r"'priorities' .* of at least one row .* Add rows with append\(\) first."):
        next(iter(sampler))


def test_a_priority_that_overflows_when_raised_is_refused_as_such() -> None:
    sampler = sampler_of([1.0, 2.0], alpha=2.0)
    before = weights_of(sampler)
    text = "must stay finite when raised to the power of alpha, 2. Got -1e+200 instead."
    with pytest.raises(ValueError, match=re.escape(text)):
        sampler.update([0, 1], [5.0, -1e200])
    with pytest.raises(ValueError, match="must have a finite total"):
        sampler.update([0, 1], [1.2e154, 1.2e154])
    assert weights_of(sampler) == before
