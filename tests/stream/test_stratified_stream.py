"""Streams: every row once, the promise in every batch, and the same batches with any number of workers and ranks."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Callable

import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader, default_collate

from pystrat import check_ranks
from pystrat.stream import SourceError, StratifiedStream, count_sources
from tests.reference.naive_stream import counted_by_the_rule
from tests.stream.sources import ALL_ROWS, COUNTS, NAMES, Row, declared, label, make_stream, read, rows_of

Batches = list[list[Row]]
GIVEN: dict[str, Any] = {"read": read, "stratum": label, "lanes": 4, "seed": 1}


def batches_of(stream: StratifiedStream, n_workers: int = 0, **options: Any) -> Batches:
    """Return the batches of an epoch through a DataLoader."""
    return list(DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options))


def message_of(call: Callable[[], Any]) -> str:
    """Return the message of the error that a call raises."""
    with pytest.raises(ValueError) as error:
        call()
    return str(error.value)


def rows_in(batches: Batches) -> list[Row]:
    return sorted(row for batch in batches for row in batch)


@pytest.mark.parametrize("make", [make_stream, declared])
@pytest.mark.parametrize("shuffle", [True, False])
def test_every_epoch_has_every_row_once_and_the_promise_in_every_batch(make: Any, shuffle: bool) -> None:
    stream = make(shuffle=shuffle)
    epochs = [list(stream) for _ in range(3)]
    for batches in epochs:
        assert rows_in(batches) == ALL_ROWS
        for batch in batches:
            labels = [label(row) for row in batch]
            assert min(labels.count(0), labels.count(1)) >= 2
            assert labels == sorted(labels, key=[label(row) for row in batches[0]].index)
    assert (epochs[0] == epochs[1]) is not shuffle


def test_counted_lanes_have_equally_many_batches_of_equal_composition() -> None:
    stream = make_stream()
    batches = list(stream)
    n_batches = len(stream) // 4
    assert len(batches) == len(stream)
    for lane in range(4):
        sources = NAMES[lane::4]
        own = batches[lane::4]
        assert {NAMES[row[0]] for batch in own for row in batch} == set(sources)
        for stratum in (0, 1):
            n_rows = int(COUNTS.loc[sources, stratum].sum())
            found = {sum(label(row) == stratum for row in batch) for batch in own}
            assert found <= {n_rows // n_batches, -(-n_rows // n_batches)}
    assert n_batches == min(COUNTS.loc[NAMES[lane::4]].sum().min() // 2 for lane in range(4))


def test_the_batches_of_the_same_seed_are_the_same_and_of_others_are_not() -> None:
    assert list(make_stream()) == list(make_stream())
    assert list(make_stream()) != list(make_stream(seed=2))
    stream = make_stream(seed=None)
    assert list(make_stream(seed=stream.seed)) == list(stream)


@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_workers_deliver_the_same_batches_in_the_same_order_epoch_by_epoch(n_workers: int, persistent: bool) -> None:
    alone, shared = make_stream(), make_stream()
    loader = DataLoader(shared, batch_size=None, collate_fn=list, num_workers=n_workers, persistent_workers=persistent)
    assert [list(loader), list(loader)] == [list(alone), list(alone)]
    shared.set_epoch(5)
    alone.set_epoch(5)
    assert list(loader) == list(alone)
    assert shared.epoch == 6


@pytest.mark.parametrize("n_workers", [1, 2])
def test_loaders_of_equal_seeds_take_the_next_epoch_or_the_one_that_was_set(n_workers: int) -> None:
    stream, expected = make_stream(), make_stream()
    for epoch in (0, 1, 2, 0, 1, 5, 5):
        expected.set_epoch(epoch)
        if epoch != stream.epoch:
            stream.set_epoch(epoch)
        generator = torch.Generator().manual_seed(0)
        assert batches_of(stream, n_workers, generator=generator) == list(expected)
        assert stream.epoch == epoch + 1


def test_an_epoch_that_was_abandoned_is_not_repeated_whatever_its_workers_had_begun() -> None:
    stream = make_stream()
    next(iter(DataLoader(stream, batch_size=None, collate_fn=list, num_workers=2, prefetch_factor=1)))
    expected = make_stream()
    expected.set_epoch(1)
    assert batches_of(stream, 2) == list(expected)


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_without_counts_workers_deliver_the_same_batches() -> None:
    expected = sorted(declared())
    for n_workers in (1, 2, 4):
        assert sorted(batches_of(declared(), n_workers)) == expected


def test_ranks_share_the_batches_in_turn() -> None:
    for n_ranks in (2, 4):
        ranks = [make_stream(num_replicas=n_ranks, rank=rank) for rank in range(n_ranks)]
        shares = [list(stream) for stream in ranks]
        assert len({len(share) for share in shares} | {len(ranks[0])}) == 1
        assert [batch for turn in zip(*shares) for batch in turn] == list(make_stream())
    assert list(make_stream(num_replicas=2)) == list(make_stream())


@pytest.mark.parametrize("shuffle", [True, False])
def test_ranks_may_list_sources_and_counts_in_any_order(shuffle: bool) -> None:
    lists = [NAMES, NAMES[::-1]]
    counts = [COUNTS, COUNTS.sort_index(ascending=False)]
    ranks = [
        StratifiedStream(names, 2, counts=table, num_replicas=2, rank=rank, **{**GIVEN, "shuffle": shuffle})
        for rank, (names, table) in enumerate(zip(lists, counts))
    ]
    shares = [list(stream) for stream in ranks]
    assert rows_in(shares[0] + shares[1]) == ALL_ROWS
    if shuffle:
        assert [batch for turn in zip(*shares) for batch in turn] == list(make_stream())
        assert ranks[0].state_dict() == ranks[1].state_dict()


def test_sources_keep_the_order_in_which_they_are_given_without_shuffling() -> None:
    batches = list(StratifiedStream(NAMES[::-1], 2, counts=COUNTS, **{**GIVEN, "lanes": 1, "shuffle": False}))
    assert sorted({row[0] for batch in batches for row in batch}) == list(range(8))
    firsts = [min(row[0] for row in batch) for batch in batches]
    assert firsts == sorted(firsts, reverse=True)
    with pytest.raises(ValueError, match="must come from a sampler with the same"):
        make_stream(lanes=1, shuffle=False).load_state_dict(
            StratifiedStream(NAMES[::-1], 2, counts=COUNTS, **{**GIVEN, "lanes": 1, "shuffle": False}).state_dict()
        )


def test_a_rank_needs_a_seed() -> None:
    message = (
        "^The 'seed' parameter must be given together with 'rank'. Got nothing instead. Pass the "
        "same seed on all ranks, so that they draw the same epoch.$"
    )
    with pytest.raises(ValueError, match=message):
        make_stream(num_replicas=2, rank=0, seed=None)
    make_stream(num_replicas=2, seed=None)


def test_ranks_are_checked_as_those_of_samplers() -> None:
    check_ranks(make_stream(num_replicas=2, rank=0))  # no process group runs


def test_workers_of_spawned_processes_deliver_the_same_batches() -> None:
    stream = make_stream()
    found = batches_of(stream, 2, multiprocessing_context="spawn")
    assert found == list(make_stream()) and stream.epoch == 1


def test_a_stream_can_be_pickled() -> None:
    stream = make_stream()
    list(stream)
    assert list(pickle.loads(pickle.dumps(stream))) == list(stream)


def test_groups_of_sources_are_shuffled_as_one_source() -> None:
    """All rows once, the same composition of batches, and sources of the same group in all parts of it."""
    stream, alone = make_stream(lanes=1, shuffle_sources=4), make_stream(lanes=1)
    for _ in range(2):
        batches, expected = list(stream), list(alone)
        assert rows_in(batches) == ALL_ROWS
        labels = [[label(row) for row in batch] for batch in batches]
        assert labels == [[label(row) for row in batch] for batch in expected]
        mixed = [len({row[0] for row in batch}) for batch in batches]
        assert sum(mixed) > 1.5 * sum(len({row[0] for row in batch}) for batch in expected)
    assert list(make_stream(shuffle_sources=1)) == list(make_stream())
    assert list(make_stream(shuffle_sources=8)) == list(make_stream(shuffle_sources=2))  # each lane has two sources


@pytest.mark.parametrize("known", [{}, {"counts": None, "strata": [0, 1]}])
def test_groups_of_sources_are_shared_and_resumed_as_sources_are(known: dict[str, Any]) -> None:
    given: dict[str, Any] = {"shuffle_sources": 2, "lanes": 2, **known}
    whole = list(make_stream(**given))
    assert sorted(batches_of(make_stream(**given), 2)) == sorted(whole)
    ranks = [list(make_stream(**given, num_replicas=2, rank=rank)) for rank in (0, 1)]
    assert sorted(ranks[0] + ranks[1]) == sorted(whole)
    for done in (0, 1, 7, len(whole) - 1):
        iterator, resumed = iter(make_stream(**given)), iter(make_stream(**given))
        for _ in range(done):
            next(iterator)
        resumed.load_state_dict(iterator.state_dict())
        assert list(resumed) == whole[done:]
    with pytest.raises(ValueError, match="must come from a sampler with the same"):
        make_stream(**{**given, "shuffle_sources": 3}).load_state_dict(make_stream(**given).state_dict())


def test_a_resumed_stream_reads_only_the_groups_that_it_needs() -> None:
    opened: list[str] = []

    def read_noted(name: str) -> Any:
        opened.append(name)
        return read(name)

    stream = make_stream(read=read_noted, lanes=1, shuffle_sources=3)
    last = len(list(stream)) - 1
    first_epoch, opened[:] = list(opened), []
    stream.set_epoch(0)
    stream.load_state_dict({**stream.state_dict(), "batch": last})
    assert len(list(stream)) == 1
    assert opened == first_epoch[6:]


def test_groups_of_sources_need_room_for_all_their_rows() -> None:
    one, two = make_stream(lanes=1), make_stream(lanes=1, shuffle_sources=2)
    sizes = sorted(COUNTS.sum(axis=1))
    assert one.buffer_needed is not None and two.buffer_needed is not None
    assert two.buffer_needed == min(len(ALL_ROWS), one.buffer_needed + int(sizes[-2]))
    with pytest.raises(
        SourceError, match=r"Got \d+ instead: \d+ of its group wait to be shuffled, and the next batch "
    ):
        list(declared(lanes=1, shuffle_sources=3, buffer_size=max(sizes) + 10))
    with pytest.raises(ValueError, match="'shuffle_sources' parameter must be 1 if 'shuffle' is false. Got 2 "):
        make_stream(shuffle=False, shuffle_sources=2)
    with pytest.raises(ValueError, match="'shuffle_sources' parameter must be an integer from 1 to 8. Got 9 "):
        make_stream(shuffle_sources=9)


def test_rows_become_tensors_by_the_collate_function_of_torch() -> None:
    numbers, _, labels = next(iter(DataLoader(make_stream(), batch_size=None, collate_fn=default_collate)))
    assert len(numbers) == len(labels) and set(labels.tolist()) == {0, 1}


# What is refused ------------------------------------------------------------------------------------------------------


def test_a_buffer_below_what_the_counts_need_is_refused_with_that_number() -> None:
    needed = make_stream().buffer_needed
    assert needed is not None and declared().buffer_needed is None
    assert list(make_stream(buffer_size=needed)) == list(make_stream())
    message = (
        rf"^The 'buffer_size' parameter must be at least {needed}, which these sources need\. "
        rf"Got {needed - 1} instead\.$"
    )
    with pytest.raises(ValueError, match=message):
        make_stream(buffer_size=needed - 1)


@pytest.mark.parametrize(
    "table, least, needed, held_in_order, held_shuffled",
    [
        ([(10, 0)] * 3 + [(0, 10)] * 3, 1, 44, 40, 30),  # in order, all rows of a label come first: the worst order
        ([(300, 100)] * 4, 10, 442, 400, 400),
        ([(1500, 500)] * 2, 10, 2042, 544, 2000),
        ([(80, 20)], 5, 100, 100, 100),  # all there are
    ],
)
def test_a_lane_never_holds_more_rows_than_it_says(
    table: list[tuple[int, int]], least: int, needed: int, held_in_order: int, held_shuffled: int
) -> None:
    held = 0
    alive: Counter[str] = Counter()

    class Counted:
        def __init__(self, label: int) -> None:
            nonlocal held
            self.label = label
            alive["rows"] += 1
            held = max(held, alive["rows"])

        def __del__(self) -> None:
            alive["rows"] -= 1

    def read_counted(source: int) -> Any:
        """Read rows whose labels are mixed."""
        negative, positive = table[source]
        return (Counted(int(row * positive % (negative + positive) < positive)) for row in range(negative + positive))

    counts = pd.DataFrame(table, columns=["0", "1"], index=[str(source) for source in range(len(table))])
    for shuffle, expected in (False, held_in_order), (True, held_shuffled):
        held = 0
        stream = StratifiedStream(
            range(len(table)),
            least,
            read=read_counted,
            stratum=lambda row: row.label,
            counts=counts,
            shuffle=shuffle,
            seed=1,
        )
        for _ in range(10):
            for batch in stream:
                del batch
        assert stream.buffer_needed == needed
        assert held == expected <= needed


def test_a_full_buffer_names_the_stratum_that_did_not_come() -> None:
    names = ["a", "b"]
    stream = StratifiedStream(
        names, 1, read=lambda _: [0] * 30, stratum=int, strata=[0, 1], buffer_size=50, shuffle=False
    )
    with pytest.raises(
        SourceError,
        match=r"source 'b' must leave at most 50 rows in the buffer\. Got 60 instead: the next .* of '1'\.$",
    ):
        list(stream)


def test_a_buffer_of_one_row_is_told_as_one() -> None:
    stream = StratifiedStream(["a"], 1, read=lambda _: [0, 1], stratum=int, strata=[0, 1], buffer_size=1)
    with pytest.raises(SourceError, match=r"source 'a' must leave at most 1 row in the buffer\. Got 2 instead"):
        list(stream)


def test_a_lane_that_never_gets_a_stratum_is_an_error() -> None:
    stream = StratifiedStream(["a"], 1, read=lambda _: [0] * 30, stratum=int, strata=[0, 1])
    with pytest.raises(SourceError, match="^Lane 0 has no batch: the next batch has too few rows of '1'.$"):
        list(stream)


def test_too_few_rows_of_a_stratum_in_a_lane_are_refused_by_name() -> None:
    fewest = int(COUNTS.loc[NAMES[3::4]].sum().min())
    with pytest.raises(ValueError, match=r"'min_samples_per_stratum' .* the rows of '\d' in lane \d of 4\. Got 50 "):
        StratifiedStream(NAMES, 50, read=read, stratum=label, counts=COUNTS, lanes=4)
    assert fewest < 50
    empty = COUNTS.copy()
    empty.loc[NAMES[1::2], 1] = 0
    message = r"'lanes' parameter .* rows of each stratum\. Got 0 as the rows of '1' in lane 1 of 2 instead\. Use fewer"
    with pytest.raises(ValueError, match=message):
        make_stream(counts=empty, lanes=2)
    with pytest.raises(ValueError, match="'min_batch_size' .* the rows of the smallest lane"):
        make_stream(min_batch_size=10_000)


def test_min_batch_size_makes_batches_of_at_least_this_size() -> None:
    for make in (make_stream, declared):
        batches = list(make(min_batch_size=25))
        assert rows_in(batches) == ALL_ROWS and min(map(len, batches)) >= 25


def test_there_are_as_many_batches_as_both_minima_allow_for_all_small_lanes() -> None:
    for totals in product(range(1, 7), repeat=3):
        rows = [label for label, total in enumerate(totals) for _ in range(total)]
        sizes = {n: min(map(len, counted_by_the_rule(rows, n))) for n in range(1, min(totals) + 1)}
        for least, least_rows in product((1, 2), range(1, len(rows) + 1)):
            possible = [n for n in sizes if min(totals) // n >= least and sizes[n] >= least_rows]
            counts = pd.DataFrame([totals], index=["a"], columns=["0", "1", "2"])
            if min(totals) >= least:
                stream = StratifiedStream(
                    ["a"], least, read=iter, stratum=int, counts=counts, min_batch_size=least_rows, shuffle=False
                )
                assert len(stream) == max(possible)


def test_the_mean_batch_size_determines_the_batches_of_all_small_lanes() -> None:
    for totals, n_lanes in product(product(range(1, 7), repeat=3), (1, 2)):
        counts = pd.DataFrame([totals] * n_lanes, index=list("ab"[:n_lanes]), columns=["0", "1", "2"])
        given: dict[str, Any] = {"read": iter, "stratum": int, "counts": counts, "lanes": n_lanes}
        for mean in range(1, sum(totals) + 3):
            n_batches = max(1, floor(Fraction(sum(totals), mean) + Fraction(1, 2)))
            if n_batches <= min(totals):
                stream = StratifiedStream(counts.index, mean_batch_size=mean, **given)
                assert len(stream) == n_batches * n_lanes
                assert stream.min_samples_per_stratum == min(totals) // n_batches
                continue
            with pytest.raises(ValueError) as error:
                StratifiedStream(counts.index, mean_batch_size=mean, **given)
            least = int(str(error.value).split("must be at least ")[1].split(",")[0])
            assert StratifiedStream(counts.index, mean_batch_size=least, **given).min_samples_per_stratum > 0
            with pytest.raises(ValueError):
                StratifiedStream(counts.index, mean_batch_size=least - 1, **given)


def test_batches_of_a_mean_size_have_the_minimum_that_the_counts_give() -> None:
    for mean in (8, 17, 30):
        stream = by_mean(mean)
        batches = list(stream)
        assert rows_in(batches) == ALL_ROWS
        assert len(stream) == len(batches) == 4 * max(1, floor(Fraction(len(ALL_ROWS), 4 * mean) + Fraction(1, 2)))
        held = [sum(label(row) == stratum for row in batch) for batch in batches for stratum in (0, 1)]
        assert min(held) == stream.min_samples_per_stratum
    assert make_stream().min_samples_per_stratum >= 2 == declared().min_samples_per_stratum


def by_mean(mean: Any, **parameters: Any) -> StratifiedStream:
    return StratifiedStream(NAMES, mean_batch_size=mean, **{**GIVEN, "counts": COUNTS, **parameters})


def test_a_mean_size_that_needs_rare_strata_names_one_that_works() -> None:
    assert message_of(lambda: by_mean(3)) == (
        "The 'mean_batch_size' parameter must be at least 4, for at most 31, the rows of '1' in lane 1 of 4. "
        "Got 3, for 42 batches a lane, instead. Raise it, use fewer lanes, or set 'rare' to 'warn' or 'allow'."
    )
    assert by_mean(4).min_samples_per_stratum == 1


def test_rare_strata_may_be_missing_from_batches_and_are_in_others_in_each_epoch() -> None:
    with pytest.warns(UserWarning, match="^Lane 1 has 31 rows of '1', and the 'mean_batch_size' parameter makes 42 "):
        stream = by_mean(3, rare="warn")
    assert stream.min_samples_per_stratum == 0
    quiet = by_mean(3, rare="allow")
    places = []
    for _ in range(20):
        batches = list(quiet)
        assert batches == list(stream) and rows_in(batches) == ALL_ROWS
        held = [sum(map(label, batch)) for batch in batches[1::4]]
        assert max(held) == 1 and sum(held) == 31
        places.append(tuple(held))
    assert all(any(epoch[batch] for epoch in places) for batch in range(42))
    in_order = by_mean(3, rare="allow", shuffle=False)
    assert [[label(row) for row in batch] for batch in in_order] == [
        [label(row) for row in batch] for batch in in_order
    ]


def test_a_minimum_above_the_rows_of_a_lane_may_be_one_batch_a_lane() -> None:
    warning = (
        "^Lane 1 has 31 rows of '1', and the 'min_samples_per_stratum' parameter is 50: all rows of a lane are in one "
        r"batch\.$"
    )
    with pytest.warns(UserWarning, match=warning):
        assert len(StratifiedStream(NAMES, 50, counts=COUNTS, rare="warn", **GIVEN)) == 4
    empty = COUNTS.copy()
    empty.loc[NAMES[1::2], 1] = 0
    kept = StratifiedStream(NAMES, 5, counts=empty, rare="allow", **{**GIVEN, "lanes": 2})
    assert len(kept) == 2 and kept.min_samples_per_stratum == 0
    empty.loc[NAMES[1::2], 0] = 0
    with pytest.raises(ValueError, match="'lanes' .* leave each lane rows. Got 0 as the rows of '.' in lane 1 of 2 "):
        StratifiedStream(NAMES, 5, counts=empty, rare="allow", **{**GIVEN, "lanes": 2})


def test_each_stratum_may_have_a_minimum_of_its_own() -> None:
    for minimums in ({0: 5, 1: 2}, {"1": 3}, {1: 2, "0": 0}):
        stream = StratifiedStream(NAMES, minimums, counts=COUNTS, **GIVEN)
        batches = list(stream)
        assert rows_in(batches) == ALL_ROWS
        asked = {int(key): number for key, number in minimums.items() if number}
        totals = [COUNTS.loc[NAMES[lane::4]].sum() for lane in range(4)]
        assert len(stream) == 4 * min(int(own[code]) // number for own in totals for code, number in asked.items())
        for code, number in asked.items():
            assert min(sum(label(row) == code for row in batch) for batch in batches) >= number
    with pytest.raises(ValueError, match="must come from a sampler with the same"):
        stream.load_state_dict(StratifiedStream(NAMES, {1: 3}, counts=COUNTS, **GIVEN).state_dict())
    message = r"ask for at most \d+, the rows of '1' in lane \d of 4. Got 90 rows of '1' instead. Lower it, use fewer "
    with pytest.raises(ValueError, match=message):
        StratifiedStream(NAMES, {1: 90}, counts=COUNTS, **GIVEN)
    with pytest.warns(UserWarning, match="parameter asks for 90 rows: all rows of a lane are in one batch"):
        assert len(StratifiedStream(NAMES, {1: 90}, counts=COUNTS, rare="warn", **GIVEN)) == 4
    with pytest.raises(ValueError, match="'min_samples_per_stratum' .* ask for at least one row of some stratum"):
        StratifiedStream(NAMES, {1: 0}, counts=COUNTS, **GIVEN)
    with pytest.raises(ValueError, match="'min_samples_per_stratum' .* name each of the strata once, .* Got '2' "):
        StratifiedStream(NAMES, {2: 1}, counts=COUNTS, **GIVEN)
    with pytest.raises(ValueError, match="'min_samples_per_stratum' .* be a positive integer without 'counts'"):
        StratifiedStream(NAMES, {1: 1}, strata=[0, 1], **GIVEN)


def test_a_mean_size_needs_counts_and_no_other_size() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        (
            {"mean_batch_size": 20},
            "'min_samples_per_stratum' .* be given, or 'mean_batch_size', and not both. Got both ",
        ),
        ({"mean_batch_size": 0}, "Got both "),
        ({"rare": "repeat"}, "'rare' parameter must be one of 'error', 'warn', 'allow'. Got 'repeat' "),
    ]
    for parameters, message in refused:
        with pytest.raises(ValueError, match=message):
            make_stream(**parameters)
    with pytest.raises(ValueError, match="'min_samples_per_stratum' .* not both. Got neither "):
        StratifiedStream(NAMES, counts=COUNTS, **GIVEN)
    with pytest.raises(ValueError, match="'min_batch_size' .* be left out if 'mean_batch_size' is given. Got 2 "):
        by_mean(20, min_batch_size=2)
    with pytest.raises(ValueError, match="'mean_batch_size' .* be given together with 'counts'. Got 20 "):
        by_mean(20, counts=None, strata=[0, 1])
    with pytest.raises(ValueError, match="'rare' parameter must be 'error' without 'counts'. Got 'allow' "):
        declared(rare="allow")


def test_states_of_a_mean_size_are_those_of_its_number_of_batches() -> None:
    state = by_mean(20).state_dict()
    by_mean(20).load_state_dict(state)
    with pytest.raises(ValueError, match="must come from a sampler with the same"):
        by_mean(30).load_state_dict(state)


def test_more_batches_than_a_place_can_count_are_refused() -> None:
    counts = pd.DataFrame({"0": [2**26 - 1] * 64})
    given: dict[str, Any] = {"read": iter, "stratum": int, "lanes": 64}
    with pytest.raises(ValueError) as error:
        StratifiedStream(counts.index, 1, counts=counts, **given)
    assert str(error.value) == (
        "The 'min_samples_per_stratum' parameter must make at most 2147483647 batches. "
        f"Got 1, for {64 * (2**26 - 1)} batches, instead. Raise it."
    )
    assert len(StratifiedStream(counts.index, 2, counts=counts, **given)) == 64 * (2**25 - 1)


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_workers_and_replicas_that_cannot_share_the_lanes_are_refused() -> None:
    with pytest.raises(ValueError, match="'lanes' .* be a multiple of 'num_replicas'"):
        make_stream(num_replicas=3, rank=0)
    with pytest.raises(ValueError, match="'lanes' .* be a multiple of 3, the number of ranks times that of workers"):
        batches_of(make_stream(), 3)
    with pytest.raises(ValueError, match="'lanes' parameter must be an integer from 1 to 8"):
        make_stream(lanes=9)


def test_exactly_one_of_counts_and_strata_is_needed() -> None:
    cases: list[tuple[dict[str, Any], str]] = [({"counts": None}, "neither"), ({"strata": [0, 1]}, "both")]
    for parameters, got in cases:
        with pytest.raises(ValueError, match=f"'counts' .* or 'strata', but not both. Got {got} instead"):
            make_stream(**parameters)


def test_counts_of_other_sources_are_ignored_and_missing_ones_refused() -> None:
    more = pd.concat([COUNTS, pd.DataFrame({2: [5]}, index=["other"])]).fillna(0)
    assert list(make_stream(counts=more)) == list(make_stream())
    with pytest.raises(ValueError, match="'counts' .* a row for each source. Got none for 'source-7' instead"):
        make_stream(counts=COUNTS.drop(index="source-7"))


def test_a_source_with_other_rows_than_its_counts_is_an_error() -> None:
    for change, got in (1, r"\d+"), (-1, r"at least \d+"):
        wrong = COUNTS.copy()
        wrong.loc["source-2", 1] += change
        with pytest.raises(SourceError, match=f"'source-2' must have .* rows of '1', as its counts say. Got {got} "):
            list(make_stream(counts=wrong))


def test_epochs_end_where_there_are_no_more_seeds() -> None:
    many = [f"{number}" for number in range(1000)]
    counts = pd.DataFrame({"0": 1}, index=many)
    stream = StratifiedStream(many, 1, read=lambda _: [0], stratum=int, counts=counts)
    last = (2**31 - 2) // 1001 - 1
    stream.set_epoch(last)
    assert len(list(stream)) == 1000
    with pytest.raises(ValueError, match=f"'epoch' .* be at most {last} with 1000 sources"):
        stream.set_epoch(last + 1)
    with pytest.raises(ValueError, match=f"'epoch' .* be at most {last} with 1000 sources"):
        list(stream)


def test_count_sources_counts_what_it_reads() -> None:
    table = count_sources(NAMES, read=read, stratum=label)
    for name in NAMES:
        found = Counter(label(row) for row in rows_of(name))
        assert table.loc[name].to_dict() == dict(found)
    assert list(table.index) == NAMES


def test_threads_share_an_iterator() -> None:
    def read_slowly(name: str) -> Any:
        for row in read(name):
            time.sleep(0)  # another thread goes on
            yield row

    expected = list(make_stream())
    for _ in range(5):
        iterator = iter(make_stream(read=read_slowly))
        with ThreadPoolExecutor(4) as threads:
            shares = list(threads.map(lambda _: list(iterator), range(4)))
        assert sorted(batch for share in shares for batch in share) == sorted(expected)


def test_a_signal_handler_may_save_the_iterator_in_the_middle_of_a_batch() -> None:
    states = []

    def read_noted(name: str) -> Any:
        for row in read(name):
            states.append(iterator.state_dict())  # as a handler that runs in this thread does
            yield row

    iterator = iter(make_stream(read=read_noted))
    batches = list(iterator)
    again = iter(make_stream())
    again.load_state_dict(states[0])
    assert list(again) == batches
