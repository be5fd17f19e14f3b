"""The contract of a batch sampler, and one test for each guarantee of the stratified one."""

from __future__ import annotations

import random
import tracemalloc
from typing import Any, Iterable, Optional

import numpy as np
import pytest

from pystrat import Batches, BatchSampler, StratifiedBatchSampler
from pystrat.core.seeds import epoch_seed

LABELS = np.repeat([1, 0], [30, 70])


def sampler_of(labels: Any = LABELS, minimum: Optional[int] = 3, **parameters: Any) -> StratifiedBatchSampler:
    parameters.setdefault("seed", 1)
    return StratifiedBatchSampler(labels, minimum, **parameters)


def lists(batches: Iterable[Any]) -> list[list[int]]:
    return [list(map(int, batch)) for batch in batches]


# Published numbers (T. D. Hocking, custom torch sampler with mlr3torch, 2025) -----------------------------------------


def test_published_stratified_batches() -> None:
    labels = np.repeat([1, 0], [600, 19_400])
    sampler = StratifiedBatchSampler(labels, min_samples_per_stratum=3, seed=1)
    rows = sampler.batches(0).rows + 1
    assert [row for row in rows if row > 600][:5] == [17401, 4775, 13218, 10539, 8462]
    assert [row for row in rows if row <= 600][-5:] == [372, 473, 437, 264, 561]
    assert len(sampler) == 200
    assert (sampler.plan.composition() == [97, 3]).all(axis=None)


def test_epoch_zero_has_the_seed_itself_and_neighbouring_seeds_share_no_epoch() -> None:
    assert epoch_seed(5, 0) == 5
    seeds = {epoch_seed(seed, epoch) for seed in range(20) for epoch in range(500)}
    assert len(seeds) == 20 * 500
    assert epoch_seed(2**31 - 2, 6_700_000) == (2**31 - 2 + 1327217885 * 6_700_000) % (2**31 - 1)


# Guarantees of every batch sampler ------------------------------------------------------------------------------------


def test_a_seed_is_drawn_and_told_where_none_is_given() -> None:
    sampler = sampler_of(seed=None)
    assert 0 <= sampler.seed <= 2**31 - 2
    assert lists(sampler) == lists(sampler_of(seed=sampler.seed))
    drawn = []
    for _ in range(2):
        random.seed(1), np.random.seed(1)
        drawn.append(sampler_of(seed=None).seed)
    assert drawn[0] != drawn[1], "it does not follow the global states"


def test_batches_gives_the_same_as_arrays_without_copies_and_changes_nothing() -> None:
    sampler = sampler_of()
    batches = sampler.batches(0)
    assert sampler.epoch == 0
    assert isinstance(batches, Batches) and batches.rows.dtype == np.int32
    assert lists(batches) == lists(sampler)
    assert all(batch.base is not None and np.shares_memory(batch, batches.rows) for batch in batches)
    assert lists(sampler.batches()) == lists(sampler.batches(1)), "the next epoch where none is told"


def test_an_epoch_beyond_the_largest_is_refused_when_it_comes() -> None:
    sampler = sampler_of()
    sampler.set_epoch(6_700_000)
    list(sampler)
    with pytest.raises(ValueError, match="from 0 to 6700000. Got 6700001 instead"):
        next(iter(sampler))


# The stratified batch sampler -----------------------------------------------------------------------------------------


def test_the_plan_tells_what_every_epoch_holds() -> None:
    sampler = sampler_of(minimum=4)
    plan = sampler.plan
    assert (plan.n_batches, plan.min_samples_per_stratum, [*plan.strata]) == (7, 4, [1, 0])
    for epoch in range(5):
        held = [np.bincount(LABELS[batch], minlength=2).tolist() for batch in sampler.batches(epoch)]
        assert held == plan.composition().to_numpy().tolist()
    assert list(plan.composition().columns) == [0, 1] and plan.composition().index.name == "batch"
    assert repr(plan) == plan.summary()
    assert plan.summary().splitlines()[:2] == [
        "7 batches of 14 to 15 rows, 100 rows in all, assign='proportional'",
        "every batch holds at least 4 rows of every stratum",
    ]
    assert len(StratifiedBatchSampler(range(1000), 1).plan.summary().splitlines()) == 25, "many strata are cut"


