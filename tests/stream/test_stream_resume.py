"""Streams that are resumed: exactly the batches that would have come, and no source read without need."""

from __future__ import annotations

import copy
import itertools
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, get_worker_info

from pystrat.stream import SourceError, StratifiedStream
from pystrat.stream.starting import SharedStart, Start
from tests.hostile import HOSTILE, refusal
from tests.stream.sources import COUNTS, NAMES, Row, declared, label, make_stream, read


def loader_of(stream: StratifiedStream, n_workers: int, **options: Any) -> DataLoader[Any]:
    return DataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options)


@pytest.mark.parametrize("before, after", [(0, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
def test_a_state_continues_with_any_number_of_workers(before: int, after: int) -> None:
    expected = make_stream()
    expected.set_epoch(3)
    batches = list(expected) + list(expected)
    for consumed in (0, 1, 2, 3, 7, len(expected) - 1, len(expected)):
        stream = make_stream()
        stream.set_epoch(3)
        iterator = iter(loader_of(stream, before))
        taken = list(itertools.islice(iterator, consumed))
        state = stream.state_dict(batches_consumed=consumed)
        resumed = make_stream()
        resumed.load_state_dict(state)
        if consumed < len(expected):
            resumed.set_epoch(3)  # as most training loops do
        loader = loader_of(resumed, after)
        assert taken + list(loader) + (list(loader) if consumed < len(expected) else []) == batches


def wait_for(gate: Path, late: int, worker: int) -> None:
    """Let workers from number `late` on begin only once the gate is there."""
    while worker >= late and not gate.exists():
        time.sleep(0.01)


def read_in_the_second_worker(gate: Path, name: str) -> Any:
    """Read a source; the gate is opened by the second worker, which has then begun."""
    worker = get_worker_info()  # type: ignore[no-untyped-call]
    if worker is not None and worker.id == 1:
        gate.touch()
    return read(name)


def read_broken(mended: Path, name: str) -> Any:
    """Read a source; one row of one of them fails until it is mended."""
    for row in read(name):
        if name == NAMES[4] and row[1] == 12 and not mended.exists():
            raise OSError("gone")
        yield row


def wait_in_the_first_worker(gate: Path, worker: int) -> None:
    if worker == 0:
        wait_for(gate, 0, worker)


def batches_from(epoch: int, first: int = 0) -> list[list[Row]]:
    stream = make_stream()
    stream.set_epoch(epoch)
    return list(stream)[first:]


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("late", [0, 1])
def test_workers_that_begin_late_keep_their_epoch_and_the_place_that_was_set(
    late: int, context: str, tmp_path: Path
) -> None:
    stream = make_stream()
    gate = tmp_path / "gate"
    loader = loader_of(stream, 2, worker_init_fn=partial(wait_for, gate, late), multiprocessing_context=context)
    old = iter(loader)
    taken = [next(old) for _ in range(late)]
    stream.load_state_dict({**stream.state_dict(), "epoch": 5, "batch": 3})
    gate.touch()
    assert taken + list(old) == batches_from(0)
    assert stream.state_dict()["epoch"] == 5 and stream.state_dict()["batch"] == 3
    assert list(loader) == batches_from(5, 3)
    assert list(loader) == batches_from(6)


def test_each_of_two_iterations_at_a_time_has_one_epoch_whenever_its_workers_begin(tmp_path: Path) -> None:
    stream = make_stream()
    gate = tmp_path / "gate"
    first = iter(loader_of(stream, 2, worker_init_fn=partial(wait_for, gate, 1)))
    taken = [next(first)]
    for epoch in 1, 2:
        assert list(loader_of(stream, 2)) == batches_from(epoch)
    gate.touch()
    assert taken + list(first) == batches_from(0)
    assert stream.epoch == 3


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_an_iteration_is_not_taken_for_an_abandoned_one_of_the_same_seed(context: str, tmp_path: Path) -> None:
    """The second worker does not begin the first iteration, and begins the next one before the first worker does."""
    never, gate = tmp_path / "never", tmp_path / "gate"
    stream = make_stream(read=partial(read_in_the_second_worker, gate))

    def begin(wait: Any) -> Any:
        generator = torch.Generator().manual_seed(0)
        return iter(loader_of(stream, 2, worker_init_fn=wait, generator=generator, multiprocessing_context=context))

    assert next(begin(partial(wait_for, never, 1))) == batches_from(0)[0]
    assert not gate.exists()
    assert list(begin(partial(wait_in_the_first_worker, gate))) == batches_from(1)
    assert stream.epoch == 2


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_loaders_of_equal_seeds_whose_workers_persist_take_turns(context: str) -> None:
    """The workers of each are older than the iterations of the other."""
    stream = make_stream()
    loaders = [
        loader_of(
            stream,
            2,
            persistent_workers=True,
            multiprocessing_context=context,
            generator=torch.Generator().manual_seed(0),
        )
        for _ in range(2)
    ]
    for epoch in range(6):
        assert list(loaders[epoch % 2]) == batches_from(epoch)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda stream: pickle.loads(pickle.dumps(stream))])
def test_loaders_of_equal_seeds_are_told_apart_in_copies_of_a_stream(copied: Any, tmp_path: Path) -> None:
    original = make_stream(read=partial(read_in_the_second_worker, tmp_path / "gate"))
    list(loader_of(original, 2, generator=torch.Generator().manual_seed(0)))
    (tmp_path / "gate").unlink()
    stream = copied(original)
    never = partial(wait_for, tmp_path / "never", 1)
    assert next(iter(loader_of(stream, 2, generator=torch.Generator().manual_seed(0), worker_init_fn=never)))
    waiting = partial(wait_in_the_first_worker, tmp_path / "gate")
    loader = loader_of(stream, 2, generator=torch.Generator().manual_seed(0), worker_init_fn=waiting)
    assert list(loader) == batches_from(2)


@pytest.mark.parametrize(
    "n_workers, options",
    [
        (0, {}),
        (2, {}),
        (2, {"multiprocessing_context": "spawn"}),
        (2, {"persistent_workers": True}),
        (2, {"prefetch_factor": 99}),  # workers are at their end before the loop has taken a batch
        (2, {"prefetch_factor": 99, "persistent_workers": True}),
    ],
)
@pytest.mark.parametrize("is_set", [True, False])
def test_if_nothing_is_consumed_the_epoch_is_that_of_the_iterator_whether_or_not_it_has_begun(
    n_workers: int, options: dict[str, Any], is_set: bool
) -> None:
    stream = make_stream()
    loader = loader_of(stream, n_workers, **options)
    found = []
    for epoch in range(3):
        if is_set:
            stream.set_epoch(epoch)
        iterator = iter(loader)
        states = [stream.state_dict(batches_consumed=0) for _ in range(3)]
        next(iterator)
        states.append(stream.state_dict(batches_consumed=0))
        if epoch % 2 == 0:
            list(iterator)
        found.append({(state["epoch"], state["batch"]) for state in states})
    assert found == [{(epoch, 0)} for epoch in range(3)]


@pytest.mark.parametrize("n_workers, options", [(0, {}), (2, {}), (2, {"persistent_workers": True})])
def test_if_nothing_is_consumed_a_resumed_epoch_is_saved_where_it_was_resumed(
    n_workers: int, options: dict[str, Any]
) -> None:
    stream = make_stream()
    stream.load_state_dict({**stream.state_dict(), "epoch": 2, "batch": 5})
    iterator = iter(loader_of(stream, n_workers, **options))
    states = [stream.state_dict(batches_consumed=0) for _ in range(20)]
    assert [next(iterator)] == batches_from(2, 5)[:1]
    states.append(stream.state_dict(batches_consumed=0))
    assert {(state["epoch"], state["batch"]) for state in states} == {(2, 5)}


def test_an_iterator_that_another_replaces_does_not_count() -> None:
    stream = make_stream()
    former = iter(stream)
    next(former)
    following = iter(stream)
    assert stream.state_dict(batches_consumed=0)["epoch"] == 1
    next(following)
    assert stream.state_dict(batches_consumed=0)["epoch"] == 1
    next(former)
    del former
    assert stream.state_dict(batches_consumed=0)["epoch"] == 1


def test_workers_of_a_former_loader_that_end_late_do_not_count() -> None:
    stream = make_stream()
    former = iter(loader_of(stream, 2))
    next(former)
    following = iter(loader_of(stream, 2))
    taken = [next(following), next(following)]  # of both workers
    assert len(list(former)) == len(stream) - 1
    del former
    assert stream.state_dict(batches_consumed=0)["epoch"] == 1
    assert taken + list(following) == batches_from(1)


def test_batches_after_an_error_in_a_worker_are_not_counted(tmp_path: Path) -> None:
    """The other worker goes on, so that the number of batches is no longer a place."""
    mended = tmp_path / "mended"
    stream = make_stream(read=partial(read_broken, mended), shuffle=False)
    batches = iter(loader_of(stream, 2))
    before_errors, taken = [], []
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
    mended.touch()
    stream.load_state_dict(stream.state_dict(batches_consumed=n_before))
    assert taken[:n_before] + list(loader_of(stream, 2)) == list(make_stream(shuffle=False))


@pytest.mark.parametrize("n_workers", [0, 1])
def test_after_an_error_the_same_iterator_goes_on_if_no_other_worker_does(n_workers: int, tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    stream = make_stream(read=partial(read_broken, mended), shuffle=False)
    batches, taken = iter(loader_of(stream, n_workers)), []
    with pytest.raises(SourceError):
        for batch in batches:
            taken.append(batch)
    mended.touch()
    taken += [batch for batch, _ in zip(batches, range(3))] if n_workers == 0 else []
    state = stream.state_dict(batches_consumed=len(taken))
    stream.load_state_dict(state)
    assert taken + list(loader_of(stream, n_workers)) == list(make_stream(shuffle=False))


def test_an_error_in_one_epoch_does_not_matter_in_the_next(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    stream = make_stream(read=partial(read_broken, mended), shuffle=False)
    loader = loader_of(stream, 2, persistent_workers=True)
    with pytest.raises(SourceError):
        list(loader)
    mended.touch()
    batches = iter(loader)
    taken = [next(batches) for _ in range(len(stream) - 1)]
    state = stream.state_dict(batches_consumed=len(taken))
    assert (state["epoch"], state["batch"]) == (1, len(taken))


def test_the_first_batch_that_failed_is_kept_whichever_fails_first() -> None:
    start = SharedStart(3)
    start.run(Start(4, 2))
    assert start.failed is None
    for place, worker, first in [(9, 2, 9), (7, 1, 7), (12, 2, 7), (10, 1, 7), (5, 0, 5), (3, 2, 3)]:
        start.fail(Start(4, place), worker)
        assert start.failed == Start(4, first)
    start.fail(Start(3, 1), 1)  # of a former iteration, which goes on
    assert start.failed == Start(4, 3)
    start.run(Start(5, 0))
    assert start.failed is None
    start.fail(Start(5, 8), 1)
    assert start.failed == Start(5, 8)
    start.set(Start(5, 0))
    assert start.failed is None
    start.run(Start(5, 0))
    assert start.failed is None, "the epoch is repeated"


def test_a_batch_that_fails_again_is_never_missing() -> None:
    start, found = SharedStart(1), []

    def fail() -> None:
        for _ in range(2000):
            start.fail(Start(4, 7), 0)

    start.run(Start(4, 2))
    start.fail(Start(4, 7), 0)
    with ThreadPoolExecutor(1) as threads:
        again = threads.submit(fail)
        while not again.done():
            found.append(start.failed)
    assert set(found) == {Start(4, 7)}


@pytest.mark.parametrize("late", [0, 1])
def test_workers_that_persist_take_the_place_that_was_set_after_they_were_made(late: int, tmp_path: Path) -> None:
    stream = make_stream()
    gate = tmp_path / "gate"
    loader = loader_of(stream, 2, worker_init_fn=partial(wait_for, gate, late), persistent_workers=True)
    iter(loader)
    for epoch in 5, 0, 7:
        stream.set_epoch(epoch)
        gate.touch()
        assert list(loader) == batches_from(epoch)
        assert stream.epoch == epoch + 1
    assert list(loader) == batches_from(8)


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
    ranks = [make_stream(num_replicas=2, rank=rank) for rank in range(2)]
    found = []
    for stream in ranks:
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
        state = iterator.state_dict()
        resumed = make()
        again = iter(resumed)
        again.load_state_dict(state)
        assert list(again) == batches[consumed:]
        assert resumed.epoch == 1
        if consumed < len(batches):
            next(iterator)
    assert list(resumed) == list(stream)


def test_only_the_sources_that_are_needed_are_read_again() -> None:
    opened: list[str] = []

    def read_noted(name: str) -> Any:
        opened.append(name)
        return read(name)

    stream = StratifiedStream(NAMES, 2, read=read_noted, stratum=label, counts=COUNTS, seed=1)
    n_batches = len(list(stream))
    assert sorted(opened) == NAMES
    for consumed in range(n_batches):
        opened.clear()
        stream.load_state_dict({**stream.state_dict(), "epoch": 0, "batch": consumed})
        rest = list(stream)
        assert {NAMES[row[0]] for batch in rest for row in batch} == set(opened)


def test_without_counts_only_the_iterator_knows_the_place_of_several_lanes() -> None:
    stream = declared()
    next(iter(stream))
    with pytest.raises(ValueError, match="'batches_consumed' .* be 0 without 'counts' and with several lanes. Got 1 "):
        stream.state_dict(batches_consumed=1)
    alone = declared(lanes=1)
    batches = list(alone)
    for consumed in range(len(batches)):
        stream = declared(lanes=1)
        list(itertools.islice(stream, consumed))
        resumed = declared(lanes=1)
        resumed.load_state_dict(stream.state_dict(batches_consumed=consumed))
        assert list(resumed) == batches[consumed:]


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"lanes": 2}, {"shuffle": False}, {"min_batch_size": 2}, {"counts": None, "strata": [0, 1]}],
)
def test_states_of_other_streams_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'state' parameter must come from a sampler with the same"):
        make_stream(**change).load_state_dict(make_stream().state_dict())


