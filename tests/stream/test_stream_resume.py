"""Streams that are resumed: exactly the batches that would have come, and no source read without need."""

from __future__ import annotations

import itertools
import multiprocessing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader

from pystrat.stream import SourceError, StratifiedStream
from tests.stream.sources import NAMES, Row, declared, make_stream, read


def loader_of(stream: StratifiedStream, n_workers: int, **options: Any) -> DataLoader[Any]:
    return DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options)


def batches_from(epoch: int, first: int = 0) -> list[list[Row]]:
    stream = make_stream()
    stream.set_epoch(epoch)
    return list(stream)[first:]


def place_of(stream: Any, **given: int) -> tuple[int, int]:
    state = stream.state_dict(**given)
    return state["epoch"], state["batch"]


@pytest.mark.parametrize("before, after", [(0, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
def test_a_state_continues_with_any_number_of_workers(before: int, after: int) -> None:
    n_batches, batches = len(make_stream()), batches_from(3) + batches_from(4)
    for consumed in (0, 3, n_batches - 1, n_batches):
        stream = make_stream()
        stream.set_epoch(3)
        taken = list(itertools.islice(iter(loader_of(stream, before)), consumed))
        resumed = make_stream()
        resumed.load_state_dict(stream.state_dict(batches_consumed=consumed))
        if consumed < n_batches:
            resumed.set_epoch(3)  # as most training loops do
        loader = loader_of(resumed, after)
        assert taken + list(loader) + (list(loader) if consumed < n_batches else []) == batches


def test_a_state_continues_with_another_number_of_ranks() -> None:
    batches = list(make_stream())
    for before, after in itertools.product((1, 2, 4), repeat=2):
        ranks = [make_stream(num_replicas=before, rank=rank) for rank in range(before)]
        for stream in ranks:
            assert len(list(itertools.islice(stream, 5))) == 5
        states = [stream.state_dict(batches_consumed=5) for stream in ranks]
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
    batches = list(whole) + list(whole)
    state = {**whole.state_dict(), "epoch": 0, "batch": len(whole) - 1}
    found = []
    for rank in range(2):
        stream = make_stream(num_replicas=2, rank=rank)
        stream.load_state_dict(state)
        loader = loader_of(stream, n_workers)
        for epoch in range(2):
            stream.set_epoch(epoch)
            found.append(list(loader))
    assert found == [[], batches[len(whole) :: 2], batches[len(whole) - 1 : len(whole)], batches[len(whole) + 1 :: 2]]


@pytest.mark.parametrize("make", [make_stream, declared])
def test_the_iterator_can_be_saved_and_resumed(make: Any) -> None:
    batches = list(make())
    stream = make()
    iterator = iter(stream)
    for consumed in range(len(batches) + 1):
        resumed = make()
        again = iter(resumed)
        again.load_state_dict(iterator.state_dict())
        assert list(again) == batches[consumed:]
        assert resumed.epoch == 1
        if consumed < len(batches):
            next(iterator)
    assert list(resumed) == list(stream)


def test_without_counts_only_the_iterator_knows_the_place_of_several_lanes() -> None:
    stream = declared()
    next(iter(stream))
    with pytest.raises(ValueError, match="'batches_consumed' .* be 0 without 'counts' and with several lanes. Got 1 "):
        stream.state_dict(batches_consumed=1)
    batches = list(declared(lanes=1))
    for consumed in (0, 1, len(batches) - 1):
        stream, resumed = declared(lanes=1), declared(lanes=1)
        list(itertools.islice(stream, consumed))
        resumed.load_state_dict(stream.state_dict(batches_consumed=consumed))
        assert list(resumed) == batches[consumed:]


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
        stream.load_state_dict({**stream.state_dict(), "epoch": 0, "batch": consumed})
        rest = list(stream)
        assert {NAMES[row[0]] for batch in rest for row in batch} <= set(opened)
        if not given:
            assert {NAMES[row[0]] for batch in rest for row in batch} == set(opened)
    assert len(opened) < len(whole) and (n_skipped is None or opened == whole[n_skipped:])


def wait_for(gate: Any, late: int, worker: int) -> None:
    """Let workers from number `late` on begin only once the gate is open."""
    if worker >= late:
        gate.wait()


THOROUGH = pytest.param("spawn", marks=pytest.mark.thorough)


@pytest.mark.parametrize("context", ["fork", THOROUGH])
@pytest.mark.parametrize("late", [0, 1])
def test_workers_that_begin_late_keep_their_epoch_and_the_place_that_was_set(late: int, context: str) -> None:
    stream, gate = make_stream(), multiprocessing.get_context(context).Event()
    options = {"worker_init_fn": partial(wait_for, gate, late), "multiprocessing_context": context}
    old = iter(loader_of(stream, 2, **options))
    taken = [next(old) for _ in range(late)]
    stream.load_state_dict({**stream.state_dict(), "epoch": 5, "batch": 3})
    assert list(loader_of(stream, 2)) == batches_from(5, 3), "another iteration at the same time"
    gate.set()
    assert taken + list(old) == batches_from(0)
    assert place_of(stream) == (6, 0)
    assert list(loader_of(stream, 2, **options)) == batches_from(6)


@pytest.mark.parametrize("context", ["fork", THOROUGH])
def test_loaders_of_equal_seeds_whose_workers_persist_take_turns(context: str) -> None:
    """The workers of each are older than the iterations of the other."""
    stream = make_stream()
    options: dict[str, Any] = {"persistent_workers": True, "multiprocessing_context": context}
    loaders = [loader_of(stream, 2, generator=torch.Generator().manual_seed(0), **options) for _ in range(2)]
    for epoch in range(4):
        assert list(loaders[epoch % 2]) == batches_from(epoch)
    for loader, epoch in zip(loaders, (7, 0)):
        stream.set_epoch(epoch)
        assert list(loader) == batches_from(epoch)


@pytest.mark.parametrize("n_workers, options", [(0, {}), (2, {}), (2, {"persistent_workers": True})])
def test_if_nothing_is_consumed_the_state_is_the_beginning_of_the_iteration_whether_or_not_it_has_begun(
    n_workers: int, options: dict[str, Any]
) -> None:
    stream = make_stream()
    loader = loader_of(stream, n_workers, **options)
    for epoch, first in ((0, 0), (1, 0), (4, 5)):
        if first:
            stream.load_state_dict({**stream.state_dict(), "epoch": epoch, "batch": first})
        iterator = iter(loader)
        places = {place_of(stream, batches_consumed=0) for _ in range(3)}
        assert next(iterator) == batches_from(epoch, first)[0]
        assert {place_of(stream, batches_consumed=0), *places} == {(epoch, first)}
        if epoch == 0:
            list(iterator)
    former, following = iter(stream), iter(stream)
    assert next(former) and place_of(stream, batches_consumed=0) == (5, 0)
    assert next(following) and next(former) and place_of(stream, batches_consumed=0) == (6, 0), "of the newest iterator"


def read_broken(mended: Path, name: str) -> Any:
    """Read a source; one row of one of them fails until it is mended."""
    for row in read(name):
        if name == NAMES[4] and row[1] == 12 and not mended.exists():
            raise OSError("gone")
        yield row


def test_batches_after_an_error_in_a_worker_are_not_counted(tmp_path: Path) -> None:
    """The other worker goes on, so that the number of batches is no longer a place."""
    mended = tmp_path / "mended"
    stream = make_stream(read=partial(read_broken, mended), shuffle=False)
    loader = loader_of(stream, 2, persistent_workers=True)
    batches, before_errors, taken = iter(loader), [], []
    while len(before_errors) < 3:
        try:
            taken.append(next(batches))
        except SourceError:
            before_errors.append(len(taken))
    n_before = before_errors[0]
    assert 0 < n_before < len(taken)
    message = (
        f"'batches_consumed' parameter must be at most {n_before}, the batches before the first "
        f"error in a worker. Got {len(taken)} instead. Load the state of those batches, and continue in a new iteration"
    )
    with pytest.raises(ValueError, match=message):
        stream.state_dict(batches_consumed=len(taken))
    state = stream.state_dict(batches_consumed=n_before)
    mended.touch()
    following = iter(loader)
    assert len(list(itertools.islice(following, len(taken)))) == len(taken)
    assert place_of(stream, batches_consumed=len(taken)) == (1, len(taken)), "the next epoch counts again"
    stream.load_state_dict(state)
    assert taken[:n_before] + list(loader_of(stream, 1)) == list(make_stream(shuffle=False))


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


def test_what_is_no_state_of_this_stream_and_places_beyond_an_epoch_are_refused() -> None:
    stream = make_stream()
    changes: list[dict[str, Any]] = [{"seed": 2}, {"lanes": 2}, {"shuffle": False}, {"shuffle_sources": 2}]
    for change in (*changes, {"min_batch_size": 2}, {"counts": None, "strata": [0, 1]}):
        with pytest.raises(ValueError, match="'state' parameter must come from a sampler with the same"):
            make_stream(**change).load_state_dict(stream.state_dict())
    for state in (None, {}, {"version": 1}):
        with pytest.raises(ValueError, match="'state' parameter must have the entries"):
            stream.load_state_dict(state)
    iterator = iter(stream)
    batches = [next(iterator)]
    for entry, value in ("batch", len(stream) + 1), ("epoch", -1), ("batch", -1), ("batch", 0.5):
        for target in (stream, iterator):
            with pytest.raises((TypeError, ValueError), match=f"'{entry}'"):
                target.load_state_dict({**stream.state_dict(), entry: value})
    assert batches + list(iterator) == batches_from(0)
    with pytest.raises(ValueError, match="'batches_consumed' parameter must be 0"):
        make_stream().state_dict(batches_consumed=1)
