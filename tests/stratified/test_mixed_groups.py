"""Groups with rows of several strata, together: all divisions of few groups, and what is promised."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from pystrat import StratifiedGroupBatchSampler
from tests.stratified.test_groups import check

Contents = Sequence[Sequence[int]]  # the rows of each stratum that each group has


def rows_of(contents: Contents) -> tuple[list[int], list[int]]:
    """Return the stratum and the group of each row."""
    cells = [(s, g) for g, counts in enumerate(contents) for s, count in enumerate(counts) for _ in range(count)]
    return [stratum for stratum, _ in cells], [group for _, group in cells]


def made(contents: Contents, minimum: Optional[int], **parameters: Any) -> StratifiedGroupBatchSampler:
    strata, groups = rows_of(contents)
    return StratifiedGroupBatchSampler(strata, minimum, groups=groups, **{"seed": 1, **parameters})


def divisions(n_groups: int, n_batches: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to put groups into batches, none of which is empty: the batch of each group."""
    if n_groups == 0 and n_batches == 0:
        yield ()
    if n_groups < n_batches or n_batches == 0:
        return
    for others in divisions(n_groups - 1, n_batches):
        yield from ((*others, batch) for batch in range(n_batches))
    for others in divisions(n_groups - 1, n_batches - 1):
        yield (*others, n_batches - 1)


def largest_minimum(contents: Contents, n_batches: int) -> int:
    """Return the most rows of every stratum that all batches can have, by trying all divisions."""
    most = 0
    for batch_of in divisions(len(contents), n_batches):
        held = np.zeros((n_batches, len(contents[0])), dtype=np.int64)
        np.add.at(held, list(batch_of), contents)
        most = max(most, int(held.min()))
    return most