@pytest.mark.parametrize("state", [None, {}, {"version": 1}])
def test_what_is_no_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match="'state' parameter must have the entries"):
        make_stream().load_state_dict(state)


def test_places_beyond_an_epoch_are_refused() -> None:
    stream = make_stream()
    for entry, value in ("batch", len(stream) + 1), ("epoch", -1), ("batch", -1):
        with pytest.raises(ValueError, match=f"'{entry}'"):
            stream.load_state_dict({**stream.state_dict(), entry: value})
    with pytest.raises(ValueError, match="'batches_consumed' parameter must be 0"):
        stream.state_dict(batches_consumed=1)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_state_of_an_iterator_is_refused_and_changes_nothing(name: str) -> None:
    stream = make_stream()
    iterator = iter(stream)
    batches = [next(iterator)]
    for state in (HOSTILE[name](), {**iterator.state_dict(), "batch": HOSTILE[name]()}):
        try:
            iterator.load_state_dict(state)
        except Exception as error:
            assert not refusal(error)
        else:
            assert state["batch"] in range(len(stream) + 1)
            iterator.load_state_dict({**stream.state_dict(), "epoch": 0, "batch": 1})
    assert batches + list(iterator) == batches_from(0) and stream.epoch == 1


@pytest.mark.parametrize("n_workers", [0, 1])
def test_a_loader_that_would_join_batches_is_refused(n_workers: int) -> None:
    loader: DataLoader[Any] = DataLoader(make_stream(), batch_size=8, collate_fn=list, num_workers=n_workers)
    with pytest.raises(
        ValueError, match="would join several batches of StratifiedStream into one. Set its batch_size="
    ):
        list(loader)
