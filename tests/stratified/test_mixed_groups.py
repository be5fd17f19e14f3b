"""Groups with rows of several strata, together: all divisions of few groups, plain Python, and promises."""

from __future__ import annotations

import re
from typing import Any, Iterable, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pystrat import StratifiedGroupBatchSampler
from tests.inside import recipe_of
from tests.reference.naive_groups import NaiveGroups, runs
from tests.reference.naive_mixed_groups import Contents, NaiveMixedGroups, is_possible, largest_number_of_batches


def rows_of(contents: Contents) -> tuple[list[int], list[int]]:
    """Return the stratum and the group of each row."""
    cells = [(s, g) for g, counts in enumerate(contents) for s, count in enumerate(counts) for _ in range(count)]
    return [stratum for stratum, _ in cells], [group for _, group in cells]


def made(contents: Contents, minimum: Optional[int], **parameters: Any) -> StratifiedGroupBatchSampler:
    strata, groups = rows_of(contents)
    parameters.setdefault("seed", 1)
    return StratifiedGroupBatchSampler(strata, minimum, groups=groups, **parameters)


def random_rows(n_groups: int, n_strata: int, n_rows: int, seed: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return strata and groups of rows; most rows of a group are of one stratum."""
    generator = np.random.default_rng(seed)
    groups = generator.integers(n_groups, size=n_rows)
    own = generator.integers(n_strata, size=n_groups)[groups]
    return np.where(generator.random(n_rows) < 0.7, own, generator.integers(n_strata, size=n_rows)), groups


def first_come(labels: Iterable[int]) -> list[int]:
    """Return the labels numbered by first appearance, -1 for those below 0."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(label), len(numbers)) if label >= 0 else -1 for label in labels]


def check(sampler: StratifiedGroupBatchSampler, codes: Any, groups: Any, epoch: int) -> None:
    """See that an epoch keeps its promises; codes below 0 are of rows that are never sampled."""
    plan, codes, groups = sampler.plan, np.array(first_come(codes)), np.asarray(groups)
    batches = [batch.tolist() for batch in sampler.batches(epoch)]
    assert sorted(row for batch in batches for row in batch) == np.flatnonzero(codes >= 0).tolist()
    assert len(batches) == len(sampler) == plan.n_batches <= plan.most_batches
    found = [group for batch in batches for group in runs(groups[batch].tolist())]
    assert len(found) == len(set(found)), "a group is in one batch, its rows side by side"
    for batch in batches:
        held = np.bincount(codes[batch], minlength=len(plan.counts))
        assert (plan.fewest <= held).all() and (held <= plan.most).all()
        assert plan.size_range[0] <= len(batch) <= plan.size_range[1]


def check_naive(sampler: StratifiedGroupBatchSampler, naive: NaiveGroups, epochs: Iterable[int]) -> None:
    """See that the plan, the recipe and the batches of epochs are those of plain Python; all rows are sampled."""
    if isinstance(naive, NaiveMixedGroups):
        skeleton = recipe_of(sampler).parts["skeleton"].tolist()
        assert skeleton == [naive.skeleton[group] for group in range(len(naive.skeleton))]
    assert {name: column.tolist() for name, column in sampler.plan.columns.items()} == naive.table()
    for epoch in epochs:
        assert [batch.tolist() for batch in sampler.batches(epoch)] == naive.batches(epoch)


def random_contents(generator: np.random.Generator) -> tuple[Contents, int]:
    """Return few groups with rows of two or three strata, and a minimum that no stratum lacks."""
    while True:
        n_groups, n_strata = int(generator.integers(3, 7)), int(generator.integers(2, 4))
        table = generator.integers(0, 5, size=(n_groups, n_strata)) * (generator.random((n_groups, n_strata)) < 0.7)
        minimum = int(generator.integers(1, 4))
        is_mixed = ((table > 0).sum(axis=1) > 1).any()
        if is_mixed and (table.sum(axis=1) > 0).all() and (table.sum(axis=0) >= minimum).all():
            return table.tolist(), minimum


@pytest.mark.parametrize("seed", range(60))
def test_there_are_as_many_batches_as_any_division_makes(seed: int) -> None:
    contents, minimum = random_contents(np.random.default_rng(seed))
    sampler = made(contents, minimum)
    assert len(sampler) == largest_number_of_batches(contents, minimum) <= sampler.plan.most_batches
    assert sampler.plan.fewest.min() >= minimum
    for epoch in range(3):
        check(sampler, *rows_of(contents), epoch)


@pytest.mark.parametrize("seed", range(60))
def test_a_mean_batch_size_has_the_largest_minimum_of_any_division(seed: int) -> None:
    contents, _ = random_contents(np.random.default_rng(seed))
    n_rows = sum(map(sum, contents))
    for n_batches in range(1, len(contents) + 1):
        mean = 2 * n_rows // (2 * n_batches + 1) + 1
        if max(1, (2 * n_rows + mean) // (2 * mean)) != n_batches:
            continue
        possible = [minimum for minimum in range(1, n_rows) if is_possible(contents, n_batches, minimum)]
        sampler = made(contents, None, mean_batch_size=mean, rare="allow")
        assert len(sampler) == n_batches and sampler.plan.min_samples_per_stratum == max(possible, default=0)
        check(sampler, *rows_of(contents), 3)
        if possible:
            assert made(contents, None, mean_batch_size=mean).plan.fewest.min() >= max(possible)
        else:
            check_refused_mean(contents, mean)


def check_refused_mean(contents: Contents, mean: int) -> None:
    """See that a mean batch size is refused; the one that the message names works."""
    with pytest.raises(ValueError) as error:
        made(contents, None, mean_batch_size=mean)
    found = re.search(r"'mean_batch_size' parameter must be at least (\d+), for at most (\d+) batch", str(error.value))
    assert found is not None
    least, most = map(int, found.groups())
    assert len(made(contents, None, mean_batch_size=least)) <= most


def test_more_batches_are_found_than_one_stratum_for_each_group_ensures() -> None:
    """If each group counts for its rarest stratum only, no group is left for the other one."""
    sampler = made([[1, 1]] * 6 + [[0, 1], [2, 0]], 1)
    assert len(sampler) == sampler.plan.most_batches == 7
    check(sampler, *rows_of([[1, 1]] * 6 + [[0, 1], [2, 0]]), 0)


def test_a_bound_may_exceed_the_number_of_batches() -> None:
    """Two groups have all rows of two strata, but no division gives both to both batches."""
    plan = made([[1, 1, 0], [1, 0, 1], [0, 1, 1]], 1).plan
    assert (plan.n_batches, plan.most_batches, plan.mixed) == (1, 2, True)
    assert plan.summary().splitlines()[:2] == [
        "1 batch of 6 rows, groups together",
        "every batch holds at least 2 rows of every stratum; at most 2 batches are possible",
    ]


@given(st.data())
def test_promises(data: st.DataObject) -> None:
    n_strata, n_groups = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 20))
    n_rows = data.draw(st.integers(1, 80))
    groups = data.draw(st.lists(st.integers(0, n_groups - 1), min_size=n_rows, max_size=n_rows))
    codes = np.unique(data.draw(st.lists(st.integers(0, n_strata - 1), min_size=n_rows, max_size=n_rows)))
    labels = data.draw(st.lists(st.sampled_from(codes.tolist()), min_size=n_rows, max_size=n_rows))
    size = data.draw(st.sampled_from(["min_samples_per_stratum", "mean_batch_size"]))
    number, replicas = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 3))
    given = {size: number, "groups": groups, "num_replicas": replicas, "rare": "allow", "seed": 3}
    try:
        sampler = StratifiedGroupBatchSampler(labels, **given)
    except ValueError as error:
        assert "num_replicas" in str(error)
        return
    assert len(sampler) % replicas == 0
    if size == "min_samples_per_stratum":
        assert sampler.plan.fewest.min() >= number or len(sampler) == 1 or not sampler.plan.mixed
    for epoch in (0, 7):
        check(sampler, labels, groups, epoch)
    check_naive(sampler, (NaiveMixedGroups if sampler.plan.mixed else NaiveGroups)(labels, groups, given), (0, 7))


