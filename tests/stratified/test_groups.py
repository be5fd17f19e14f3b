"""Groups of rows: the number of batches by brute force, the batches against plain Python, and promises."""

from __future__ import annotations

import re
from itertools import permutations, product
from typing import Any, Iterator, Optional, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import StratifiedGroupBatchSampler, StratifiedBatchSampler
from tests.levels import IS_THOROUGH
from tests.reference.naive_groups import NaiveGroups, most_batches, naive_together, runs

SIZES = [[3, 1, 1, 2], [5, 2, 2, 2, 1], [4, 4, 4]]  # of the groups of each stratum


def labels_of(sizes: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return the stratum and the group of each row."""
    of_groups = [(stratum, size) for stratum, groups in enumerate(sizes) for size in groups]
    strata = [stratum for stratum, size in of_groups for _ in range(size)]
    return strata, [group for group, (_, size) in enumerate(of_groups) for _ in range(size)]


def made(sizes: Sequence[Sequence[int]], minimum: Optional[int], **parameters: Any) -> StratifiedGroupBatchSampler:
    strata, groups = labels_of(sizes)
    parameters.setdefault("seed", 1)
    return StratifiedGroupBatchSampler(strata, minimum, groups=groups, **parameters)


def refused(*arguments: Any, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        StratifiedGroupBatchSampler(*arguments, **parameters)
    return str(error.value).replace(" parameter", "")


def partitions(n_rows: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of groups that have so many rows in all, the largest first."""
    if n_rows == 0:
        yield ()
    for size in range(min(n_rows, most), 0, -1):
        for rest in partitions(n_rows - size, size):
            yield (size, *rest)


def loads(sizes: Sequence[int], n_batches: int, minimum: int) -> list[int]:
    """Deal groups of these sizes, in this order, and return the rows of each batch."""
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    dealt = naive_together(range(len(groups)), [0] * len(groups), groups, n_batches, minimum)
    return [len(batch) for batch in dealt]


def check_naive(sampler: StratifiedGroupBatchSampler, codes: Any, groups: Any, epoch: int) -> NaiveGroups:
    """See that the plan, the recipe's minimum and the batches of an epoch are those of plain Python."""
    given = {name: value for name, value in sampler.parameters.items() if value is not None}
    strata = [None if code < 0 else code for code in codes]
    naive = NaiveGroups(strata, groups, {**given, "seed": sampler.seed})
    assert len(sampler) == naive.n_batches
    assert sampler.plan.min_samples_per_stratum == sampler.plan.fewest.min()
    assert {name: column.tolist() for name, column in sampler.plan.columns.items()} == naive.table()
    assert [batch.tolist() for batch in sampler.batches(epoch)] == naive.batches(epoch)
    return naive


def check_together(sampler: StratifiedGroupBatchSampler, codes: Any, groups: Any, epoch: int) -> None:
    """See that an epoch keeps its promises, and that its batches are those of plain Python."""
    plan, table = sampler.plan, sampler.plan.table()
    batches = [batch.tolist() for batch in sampler.batches(epoch)]
    codes, groups = np.asarray(codes), np.asarray(groups)
    minimum = check_naive(sampler, codes.tolist(), groups.tolist(), epoch).minimum
    found = [group for batch in batches for group in runs(groups[batch].tolist())]
    assert len(found) == len(set(found)), "a group is in one batch, its rows side by side"
    fewest, most = table["fewest"].to_numpy(), table["most"].to_numpy()
    for batch in batches:
        held = np.bincount(codes[batch], minlength=len(table))
        assert (fewest <= held).all() and (held <= most).all()
        assert plan.size_range[0] <= len(batch) <= plan.size_range[1]
    if table["rows"].min() >= minimum and table["groups"].min() >= plan.n_batches:
        assert plan.min_samples_per_stratum >= minimum


def check_apart(sampler: StratifiedGroupBatchSampler, codes: Any, groups: Any, epoch: int) -> None:
    """See that each batch has its share of all, and that the batches are those of plain Python."""
    plan, n_batches = sampler.plan, len(sampler)
    batches = [batch.tolist() for batch in sampler.batches(epoch)]
    codes, groups = np.asarray(codes), np.asarray(groups)
    check_naive(sampler, codes.tolist(), groups.tolist(), epoch)
    sampled = codes >= 0
    sizes, n_rows = sorted(map(len, batches), reverse=True), int(sampled.sum())
    assert sizes == [n_rows // n_batches + (batch < n_rows % n_batches) for batch in range(n_batches)]
    assert plan.size_range == (sizes[-1], sizes[0])
    for labels in (codes, groups):
        counts = np.bincount(labels[sampled], minlength=labels.max() + 1)
        for batch in batches:
            held = np.bincount(labels[batch], minlength=len(counts))
            assert (counts // n_batches <= held).all() and (held <= -(-counts // n_batches)).all()
    assert plan.most_of_group == -(-int(np.bincount(groups[sampled]).max()) // n_batches)


def renumbered(codes: Sequence[int]) -> list[int]:
    """Return the codes numbered by first appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(code, len(numbers)) for code in codes]


def test_apart_every_batch_has_its_share_of_all_labels() -> None:
    """For all strata and groups of 5 or 6 rows and every number of batches."""
    kinds = [codes for codes in product(range(3), repeat=6 if IS_THOROUGH else 5) if renumbered(codes) == list(codes)]
    n_nested = 0
    for codes, groups in product(kinds, kinds):
        n_nested += len(set(zip(codes, groups))) == len(set(groups))
        smallest = min(map(codes.count, codes))
        for minimum in range(1, smallest + 1):
            if minimum > 1 and smallest // minimum == smallest // (minimum - 1):
                continue
            sampler = StratifiedGroupBatchSampler(codes, minimum, groups=groups, keep="apart", seed=1)
            assert len(sampler) == smallest // minimum
            check_apart(sampler, codes, groups, epoch=0)
    assert 0 < n_nested < len(kinds) ** 2


@given(st.data())
def test_apart_promises(data: st.DataObject) -> None:
    n_rows = data.draw(st.integers(1, 120))
    n_strata, n_groups = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 30))
    groups = data.draw(st.lists(st.integers(0, n_groups - 1), min_size=n_rows, max_size=n_rows))
    codes = data.draw(st.lists(st.integers(0, n_strata - 1), min_size=n_rows, max_size=n_rows))
    if data.draw(st.booleans()):
        codes = [group % n_strata for group in groups]
    codes, minimum = renumbered(codes), data.draw(st.integers(1, 6))
    sampler = StratifiedGroupBatchSampler(codes, minimum, groups=groups, keep="apart", rare="allow", seed=3)
    assert len(sampler) == max(1, min(map(codes.count, codes)) // minimum)
    for epoch in (0, 7):
        check_apart(sampler, codes, renumbered(groups), epoch)


def test_apart_many_batches() -> None:
    """More batches than a word of the core has bits."""
    rows = np.arange(3000)
    codes, groups = rows % 7 % 2, rows * 11 % 1009 % 401
    sampler = StratifiedGroupBatchSampler(codes, 3, groups=groups, keep="apart", seed=1)
    assert len(sampler) == 428
    check_apart(sampler, codes, np.unique(groups, return_inverse=True)[1], epoch=2)


def test_apart_groups_may_have_several_strata() -> None:
    sampler = StratifiedGroupBatchSampler(["a", "b"] * 6, 2, groups=["x", "y", "z"] * 4, keep="apart", seed=1)
    assert sampler.plan.summary().splitlines()[:2] == [
        "3 batches of 4 rows, groups apart",
        "every batch holds at least 2 rows of every stratum, and at most 2 rows of a group",
    ]
    assert sampler.plan.table().loc["a"].tolist() == [6, 3, 2, 2, 2]


def test_the_minimum_holds_in_every_order_of_the_groups() -> None:
    """For all groups of up to 8 rows in all: it does with B batches, and fails in some order with B + 1."""
    for n_rows in range(1, 9):
        for sizes, minimum in product(partitions(n_rows, n_rows), range(1, n_rows + 1)):
            n_batches = most_batches(sizes, minimum)
            assert n_batches >= 1
            orders = set(permutations(sizes))
            fewest = [min(min(loads(order, n, minimum)) for order in orders) for n in (n_batches, n_batches + 1)]
            assert fewest[0] >= minimum > fewest[1]
            assert len(made([sizes], minimum)) == n_batches


def test_bounds_hold_in_every_order_of_the_groups() -> None:
    for n_rows in range(1, 8):
        for sizes, minimum in product(partitions(n_rows, n_rows), range(1, n_rows + 1)):
            most_replicas = len(made([sizes], minimum))
            for replicas in range(1, most_replicas + 1):
                plan = made([sizes], minimum, num_replicas=replicas).plan
                held = [loads(order, plan.n_batches, minimum) for order in set(permutations(sizes))]
                assert plan.fewest[0] <= np.min(held) and plan.most[0] >= np.max(held)


def test_equal_groups_count_as_one_row_each() -> None:
    """With 2 rows each, without the greatest common divisor only 3 batches would be sure of 6 rows."""
    assert len(made([[2] * 12], 6)) == len(made([[1] * 12], 3)) == 4


@given(st.data())
def test_promises(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=12), min_size=1, max_size=4))
    minimum = data.draw(st.integers(1, 12))
    replicas = data.draw(st.integers(1, 3))
    strata, of_rows = labels_of(sizes)
    shuffled = data.draw(st.permutations(range(len(strata))))
    _, codes = np.unique(np.array(strata)[shuffled], return_inverse=True)
    first = np.sort(np.unique(codes, return_index=True)[1])
    codes = np.argsort(codes[first])[codes]  # numbered by first appearance
    groups = np.array(of_rows)[shuffled]
    try:
        sampler = StratifiedGroupBatchSampler(
            codes, minimum, groups=groups, rare="allow", seed=3, num_replicas=replicas
        )
    except ValueError as error:
        assert "num_replicas" in str(error)
        return
    most = max(1, min(most_batches(of_stratum, minimum) for of_stratum in sizes))
    assert len(sampler) == most // replicas * replicas
    for epoch in (0, 7):
        check_together(sampler, codes, groups, epoch)


@given(st.data())
def test_a_mean_batch_size_determines_the_batches_and_the_largest_minimum(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=12), min_size=1, max_size=4))
    mean, replicas = data.draw(st.integers(1, 80)), data.draw(st.integers(1, 3))
    keep = data.draw(st.sampled_from(["together", "apart"]))
    counts = [sum(groups) for groups in sizes]
    most = [len(groups) if keep == "together" else sum(groups) for groups in sizes]
    rounded = max(1, (2 * sum(counts) + mean) // (2 * mean))
    n_batches = min(rounded, sum(most)) // replicas * replicas
    try:
        sampler = made(sizes, None, mean_batch_size=mean, keep=keep, rare="allow", num_replicas=replicas, seed=3)
    except ValueError as error:
        assert n_batches == 0 and "num_replicas" in str(error)
        return
    check = check_together if keep == "together" else check_apart
    for epoch in (0, 7):
        check(sampler, *labels_of(sizes), epoch)
    minimum = check_naive(sampler, *labels_of(sizes), 0).minimum
    if n_batches <= min(most):
        assert sampler.plan.min_samples_per_stratum >= minimum
        assert made(sizes, None, mean_batch_size=mean, keep=keep, num_replicas=replicas).plan.fewest.min() >= minimum
    else:
        assert "'mean_batch_size' must be at least" in refused_size(sizes, mean, keep, replicas) or replicas > min(most)


@pytest.mark.parametrize("keep", ["together", "apart"])
def test_a_stratum_of_fewer_groups_or_rows_than_batches_is_in_other_batches_each_epoch(keep: str) -> None:
    """In the same batches of every epoch, before."""
    sampler = made([[1, 1], [1] * 30, [2] * 5], None, mean_batch_size=5, keep=keep, rare="allow")
    assert len(sampler) == 8
    seen = sum(sampler.composition(epoch).to_numpy()[:, 0] for epoch in range(200))
    assert seen.sum() == 400 and (abs(seen - 50) < 4 * 50**0.5).all()
    in_all = made([[1] * 8, [1] * 30, [2] * 4 + [1] * 4], None, mean_batch_size=7, keep=keep)
    assert len(in_all) == 7
    check_naive(in_all, *labels_of([[1] * 8, [1] * 30, [2] * 4 + [1] * 4]), 0)


def refused_size(sizes: Sequence[Sequence[int]], mean: int, keep: str, replicas: int) -> str:
    """Return the refusal of a size; one batch size that it names works."""
    strata, groups = labels_of(sizes)
    message = refused(strata, groups=groups, mean_batch_size=mean, keep=keep, num_replicas=replicas)
    found = re.search(r"'mean_batch_size' must be at least (\d+), for at most (\d+) batch", message)
    if found is not None:
        least, most = map(int, found.groups())
        given = {"keep": keep, "num_replicas": replicas}
        assert len(made(sizes, None, mean_batch_size=least, **given)) <= most
        assert "must be at least" in refused(strata, groups=groups, mean_batch_size=least - 1, **given)
    return message


def test_a_mean_batch_size_or_a_minimum() -> None:
    of: dict[str, Any] = {"strata": [0, 0, 0, 1, 1], "groups": [0, 0, 1, 2, 3]}
    assert "'min_samples_per_stratum' must be given if 'mean_batch_size' is not. Got nothing" in refused(**of)
    assert "'min_samples_per_stratum' must be left out if 'mean_batch_size' is given. Got 1" in refused(
        **of, min_samples_per_stratum=1, mean_batch_size=2
    )
    assert refused(**of, mean_batch_size=1) == (
        "The 'mean_batch_size' must be at least 3, for at most 2 batches: the smallest stratum, '0', has 2 groups. "
        "Got 1, for 4 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'."
    )
    assert "be at least 3, for at most 2 batches: the smallest stratum, '1', has 2 rows." in refused(
        **of, mean_batch_size=1, keep="apart"
    )
    with pytest.warns(
        UserWarning, match="has 2 rows, and the 'mean_batch_size' parameter makes 5 batches: some batches"
    ):
        sampler = StratifiedGroupBatchSampler(**of, mean_batch_size=1, keep="apart", rare="warn", seed=1)
    assert len(sampler) == 5 and sampler.parameters["min_samples_per_stratum"] is None
    # There are no more batches than groups, whatever the size.
    assert len(StratifiedGroupBatchSampler([0] * 6, groups=[0, 0, 1, 1, 2, 2], mean_batch_size=1)) == 3
    same = StratifiedGroupBatchSampler(**of, min_samples_per_stratum=1, seed=1)
    by_mean = StratifiedGroupBatchSampler(**of, mean_batch_size=3, seed=1)
    assert by_mean.batches(0).rows.tolist() == same.batches(0).rows.tolist()


def test_groups_of_one_row_are_stratified_batches() -> None:
    strata = np.repeat([0, 1, 2], [13, 40, 21])
    for minimum in (1, 2, 3, 5):
        assert len(StratifiedGroupBatchSampler(strata, minimum, groups=range(74))) == len(
            StratifiedBatchSampler(strata, minimum)
        )


def test_refusals() -> None:
    assert "'groups' must have one value for each row of 'strata', 2. Got 3 values" in refused(
        [0, 1], 1, groups=[0, 1, 2]
    )
    assert "'groups' must have no missing values. Got 1 missing of 2 rows" in refused([0, 1], 1, groups=[0, None])
    assert "'min_samples_per_stratum' must be at most 1: the smallest stratum, '1', has 1 row." in refused(
        [0, 0, 1], 2, groups=[0, 0, 1]
    )
    assert "'num_replicas' must be at most 1, the number of batches. Got 2" in refused(
        [0, 0, 1, 1], 1, groups=[0, 0, 1, 1], num_replicas=2
    )


def test_rare_strata_go_into_one_batch() -> None:
    with pytest.warns(UserWarning, match="1 of 2 strata have fewer than 2 rows: all rows are in one batch."):
        sampler = StratifiedGroupBatchSampler([0, 0, 0, 1], 2, groups=[0, 1, 2, 3], rare="warn", seed=1)
    assert [sorted(batch.tolist()) for batch in sampler.batches(0)] == [[0, 1, 2, 3]]


def test_dropped_rows_are_never_sampled() -> None:
    strata, groups = labels_of(SIZES)
    sampler = StratifiedGroupBatchSampler([None, *strata, None], 2, groups=[99, *groups, 0], missing="drop", seed=1)
    assert sorted(sampler.batches(0).rows.tolist()) == list(range(1, len(strata) + 1))
    check_together(sampler, [-1, *strata, -1], [99, *groups, 0], 3)
    assert sampler.plan.table()["groups"].tolist() == [4, 5, 3]
    apart = StratifiedGroupBatchSampler(
        [None, *strata, None], 2, groups=[3, *groups, 0], keep="apart", missing="drop", seed=1
    )
    check_apart(apart, [-1, *strata, -1], [3, *groups, 0], 3)


def test_a_plan_shows_itself() -> None:
    plan = made(SIZES, 2).plan
    assert plan.summary().splitlines()[:2] == [
        "3 batches of 8 to 15 rows, groups together",
        "every batch holds at least 2 rows of every stratum",
    ]
    assert plan.table().loc[1].tolist() == [12, 5, 5, 2, 7]
    many = StratifiedGroupBatchSampler(range(30), 1, groups=range(30)).plan.summary().splitlines()
    assert len(many) == 2 + 2 + 20 + 1 and many[14] == "... and 10 more" and many[-1].startswith("29 ")


@pytest.mark.parametrize("keep", ["together", "apart"])
def test_the_composition_is_that_of_the_batches_of_an_epoch(keep: str) -> None:
    strata = ["x", None, *["y"] * 9, "x", "x", "x", "x", "x"]
    groups = [0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 6, 7, 7]
    sampler = StratifiedGroupBatchSampler(strata, 2, groups=groups, keep=keep, missing="drop", seed=1)
    for epoch in (0, 3):
        table = sampler.composition(epoch)
        assert list(table.columns) == ["x", "y"] and table.index.name == "batch" and len(table) == len(sampler)
        for batch, held in zip(sampler.batches(epoch), table.to_numpy()):
            assert held.tolist() == [[strata[row] for row in batch].count(name) for name in "xy"]
            assert (sampler.plan.fewest <= held).all() and (held <= sampler.plan.most).all()
    assert table.sum().tolist() == [6, 9]


def test_a_plan_shows_the_names_of_the_strata() -> None:
    sampler = StratifiedGroupBatchSampler(["b", "a"] * 20, 1, groups=list(range(40)))
    shown = repr(sampler.plan).splitlines()
    assert shown[0].startswith("20 batches of 2 rows") and shown[-2].split()[:2] == ["b", "20"]
