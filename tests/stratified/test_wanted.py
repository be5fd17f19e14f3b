"""Minimums, shares, balance, repeats, one size: how often epochs take each row, for all small strata; and refusals."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from pystrat import StratifiedBatchSampler
from tests.reference.naive_stratified import naive_plan
from tests.refused import refusals

LABELS = ["pos"] * 6 + ["neg"] * 40 + ["odd"] * 3
Wanted = Iterator[tuple[tuple[int, ...], dict[str, Any]]]


def of_sizes(sizes: Any, *arguments: Any, **parameters: Any) -> StratifiedBatchSampler:
    """Return a sampler of strata that are named by their numbers."""
    return StratifiedBatchSampler(np.repeat(np.arange(len(sizes)), sizes), *arguments, seed=1, **parameters)


def check_every_row(sampler: StratifiedBatchSampler, taken: Any) -> None:
    """See that batches have their share of `taken`, and that epochs take all rows of a stratum equally often.

    This is for all epochs until every row has occurred equally often, and for all numbers of consecutive ones.
    """
    counts, codes, n_batches = sampler.strata.counts, sampler.strata.codes, len(sampler)
    taken = np.array(taken)
    assert sampler.plan.counts.tolist() == taken.tolist()
    n_epochs = math.lcm(*(int(n) // math.gcd(int(n), int(k)) for n, k in zip(counts, taken)))
    seen = np.zeros((n_epochs + 1, len(codes)), dtype=np.int64)
    for epoch in range(n_epochs):
        rows, offsets = sampler.batches(epoch).rows, sampler.batches(epoch).offsets
        held = np.zeros((n_batches, len(codes)), dtype=np.int64)  # how often a batch has a row
        np.add.at(held, (np.repeat(np.arange(n_batches), np.diff(offsets)), rows), 1)
        assert held.max() == 1 and np.ptp(held.sum(axis=1)) <= 1
        table = np.add.reduceat(held, np.cumsum(counts) - counts, axis=1)  # rows are sorted by stratum
        assert (taken // n_batches <= table).all() and (table <= -(-taken // n_batches)).all()
        assert table.sum() == taken.sum()
        seen[epoch + 1] = seen[epoch] + held.sum(axis=0)
    for length in range(1, n_epochs + 1):
        often = seen[length:] - seen[:-length]
        assert (often >= (length * taken // counts)[codes]).all()
        assert (often <= (-(-length * taken // counts))[codes]).all()


def shares() -> Wanted:
    for sizes in [*product(range(1, 5), repeat=2), (1, 2, 3), (2, 2, 4), (3, 1, 5)]:
        for weights, size in product(product((1, 2, 4), repeat=len(sizes)), range(1, 5)):
            yield sizes, {"mean_batch_size": size, "shares": dict(enumerate(weights))}


def repeats() -> Wanted:
    for sizes in [*product(range(1, 5), repeat=2), *product((1, 3), repeat=3)]:
        for minimums in product(range(3), repeat=len(sizes)):
            least = sum(minimums) + (0 in minimums)
            if any(minimums) and all(m <= n for m, n in zip(minimums, sizes)):
                for size, replicas in product(range(least, least + 3), (1, 2)):
                    given = {"mean_batch_size": size, "rare": "repeat", "num_replicas": replicas}
                    yield sizes, {"min_samples_per_stratum": dict(enumerate(minimums)), **given}


def one_size() -> Wanted:
    for sizes in [*product(range(1, 7), repeat=2), *product(range(1, 5), repeat=3)]:
        for size, replicas in product(range(1, sum(sizes) + 1), (1, 2)):
            if sum(sizes) // size >= replicas:
                yield sizes, {"mean_batch_size": size, "drop": "balanced", "num_replicas": replicas}


@pytest.mark.parametrize("wanted", [shares, repeats, one_size])
def test_plans_and_rows_of_all_small_strata(wanted: Callable[[], Wanted]) -> None:
    for sizes, parameters in wanted():
        n_batches, taken = naive_plan(range(len(sizes)), sizes, parameters)
        possible = all(0 < k <= n * n_batches for k, n in zip(taken, sizes))
        if "rare" not in parameters:
            possible &= sum(taken) == n_batches * parameters["mean_batch_size"]
        if "drop" in parameters:
            possible &= all(k >= min(n, n_batches) for k, n in zip(taken, sizes))
        try:
            sampler = of_sizes(sizes, **parameters)
        except ValueError:
            assert not possible
            continue
        assert possible and len(sampler) == n_batches
        check_every_row(sampler, taken)


def test_a_stratum_that_is_not_named_has_no_promise_and_a_rare_one_warns() -> None:
    plan = of_sizes([40] + [1] * 20, {0: 2}).plan
    assert plan.assign == "even" and set(plan.sizes) == {3} and plan.minimums.tolist() == [2] + [0] * 20
    assert "every batch holds rows of 1 of 21 strata" in plan.summary()
    with pytest.warns(UserWarning, match="The stratum 'odd' has 3 rows, and .* asks for 4: all rows are in one batch."):
        assert len(StratifiedBatchSampler(LABELS, {"odd": 4, "pos": 1}, rare="warn")) == 1


def test_equal_shares_however_they_are_written() -> None:
    counts = pd.Series(LABELS).value_counts()
    by_hand = [{"pos": 1, "neg": 2, "odd": 1}, {"pos": 0.25, "neg": 0.5, "odd": 0.25}, {"odd": 3, "neg": 6, "pos": 3}]
    for size, written in ((8, by_hand), (17, [dict(counts.items()), counts, counts / counts.sum()])):
        rows = []
        for shares in written:
            sampler = StratifiedBatchSampler(LABELS, mean_batch_size=size, shares=shares, seed=1)
            rows.append(sampler.batches(2).rows.tolist())
        assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize("kind", [int, float, np.int64, np.float64])
def test_whole_shares_are_exact(kind: Any) -> None:
    labels = ["x"] * 2 + ["y"] * 3
    for x, y, rows in (
        (10**15, 10**15 + 1, [1, 3]),
        (10**15 + 1, 10**15, [2, 2]),
        (2**51 + 2, 2**51 + 2, [2, 2]),
    ):
        shares = {"x": kind(x), "y": kind(y)}
        assert StratifiedBatchSampler(labels, mean_batch_size=4, shares=shares).plan.counts.tolist() == rows


MEAN = {"mean_batch_size": 10}

# The golden messages have the others.
test_refusals = refusals(
    lambda **parameters: StratifiedBatchSampler(LABELS, **parameters),
    [
        (
            {"min_samples_per_stratum": {"pos": 3}, "num_replicas": 3},
            "'num_replicas' .* must be at most 2, the number of batches. Got 3 instead. Lower the number of 'pos' in "
            "'min_samples_per_stratum' to at most 2.",
        ),
        ({**MEAN, "shares": 0.5}, "must be numbers with names of strata. Got 0.5 instead."),
        ({**MEAN, "shares": {"pos": 0, "neg": 1, "odd": 1}}, "must be a finite number above 0. Got 0 instead."),
        ({**MEAN, "shares": pd.Series([1, 2], ["pos", "pos"])}, "each of them once. Got a Series with a name twice"),
        ({**MEAN, "balance": 2**31 - 1}, "must give an epoch at most 2147483647 rows"),
        ({**MEAN, "temperature": 0.5}, "'temperature' .* must be a finite number of at least 1. Got 0.5 instead."),
        ({"mean_batch_size": 50, "drop": "balanced"}, "must be at most 49, the number of rows. Got 50"),
    ],
)


def test_the_plan_shows_the_rows_that_there_are() -> None:
    shares = {"pos": 1, "neg": 2, "odd": 1}
    summary = StratifiedBatchSampler(LABELS, mean_batch_size=8, shares=shares, seed=1).plan.summary()
    assert summary.splitlines()[2].split() == ["rows", "of", "fewest", "most"]
    assert summary.splitlines()[4].split() == ["pos", "12", "6", "2", "2"]