@pytest.mark.parametrize(
    "shape, minimum, is_changed",
    [((12, 2, 60), 2, False), ((30, 3, 200), 2, True), ((40, 4, 200), 2, False), ((9, 3, 100), 9, False)],
)
def test_epochs_are_those_of_plain_python(shape: tuple[int, int, int], minimum: int, is_changed: bool) -> None:
    """Of batches that are dealt and repaired, and of those for which the skeleton is changed."""
    n_changed = 0
    for seed in range(4):
        strata, groups = random_rows(*shape, seed)
        given = {"min_samples_per_stratum": minimum, "seed": seed}
        naive = NaiveMixedGroups(strata.tolist(), groups.tolist(), given)
        check_naive(StratifiedGroupBatchSampler(strata, groups=groups, **given), naive, range(3))
        n_changed += naive.n_changed
    assert (n_changed > 0) is is_changed


@pytest.mark.parametrize("n_each", [10, 40])
def test_a_plan_keeps_the_batches_of_a_repair_that_stopped(n_each: int) -> None:
    """A batch needs two of these groups, and there are fewer than two for each batch."""
    strata, groups = rows_of([[1, 1, 0], [1, 0, 1], [0, 1, 1]] * n_each)
    given = {"mean_batch_size": 3, "rare": "allow", "seed": 1}
    sampler = StratifiedGroupBatchSampler(strata, groups=groups, **given)
    assert len(sampler) == 2 * n_each and sampler.plan.fewest.min() == 0
    check_naive(sampler, NaiveMixedGroups(strata, groups, given), (0, 1))


