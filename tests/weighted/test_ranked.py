"""Rank-based priorities: exact ranks after any updates, draws and importance weights, states, and errors."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import PrioritizedBatchSampler
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_ranks import NaiveRanks
from tests.refused import refusals

FEW = st.sampled_from([0.0, 0.5, -0.5, 1.0, -2.0, 5e-324, 1e300])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("update"), st.lists(st.tuples(st.integers(0, 10**6), FEW), max_size=30)),
        st.tuples(st.just("append"), st.integers(0, 6)),
        st.tuples(st.just("sample"), st.integers(1, 9)),
        st.tuples(st.just("copy"), st.just(None)),
    ),
    max_size=25,
)


def ranked(n: int, k: int = 4, **parameters: Any) -> PrioritizedBatchSampler:
    return PrioritizedBatchSampler(n, k, method="rank", **{"n_batches": 50, "seed": 1, **parameters})


@given(st.integers(1, 40), st.integers(0, 30), st.sampled_from([0, 0.6, 1.0, 2.5]), st.booleans(), STEPS)
def test_any_calls_give_what_sorting_anew_for_every_draw_gives(
    n: int, room: int, alpha: float, stratified: bool, steps: list
) -> None:
    sampler = ranked(n, alpha=alpha, capacity=n + room, stratified=stratified, beta=1, normalize=False)
    naive = NaiveRanks(n, n + room, alpha, epoch_seed(1, 6_700_001))
    for name, given_ in steps:
        n_rows = len(naive.priorities)
        if name == "update":
            rows, priorities = [row % n_rows for row, _ in given_], [priority for _, priority in given_]
            sampler.update(rows, priorities)
            naive.update(rows, priorities)
        elif name == "append":
            count = min(given_, n + room)
            sampler.append(count)
            naive.append(count)
        elif name == "sample":
            assert sampler.sample(given_).tolist() == naive.sample(given_, sliced=stratified)
        else:
            sampler = pickle.loads(pickle.dumps(sampler))
    weights = np.array(naive.weights())
    expected = weights.sum() / len(weights) / weights
    np.testing.assert_allclose(sampler.importance_weights(np.arange(len(weights))), expected, rtol=1e-12)


def as_json(state: dict[str, Any]) -> Any:
    return json.loads(json.dumps(state, default=lambda array: array.tolist()))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"priorities": [1.0, -1.0, 1.0, 1.0]}, "'priorities' parameter must hold finite"),
        ({"priorities": [1.0, np.inf, 1.0, 1.0]}, "must hold finite numbers, none below 0. Got Inf"),
        ({"next_position": 2}, "must be an integer from 4 to 4. Got 2"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(changed: dict, text: str) -> None:
    sampler, other = ranked(3, capacity=5), ranked(3, capacity=5)
    sampler.append()
    state = sampler.state()
    before = as_json(other.state())
    with pytest.raises(ValueError, match=text):
        other.load_state_dict({**state, **changed})
    assert as_json(other.state()) == before
    proportional = PrioritizedBatchSampler(3, 4, capacity=5, n_batches=50, seed=1)
    with pytest.raises(ValueError, match="must come from a sampler with the same data, parameters and seed"):
        proportional.load_state_dict(state)


test_refused = refusals(
    lambda **options: PrioritizedBatchSampler(5, 2, method="rank", **options),
    [
        ({"epsilon": 0.1}, "'epsilon' parameter must not be given if 'method' is 'rank'. Got"),
        ({"alpha": 1e4}, "'alpha' parameter must give the last of 5 ranks a weight above 0"),
        ({"alpha": -1}, "'alpha' parameter must be a finite number of at least 0. Got -1"),
    ],
)
