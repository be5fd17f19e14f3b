"""Long loops handle signals: Ctrl-C ends a call early, and the sampler does not change."""

from __future__ import annotations

import signal
from functools import partial
from itertools import starmap
from types import FrameType
from typing import Any, Callable, Iterator, Optional

import numpy as np
import pytest

import pystrat
from pystrat import TreeBatchSampler
from tests.corpus.mixtures import instance_of
from tests.inside import kinds, recipe_of
from tests.levels import some_of

SOON = 0.005  # seconds; each call takes many times as long
LARGE = 2**26  # rows of loops that only read and write them
SMALL = 2**24  # rows of loops that do more
MANY = 2**20  # rows with ranks


class Interrupted(Exception):
    """What the handler of the alarm raises, as that of Ctrl-C raises KeyboardInterrupt."""


@pytest.fixture
def alarm() -> Iterator[None]:
    def interrupt(number: int, frame: Optional[FrameType]) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def zeros(count: int, dtype: Any = np.int64) -> np.ndarray:
    return np.zeros(count, dtype=dtype)


def in_order(count: int, dtype: Any = np.int64) -> np.ndarray:
    return np.arange(count, dtype=dtype)


def sum_tree() -> pystrat.SumTree:
    return pystrat.SumTree(np.ones(2**20), seed=1)


def ranked(n: int) -> pystrat.PrioritizedBatchSampler:
    return pystrat.PrioritizedBatchSampler(n, 64, alpha=1, beta=1, method="rank", seed=1)


def one_leaf() -> kinds.Instance:
    sampler = TreeBatchSampler({"x": in_order(1000)}, {}, 1, length=LARGE // 2, seed=1)
    return kinds.Instance("tree", dict(recipe_of(sampler).parts), 1)


# Each returns a kernel and what it is called with.
CALLS: dict[str, Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "numbers of values": lambda: (partial(kinds.call, "number_values", {}), ({"values": 1.0 * in_order(SMALL)},)),
    "epoch_permutation": lambda: (partial(pystrat.epoch_permutation, seed=1), (SMALL,)),
    "draw of a mixture": lambda: (instance_of([10**6], sample=LARGE).draw, (0,)),
    "draw of a tree": lambda: (one_leaf().draw, (0,)),
    "weights of users": lambda: (pystrat.SumTree, (np.ones(SMALL),)),
    "update": lambda: (sum_tree().update, (in_order(SMALL) % 2**20, np.ones(SMALL))),
    "importance weights": lambda: (ranked(MANY).importance_weights, (in_order(MANY),)),
    "priorities, by sorting": lambda: (ranked(MANY).update, (in_order(MANY), np.ones(MANY))),
    "sample": lambda: (sum_tree().sample, (SMALL,)),
}


@pytest.mark.parametrize("name", some_of(CALLS, 6))
def test_kernels_hear_signals(alarm: None, name: str) -> None:
    """Python itself hears them between two calls, so nothing but C is between the end of the kernel and the result."""
    kernel, arguments = CALLS[name]()
    finished: list[Any] = []
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        finished.extend(starmap(kernel, [arguments]))
    assert finished == []


ROWS = 2**21

SAMPLERS: dict[str, Callable[[], pystrat.BatchSampler]] = {
    "stratified": lambda: pystrat.StratifiedBatchSampler(in_order(ROWS) % 7, min_samples_per_stratum=2, seed=1),
    "uniform": lambda: pystrat.UniformBatchSampler(ROWS, batch_size=ROWS // 2, replacement=False, seed=1),
    "strata subset, exact": lambda: pystrat.StrataSubsetBatchSampler(in_order(ROWS) % 999, 3, 2, exact=True, seed=1),
    "by length": lambda: pystrat.BatchesByLength(
        pystrat.UniformBatchSampler(ROWS, ROWS, seed=1), in_order(ROWS) % 999, max_tokens=9999, window=ROWS // 3
    ),
    "weighted": lambda: pystrat.WeightedBatchSampler(
        1.0 + in_order(ROWS), batch_size=ROWS // 2, replacement=False, n_batches=1, seed=1
    ),
    "pairs, per user": lambda: pystrat.NegativePairBatchSampler(
        in_order(ROWS) % 999, in_order(ROWS) % 2**15, 0.5, 64, method="per_user", unique=True, seed=1
    ),
    "groups of several strata": lambda: pystrat.StratifiedGroupBatchSampler(
        in_order(ROWS // 2) // 2 % 3, 9, groups=in_order(ROWS // 2) // 50, seed=1
    ),
    "labels that lack rows": lambda: pystrat.MultilabelBatchSampler(
        np.random.default_rng(1).random((ROWS // 16, 9)) < 0.3, 2, seed=1, rare="allow"
    ),
    "tree": lambda: pystrat.TreeBatchSampler(
        {"x": in_order(ROWS) % 7}, {"mode": "shuffle"}, batch_size=64, length=2 * ROWS, persistent=True, seed=1
    ),
}


@pytest.mark.parametrize("name", some_of(SAMPLERS, 7))
def test_a_sampler_draws_the_same_after_an_interrupt(alarm: None, name: str) -> None:
    expected, sampler = SAMPLERS[name](), SAMPLERS[name]()
    sampler.batches(0)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        sampler.batches(1)
    assert np.array_equal(sampler.batches(1).rows, expected.batches(1).rows)


def test_weights_are_as_before_after_an_interrupt(alarm: None) -> None:
    tree = pystrat.SumTree(np.full(SMALL, 2.0), seed=1)
    rows, weights = in_order(SMALL), np.ones(SMALL)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        tree.update(rows, weights)
    assert tree.total == 2 * SMALL and (tree.weights() == 2).all()
    tree.update(rows, weights)
    assert tree.total == SMALL


@pytest.mark.parametrize("count", [MANY // 20, MANY])
def test_ranks_have_all_of_a_change_or_nothing_after_an_interrupt(alarm: None, count: int) -> None:
    """Both by moves of some rows and by sorting all rows; a change that has begun is finished."""
    sampler, expected, rows = ranked(MANY), ranked(MANY), in_order(count)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        sampler.update(rows, (rows % 1000).astype(np.float64))
    after = sampler.state()
    if (after["priorities"] != 1).any():
        expected.update(rows, (rows % 1000).astype(np.float64))
    whole = expected.state()
    assert np.array_equal(after.pop("priorities"), whole.pop("priorities")) and after == whole
    assert np.array_equal(sampler.importance_weights(rows), expected.importance_weights(rows))
