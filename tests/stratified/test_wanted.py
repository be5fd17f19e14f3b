"""Minimums, shares, balance, repeats, one size: plans by brute force, then rows."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler

LABELS = ["pos"] * 6 + ["neg"] * 40 + ["odd"] * 3
WAYS: dict[str, dict[str, Any]] = {
    "quotas": {"min_samples_per_stratum": {"pos": 2, "neg": 5}},
    "shares": {"mean_batch_size": 8, "shares": {"pos": 1, "neg": 2, "odd": 1}},
    "balance": {"mean_batch_size": 6, "balance": "over"},
    "repeats": {"min_samples_per_stratum": 3, "mean_batch_size": 12, "rare": "repeat"},
    "one size": {"mean_batch_size": 10, "drop": "balanced"},
}


def of_sizes(sizes: Any, *arguments: Any, **parameters: Any) -> StratifiedBatchSampler:
    """Return a sampler of strata that are named by their numbers."""
    return StratifiedBatchSampler(np.repeat(np.arange(len(sizes)), sizes), *arguments, seed=1, **parameters)


def tables(sampler: StratifiedBatchSampler, epoch: int) -> np.ndarray:
    """Count the rows of each stratum in each batch."""
    codes, n_strata = sampler.strata.codes, len(sampler.strata.counts)
    return np.array([np.bincount(codes[batch], minlength=n_strata) for batch in sampler.batches(epoch)])


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


# Quotas ---------------------------------------------------------------------------------------------------------------


def test_quotas_give_the_most_batches_that_keep_them() -> None:
    for sizes in product(range(1, 7), repeat=3):
        for quotas in product(range(3), repeat=3):
            if not any(quotas) or any(quota > size for quota, size in zip(quotas, sizes)):
                continue
            sampler = of_sizes(sizes, dict(enumerate(quotas)))
            kept = [b for b in range(1, 20) if all(size // b >= quota for size, quota in zip(sizes, quotas))]
            assert len(sampler) == max(kept)
            table = tables(sampler, 0)
            assert (table >= quotas).all() and (table.sum(axis=1) > 0).all()
            assert (table.sum(axis=0) == sizes).all()


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(1, 5), st.sampled_from(["proportional", "even"])
)
def test_equal_quotas_are_the_promise_for_all(sizes: list[int], minimum: int, assign: str) -> None:
    minimum = min(minimum, *sizes)
    one = of_sizes(sizes, minimum, assign=assign)
    each = of_sizes(sizes, {stratum: minimum for stratum in range(len(sizes))}, assign=assign)
    assert one.batches(3).rows.tolist() == each.batches(3).rows.tolist()
    assert one.plan.assign == each.plan.assign and len(one) == len(each)


def test_a_stratum_that_is_not_named_has_no_promise_and_is_dealt_evenly() -> None:
    sampler = of_sizes([40] + [1] * 20, {0: 2})
    assert len(sampler) == 20 and sampler.plan.assign == "even"
    assert set(sampler.plan.sizes) == {3}
    assert sampler.plan.minimums.tolist() == [2] + [0] * 20
    assert "every batch holds rows of 1 of 21 strata" in sampler.plan.summary()


def test_a_rare_stratum_warns_or_makes_one_batch() -> None:
    with pytest.warns(UserWarning, match="The stratum 'odd' has 3 rows, and .* asks for 4: all rows are in one batch."):
        assert len(StratifiedBatchSampler(LABELS, {"odd": 4, "pos": 1}, rare="warn")) == 1
    assert len(StratifiedBatchSampler(LABELS, {"odd": 4}, rare="allow")) == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"mean_batch_size": 5, "rare": "allow"},
        {"min_samples_per_stratum": {1: 5}},
        {"mean_batch_size": 5, "shares": {0: 1, 1: 15, 2: 4}},
        {"mean_batch_size": 5, "drop": "balanced"},
    ],
)
def test_the_rows_of_a_stratum_below_the_batches_are_in_other_batches_each_epoch(parameters: dict[str, Any]) -> None:
    sampler = of_sizes([2, 30, 9], **parameters)
    assert sampler.plan.counts[0] < len(sampler)
    planned = sorted(sampler.plan.rows_of_strata().tolist())
    seen = np.zeros(len(sampler), dtype=np.int64)
    for epoch in range(200):
        table = tables(sampler, epoch)
        assert sorted(table.tolist()) == planned
        seen += table[:, 0]
    mean = 200 * sampler.plan.counts[0] / len(sampler)
    assert (abs(seen - mean) < 4 * mean**0.5).all()
    in_order = of_sizes([2, 30, 9], shuffle=False, **parameters)
    assert tables(in_order, 3).tolist() == in_order.plan.rows_of_strata().tolist()


# Shares ---------------------------------------------------------------------------------------------------------------


def test_shares_of_all_small_strata() -> None:
    for sizes in [*product(range(1, 5), repeat=2), (1, 2, 3), (2, 2, 4), (3, 1, 5)]:
        for weights in product((1, 2, 4), repeat=len(sizes)):
            for size in range(1, 5):
                n_batches = max(1, math.floor(Fraction(sum(sizes), size) + Fraction(1, 2)))
                total = n_batches * size
                ends = [Fraction(total * sum(weights[:s]), sum(weights)) for s in range(len(sizes) + 1)]
                taken = [math.floor(end) - math.floor(begin) for begin, end in zip(ends, ends[1:])]
                possible = all(0 < k <= n * n_batches for k, n in zip(taken, sizes))
                try:
                    sampler = of_sizes(sizes, mean_batch_size=size, shares=dict(enumerate(weights)))
                except ValueError as error:
                    assert not possible and "'shares' parameter must" in str(error)
                    continue
                assert possible and len(sampler) == n_batches and set(sampler.plan.sizes) == {size}
                check_every_row(sampler, taken)


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


def test_balance_takes_equally_many_rows_of_all_strata() -> None:
    for balance, rows in (("over", 40), ("under", 3), (12, 12)):
        sampler = StratifiedBatchSampler(LABELS, mean_batch_size=6, balance=balance, seed=1)
        assert sampler.plan.counts.tolist() == [rows] * 3
        assert len(sampler) == max(1, (2 * 3 * rows + 6) // 12)
        assert np.ptp(sampler.plan.sizes) <= 1


@pytest.mark.parametrize("sizes", [(1, 5, 40), (12, 12, 3), (2, 700, 9, 31)])
def test_a_cap_and_a_temperature_are_shares(sizes: tuple[int, ...]) -> None:
    for temperature, cap in product((None, 1, 1.5, 3, 1e9), (None, 1, 7, 10**20)):
        if temperature is None and cap is None:
            continue
        capped = [min(size, cap or size) for size in sizes]
        weights = capped
        if temperature is not None and temperature > 1:
            millionths = [1e6 * (count / max(capped)) ** (1 / temperature) for count in capped]
            weights = [max(1, math.floor(count + 0.5)) for count in millionths]
        try:
            sampler = of_sizes(sizes, mean_batch_size=4, temperature=temperature, cap=cap)
        except ValueError as error:
            assert "ask for at most" in str(error) or "at least one row of an epoch" in str(error)
            continue
        total, ends = 4 * len(sampler), np.cumsum([0, *weights])
        assert sampler.plan.counts.tolist() == np.diff(total * ends // ends[-1]).tolist()
        assert set(sampler.plan.sizes) == {4}


# Repeats --------------------------------------------------------------------------------------------------------------


def fewest_by_brute_force(sizes: Any, minimums: Any, size: int, replicas: int) -> int:
    n_batches = replicas
    while sum(max(n, n_batches * m) for n, m in zip(sizes, minimums)) > n_batches * size:
        n_batches += replicas
    return n_batches


def test_repeats_of_all_small_strata() -> None:
    for sizes in [*product(range(1, 5), repeat=2), *product((1, 3), repeat=3)]:
        for minimums in product(range(3), repeat=len(sizes)):
            least = sum(minimums) + (0 in minimums)
            if not any(minimums) or any(m > n for m, n in zip(minimums, sizes)):
                continue
            for size, replicas in product(range(least, least + 3), (1, 2)):
                given = {"mean_batch_size": size, "rare": "repeat", "num_replicas": replicas}
                sampler = of_sizes(sizes, dict(enumerate(minimums)), **given)
                n_batches = fewest_by_brute_force(sizes, minimums, size, replicas)
                assert len(sampler) == n_batches
                check_every_row(sampler, [max(n, n_batches * m) for n, m in zip(sizes, minimums)])


# One size -------------------------------------------------------------------------------------------------------------


def test_one_size_of_all_small_strata() -> None:
    for sizes in [*product(range(1, 7), repeat=2), *product(range(1, 5), repeat=3)]:
        n_rows = sum(sizes)
        for size, replicas in product(range(1, n_rows + 1), (1, 2)):
            n_batches = max((b for b in range(0, n_rows + 1, replicas) if b * size <= n_rows), default=0)
            over, spare = n_rows - n_batches * size, [n - min(n, n_batches) for n in sizes]
            try:
                sampler = of_sizes(sizes, mean_batch_size=size, drop="balanced", num_replicas=replicas)
            except ValueError:
                assert n_batches == 0 or over > sum(spare)
                continue
            assert len(sampler) == n_batches > 0 and set(sampler.plan.sizes) == {size} and over <= sum(spare)
            ends = [over * sum(spare[:s]) // max(1, sum(spare)) for s in range(len(sizes) + 1)]
            check_every_row(sampler, [n - (end - begin) for n, begin, end in zip(sizes, ends, ends[1:])])


# What all of them refuse and keep -------------------------------------------------------------------------------------

MEAN = {"mean_batch_size": 10}
LARGE = "must give an epoch at most 2147483647 rows"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_samples_per_stratum": {"pos": 7}}, "at most 6 rows of 'pos', which has 6. Got 7 instead. Lower it, or"),
        ({"min_samples_per_stratum": {"pos": 0}}, "must ask for at least one row of some stratum. Got 0 of each"),
        ({"min_samples_per_stratum": {"x": 1}}, "must name one of the strata, 'pos', 'neg', 'odd'. Got 'x' instead."),
        ({"min_samples_per_stratum": {None: 1, math.nan: 2}}, "must name each stratum once. Got NA twice instead."),
        (
            {"min_samples_per_stratum": {"pos": 3}, "num_replicas": 3},
            "'num_replicas' .* must be at most 2, the number of batches. Got 3 instead. Lower the number of 'pos' in "
            "'min_samples_per_stratum' to at most 2.",
        ),
        ({**MEAN, "shares": {"pos": 1}}, "must name every stratum. Got 2 names too few, 'neg' among them, instead."),
        ({**MEAN, "shares": 0.5}, "must be numbers with names of strata. Got 0.5 instead."),
        ({**MEAN, "shares": {"pos": 0, "neg": 1, "odd": 1}}, "must be a finite number above 0. Got 0 instead."),
        ({**MEAN, "shares": {"pos": 1, "neg": 1e300, "odd": 1}}, "at least one row of an epoch. Got none of 50 for"),
        (
            {**MEAN, "shares": {"pos": 1, "neg": 1, "odd": 8}},
            "ask for at most 3 rows of 'odd' in a batch. Got 8 instead. No row occurs twice in a batch. Lower",
        ),
        ({"mean_batch_size": 3_000_000_000, "shares": {"pos": 1, "neg": 1, "odd": 1}}, LARGE),
        ({**MEAN, "shares": pd.Series([1, 2], ["pos", "pos"])}, "each of them once. Got a Series with a name twice"),
        ({**MEAN, "balance": 2**31 - 1}, LARGE),
        ({**MEAN, "temperature": 0.5}, "'temperature' .* must be a finite number of at least 1. Got 0.5 instead."),
        ({"mean_batch_size": 20, "cap": 1}, "'cap' .* must ask for at most 6 rows of 'pos' in a batch. Got 7 instead."),
        (
            {"min_samples_per_stratum": 2, "rare": "repeat"},
            "must be given together with 'mean_batch_size' if 'rare' is",
        ),
        ({"min_samples_per_stratum": 2, **MEAN}, "Got 2 instead. Both may be given if 'rare' is 'repeat'."),
        ({"min_samples_per_stratum": 4, **MEAN, "rare": "repeat"}, "ask for at most 3 rows of 'odd' in a batch. Got 4"),
        (
            {"min_samples_per_stratum": 3, "mean_batch_size": 8, "rare": "repeat"},
            "'mean_batch_size' .* must be at least 9, for the rows that 'min_samples_per_stratum' asks for",
        ),
        ({"mean_batch_size": 50, "drop": "balanced"}, "must be at most 49, the number of rows. Got 50"),
        ({**MEAN, "cap": 3, "balance": "over"}, "'balance' .* must be left out if 'cap' is given."),
        ({**MEAN, "temperature": 2, "rare": "allow"}, "'rare' .* must be left out if 'temperature' is given."),
    ],
)
def test_refusals(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        StratifiedBatchSampler(LABELS, **parameters)


@pytest.mark.parametrize("way", ["shares", "balance", "one size"])
def test_a_refusal_names_what_excludes_what(way: str) -> None:
    name = next(name for name in WAYS[way] if name != "mean_batch_size")
    with pytest.raises(ValueError, match=f"'min_samples_per_stratum' .* must be left out if '{name}' is given. Got"):
        StratifiedBatchSampler(LABELS, 2, **WAYS[way])
    together = f"'{name}' .* must be given together with 'mean_batch_size'. Got .* instead. Give that in place of 'min"
    with pytest.raises(ValueError, match=together):
        StratifiedBatchSampler(LABELS, 2, **{name: WAYS[way][name]})


@pytest.mark.parametrize("way", WAYS)
def test_rows_keep_the_order_of_the_dataset_without_shuffling_and_dropped_ones_are_never_sampled(way: str) -> None:
    given = {"shuffle": False, "missing": "drop", **WAYS[way]}
    samplers = [StratifiedBatchSampler([None, *LABELS, None], seed=seed, **given) for seed in (3, 4)]
    assert samplers[0].batches(2).rows.tolist() == samplers[1].batches(2).rows.tolist()
    rows = StratifiedBatchSampler([None, *LABELS, None], seed=3, **{**given, "shuffle": True}).batches(1).rows
    assert 0 not in rows and len(LABELS) + 1 not in rows
    assert samplers[0].plan.summary() == StratifiedBatchSampler(LABELS, **WAYS[way]).plan.summary()


def test_the_plan_shows_the_rows_that_there_are() -> None:
    summary = StratifiedBatchSampler(LABELS, seed=1, **WAYS["shares"]).plan.summary()
    assert summary.splitlines()[2].split() == ["rows", "of", "fewest", "most"]
    assert summary.splitlines()[4].split() == ["pos", "12", "6", "2", "2"]
