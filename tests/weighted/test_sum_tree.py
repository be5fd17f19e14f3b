"""The sum tree: it follows the weights, never draws a zero, and always equals a newly built tree."""

from __future__ import annotations

import json
import math
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pystrat import SumTree, WeightedBatchSampler
from tests.reference.chi_square import assert_follows
from tests.reference.naive_sum_tree import NaiveTree

RANDOM = np.random.default_rng(1)


def over_decades(n: int, decades: int, zeros: float = 0.0) -> np.ndarray:
    weights = 10.0 ** RANDOM.uniform(-decades, 0, n)
    weights[RANDOM.random(n) < zeros] = 0
    if not weights.any():
        weights[-1] = 1.0
    return weights


@pytest.mark.parametrize("n", [5, 1000])
def test_rows_are_drawn_in_proportion_to_their_weights(n: int) -> None:
    weights = over_decades(n, 3, zeros=0.2)
    drawn = SumTree(weights, seed=1).sample(400_000)
    assert_follows(np.bincount(drawn, minlength=n), weights / weights.sum())


@pytest.mark.parametrize(("weights", "k"), [([1, 2, 3], 2), ([5, 0, 1, 1], 3), ([100, 1, 1, 1], 3), ([1, 4, 2, 8], 4)])
def test_without_replacement_rows_are_successive_draws_from_what_is_left(weights: list[float], k: int) -> None:
    expected = {}
    for rows in permutations(range(len(weights)), k):
        share, left = 1.0, float(sum(weights))
        for row in rows:
            share *= weights[row] / left if left else 0.0
            left -= weights[row]
        expected[rows] = share
    sampler = WeightedBatchSampler(weights, k, replacement=False, n_batches=40_000, seed=5)
    drawn = sampler.batches(0).rows.reshape(-1, k)
    cells = list(expected)
    number = {rows: place for place, rows in enumerate(cells)}
    counts = np.bincount([number[tuple(rows)] for rows in drawn.tolist()], minlength=len(cells))
    assert_follows(counts, np.array([expected[rows] for rows in cells]))


@pytest.mark.parametrize(
    ("indices", "weights", "text"),
    [
        ([1, 2], [3.0, float("nan")], "'weights' parameter must hold finite numbers, none below 0. Got NaN"),
        ([1, 2], [3.0, -1], "none below 0. Got -1 instead"),
        ([1, 2, 1], [1.7e308, 1.7e308, 1.6e308], "must have a finite total. Got a total that overflows"),
        ([0, 30], [1.0, 1.0], "'indices' parameter must hold row positions from 0 to 29, counted from 0. Got 30 inst"),
        ([0, 1], [1.0], "must have one value for each row, 2. Got 1 value instead"),
    ],
)
def test_a_refused_update_changes_nothing(indices: list[int], weights: list[float], text: str) -> None:
    start = over_decades(30, 2)
    tree = SumTree(start, seed=1)
    total = tree.total
    with pytest.raises(ValueError, match=text.replace(".", r"\.")):
        tree.update(indices, weights)
    assert tree.total == total and (tree.weights() == start).all()
    assert tree.sample(100).tolist() == SumTree(start, seed=1).sample(100).tolist()


def test_refused_draws_change_nothing() -> None:
    weights = [1.0, 0.0, 2.0]
    tree, twin = SumTree(weights, seed=1), SumTree(weights, seed=1)
    with pytest.raises(ValueError, match="'k' parameter must be at most 2, the number of positive weights"):
        tree.sample(3, replacement=False)
    with pytest.raises(
        ValueError, match="'values' parameter must hold numbers from 0 to below the total, 3. Got 3 inst"
    ):
        tree.find([0, 3.0])
    assert tree.sample(9).tolist() == twin.sample(9).tolist()
    tree.update([0, 2], [0, 0])
    with pytest.raises(ValueError, match="'weights' parameter must not all be 0 when rows are drawn"):
        tree.sample(1)
    assert tree.sample(0).tolist() == []
    tree.update([1], [3])
    assert tree.sample(2).tolist() == [1, 1]


WEIGHTS = st.one_of(
    st.just(0.0),
    st.integers(0, 5).map(float),
    st.floats(0, 1e6, allow_nan=False),
    st.sampled_from([5e-324, 1e-300, 1e-17, 1.0, 1e17, 1e300]),
)