def test_rows_of_a_stratum_that_batches_lack_are_in_other_batches_each_epoch() -> None:
    sampler = made([[1, 1, 0], [1, 0, 2]] + [[0, 2, 0]] * 10 + [[0, 1, 1]] * 6, None, mean_batch_size=5, rare="allow")
    assert (len(sampler), sampler.plan.groups.tolist()) == (7, [2, 17, 7])
    seen = sum(sampler.composition(epoch).to_numpy()[:, 0] for epoch in range(200))
    assert seen.sum() == 400 and (abs(seen - 400 / 7) < 4 * 57**0.5).all()


def test_epochs_differ_and_have_random_access() -> None:
    strata, groups = random_rows(200, 4, 2000)
    sampler = StratifiedGroupBatchSampler(strata, 5, groups=groups, seed=1)
    drawn = [sampler.batches(epoch) for epoch in range(6)]
    divisions = [{frozenset(groups[batch].tolist()) for batch in batches} for batches in drawn]
    for epoch in range(5):
        assert len(divisions[epoch] & divisions[epoch + 1]) < len(sampler) / 2
        check(sampler, strata, groups, epoch)
    again = StratifiedGroupBatchSampler(strata, 5, groups=groups, seed=1)
    assert [again.batches(epoch).rows.tolist() for epoch in (5, 2)] == [drawn[e].rows.tolist() for e in (5, 2)]


def test_the_plan_does_not_depend_on_the_seed() -> None:
    strata, groups = random_rows(100, 3, 900)
    plans = [StratifiedGroupBatchSampler(strata, 4, groups=groups, seed=seed).plan for seed in range(5)]
    assert len({plan.n_batches for plan in plans}) == 1
    assert len({plan.summary() for plan in plans}) == 1


def test_replicas_have_as_many_batches_each() -> None:
    strata, groups = random_rows(60, 3, 500)
    given = {"groups": groups, "seed": 1}
    n_batches = len(StratifiedGroupBatchSampler(strata, 4, **given))
    for replicas in range(2, n_batches + 1):
        whole = StratifiedGroupBatchSampler(strata, 4, num_replicas=replicas, **given)
        assert whole.plan.n_batches == n_batches // replicas * replicas
        check(whole, strata, groups, 1)
    ranks = [StratifiedGroupBatchSampler(strata, 4, num_replicas=2, rank=rank, **given) for rank in (0, 1)]
    whole = StratifiedGroupBatchSampler(strata, 4, num_replicas=2, **given)
    assert [batch for pair in zip(*ranks) for batch in pair] == list(whole)
    with pytest.raises(ValueError, match=f"must be at most {n_batches}, the number of batches. Got {n_batches + 1}"):
        StratifiedGroupBatchSampler(strata, 4, num_replicas=n_batches + 1, **given)


def test_rare_strata() -> None:
    contents = [[2, 1, 0], [1, 2, 0], [3, 0, 1], [1, 1, 0]]
    with pytest.raises(ValueError, match="be at most 1: the smallest stratum, '2', has 1 row. Got 2 instead."):
        made(contents, 2)
    with pytest.warns(UserWarning, match="1 of 3 strata have fewer than 2 rows: all rows are in one batch."):
        assert len(made(contents, 2, rare="warn")) == 1
    with pytest.raises(
        ValueError, match="at most 1 batch: the smallest stratum, '2', has 1 group. Got 4, for 3 batches"
    ):
        made(contents, None, mean_batch_size=4)
    with pytest.warns(UserWarning, match="has 1 group, and the 'mean_batch_size' parameter makes 3 batches: some"):
        sampler = made(contents, None, mean_batch_size=4, rare="warn")
    assert sampler.plan.fewest.tolist() == [1, 1, 0]
    check(sampler, *rows_of(contents), 0)


def test_a_stratum_that_no_division_gives_to_all_batches() -> None:
    contents = [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    with pytest.raises(ValueError) as error:
        made(contents, None, mean_batch_size=3)
    assert str(error.value) == (
        "The 'mean_batch_size' parameter must be at least 5, for at most 1 batch: no more batches of whole groups with "
        "rows of every stratum were found. Got 3, for 2 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'."
    )
    with pytest.raises(ValueError) as error:
        made(contents, None, mean_batch_size=3, num_replicas=2)
    assert str(error.value) == (
        "The 'num_replicas' parameter must be at most 1: no more batches of whole groups with rows of every stratum "
        "were found. Got 2 instead."
    )
    with pytest.warns(UserWarning, match="makes 2 batches: some batches hold no row of a stratum"):
        sampler = made(contents, None, mean_batch_size=3, rare="warn")
    assert len(sampler) == 2 and sorted(sampler.plan.fewest.tolist()) == [0, 1, 1]
    check(sampler, *rows_of(contents), 0)


def test_dropped_rows_are_never_sampled() -> None:
    strata, groups = rows_of([[2, 1], [1, 2], [1, 1], [3, 0]])
    sampler = StratifiedGroupBatchSampler([None, *strata, None], 1, groups=[9, *groups, 0], missing="drop", seed=1)
    assert len(sampler) == 3 and sampler.plan.groups.tolist() == [4, 3]
    check(sampler, [-1, *strata, -1], [9, *groups, 0], 2)