def test_a_rare_stratum_with_a_row_for_each_rank_is_enough() -> None:
    samplers = [
        StratifiedBatchSampler(list("aabbbb"), mean_batch_size=3, num_replicas=2, rank=k, seed=1) for k in (0, 1)
    ]
    assert [len(sampler) for sampler in samplers] == [1, 1]


def test_a_sampler_shows_what_was_given() -> None:
    expected = "StratifiedBatchSampler(100 rows, 10 batches, min_samples_per_stratum=3, shuffle=True, "
    assert repr(sampler_of()) == expected + "assign='proportional', rare='error', missing='error', seed=1, epoch=0)"


def test_a_changed_label_array_does_not_change_the_sampler() -> None:
    labels = LABELS.astype(np.uint8)
    sampler = sampler_of(labels)
    before = lists(sampler.batches(0))
    labels[:] = 0
    assert lists(sampler.batches(0)) == before


# Memory ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_strata", "most"), [(1, 6), (2, 6), (256, 6), (1000, 8)])
@pytest.mark.parametrize("parameters", [{"min_samples_per_stratum": 1}, {"mean_batch_size": 2, "rare": "allow"}])
def test_a_sampler_holds_few_bytes_a_row(n_strata: int, most: int, parameters: dict[str, Any]) -> None:
    labels = np.arange(200_000) % n_strata
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        sampler = StratifiedBatchSampler(labels, seed=1, **parameters)
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert held / len(labels) < most + 400 * n_strata / len(labels)
    assert len(sampler.batches(0).rows) == len(labels)


# A subclass -----------------------------------------------------------------------------------------------------------


class InOrder(BatchSampler):
    """Hands out the rows 0..9 in batches of `size`."""

    def __init__(self, size: int, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.size = size

    def _global_length(self) -> int:
        return -(-10 // self.size)

    def _fingerprint(self) -> str:
        return f"InOrder {self.size}"

    def _epoch_batches(self, epoch: int) -> Batches:
        offsets = np.minimum(np.arange(0, 10 + self.size, self.size), 10)
        return Batches(np.arange(10) + 100 * epoch, offsets)


def test_a_subclass_needs_one_hook_for_everything_else() -> None:
    sampler = InOrder(4, seed=1)
    assert lists(sampler) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert lists(sampler)[0] == [100, 101, 102, 103]
    assert lists(sampler.batches(0)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    iterator = iter(sampler)
    next(iterator)
    resumed = InOrder(4, seed=1)
    resumed.load_state_dict(iterator.state_dict())
    assert lists(resumed) == lists(iterator) == [[204, 205, 206, 207], [208, 209]]
    rank = InOrder(5, seed=1, num_replicas=2, rank=1)
    assert len(rank) == 1 and lists(rank) == [[5, 6, 7, 8, 9]] == lists(rank.batches(0))


def test_batches_hold_nothing_but_integers() -> None:
    assert Batches.gather([np.array([1, 2]), np.array([])]).rows.dtype.kind == "i"
    with pytest.raises(TypeError, match="must hold row positions. Got 1 value instead."):
        Batches.gather([np.array([0.5])])


def test_batches_are_a_sequence() -> None:
    batches = Batches(np.arange(6), np.array([0, 2, 2, 6]))
    assert len(batches) == 3 and lists(batches) == [[0, 1], [], [2, 3, 4, 5]]
    assert batches[-1].tolist() == [2, 3, 4, 5] and lists(batches[1:]) == [[], [2, 3, 4, 5]]
    with pytest.raises(IndexError):
        batches[3]
    assert repr(batches) == "Batches(n_batches=3, n_rows=6)"
    assert len(Batches.gather([])) == 0