class AnyCalls(RuleBasedStateMachine):
    """Any calls in any order give what the naive tree gives, draw for draw."""

    @initialize(weights=st.lists(WEIGHTS, max_size=70), more=st.integers(0, 5), seed=st.integers(0, 2**31 - 2))
    def begin(self, weights: list[float], more: int, seed: int) -> None:
        capacity = max(1, len(weights) + more)
        self.tree = SumTree(weights, capacity=capacity, seed=seed)
        self.naive = NaiveTree(weights, capacity, seed)

    @rule(k=st.integers(0, 20))
    def sample(self, k: int) -> None:
        if self.naive.total > 0:
            assert self.tree.sample(k).tolist() == self.naive.sample(k)

    @rule(share=st.floats(0, 1))
    def sample_without_replacement(self, share: float) -> None:
        k = math.floor(share * sum(weight > 0 for weight in self.naive.weights))
        assert self.tree.sample(k, replacement=False).tolist() == self.naive.sample(k, replacement=False)

    @rule(changes=st.lists(st.tuples(st.integers(0, 10**6), WEIGHTS), max_size=12))
    def update(self, changes: list[tuple[int, float]]) -> None:
        if self.naive.length:
            changes = [(row % self.naive.length, weight) for row, weight in changes]
            self.tree.update([row for row, _ in changes], [weight for _, weight in changes])
            for row, weight in changes:
                self.naive.weights[row] = weight

    @rule(weights=st.lists(WEIGHTS, max_size=4))
    def append(self, weights: list[float]) -> None:
        assert self.tree.append(weights).tolist() == self.naive.append(weights)

    @rule()
    def pickle(self) -> None:
        self.tree = pickle.loads(pickle.dumps(self.tree))

    @invariant()
    def same_tree(self) -> None:
        if hasattr(self, "tree"):
            assert self.tree.weights().tolist() == self.naive.weights[: self.naive.length]
            assert self.tree.total == self.naive.total


TestAnyCalls = AnyCalls.TestCase


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 1e3)), min_size=1, max_size=200).filter(any), st.floats(0, 1))
def test_find_returns_the_row_in_whose_share_of_the_total_a_value_lies(weights: list[float], share: float) -> None:
    tree = SumTree(weights, seed=1)
    values = [share * np.nextafter(tree.total, 0), 0.0, np.nextafter(tree.total, 0)]
    ends = np.cumsum(weights)
    for value, row in zip(values, tree.find(values)):
        assert weights[row] > 0
        assert ends[row] - weights[row] <= value + 1e-9 * tree.total and value <= ends[row] + 1e-9 * tree.total


@pytest.mark.parametrize("n", [7, 8, 9, 60, 500])
def test_no_value_below_the_total_is_in_a_row_of_weight_zero(n: int) -> None:
    """Although sums of the rows before may be rounded down, so that they do not reach the total."""
    for seed in range(40):
        weights = np.random.default_rng(seed).random(n + 1) ** 9
        weights[-1] = 0.0
        tree = SumTree(weights, seed=1)
        assert weights[tree.find(np.nextafter(tree.total, 0))] > 0


def test_a_state_goes_on_alike_also_from_json_and_in_a_tree_with_another_seed() -> None:
    tree = SumTree(over_decades(50, 3), capacity=70, seed=4)
    tree.sample(33)
    tree.append([3.0] * 25)
    state = tree.state_dict()
    as_lists = json.loads(json.dumps({name: np.asarray(entry).tolist() for name, entry in state.items()}))
    expected = tree.sample(100).tolist(), tree.append([1.0, 2.0]).tolist(), tree.total, tree.seed
    for kept in (state, as_lists):
        twin = SumTree(capacity=70)
        twin.load_state_dict(kept)
        assert (twin.sample(100).tolist(), twin.append([1.0, 2.0]).tolist(), twin.total, twin.seed) == expected


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"version": 2}, "'version' parameter must be 1. Got 2"),
        ({"capacity": 5}, "'capacity' parameter must be 4. Got 5"),
        ({"weights": [1, -1, 2]}, "'weights' parameter must hold finite numbers, none below 0. Got -1"),
        ({"weights": [1] * 5}, "'state' parameter must hold from 0 to 4 weights. Got 5 values instead"),
        ({"next_position": 1}, "'next_position' parameter must be an integer from 3 to 3. Got 1"),
        ({"seed": -1}, "'seed' parameter must be an integer from 0 to 2147483646. Got -1"),
        ({"generator": [0] * 624}, "'state' parameter must hold 625 words of the generator"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(changed: dict, text: str) -> None:
    tree = SumTree([1, 2, 3], capacity=4, seed=1)
    before = pickle.dumps(tree)
    with pytest.raises(ValueError, match=text):
        tree.load_state_dict({**tree.state_dict(), **changed})
    for wrong in (None, {"version": 1}):
        with pytest.raises(ValueError, match="'state' parameter must have the entries 'version', 'capacity', "):
            tree.load_state_dict(wrong)
    assert pickle.dumps(tree) == before
