"""Minimums, shares, balance, repeats, one size: plans by brute force, then rows."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import product
from typing import Any, Optional

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler

LABELS = ["pos"] * 6 + ["neg"] * 40 + ["odd"] * 3


def of_sizes(sizes: Any, *arguments: Any, **parameters: Any) -> StratifiedBatchSampler:
    """A sampler of strata that are named by their numbers."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return StratifiedBatchSampler(labels, *arguments, seed=1, **parameters)


def refused(*arguments: Any, labels: Any = LABELS, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        StratifiedBatchSampler(labels, *arguments, seed=1, **parameters)
    return str(error.value)


def tables(sampler: StratifiedBatchSampler, epoch: int) -> np.ndarray:
    """Rows of each stratum in each batch, counted."""
    codes = sampler.strata.codes
    n_strata = len(sampler.strata.counts)
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
    assert sampler.plan.min_samples_per_stratum == 0
    assert "every batch holds rows of 1 of 21 strata" in sampler.plan.summary()


def test_strata_are_named_by_their_values() -> None:
    two = {"a": [1, 1, 2, 2, 2, 2], "b": ["x", "y", "x", "y", "x", "y"]}
    sampler = StratifiedBatchSampler(two, {(2, "x"): 1, (2, "y"): 2}, seed=1)
    assert len(sampler) == 1
    minimums = StratifiedBatchSampler([True, False, False], {True: 1}, seed=1).plan.minimums
    assert minimums.to_dict() == {False: 2, True: 1}


def test_refused_quotas() -> None:
    few = "must ask for at most 6 rows of 'pos', which has 6. Got 7 instead. Lower it, or set 'rare' to"
    assert few in refused({"pos": 7})
    assert "must ask for at least one row of some stratum. Got 0 of each instead." in refused({"pos": 0})
    assert "must ask for at least one row of some stratum. Got 0 values instead." in refused({})
    assert "must name one of the strata, 'pos', 'neg', 'odd'. Got 'x' instead." in refused({"x": 1})
    assert "must be a non-negative integer. Got -1 instead." in refused({"pos": -1})
    assert "must name each stratum once. Got NA twice instead." in refused({None: 1, float("nan"): 2})
    assert "Got '1' instead. Use 1 instead, the value itself." in refused({1: 1, "1": 2}, labels=[1, 2])
    many = "'num_replicas' parameter must be at most 2, the number of batches. Got 3 instead."
    assert f"{many} Lower the number of 'pos' in 'min_samples_per_stratum' to at most 2." in refused(
        {"pos": 3}, num_replicas=3
    )
    assert "Got 7 instead. 'pos' has 6 rows." in refused({"pos": 1}, num_replicas=7)


def test_a_rare_stratum_warns_or_makes_one_batch() -> None:
    with pytest.warns(UserWarning, match="The stratum 'odd' has 3 rows, and .* asks for 4: all rows are in one batch."):
        assert len(StratifiedBatchSampler(LABELS, {"odd": 4, "pos": 1}, rare="warn")) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
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
    """Batches 0 and 1 in every epoch, before."""
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


def test_batches_keep_the_order_of_the_plan_if_every_one_has_every_stratum() -> None:
    sampler = of_sizes([8, 30, 9], mean_batch_size=6)
    assert (len(sampler), sampler.plan.min_samples_per_stratum) == (8, 1)
    assert tables(sampler, 3).tolist() == sampler.plan.rows_of_strata().tolist()


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
    written = [{"pos": 1, "neg": 2, "odd": 1}, {"pos": 0.25, "neg": 0.5, "odd": 0.25}, {"odd": 3, "neg": 6, "pos": 3}]
    rows = [
        StratifiedBatchSampler(LABELS, mean_batch_size=8, shares=shares, seed=1).batches(2).rows.tolist()
        for shares in written
    ]
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


def test_refused_shares() -> None:
    def shares_refused(shares: Any, size: Optional[int] = 10, **parameters: Any) -> str:
        return refused(mean_batch_size=size, shares=shares, **parameters)

    assert "must name every stratum. Got 2 names too few, 'neg' among them, instead." in shares_refused({"pos": 1})
    assert "must be numbers with names of strata. Got 0.5 instead." in shares_refused(0.5)
    assert "must be a finite number above 0. Got 0 instead." in shares_refused({"pos": 0, "neg": 1, "odd": 1})
    for neg in (1000, 1e15 + 0.5, 1e300):
        thin = {"pos": 1, "neg": neg, "odd": 1 / 3}
        assert "at least one row of an epoch. Got none of 50 for 'pos' instead." in shares_refused(thin)
    often = "must ask for at most 3 rows of 'odd' in a batch. Got 8 instead. No row occurs twice in a batch. Lower"
    assert often in shares_refused({"pos": 1, "neg": 1, "odd": 8})
    assert "must be given together with 'mean_batch_size'. Got 1 value instead." in refused(shares={"pos": 1})
    assert "'rare' parameter must be left out if 'shares' is given." in shares_refused({"pos": 1}, rare="allow")
    large = "must give an epoch at most 2147483647 rows. Got 3000000000 instead."
    assert large in shares_refused({"pos": 1, "neg": 1, "odd": 1}, 3_000_000_000)


def test_balance_takes_equally_many_rows_of_all_strata() -> None:
    for balance, rows in (("over", 40), ("under", 3), (12, 12)):
        sampler = StratifiedBatchSampler(LABELS, mean_batch_size=6, balance=balance, seed=1)
        assert sampler.plan.counts.tolist() == [rows] * 3
        assert len(sampler) == max(1, (2 * 3 * rows + 6) // 12)
        assert np.ptp(sampler.plan.sizes) <= 1
    assert "must be 'over', 'under' or a positive integer. Got 'o' instead." in refused(mean_batch_size=6, balance="o")
    assert "must be 'over', 'under' or a positive integer. Got 0 instead." in refused(mean_batch_size=6, balance=0)
    often = "'mean_batch_size' parameter must ask for at most 3 rows of 'odd' in a batch. Got 4 instead."
    assert often in refused(mean_batch_size=9, balance="over")
    assert "must give an epoch at most 2147483647 rows" in refused(mean_batch_size=6, balance=2**31 - 1)
    both = refused(mean_batch_size=6, shares={"pos": 1}, balance="over")
    assert "'balance' parameter must be left out if 'shares' is given. Got 'over' instead." in both


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


def test_refused_caps_and_temperatures() -> None:
    both = refused(mean_batch_size=4, shares={"pos": 1}, cap=3)
    assert "'cap' parameter must be left out if 'shares' is given. Got 3 instead." in both
    both = refused(mean_batch_size=4, cap=3, balance="over")
    assert "'balance' parameter must be left out if 'cap' is given." in both
    assert "'temperature' parameter must be given together with 'mean_batch_size'." in refused(temperature=2)
    both = refused(mean_batch_size=4, temperature=2, rare="allow")
    assert "'rare' parameter must be left out if 'temperature' is given." in both
    small = refused(mean_batch_size=4, temperature=0.5)
    assert "'temperature' parameter must be a finite number of at least 1. Got 0.5 instead." in small
    assert "'cap' parameter must be a positive integer. Got 0 instead." in refused(mean_batch_size=4, cap=0)
    many = refused(mean_batch_size=20, cap=1)
    assert "'cap' parameter must ask for at most 6 rows of 'pos' in a batch. Got 7 instead." in many


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
                sampler = of_sizes(
                    sizes, dict(enumerate(minimums)), mean_batch_size=size, rare="repeat", num_replicas=replicas
                )
                n_batches = fewest_by_brute_force(sizes, minimums, size, replicas)
                assert len(sampler) == n_batches
                check_every_row(sampler, [max(n, n_batches * m) for n, m in zip(sizes, minimums)])


def test_nothing_is_repeated_if_the_promise_holds_without() -> None:
    plain = StratifiedBatchSampler(LABELS, mean_batch_size=17, seed=1, assign="even")
    repeated = StratifiedBatchSampler(LABELS, 1, mean_batch_size=17, seed=1, rare="repeat")
    assert len(plain) == len(repeated) == 3
    assert repeated.plan.counts.tolist() == repeated.plan.available.tolist()
    assert plain.batches(1).rows.tolist() == repeated.batches(1).rows.tolist()


def test_refused_repeats() -> None:
    together = "must be given together with 'mean_batch_size' if 'rare' is 'repeat'. Got one of them instead."
    assert together in refused(2, rare="repeat") and together in refused(mean_batch_size=20, rare="repeat")
    assert "left out if 'mean_batch_size' is given. Got 2 instead. Both may be given if 'rare' is 'repeat'." in refused(
        2, mean_batch_size=20
    )
    least = "'mean_batch_size' parameter must be at least 9, for the rows that 'min_samples_per_stratum' asks for"
    assert least in refused(3, mean_batch_size=8, rare="repeat")
    assert "must be at least 3, for" in refused({"pos": 2}, mean_batch_size=2, rare="repeat")
    assert "must ask for at most 3 rows of 'odd' in a batch. Got 4" in refused(4, mean_batch_size=20, rare="repeat")


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


def test_rows_are_left_out_in_turn() -> None:
    sampler = of_sizes([10, 5, 1], mean_batch_size=5, drop="balanced")
    assert sampler.plan.counts.tolist() == [10, 4, 1]
    seen = np.zeros(16, dtype=np.int64)
    for epoch in range(5):
        seen += np.bincount(sampler.batches(epoch).rows, minlength=16)
    assert seen.tolist() == [5] * 10 + [4] * 5 + [5]


def test_refused_drops() -> None:
    assert "'drop' parameter must be one of 'balanced'." in refused(mean_batch_size=5, drop="last")
    assert "must be at most 49, the number of rows. Got 50" in refused(mean_batch_size=50, drop="balanced")
    assert "must be given together with 'mean_batch_size'" in refused(drop="balanced")
    needed = "must leave out at most 0 rows, which strata can spare. Got 2, which leaves out 1,"
    assert needed in refused(mean_batch_size=2, drop="balanced", labels=["a", "b", "c"])


def test_a_refusal_names_what_excludes_what() -> None:
    for way, parameters in WAYS.items():
        if way not in ("quotas", "repeats"):
            name = next(name for name in parameters if name != "mean_batch_size")
            left_out = f"'min_samples_per_stratum' parameter must be left out if '{name}' is given. Got"
            assert left_out in refused(2, **parameters)
            assert left_out in refused({"pos": 1, "neg": 1}, **parameters)
            alone = {name: parameters[name]}
            together = f"'{name}' parameter must be given together with 'mean_batch_size'. Got"
            assert together in refused(**alone)
            assert refused(2, **alone).endswith("instead. Give that in place of 'min_samples_per_stratum'.")


# What all of them keep ------------------------------------------------------------------------------------------------

WAYS: dict[str, dict[str, Any]] = {
    "quotas": {"min_samples_per_stratum": {"pos": 2, "neg": 5}},
    "shares": {"mean_batch_size": 8, "shares": {"pos": 1, "neg": 2, "odd": 1}},
    "balance": {"mean_batch_size": 6, "balance": "over"},
    "repeats": {"min_samples_per_stratum": 3, "mean_batch_size": 12, "rare": "repeat"},
    "one size": {"mean_batch_size": 10, "drop": "balanced"},
}


@pytest.mark.parametrize("way", WAYS)
def test_without_shuffling_rows_come_in_the_order_of_the_dataset(way: str) -> None:
    sampler = StratifiedBatchSampler(LABELS, seed=3, shuffle=False, **WAYS[way])
    assert (
        sampler.batches(2).rows.tolist()
        == StratifiedBatchSampler(LABELS, seed=4, shuffle=False, **WAYS[way]).batches(2).rows.tolist()
    )


@pytest.mark.parametrize("way", WAYS)
def test_rows_with_a_missing_value_are_never_sampled(way: str) -> None:
    sampler = StratifiedBatchSampler([None, *LABELS, None], seed=3, missing="drop", **WAYS[way])
    rows = sampler.batches(1).rows
    assert 0 not in rows and len(LABELS) + 1 not in rows
    assert sampler.plan.summary() == StratifiedBatchSampler(LABELS, seed=3, **WAYS[way]).plan.summary()


def test_the_plan_shows_the_rows_that_there_are() -> None:
    summary = StratifiedBatchSampler(LABELS, seed=1, **WAYS["shares"]).plan.summary()
    assert summary.splitlines()[2].split() == ["rows", "of", "fewest", "most"]
    assert summary.splitlines()[4].split() == ["pos", "12", "6", "2", "2"]


def test_shares_may_be_a_table_of_counts() -> None:
    counts = pd.Series(LABELS).value_counts()
    expected = StratifiedBatchSampler(LABELS, mean_batch_size=17, shares=dict(counts.items()), seed=1).batches(0)
    for shares in (counts, counts / counts.sum()):
        found = StratifiedBatchSampler(LABELS, mean_batch_size=17, shares=shares, seed=1).batches(0)
        assert found.rows.tolist() == expected.rows.tolist()
    with pytest.raises(
        ValueError, match="'shares' parameter must name each of them once. Got a Series with a name twi"
    ):
        StratifiedBatchSampler(LABELS, mean_batch_size=17, shares=pd.concat([counts, counts]), seed=1)
