"""Weights that follow the epoch, by a table from first epochs to weights."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import WeightedBatchSampler
from tests.refused import refusals

N = 30
TABLE = {0: np.arange(N) < 10, 2: np.arange(N) < 20, 5: np.arange(N) + 1}
WEIGHTS = {begin: weights.astype(float) for begin, weights in TABLE.items()}
BOTH = pytest.mark.parametrize("replacement", [True, False])


def sampler_of(weights: Any = None, **parameters: Any) -> WeightedBatchSampler:
    options = {"n_batches": 6, "seed": 1, **parameters}
    return WeightedBatchSampler(WEIGHTS if weights is None else weights, 4, **options)


def stage_of(table: dict[int, Any], epoch: int) -> int:
    return max(begin for begin in table if begin <= epoch)


@st.composite
def tables(draw: st.DrawFn) -> dict[int, list[float]]:
    """Return weights of a few rows by first epoch, of which at least two are positive."""
    n_rows = draw(st.integers(2, 20))
    begins = [0, *sorted(draw(st.sets(st.integers(1, 8), max_size=3)))]
    weight = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    return {begin: [1.0, 2.0, *draw(st.lists(weight, min_size=n_rows - 2, max_size=n_rows - 2))] for begin in begins}


@given(tables(), st.booleans(), st.integers(0, 11), st.none() | st.integers(1, 3))
def test_an_epoch_is_that_of_a_sampler_with_its_weights(
    table: dict[int, list[float]], replacement: bool, epoch: int, replicas: Optional[int]
) -> None:
    options: dict[str, Any] = {"n_batches": 6, "replacement": replacement, "num_replicas": replicas, "seed": 3}
    sampler = WeightedBatchSampler(table, 2, **options)
    alone = WeightedBatchSampler(table[stage_of(table, epoch)], 2, **options)
    expected = [batch.tolist() for batch in alone.batches(epoch)]
    assert [batch.tolist() for batch in sampler.batches(epoch)] == expected
    sampler.set_epoch(epoch)
    assert list(sampler) == expected


def test_other_epochs_of_the_same_weights_refuse_the_state() -> None:
    state = sampler_of().state()
    for others in ({0: WEIGHTS[0], 3: WEIGHTS[2], 5: WEIGHTS[5]}, {0: WEIGHTS[0], 2: WEIGHTS[2]}, WEIGHTS[0]):
        with pytest.raises(ValueError, match="must come from a sampler with the same data, parameters and seed"):
            sampler_of(others).load_state_dict(state)
    state["weights"] = state["weights"][:-1]
    with pytest.raises(ValueError, match="'state' parameter must hold 90 weights. Got 89 values instead."):
        sampler_of().load_state_dict(state)


def test_an_update_is_refused_and_changes_nothing() -> None:
    for table in (WEIGHTS, {0: WEIGHTS[0]}):
        sampler = sampler_of(table)
        with pytest.raises(ValueError) as refused:
            sampler.update([1], [2.0])
        assert str(refused.value) == (
            "The 'weights' parameter must be the same for all epochs if they are updated. "
            "Got a table by epoch instead."
        )
        assert sampler.batches(0).rows.tolist() == sampler_of(table).batches(0).rows.tolist()


test_refused = refusals(
    lambda weights, size=1, **given: WeightedBatchSampler(weights, size, seed=1, **given),
    [
        ({"weights": {1: [1.0]}}, "must have weights from epoch 0 on. Got a table from epoch 1 on"),
        ({"weights": {}}, "must have weights from epoch 0 on. Got an empty table"),
        (
            {"weights": {0: [1.0, 2], 3: [1.0]}},
            "one weight for each row in all epochs. Got 2 values for epoch 0 and 1 for",
        ),
        (
            {"weights": {0: [1.0, 2], 3: [0.0, 0]}},
            "not all be 0 when rows are drawn. Got no positive weight in epoch 3",
        ),
        ({"weights": {0: []}}, "'weights' parameter must have from 1 to 2147483647 values. Got 0 values"),
        ({"weights": {0: [[1.0, 2.0]]}}, "'weights' parameter must be a vector of numbers. Got 2 dimensions"),
        ({"weights": {"a": [1.0]}}, "a table from epochs, integers from 0 to 6700000, to weights of rows. Got the"),
        (
            {"weights": {0: [1.0, 2], 5: [0.0, 1]}, "size": 2, "replacement": False},
            "be at most 1, the number of positive weights in epoch 5, without replacement",
        ),
    ],
)