def random_rows(n_groups: int, n_strata: int, n_rows: int, seed: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return strata and groups of rows; most rows of a group are of one stratum."""
    generator = np.random.default_rng(seed)
    groups = generator.integers(n_groups, size=n_rows)
    own = generator.integers(n_strata, size=n_groups)[groups]
    return np.where(generator.random(n_rows) < 0.7, own, generator.integers(n_strata, size=n_rows)), groups


def random_contents(seed: int) -> Contents:
    """Return few groups with rows of two or three strata."""
    generator = np.random.default_rng(seed)
    while True:
        n_groups, n_strata = int(generator.integers(3, 7)), int(generator.integers(2, 4))
        table = generator.integers(0, 5, size=(n_groups, n_strata)) * (generator.random((n_groups, n_strata)) < 0.7)
        is_mixed = ((table > 0).sum(axis=1) > 1).any()
        if is_mixed and (table.sum(axis=1) > 0).all() and (table.sum(axis=0) > 0).all():
            contents: Contents = table.tolist()
            return contents


@pytest.mark.parametrize("seed", range(60))
def test_batches_and_minimums_are_the_most_that_any_division_has(seed: int) -> None:
    contents = random_contents(seed)
    n_rows, minimums = sum(map(sum, contents)), {}
    for n_batches in range(1, len(contents) + 1):
        minimums[n_batches] = largest_minimum(contents, n_batches)
        mean = 2 * n_rows // (2 * n_batches + 1) + 1
        if max(1, (2 * n_rows + mean) // (2 * mean)) != n_batches:
            continue
        sampler = made(contents, None, mean_batch_size=mean, rare="allow")
        assert len(sampler) == n_batches and sampler.plan.min_samples_per_stratum == minimums[n_batches]
        check(sampler, *rows_of(contents), 3)
    for minimum in range(1, minimums[1] + 1):
        sampler = made(contents, minimum)
        assert len(sampler) == max(n for n, most in minimums.items() if most >= minimum)
        assert sampler.plan.fewest.min() >= minimum
        for epoch in range(2):
            check(sampler, *rows_of(contents), epoch)


def test_a_bound_may_exceed_the_number_of_batches() -> None:
    """Two groups have all rows of two strata, but no division gives both to both batches."""
    plan = made([[1, 1, 0], [1, 0, 1], [0, 1, 1]], 1).plan
    assert (plan.n_batches, plan.most_batches) == (1, 2)
    assert plan.summary().splitlines()[:2] == [
        "1 batch of 6 rows, groups together",
        "every batch holds at least 2 rows of every stratum; at most 2 batches are possible",
    ]


@pytest.mark.parametrize("shape, minimum", [((12, 2, 60), 2), ((30, 3, 200), 2), ((9, 3, 100), 9), ((200, 4, 2000), 5)])
def test_epochs_differ_and_the_plan_does_not_depend_on_the_seed(shape: tuple[int, int, int], minimum: int) -> None:
    """Of batches that are dealt and repaired, and of those for which the skeleton is changed."""
    strata, groups = random_rows(*shape)
    samplers = [StratifiedGroupBatchSampler(strata, minimum, groups=groups, seed=seed) for seed in (1, 1, 2)]
    assert len({sampler.plan.summary() for sampler in samplers}) == 1
    drawn = [samplers[0].batches(epoch) for epoch in range(6)]
    divisions_of = [{frozenset(groups[batch].tolist()) for batch in batches} for batches in drawn]
    for epoch in range(5):
        check(samplers[0], strata, groups, epoch)
        assert len(samplers[0]) < 20 or len(divisions_of[epoch] & divisions_of[epoch + 1]) < len(samplers[0]) / 2
    assert [samplers[1].batches(e).rows.tolist() for e in (5, 2)] == [drawn[e].rows.tolist() for e in (5, 2)]


@pytest.mark.parametrize("n_each", [10, 40])
def test_a_plan_keeps_the_batches_of_a_repair_that_stopped(n_each: int) -> None:
    """A batch needs two of these groups, and there are fewer than two for each batch."""
    contents = [[1, 1, 0], [1, 0, 1], [0, 1, 1]] * n_each
    sampler = made(contents, None, mean_batch_size=3, rare="allow")
    assert len(sampler) == 2 * n_each and sampler.plan.fewest.min() == 0
    check(sampler, *rows_of(contents), 1)


def test_rows_of_a_stratum_that_batches_lack_are_in_other_batches_each_epoch() -> None:
    sampler = made([[1, 1, 0], [1, 0, 2]] + [[0, 2, 0]] * 10 + [[0, 1, 1]] * 6, None, mean_batch_size=5, rare="allow")
    assert (len(sampler), sampler.plan.groups.tolist()) == (7, [2, 17, 7])
    seen = sum(sampler.composition(epoch).to_numpy()[:, 0] for epoch in range(200))
    assert seen.sum() == 400 and (abs(seen - 400 / 7) < 4 * 57**0.5).all()


def test_a_stratum_that_no_division_gives_to_all_batches() -> None:
    contents = [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    with pytest.raises(ValueError) as error:
        made(contents, None, mean_batch_size=3)
    assert str(error.value) == (
        "The 'mean_batch_size' parameter must be at least 5, for at most 1 batch: no more batches of whole groups with "
        "rows of every stratum were found. Got 3, for 2 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'."
    )
    with pytest.raises(ValueError, match="'num_replicas' parameter must be at most 1: no more batches of whole groups"):
        made(contents, None, mean_batch_size=3, num_replicas=2)
    with pytest.raises(ValueError, match="must be at most 1, the number of batches. Got 3 instead.$"):
        made([[1, 1], [1, 1], [1, 0]], None, mean_batch_size=9, num_replicas=3)
    with pytest.warns(UserWarning, match="makes 2 batches: some batches hold no row of a stratum"):
        sampler = made(contents, None, mean_batch_size=3, rare="warn")
    assert len(sampler) == 2 and sorted(sampler.plan.fewest.tolist()) == [0, 1, 1]
