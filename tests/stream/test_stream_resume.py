"""Streams that are resumed: exactly the batches that would have come, and no source read without need."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from torch.utils.data import DataLoader

from pystrat import ResumableLoader
from pystrat.stream import SourceError, StratifiedStream
from tests.stream.sources import ALL_ROWS, NAMES, Row, declared, make_stream, read


def loader_of(stream: StratifiedStream, n_workers: int, **options: Any) -> DataLoader[Any]:
    return DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options)


def batches_from(epoch: int, first: int = 0) -> list[list[Row]]:
    stream = make_stream()
    stream.set_epoch(epoch)
    return list(stream)[first:]


@pytest.mark.parametrize("before, after", [(0, 2), (2, 0), (2, 1)])
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_a_loader_continues_with_any_number_of_workers(before: int, after: int) -> None:
    n_batches, batches = len(make_stream()), batches_from(3) + batches_from(4)
    for consumed in (0, 3, n_batches - 1, n_batches):
        saved, resumed = (ResumableLoader(loader_of(make_stream(), workers)) for workers in (before, after))
        saved.set_epoch(3)
        taken = list(itertools.islice(saved, consumed))
        resumed.load_state_dict(saved.state_dict())
        if consumed < n_batches:
            resumed.set_epoch(3)  # as most training loops do
        assert taken + list(resumed) + (list(resumed) if consumed < n_batches else []) == batches
        by_hand = make_stream()
        by_hand.set_epoch(3, consumed)
        assert by_hand.state() == make_stream().state(3, consumed)
        assert list(by_hand) == batches[consumed:n_batches] or consumed == n_batches


@pytest.mark.parametrize("make", [make_stream, declared])
def test_the_iterators_of_workers_continue_where_each_was_stopped(make: Any) -> None:
    """As loaders of other libraries save and load them; workers take turns."""

    def iterators() -> list[Any]:
        found = []
        for worker in range(2):
            info = SimpleNamespace(id=worker, num_workers=2)
            with mock.patch("pystrat.stream.iterating.get_worker_info", return_value=info):
                found.append(iter(stream))
        return found

    stream = make()
    expected = [list(iterator) for iterator in iterators()]
    assert sorted(row for batches in expected for batch in batches for row in batch) == ALL_ROWS
    for stop in range(len(expected[0])):
        stream, stopped = make(), []
        for iterator in (begun := iterators()):
            stopped.append(list(itertools.islice(iterator, stop)))
        stream, resumed = make(), []
        for iterator, before in zip(iterators(), begun):
            iterator.load_state_dict(before.state_dict())
            resumed.append(list(iterator))
        assert [before + after for before, after in zip(stopped, resumed)] == expected


def test_a_state_continues_with_another_number_of_ranks() -> None:
    batches = list(make_stream())
    for before, after in itertools.product((1, 2, 4), repeat=2):
        states = [make_stream(num_replicas=before, rank=rank).state(0, 5) for rank in range(before)]
        assert all(state == states[0] for state in states) and states[0]["batch"] == 5 * before
        shares = []
        for rank in range(after):
            resumed = make_stream(num_replicas=after, rank=rank)
            resumed.load_state_dict(states[0])
            shares.append(list(resumed))
        rest = [batch for turn in itertools.zip_longest(*shares) for batch in turn if batch is not None]
        first = 5 * before % after  # the rank whose turn it is
        assert sorted(rest) == sorted(batches[5 * before :])
        assert first or rest == batches[5 * before :]
        assert first or len(set(map(len, shares))) == 1, "equally many batches, which DDP needs"


@pytest.mark.parametrize("n_workers", [0, 1])
def test_a_rank_without_batches_left_begins_the_next_epoch_with_the_others(n_workers: int) -> None:
    whole = make_stream()
    batches, state = list(whole) + list(whole), {**whole.state(0), "batch": len(whole) - 1}
    found = []
    for rank in range(2):
        stream = make_stream(num_replicas=2, rank=rank)
        stream.load_state_dict(state)
        loader = loader_of(stream, n_workers)
        for epoch in range(2):
            stream.set_epoch(epoch)
            found.append(list(loader))
    assert found == [[], batches[len(whole) :: 2], batches[len(whole) - 1 : len(whole)], batches[len(whole) + 1 :: 2]]


def test_without_counts_only_the_iterator_knows_the_place_of_several_lanes() -> None:
    with pytest.raises(ValueError, match="'batches_done' .* be 0 without 'counts' and with several lanes. Got 1 "):
        declared().state(0, 1)
    batches = list(declared(lanes=1))
    resumed = declared(lanes=1)
    resumed.load_state_dict(declared(lanes=1).state(0, 1))
    assert list(resumed) == batches[1:]


@pytest.mark.parametrize(
    ("given", "n_skipped"),
    [
        ({}, None),
        ({"shuffle_sources": 3}, 6),
        ({"min_samples_per_stratum": None, "mean_batch_size": 40, "balance": 60}, 5),
    ],
)
def test_only_the_sources_that_are_needed_are_read_again(given: dict[str, Any], n_skipped: Any) -> None:
    opened: list[str] = []

    def read_noted(name: str) -> Any:
        opened.append(name)
        return read(name)

    stream = make_stream(read=read_noted, lanes=1, **given)
    n_batches, whole = len(list(stream)), list(opened)
    assert sorted(set(opened)) == NAMES
    for consumed in range(n_batches):
        opened.clear()
        stream.set_epoch(0, consumed)
        rest = list(stream)
        assert {NAMES[row[0]] for batch in rest for row in batch} <= set(opened)
        if not given:
            assert {NAMES[row[0]] for batch in rest for row in batch} == set(opened)
    assert len(opened) < len(whole) and (n_skipped is None or opened == whole[n_skipped:])


@pytest.mark.parametrize("persistent", [False, True])
def test_an_epoch_that_workers_were_left_in_comes_again_with_a_warning_unless_it_is_set(persistent: bool) -> None:
    stream = make_stream()
    # Workers that are forked inherit the filter of warnings, which makes errors of them; others print them.
    loader = loader_of(stream, 2, persistent_workers=persistent, multiprocessing_context="fork")
    assert list(itertools.islice(loader, 2)) == batches_from(0)[:2] and stream.epoch == 0
    stream.set_epoch(1)
    assert list(itertools.islice(loader, 2)) == batches_from(1)[:2], "both workers have begun"
    with pytest.raises(
        UserWarning, match="Epoch 1 of the stream was begun before, and comes again: .* calls set_epoch"
    ):
        list(loader)
    assert list(loader) == batches_from(1) and stream.epoch == 2 and list(loader) == batches_from(2)


def read_broken(mended: Path, name: str) -> Any:
    """Read a source; one row of one of them fails until it is mended."""
    for row in read(name):
        if name == NAMES[4] and row[1] == 12 and not mended.exists():
            raise OSError("gone")
        yield row


def test_batches_after_an_error_in_a_worker_are_not_counted(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    loader = ResumableLoader(loader_of(make_stream(read=partial(read_broken, mended), shuffle=False), 2))
    taken, batches = [], iter(loader)
    with pytest.raises(SourceError, match="gone"):
        taken.extend(batches)
    assert taken and next(batches, None) is None
    mended.touch()
    loader.load_state_dict(loader.state_dict())
    assert taken + list(loader) == list(make_stream(shuffle=False))


def test_what_is_no_state_of_this_stream_and_places_beyond_an_epoch_are_refused() -> None:
    stream = make_stream()
    changes: list[dict[str, Any]] = [{"seed": 2}, {"lanes": 2}, {"shuffle": False}, {"shuffle_sources": 2}]
    for change in (*changes, {"min_batch_size": 2}, {"counts": None, "strata": [0, 1]}):
        with pytest.raises(ValueError, match="'state' parameter must come from a sampler with the same"):
            make_stream(**change).load_state_dict(stream.state())
    iterator = iter(stream)
    batches = [next(iterator)]
    for entry, value in ("batch", len(stream) + 1), ("epoch", -1):
        for target in (stream, iterator):
            with pytest.raises(ValueError, match=f"'{entry}'"):
                target.load_state_dict({**stream.state(), entry: value})
    assert batches + list(iterator) == batches_from(0)
