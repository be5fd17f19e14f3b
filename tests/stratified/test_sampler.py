"""The contract of a batch sampler, and one test for each guarantee of the stratified one."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc
from typing import Any, Iterable, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import Batches, BatchSampler, StratifiedBatchSampler, epoch_permutation
from pystrat.seeds import epoch_seed

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


@pytest.mark.parametrize(
    ("minimum", "n_batches", "sizes"), [(1, 12, None), (2, 6, None), (5, 2, [61, 62]), (7, 1, [123])]
)
def test_published_numbers_of_batches(minimum: int, n_batches: int, sizes: Optional[list[int]]) -> None:
    plan = StratifiedBatchSampler(["a"] * 12 + ["b"] * 111, minimum, seed=1).plan
    assert plan.n_batches == n_batches
    assert sizes is None or plan.sizes.tolist() == sizes


# The generator --------------------------------------------------------------------------------------------------------


def test_the_permutation_is_that_of_r() -> None:
    """set.seed(1); sample(20000), printed by R; whole permutations are compared with a live R in tests/bridge."""
    assert (epoch_permutation(20_000, seed=1)[:6] + 1).tolist() == [17401, 4775, 13218, 10539, 8462, 4050]


@given(st.integers(0, 3000), st.integers(0, 2**31 - 2), st.integers(0, 6_700_000))
def test_a_permutation_has_every_row_once(n_rows: int, seed: int, epoch: int) -> None:
    assert np.array_equal(np.sort(epoch_permutation(n_rows, seed=seed, epoch=epoch)), np.arange(n_rows))


def test_epoch_zero_has_the_seed_itself_and_neighbouring_seeds_share_no_epoch() -> None:
    assert epoch_seed(5, 0) == 5
    seeds = {epoch_seed(seed, epoch) for seed in range(20) for epoch in range(500)}
    assert len(seeds) == 20 * 500
    assert epoch_seed(2**31 - 2, 6_700_000) == (2**31 - 2 + 1327217885 * 6_700_000) % (2**31 - 1)


def test_every_permutation_of_four_rows_is_equally_likely() -> None:
    """A chi-square statistic on 23 degrees of freedom; 49.7 is its quantile at 0.999. The seeds are fixed."""
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(4800):
        order = tuple(epoch_permutation(4, seed=seed).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 49.7


# Guarantees of every batch sampler ------------------------------------------------------------------------------------


def test_a_seed_is_drawn_and_told_where_none_is_given() -> None:
    sampler = sampler_of(seed=None)
    assert 0 <= sampler.seed <= 2**31 - 2
    assert lists(sampler) == lists(sampler_of(seed=sampler.seed))
    assert len({sampler_of(seed=None).seed for _ in range(20)}) > 1


def test_batches_gives_the_same_as_arrays_without_copies_and_changes_nothing() -> None:
    sampler = sampler_of()
    batches = sampler.batches(0)
    assert sampler.epoch == 0
    assert isinstance(batches, Batches) and batches.rows.dtype == np.int32
    assert lists(batches) == lists(sampler)
    assert all(batch.base is not None and np.shares_memory(batch, batches.rows) for batch in batches)
    assert np.array_equal(np.concatenate(list(batches)), batches.rows)
    assert lists(sampler.batches()) == lists(sampler.batches(1)), "the next epoch where none is told"


def test_most_parameters_are_given_by_name() -> None:
    parameters = inspect.signature(StratifiedBatchSampler).parameters
    keyword_only = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    assert list(parameters)[:2] == ["strata", "min_samples_per_stratum"] and len(keyword_only) == len(parameters) - 2


def test_an_epoch_beyond_the_largest_is_refused_when_it_comes() -> None:
    sampler = sampler_of()
    sampler.set_epoch(6_700_000)
    list(sampler)
    with pytest.raises(ValueError, match="from 0 to 6700000. Got 6700001 instead"):
        next(iter(sampler))


# Guarantees of the stratified batch sampler ---------------------------------------------------------------------------

labels_lists = st.lists(st.integers(0, 6), min_size=1, max_size=300)


@given(
    labels_lists,
    st.integers(1, 5),
    st.integers(0, 2**31 - 2),
    st.integers(0, 3),
    st.sampled_from(["even", "proportional"]),
)
def test_every_row_once_an_epoch_and_the_promise(
    labels: list[int], minimum: int, seed: int, epoch: int, assign: str
) -> None:
    sampler = StratifiedBatchSampler(labels, minimum, seed=seed, assign=assign, rare="allow")
    batches = sampler.batches(epoch)
    assert np.array_equal(np.sort(batches.rows), np.arange(len(labels)))
    counts = {stratum: labels.count(stratum) for stratum in set(labels)}
    promised = minimum if min(counts.values()) >= minimum else min(counts.values())
    assert sampler.plan.min_samples_per_stratum >= promised
    for batch in batches:
        held = [labels[row] for row in batch]
        for stratum, count in counts.items():
            floor = count // len(batches)
            assert held.count(stratum) in (floor, floor + (count % len(batches) > 0))
            assert held.count(stratum) >= promised


@given(labels_lists, st.integers(0, 2**31 - 2), st.sampled_from(["even", "proportional"]))
def test_within_a_batch_strata_stand_in_order_of_appearance_and_rows_in_rank_order(
    labels: list[int], seed: int, assign: str
) -> None:
    sampler = StratifiedBatchSampler(labels, 1, seed=seed, assign=assign)
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    rank = {row: place for place, row in enumerate(epoch_permutation(len(labels), seed=seed).tolist())}
    for batch in sampler:
        keys = [(number[labels[row]], rank[row]) for row in batch]
        assert keys == sorted(keys)


def test_dropped_rows_are_never_sampled_and_all_others_once() -> None:
    labels = [1, None, 0, 0, 1, None, 0, 1]
    sampler = StratifiedBatchSampler(labels, 1, missing="drop", seed=1)
    assert sorted(sampler.batches(0).rows.tolist()) == [0, 2, 3, 4, 6, 7]
    order = epoch_permutation(8, seed=1).tolist()
    first_ones = [row for row in order if labels[row] == 1]
    assert [row for row in sampler.batches(0).rows.tolist() if labels[row] == 1] == first_ones, "permuted over all rows"


def test_without_shuffling_every_epoch_keeps_the_order_of_the_dataset() -> None:
    sampler = sampler_of(shuffle=False)
    assert lists(sampler) == lists(sampler)
    for stratum in (0, 1):
        rows = [row for row in sampler.batches(3).rows.tolist() if LABELS[row] == stratum]
        assert rows == sorted(rows)


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


def test_a_sampler_shows_what_was_given() -> None:
    expected = "StratifiedBatchSampler(100 rows, 10 batches, min_samples_per_stratum=3, shuffle=True, "
    assert repr(sampler_of()) == expected + "assign='proportional', rare='error', missing='error', seed=1, epoch=0)"


def test_a_changed_label_array_does_not_change_the_sampler() -> None:
    labels = LABELS.astype(np.uint8)
    sampler = sampler_of(labels)
    before = lists(sampler.batches(0))
    labels[:] = 0
    assert lists(sampler.batches(0)) == before


# States ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"minimum": 4},
        {"assign": "even"},
        {"shuffle": False},
        {"labels": LABELS[::-1].copy()},
        {"labels": np.append(LABELS, 0)},
    ],
    ids=lambda other: ", ".join(other),
)
def test_a_state_of_another_sampler_is_refused(other: dict[str, Any]) -> None:
    state = sampler_of(**other).state()
    with pytest.raises(ValueError, match="'state' .* must come from a sampler with the same data, parameters and seed"):
        sampler_of().load_state_dict(state)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "must have the entries 'version', 'fingerprint', 'epoch' and 'batch'. Got 0 values instead."),
        ("text", "must have the entries"),
        ({"version": 2}, "'version' parameter must be an integer from 1 to 1. Got 2 instead."),
        ({"epoch": -1}, "'epoch' .* must be an integer from 0 to 6700000. Got -1"),
        ({"batch": 11}, "'batch' .* must be an integer from 0 to 10. Got 11"),
    ],
)
def test_a_state_that_makes_no_sense_is_refused(state: Any, message: str) -> None:
    sampler = sampler_of()
    if state and isinstance(state, dict):
        state = {**sampler.state(), **state}
    with pytest.raises((ValueError, TypeError), match=message):
        sampler.load_state_dict(state)


def test_a_dropped_row_and_a_stratum_of_its_own_make_different_samplers() -> None:
    labels = [0, 0, 1, 1, None, None]
    dropped, kept = (StratifiedBatchSampler(labels, 2, seed=1, missing=choice) for choice in ("drop", "stratum"))
    with pytest.raises(ValueError, match="same data"):
        dropped.load_state_dict(kept.state())


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


def test_strata_cannot_be_written_to() -> None:
    sampler = sampler_of()
    for array in (sampler.strata.codes, sampler.strata.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_a_pickle_may_come_with_read_only_buffers() -> None:
    sampler = sampler_of()
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(sampler, protocol=5, buffer_callback=buffers.append)
    loaded = pickle.loads(pickled, buffers=[bytes(buffer) for buffer in buffers])
    assert lists(loaded) == lists(sampler)


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


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
@given(
    sizes=st.lists(st.integers(0, 5), max_size=8),
    first=st.integers(0, 9),
    step=st.integers(1, 4),
)
def test_lists_are_the_arrays_item_by_item_whatever_their_type(
    dtype: Any, sizes: list[int], first: int, step: int
) -> None:
    offsets = np.cumsum([0] + sizes)
    batches = Batches(np.arange(7, offsets[-1] + 7, dtype=dtype), offsets)
    found = list(batches.lists(first, step))
    assert found == [batch.tolist() for batch in batches[first::step]]
    assert all(type(row) is int for batch in found for row in batch)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("apart", [1, 2], ids=["contiguous", "every second item"])
@given(
    sizes=st.lists(st.integers(0, 5), max_size=8),
    first=st.integers(0, 9),
    step=st.integers(1, 4),
)
def test_a_part_is_every_nth_batch_in_arrays_of_its_own(
    dtype: Any, apart: int, sizes: list[int], first: int, step: int
) -> None:
    offsets = np.cumsum([0] + sizes)
    rows = np.arange(apart * offsets[-1], dtype=dtype)[::apart]
    batches = Batches(rows, offsets)
    part = batches.part(first, step)
    assert lists(part) == lists(batches)[first::step]
    assert part.rows.dtype == dtype
    assert not np.shares_memory(part.rows, rows)
