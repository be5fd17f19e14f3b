"""Long loops handle signals: Ctrl-C ends a call early, and the sampler does not change."""

from __future__ import annotations

import signal
from itertools import starmap
from types import FrameType
from typing import Any, Callable, Iterator, Optional

import numpy as np
import pytest

import pystrat
from pystrat import TreeBatchSampler, _core, _kernels, _sum_tree
from pystrat._random import RandomStream
from pystrat._sum_tree import WeightTree
from pystrat.corpus import _draws
from pystrat.stratified import _groups, _multilabel
from pystrat.weighted import _ranking
from pystrat.weighted._ranking import Ranking
from tests.test_numbering import colliding

SOON = 0.005  # seconds; each call takes many times as long
LARGE = 2**26  # rows of loops that only read and write them
SMALL = 2**24  # rows of loops that do more


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


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def in_order(count: int, dtype: Any = np.int64) -> np.ndarray:
    return np.arange(count, dtype=dtype)


def stream() -> RandomStream:
    return RandomStream(1)


def weight_tree() -> WeightTree:
    tree = WeightTree(2**20)
    tree.fill(np.ones(2**20))
    return tree


def ranking() -> Ranking:
    return Ranking(SMALL, zeros(SMALL, np.float64))


def one_leaf() -> _core.Instance:
    sampler = TreeBatchSampler({"x": in_order(1000)}, {}, 1, length=LARGE // 2, seed=1)
    return _core.Instance("tree", sampler._recipe().parts, 1)


def two_sides(count: int, *, nested: bool) -> tuple[Any, ...]:
    """Return what deals rows of 2 strata and of 64 groups to 100 batches."""
    groups = in_order(count, np.int32) % 64
    strata = groups % 2 if nested else in_order(count, np.int32) // (count // 2)
    counts = [np.bincount(labels).astype(np.int32) for labels in (strata, groups)]
    return (in_order(count, np.int32), strata.astype(np.int32), groups.astype(np.int32), *counts, 100, nested)


# Each returns a kernel and what it is called with.
CALLS: dict[str, Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "number_integers": lambda: (_kernels.number_integers, (in_order(SMALL), zeros(SMALL))),
    "number_integers by sorting": lambda: (_kernels.number_integers, (colliding(SMALL), zeros(SMALL))),
    "compact_codes": lambda: (_kernels.compact_codes, (zeros(LARGE), zeros(LARGE, np.uint8), zeros(1))),
    "indices": lambda: (stream().indices, (10**6, LARGE)),
    "uniforms": lambda: (stream().uniforms, (LARGE,)),
    "permutation": lambda: (stream().permutation, (SMALL,)),
    "draw_rows": lambda: (_draws.draw_rows, (stream(), 10**6, LARGE)),
    "draw_lines": lambda: (_draws.draw_lines, (stream(), numbers(10**6), numbers(LARGE), numbers(0), False)),
    "draw_lines, kept": lambda: (_draws.draw_lines, (stream(), numbers(LARGE), numbers(0), numbers(LARGE), False)),
    "draw_lines, shuffled": lambda: (_draws.draw_lines, (stream(), numbers(10**6), numbers(SMALL), numbers(0), True)),
    "draw_lines, without replacement": lambda: (
        _draws.draw_lines,
        (stream(), numbers(10**6), numbers(LARGE), numbers(0), False, False),
    ),
    "perplexity_of": lambda: (_draws.perplexity_of, (zeros(SMALL, np.float64),)),
    "report_losses": lambda: (
        _draws.report_losses,
        (zeros(SMALL, np.int32), zeros(SMALL, np.float64), zeros(1, np.float64)),
    ),
    "is_below_initial": lambda: (_draws.is_below_initial, (zeros(LARGE, np.float64), 2.0)),
    "noise_ceiling": lambda: (_draws.noise_ceiling, (np.ones(SMALL), 2.0)),
    "cumulative_weights": lambda: (_draws.cumulative_weights, (zeros(LARGE, np.float64), 2.0, 3.0, 1.0)),
    "draw_by_sums": lambda: (_draws.draw_by_sums, (stream(), np.arange(1.0, 2**20), SMALL)),
    "cut_by_length": lambda: (_draws.cut_by_length, (zeros(SMALL, np.int32), 2**30, 1000, 10, 10)),
    "split_batches": lambda: (_draws.split_batches, (in_order(SMALL) * 7, SMALL * 2)),
    "shuffle_batches": lambda: (_draws.shuffle_batches, (stream(), zeros(SMALL, np.int32), in_order(SMALL))),
    "deal_together": lambda: (
        _groups.deal_together,
        (
            in_order(SMALL, np.int32),
            in_order(SMALL, np.int32),
            np.ones(SMALL, dtype=np.int32),
            zeros(SMALL, np.int32),
            1,
            1000,
            1,
        ),
    ),
    "deal_apart": lambda: (_groups.deal_apart, two_sides(2**22, nested=False)),
    "deal_apart, nested": lambda: (_groups.deal_apart, two_sides(SMALL, nested=True)),
    "assign_rows": lambda: (_multilabel.assign_rows, (zeros(SMALL), np.ones((1, 1), dtype=np.uint8), 1000, 1)),
    "gather_batches": lambda: (
        _multilabel.gather_batches,
        (in_order(SMALL), zeros(SMALL, np.int32), zeros(SMALL, np.int32), 1),
    ),
    "draw of a tree": lambda: (one_leaf().draw, (0,)),
    "fill": lambda: (WeightTree(SMALL).fill, (np.ones(SMALL),)),
    "update": lambda: (weight_tree().update, (in_order(SMALL) % 2**20, np.ones(SMALL))),
    "first_outside": lambda: (_sum_tree.first_outside, (zeros(LARGE), 1)),
    "rank_weights": lambda: (_ranking.rank_weights, (0, SMALL, 0.7)),
    "powers_of": lambda: (_ranking.powers_of, (np.ones(LARGE), 0.7)),
    "set_keys, by sorting": lambda: (ranking().set_keys, (in_order(SMALL), np.ones(SMALL))),
    "set_keys, by moves": lambda: (ranking().set_keys, (in_order(SMALL // 16), np.ones(SMALL // 16))),
    "rows_of": lambda: (ranking().rows_of, (in_order(SMALL, np.int32),)),
    "ranks_of": lambda: (ranking().ranks_of, (in_order(SMALL),)),
    "sample": lambda: (weight_tree().sample, (stream(), 64, 2**18)),
    "sample_without_replacement": lambda: (weight_tree().sample_without_replacement, (stream(), 2**20, 1)),
}


@pytest.mark.parametrize("name", CALLS)
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
    "stratified, in turn": lambda: pystrat.StratifiedBatchSampler(
        in_order(ROWS) % 7, mean_batch_size=64, balance=ROWS // 3, seed=1
    ),
    "uniform": lambda: pystrat.UniformBatchSampler(ROWS, batch_size=ROWS // 2, replacement=False, seed=1),
    "uniform, small batches": lambda: pystrat.UniformBatchSampler(1000, batch_size=32, n_batches=ROWS // 8, seed=1),
    "uniform, replaced": lambda: pystrat.UniformBatchSampler(
        ROWS, batch_size=64, replacement=True, n_batches=ROWS // 16, seed=1
    ),
    "strata subset": lambda: pystrat.StrataSubsetBatchSampler(in_order(ROWS) % 7, 3, 2, seed=1),
    "strata subset, exact": lambda: pystrat.StrataSubsetBatchSampler(in_order(ROWS) % 999, 3, 2, exact=True, seed=1),
    "epoch subset": lambda: pystrat.EpochSubsetBatchSampler(
        2 * ROWS, ROWS, 64, method="uniform_without_replacement", seed=1
    ),
    "epoch subset, by length": lambda: pystrat.EpochSubsetBatchSampler(
        ROWS, ROWS, lengths=in_order(ROWS) % 999, max_tokens=9999, window=ROWS // 3, seed=1
    ),
    "weighted": lambda: pystrat.WeightedBatchSampler(
        1.0 + in_order(ROWS), batch_size=ROWS // 2, replacement=False, n_batches=1, seed=1
    ),
    "pairs": lambda: pystrat.NegativePairBatchSampler(in_order(ROWS), in_order(ROWS) % 9, 0.5, 64, seed=1),
    "pairs, per user": lambda: pystrat.NegativePairBatchSampler(
        in_order(ROWS) % 999, in_order(ROWS) % 2**15, 0.5, 64, method="per_user", unique=True, seed=1
    ),
    "pairs, by popularity": lambda: pystrat.NegativePairBatchSampler(
        in_order(ROWS), in_order(ROWS) % 99, 0.5, 64, method="popularity", seed=1
    ),
    "triples": lambda: pystrat.TripleBatchSampler(in_order(ROWS), in_order(ROWS) % 99, 64, unique=True, seed=1),
    "tree": lambda: pystrat.TreeBatchSampler(
        {"x": in_order(ROWS) % 7}, {"mode": "shuffle"}, batch_size=64, length=2 * ROWS, persistent=True, seed=1
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_draws_the_same_after_an_interrupt(alarm: None, name: str) -> None:
    expected, sampler = SAMPLERS[name](), SAMPLERS[name]()
    sampler.batches(0)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        sampler.batches(1)
    assert np.array_equal(sampler.batches(1).rows, expected.batches(1).rows)


def test_weights_are_as_before_after_an_interrupt(alarm: None) -> None:
    tree = WeightTree(SMALL)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        tree.fill(np.ones(SMALL))
    assert tree.total == tree.n_positive == 0 and not tree.memory.any()
    tree.fill(np.full(SMALL, 2.0))
    before = tree.memory.copy()
    rows, weights = in_order(SMALL), np.ones(SMALL)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        tree.update(rows, weights)
    assert np.array_equal(tree.memory, before) and tree.n_positive == SMALL
    assert tree.update(rows, weights) == -1 and tree.total == SMALL


@pytest.mark.parametrize("count", [2**19, 2**23])
def test_ranks_are_as_before_after_an_interrupt(alarm: None, count: int) -> None:
    """Both by moves of some rows and by sorting all rows."""
    keys = (in_order(2**23) % 1000).astype(np.float64)
    ranked = Ranking(2**23, keys)
    with pytest.raises(Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        ranked.set_keys(in_order(count), np.full(count, 500.5))
    assert np.array_equal(ranked.keys, keys)
    some = in_order(1000) * 8000
    order = np.argsort(-keys, kind="stable")
    assert np.array_equal(ranked.rows_of(some.astype(np.int32)), order[some])
    ranked.set_keys(in_order(count), np.full(count, 500.5))
    keys[:count] = 500.5
    assert np.array_equal(ranked.rows_of(some.astype(np.int32)), np.argsort(-keys, kind="stable")[some])
