"""A few strata per batch: the number of batches by brute force, and what is promised in every epoch."""

from __future__ import annotations

from itertools import combinations, product
from math import gcd
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StrataSubsetBatchSampler

LABELS = np.repeat(np.arange(6), [3, 12, 7, 4, 9, 5])


def of_sizes(sizes: Any, *arguments: Any, **parameters: Any) -> StrataSubsetBatchSampler:
    return StrataSubsetBatchSampler(np.repeat(np.arange(len(sizes)), sizes), *arguments, seed=1, **parameters)


def refused(*arguments: Any, labels: Any = LABELS, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        StrataSubsetBatchSampler(labels, *arguments, **parameters)
    return str(error.value).replace(" parameter", "")


def check(sampler: StrataSubsetBatchSampler, codes: np.ndarray, epoch: int) -> None:
    """See that an epoch keeps its promises, in batches of equal numbers of strata up to one."""
    least, n_strata, numbers = sampler.plan.min_samples_per_stratum, sampler.parameters["strata_per_batch"], set()
    is_exact = sampler.parameters["exact"]
    for batch in sampler.batches(epoch):
        strata, counts = np.unique(codes[batch], return_counts=True)
        assert counts.min() >= least and len(strata) >= n_strata
        assert (np.diff(codes[batch]) >= 0).all(), "ordered by stratum"
        assert not is_exact or (counts.max() == least and len(strata) == n_strata)
        numbers.add(len(strata))
    assert max(numbers) - min(numbers) <= 1
    rows = sampler.batches(epoch).rows
    assert len(set(rows.tolist())) == len(rows) and (is_exact or len(rows) == len(codes))


def test_as_many_batches_as_can_be() -> None:
    for sizes in product(range(1, 8), repeat=3):
        for minimum, wanted in product((1, 2), (1, 2, 3)):
            full = [size // minimum for size in sizes]
            if min(sizes) < minimum:
                continue
            possible = [n for n in range(1, 30) if sum(min(number, n) for number in full) >= wanted * n]
            for exact in (False, True):
                sampler = of_sizes(sizes, wanted, minimum, exact=exact)
                assert len(sampler) == max(possible)
                check(sampler, np.repeat(np.arange(3), sizes), epoch=len(sampler))


@given(st.data())
def test_promises(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=8))
    minimum, exact = data.draw(st.integers(1, min(sizes))), data.draw(st.booleans())
    wanted, replicas = data.draw(st.integers(1, len(sizes))), data.draw(st.integers(1, 3))
    codes = np.array(data.draw(st.permutations(np.repeat(np.arange(len(sizes)), sizes).tolist())))
    codes = np.unique(codes, return_index=True)[1].argsort().argsort()[codes]  # numbered by first appearance
    try:
        sampler = StrataSubsetBatchSampler(codes, wanted, minimum, exact=exact, seed=3, num_replicas=replicas)
    except ValueError as error:
        assert "num_replicas" in str(error)
        return
    assert len(sampler) % replicas == 0
    for epoch in (0, 7):
        check(sampler, codes, epoch)


def test_a_mean_size_makes_the_batches_and_the_largest_minimum() -> None:
    for sizes in product(range(1, 8), repeat=3):
        for mean, wanted in product((1, 3, 5, 40), (1, 2, 3)):
            n_batches = max(1, (2 * sum(sizes) + mean) // (2 * mean))
            held = {m: sum(min(size // m, n_batches) for size in sizes) for m in range(1, 8)}
            possible = [m for m, number in held.items() if number >= wanted * n_batches]
            if not possible:
                labels = np.repeat(np.arange(3), sizes)
                assert "'mean_batch_size' must be at least" in refused(wanted, labels=labels, mean_batch_size=mean)
                continue
            sampler = of_sizes(sizes, wanted, mean_batch_size=mean, rare="allow")
            assert (len(sampler), sampler.plan.min_samples_per_stratum) == (n_batches, max(possible))
            if min(sizes) >= max(possible):
                check(sampler, np.repeat(np.arange(3), sizes), epoch=len(sampler))


def test_exact_epochs_take_blocks_and_rows_in_turn() -> None:
    sampler = StrataSubsetBatchSampler(LABELS, 3, 1, exact=True, seed=5)
    plan, n_over = sampler.plan, 1  # 40 blocks for 13 batches of 3 strata
    assert len(sampler) == 13 and plan.batches.sum() == 13 * 3 + n_over
    n_all, seen = int(plan.batches.sum()), np.zeros(len(LABELS), dtype=np.int64)
    for epoch in range(n_all):
        check(sampler, LABELS, epoch)
        seen += np.bincount(sampler.batches(epoch).rows, minlength=len(LABELS))
        for stratum in range(6):
            assert np.ptp(seen[stratum == LABELS]) <= 1, "rows of a stratum come equally often up to one"
    assert np.bincount(LABELS, weights=seen).tolist() == (plan.batches * (n_all - n_over)).tolist()


def test_weights_are_1_unless_epochs_are_exact_and_nan_of_rows_that_are_never_sampled() -> None:
    exact = of_sizes([40, 2, 12], 2, 4, exact=True, rare="allow")
    assert np.isnan(exact.class_weights()[1]) and np.isnan(exact.weights([40, 41])).all()
    sampler = StrataSubsetBatchSampler(["a", "b", "c", None] * 4, 2, 2, missing="drop", seed=1)
    assert sampler.class_weights(normalize=True).to_dict() == {"a": 1.0, "b": 1.0, "c": 1.0}
    assert sampler.weights([0, 5]).tolist() == [1.0, 1.0] and np.isnan(sampler.weights(3))
    with pytest.raises(ValueError, match="'rows' parameter must hold row positions from 0 to 15. Got 16 instead."):
        sampler.weights([16])


def strata_of_batches(sampler: StrataSubsetBatchSampler, codes: np.ndarray, epoch: int) -> np.ndarray:
    """Return the strata of each batch of balanced epochs, one row for each batch."""
    rows, least = sampler.batches(epoch).rows.reshape(len(sampler), -1), sampler.plan.min_samples_per_stratum
    assert all(len(set(batch)) == len(batch) for batch in rows.tolist())
    of_rows = codes[rows].reshape(-1, sampler.parameters["strata_per_batch"], least)
    assert (of_rows == of_rows[:, :, :1]).all() and (np.diff(of_rows[:, :, 0]) > 0).all()
    return np.asarray(of_rows[:, :, 0])


def check_balanced(sampler: StrataSubsetBatchSampler, codes: np.ndarray, first: int = 0) -> None:
    """See that strata come equally often, in an epoch and from one on, and from epoch 0 on also rows."""
    plan = sampler.plan
    is_sampled = plan.counts >= plan.min_samples_per_stratum
    n_sampled, n_chosen = int(is_sampled.sum()), sampler.parameters["strata_per_batch"] * len(sampler)
    n_epochs = n_sampled // gcd(n_sampled, n_chosen)  # after them, the turns of the strata are over
    first -= first % n_epochs
    seen, rows = np.zeros(len(plan.counts), dtype=np.int64), np.zeros(len(codes), dtype=np.int64)
    for epoch in range(first, first + n_epochs):
        held = np.bincount(strata_of_batches(sampler, codes, epoch).ravel(), minlength=len(seen))
        seen += held
        rows += np.bincount(sampler.batches(epoch).rows, minlength=len(codes))
        assert not held[~is_sampled].any()
        for counts, n_expected in ((held, n_chosen), (seen, (epoch - first + 1) * n_chosen)):
            assert set(counts[is_sampled]) <= {n_expected // n_sampled, -(-n_expected // n_sampled)}
        most = 1 if first == 0 else 2
        assert all(np.ptp(rows[codes == stratum]) <= most for stratum in np.flatnonzero(is_sampled))
    assert np.ptp(seen[is_sampled]) == 0


def test_balanced_epochs_have_all_strata_equally_often() -> None:
    for sizes in combinations(range(1, 8), 4):
        codes = np.repeat(np.arange(4), sizes)
        for minimum, wanted, balance in product((1, 2, 3), (1, 2, 3, 4), ("mean", "under", 5)):
            if wanted <= sum(size >= minimum for size in sizes):
                check_balanced(of_sizes(sizes, wanted, minimum, balance=balance, rare="allow"), codes)


@given(st.data())
def test_balanced_epochs_keep_their_promises_from_any_epoch_on(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 15), min_size=1, max_size=8))
    minimum = data.draw(st.integers(1, max(sizes)))
    wanted = data.draw(st.integers(1, sum(size >= minimum for size in sizes)))
    balance = data.draw(st.sampled_from(["mean", "over", "under"]) | st.integers(1, 40))
    sampler = of_sizes(sizes, wanted, minimum, balance=balance, rare="allow")
    for first in (0, data.draw(st.integers(10, 6_699_990))):
        check_balanced(sampler, np.repeat(np.arange(len(sizes)), sizes), first)


def test_the_number_of_balanced_batches() -> None:
    sizes = [5, 20, 40, 15]  # 80 rows, in batches of 2 strata of 3 rows
    assert len(of_sizes(sizes, 2, 3, balance="mean")) == 13  # 80 / 6 = 13.3
    assert len(of_sizes(sizes, 2, 3, balance="over")) == 27  # 160 / 6 = 26.7
    assert len(of_sizes(sizes, 2, 3, balance="under")) == 3  # 20 / 6 = 3.3
    assert len(of_sizes(sizes, 2, 3, balance=9)) == 6  # 36 / 6
    assert len(of_sizes(sizes, 4, 5, balance=1)) == 1  # 4 / 20 = 0.2, at least 1
    assert len(of_sizes(sizes, 2, 6, balance="under", rare="allow")) == 4  # 45 / 12 = 3.75, without the first stratum
    assert len(of_sizes(sizes, 2, 3, balance="mean", num_replicas=4)) == 12


def test_pairs_of_strata_and_of_rows_meet_about_equally_often() -> None:
    """Within 5 standard deviations of as many independent draws; a fixed order would leave some pairs without any."""
    codes = np.repeat(np.arange(12), 10)
    sampler = of_sizes([10] * 12, 5, 2, balance=4)
    strata, rows = np.zeros((12, 12), dtype=np.int64), np.zeros((120, 120), dtype=np.int64)
    for epoch in range(2_000):
        for held in strata_of_batches(sampler, codes, epoch):
            strata[np.ix_(held, held)] += 1
        first, second = sampler.batches(epoch).rows.reshape(-1, 2).T
        np.add.at(rows, (first, second), 1)
        np.add.at(rows, (second, first), 1)
    met = strata[np.triu_indices(12, 1)]
    together = np.concatenate([rows[at : at + 10, at : at + 10][np.triu_indices(10, 1)] for at in range(0, 120, 10)])
    for counts in (met, together):
        assert abs(counts - counts.mean()).max() < 5 * counts.mean() ** 0.5


def test_rare_strata() -> None:
    assert "'min_samples_per_stratum' must be at most 3: the smallest stratum, '0', has 3 rows. Got 4" in refused(2, 4)
    sampler = StrataSubsetBatchSampler(LABELS, 2, 4, rare="allow", seed=1)
    holding = [batch for batch in sampler.batches(0) if 0 in LABELS[batch]]
    assert len(holding) == 1 and (LABELS[holding[0]] == 0).sum() == 3
    assert len(sampler.batches(0).rows) == len(LABELS)
    assert sampler.plan.summary().splitlines()[0].endswith("with at least 4 rows of each, 1 rare stratum aside")
    with pytest.warns(UserWarning, match="1 of 6 strata have fewer than 4 rows: they are never sampled"):
        exact = StrataSubsetBatchSampler(LABELS, 2, 4, rare="warn", exact=True, seed=1)
    assert not any(0 in LABELS[batch] for epoch in range(9) for batch in exact.batches(epoch))
    with pytest.warns(UserWarning, match="fewer than 4 rows: they are in one batch, all rows of each"):
        StrataSubsetBatchSampler(LABELS, 2, 4, rare="warn")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((7, 2), "'strata_per_batch' must be at most 6, the number of strata with at least 2 rows. Got 7"),
        ((2, 8, True), "'exact' must be left out if 'mean_batch_size' is given. Got True instead. Give 'min_samples"),
        (
            (2, 20),
            "'mean_batch_size' must make batches with at most 3 rows of a stratum: the smallest stratum, '0', has 3 "
            "rows. Got 20, for 6 rows, instead. Lower it, or set 'rare' to 'warn' or 'allow'.",
        ),
        (
            (6, 8),
            "'mean_batch_size' must be at least 12, for at most 3 batches: more cannot all have a row of 6 strata. "
            "Got 8, for 5 batches, instead.",
        ),
        ((2, 2, 400_000_000), "'balance' must give an epoch at most 2147483647 rows. Got 400000000"),
    ],
)
def test_refusals(arguments: Any, message: str) -> None:
    wanted, number, *other = arguments
    given = {"exact": True} if other == [True] else {"balance": other[0]} if other else {}
    size = "mean_batch_size" if "mean_batch_size'" in message else "min_samples_per_stratum"
    assert message in refused(wanted, **{size: number}, **given)


@pytest.mark.parametrize(
    ("parameters", "heading"),
    [
        ({}, "6 batches of 3 strata, with at least 2 rows of each"),
        ({"min_samples_per_stratum": 1}, "13 batches of 3 to 4 strata, with at least 1 row of each"),
        ({"exact": True}, "6 batches of 3 strata, with 2 rows of each"),
        ({"strata_per_batch": 4, "balance": "mean"}, "5 batches of 4 strata, with 2 rows of each"),
    ],
)
def test_plans_show_themselves_and_bound_the_composition(parameters: dict[str, Any], heading: str) -> None:
    given = {"strata_per_batch": 3, "min_samples_per_stratum": 2, **parameters}
    sampler = StrataSubsetBatchSampler(LABELS, seed=1, **given)
    assert sampler.plan.summary().splitlines()[0] == heading
    bounds = sampler.plan.table()
    for epoch in (0, 3):
        held = sampler.composition(epoch)
        counts = [np.bincount(LABELS[batch], minlength=6).tolist() for batch in sampler.batches(epoch)]
        assert held.to_numpy().tolist() == counts
        assert list(held.columns) == list(range(6)) and held.index.name == "batch"
        assert ((held == 0) | (held >= bounds["fewest"])).all(axis=None) and (held.max() <= bounds["most"]).all()
        assert ((held > 0).sum() <= bounds["batches"]).all()
