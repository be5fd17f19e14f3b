"""Groups of rows: the number of batches by brute force, and what is promised in every epoch."""

from __future__ import annotations

import re
from itertools import chain, groupby, permutations, product
from math import gcd
from typing import Any, Iterator, Optional, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pystrat import StratifiedGroupBatchSampler, epoch_permutation
from tests.levels import IS_THOROUGH

SIZES = [[3, 1, 1, 2], [5, 2, 2, 2, 1], [4, 4, 4]]  # of the groups of each stratum


def labels_of(sizes: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return the stratum and the group of each row."""
    of_groups = [(stratum, size) for stratum, groups in enumerate(sizes) for size in groups]
    strata = [stratum for stratum, size in of_groups for _ in range(size)]
    return strata, [group for group, (_, size) in enumerate(of_groups) for _ in range(size)]


def made(sizes: Sequence[Sequence[int]], minimum: Optional[int], **parameters: Any) -> StratifiedGroupBatchSampler:
    strata, groups = labels_of(sizes)
    return StratifiedGroupBatchSampler(strata, minimum, groups=groups, **{"seed": 1, **parameters})


def renumbered(codes: Sequence[int]) -> list[int]:
    """Return the codes numbered by first appearance, -1 for those below 0."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(code), len(numbers)) if code >= 0 else -1 for code in codes]


def partitions(n_rows: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of groups that have so many rows in all, the largest first."""
    if n_rows == 0:
        yield ()
    for size in range(min(n_rows, most), 0, -1):
        for rest in partitions(n_rows - size, size):
            yield (size, *rest)


def most_batches(sizes: Sequence[int], minimum: int) -> int:
    """Return with how many batches a stratum with groups of these sizes is sure to keep the minimum."""
    small = [size for size in sizes if size < minimum]
    n_large = len(sizes) - len(small)
    if not small:
        return n_large
    divisor, largest = gcd(*small), max(small)
    least = next(rows for rows in range(minimum, minimum + divisor) if rows % divisor == 0)
    return n_large + (sum(small) + largest - divisor) // (least + largest - divisor)


def loads(sizes: Sequence[int], n_batches: int, minimum: int) -> list[int]:
    """Deal the groups of a stratum in this order, the first large ones before; return the rows of each batch."""
    large = [place for place, size in enumerate(sizes) if size >= minimum][:n_batches]
    held = [0] * n_batches
    for place in sorted(range(len(sizes)), key=lambda place: place not in large):
        held[held.index(min(held))] += sizes[place]
    return held


def check(sampler: StratifiedGroupBatchSampler, codes: Any, groups: Any, epoch: int) -> None:
    """See that an epoch keeps its promises; codes below 0 are of rows that are never sampled."""
    plan, codes, groups = sampler.plan, np.array(renumbered(codes)), np.asarray(groups)
    batches = [batch.tolist() for batch in sampler.batches(epoch)]
    sampled, sizes = codes >= 0, list(map(len, batches))
    assert sorted(chain(*batches)) == np.flatnonzero(sampled).tolist()
    assert len(batches) == len(sampler) == plan.n_batches <= plan.most_batches
    bounds = [int(size) for size in re.findall(r"\d+", plan.heading.partition(" row")[0])[1:]]
    assert bounds[0] <= min(sizes) and max(sizes) <= bounds[-1]
    for batch in batches:
        held = np.bincount(codes[batch], minlength=len(plan.counts))
        assert (plan.fewest <= held).all() and (held <= plan.most).all()
    if sampler.parameters["keep"] == "together":
        found = [group for batch in batches for group, _ in groupby(groups[batch].tolist())]
        assert len(found) == len(set(found)), "a group is in one batch, its rows side by side"
        return
    assert max(sizes) - min(sizes) <= 1
    place = np.argsort(epoch_permutation(len(codes), seed=sampler.seed, epoch=epoch))
    assert all(batch == sorted(batch, key=lambda row: (codes[row], place[row])) for batch in batches)
    for labels in (codes, groups):
        counts = np.bincount(labels[sampled], minlength=labels.max() + 1)
        for batch in batches:
            held = np.bincount(labels[batch], minlength=len(counts))
            assert (counts // len(batches) <= held).all() and (held <= -(-counts // len(batches))).all()
    assert f"at most {-(-int(np.bincount(groups[sampled]).max()) // len(batches))} row" in plan.heading


def test_apart_every_batch_has_its_share_of_all_labels() -> None:
    """For all strata and groups of 5 or 6 rows and every number of batches."""
    kinds = [codes for codes in product(range(3), repeat=6 if IS_THOROUGH else 5) if renumbered(codes) == list(codes)]
    for codes, groups in product(kinds, kinds):
        smallest = min(map(codes.count, codes))
        for minimum in range(1, smallest + 1):
            if minimum > 1 and smallest // minimum == smallest // (minimum - 1):
                continue
            sampler = StratifiedGroupBatchSampler(codes, minimum, groups=groups, keep="apart", seed=1)
            assert len(sampler) == smallest // minimum
            check(sampler, codes, groups, epoch=0)


def test_apart_many_batches() -> None:
    """More batches than a word of the core has bits."""
    rows = np.arange(3000)
    codes, groups = rows % 7 % 2, rows * 11 % 1009 % 401
    sampler = StratifiedGroupBatchSampler(codes, 3, groups=groups, keep="apart", seed=1)
    assert len(sampler) == 428
    check(sampler, codes, groups, epoch=2)


def test_the_minimum_and_the_bounds_hold_in_every_order_of_the_groups() -> None:
    """For all groups of up to 8 rows in all: they do with B batches, and the minimum fails in some order with B + 1."""
    for n_rows in range(1, 9):
        for sizes, minimum in product(partitions(n_rows, n_rows), range(1, n_rows + 1)):
            n_batches, orders = most_batches(sizes, minimum), set(permutations(sizes))
            fewest = [min(min(loads(order, n, minimum)) for order in orders) for n in (n_batches, n_batches + 1)]
            assert fewest[0] >= minimum > fewest[1]
            assert len(made([sizes], minimum)) == n_batches
            for replicas in range(1, n_batches + 1 if n_rows < 8 else 1):
                plan = made([sizes], minimum, num_replicas=replicas).plan
                held = [loads(order, plan.n_batches, minimum) for order in orders]
                assert plan.fewest[0] <= np.min(held) and plan.most[0] >= np.max(held)


def expected_batches(table: NDArray[np.int64], given: dict[str, Any]) -> Optional[int]:
    """Return the number of batches of groups with these rows of each stratum, below 1 if it is refused.

    None if only a search finds it: of groups of several strata, together.
    """
    together, replicas = given["keep"] == "together", given["num_replicas"]
    minimum, mean = given.get("min_samples_per_stratum"), given.get("mean_batch_size")
    if mean is not None:
        n_batches = max(1, (2 * int(table.sum()) + mean) // (2 * mean))
        n_batches = min(n_batches, len(table) if together else int(table.sum()))
    elif not together:
        n_batches = max(1, int(table.sum(axis=0).min()) // minimum)
    elif ((table > 0).sum(axis=1) == 1).all():
        n_batches = max(1, min(most_batches([size for size in sizes if size], minimum) for sizes in table.T.tolist()))
    else:
        return None
    return n_batches // replicas * replicas


@given(st.data())
def test_promises(data: st.DataObject) -> None:
    """Of rows in any order, in groups of one stratum each or of several."""
    n_strata, n_groups, is_nested = (
        data.draw(st.integers(1, 4)),
        data.draw(st.integers(1, 20)),
        data.draw(st.booleans()),
    )
    row = st.tuples(st.integers(0, n_strata - 1), st.integers(0, n_groups - 1))
    codes, groups = map(list, zip(*data.draw(st.lists(row, min_size=1, max_size=80))))
    if is_nested:
        codes = [group % n_strata for group in groups]
    size, number = data.draw(st.sampled_from(["min_samples_per_stratum", "mean_batch_size"])), data.draw(
        st.integers(1, 20)
    )
    given: dict[str, Any] = {size: number, "keep": data.draw(st.sampled_from(["together", "apart"]))}
    given["num_replicas"] = data.draw(st.integers(1, 3))
    table = np.zeros((n_groups, n_strata), dtype=np.int64)
    np.add.at(table, (groups, codes), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    n_batches = expected_batches(table, given)
    try:
        sampler = StratifiedGroupBatchSampler(codes, groups=groups, rare="allow", seed=3, **given)
    except ValueError as error:
        assert not n_batches and "num_replicas" in str(error)
        return
    assert len(sampler) == (n_batches or len(sampler)) and len(sampler) % given["num_replicas"] == 0
    if size == "min_samples_per_stratum":
        is_rare = int(table.sum(axis=0).min()) < number
        assert sampler.plan.fewest.min() >= number or is_rare
    for epoch in (0, 7):
        check(sampler, codes, groups, epoch)


groups_of_strata = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=12), min_size=1, max_size=4)


@given(groups_of_strata, st.integers(1, 80), st.sampled_from(["together", "apart"]))
def test_a_mean_batch_size_has_the_largest_minimum(sizes: list[list[int]], mean: int, keep: str) -> None:
    plan = made(sizes, None, mean_batch_size=mean, keep=keep, rare="allow").plan
    n_batches, fewest = plan.n_batches, min(map(sum, sizes))
    if n_batches <= min(len(groups) if keep == "together" else sum(groups) for groups in sizes):
        kept = [m for m in range(1, fewest + 1) if min(most_batches(of, m) for of in sizes) >= n_batches]
        assert plan.min_samples_per_stratum >= (max(kept) if keep == "together" else fewest // n_batches)


@pytest.mark.parametrize("keep", ["together", "apart"])
def test_a_stratum_of_fewer_groups_or_rows_than_batches_is_in_other_batches_each_epoch(keep: str) -> None:
    sampler = made([[1, 1], [1] * 30, [2] * 5], None, mean_batch_size=5, keep=keep, rare="allow")
    assert len(sampler) == 8
    seen = sum(sampler.composition(epoch).to_numpy()[:, 0] for epoch in range(200))
    assert seen.sum() == 400 and (abs(seen - 50) < 4 * 50**0.5).all()


def test_a_mean_batch_size_that_gives_some_batch_no_stratum() -> None:
    of: dict[str, Any] = {"strata": [0, 0, 0, 1, 1], "groups": [0, 0, 1, 2, 3], "mean_batch_size": 1}
    with pytest.raises(ValueError) as error:
        StratifiedGroupBatchSampler(**of)
    assert str(error.value) == (
        "The 'mean_batch_size' parameter must be at least 3, for at most 2 batches: the smallest stratum, '0', has 2 "
        "groups. Got 1, for 4 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'."
    )
    with pytest.warns(UserWarning, match="has 2 rows, and the 'mean_batch_size' parameter makes 5 batches: some"):
        assert len(StratifiedGroupBatchSampler(**of, keep="apart", rare="warn", seed=1)) == 5


@pytest.mark.parametrize(
    ("groups", "minimum", "message"),
    [
        ([0, 1], 1, "'groups' .* must have one value for each row of 'strata', 3. Got 2 values"),
        ([0, None, 1], 1, "'groups' .* must have no missing values. Got 1 missing of 3 rows"),
        ([0, 0, 1], 2, "must be at most 1: the smallest stratum, '1', has 1 row."),
    ],
)
def test_refusals(groups: Any, minimum: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StratifiedGroupBatchSampler([0, 0, 1], minimum, groups=groups)


@pytest.mark.parametrize("keep", ["together", "apart"])
def test_dropped_rows_are_never_sampled(keep: str) -> None:
    strata, groups = labels_of(SIZES)
    given: dict[str, Any] = {"groups": [12, *groups, 0], "keep": keep, "missing": "drop", "seed": 1}
    sampler = StratifiedGroupBatchSampler([None, *strata, None], 2, **given)
    check(sampler, [-1, *strata, -1], [12, *groups, 0], 3)
    assert sampler.plan.table()["groups"].tolist() == [4, 5, 3]


def test_a_plan_shows_itself() -> None:
    plan = made(SIZES, 2).plan
    assert plan.summary().splitlines()[:2] == [
        "3 batches of 8 to 15 rows, groups together",
        "every batch holds at least 2 rows of every stratum",
    ]
    assert plan.table().loc[1].tolist() == [12, 5, 5, 2, 7]
    apart = StratifiedGroupBatchSampler(["a", "b"] * 6, 2, groups=["x", "y", "z"] * 4, keep="apart", seed=1).plan
    assert apart.summary().splitlines()[1].endswith("of every stratum, and at most 2 rows of a group")
    assert apart.table().loc["a"].tolist() == [6, 3, 2, 2, 2]
