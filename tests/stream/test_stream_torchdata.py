"""What torchdata's StatefulDataLoader does to a stream: the real one if it is installed, and a replay of it.

The replay does in the workers of a DataLoader, in the order of torchdata's source, what its workers do to the stream
and to its iterator, and nothing else; the version read is in docs/training-libraries.md.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, Iterator, Optional

import pytest
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from pystrat.stream import StratifiedStream
from tests.levels import some_of
from tests.replays.torchdata.stateful_dataloader import StatefulDataLoader
from tests.stream.sources import ALL_ROWS, Row, declared, make_stream
from tests.training_libraries import installed

Batches = list[list[Row]]
pytestmark = [
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),
    pytest.mark.filterwarnings("ignore:'set_vital' is deprecated"),
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),
]


def restored(stream: StratifiedStream, state: Optional[dict[str, Any]]) -> Any:
    """Make the iterator of the dataset, which has no state_dict(), and load its state."""
    iterator = iter(stream)
    if state is not None:
        iterator.load_state_dict(state)
    return iterator


class Workers(IterableDataset[Any]):
    """The stream as a worker of torchdata reads it.

    Items are triples: the worker, its batch or None, and its states. The first of each worker are the states before its
    first batch, for which torchdata waits before it asks any worker for a batch; the last are those at its end.
    """

    def __init__(self, stream: StratifiedStream, states: Optional[dict[int, Any]], first: int, all_ready: Any) -> None:
        self.stream = stream
        self.states = states
        self.first = first  # the worker whose turn it is; a DataLoader begins with worker 0
        self.all_ready = all_ready

    def __iter__(self) -> Iterator[tuple[int, Optional[list[Row]], Any]]:
        worker = get_worker_info().id  # type: ignore[no-untyped-call]
        iterator = restored(self.stream, None if self.states is None else self.states[worker])
        yield worker, None, iterator.state_dict()
        self.all_ready.wait()
        if worker < self.first:
            yield worker, None, None
        for batch in iterator:
            yield worker, batch, iterator.state_dict()
        yield worker, None, iterator.state_dict()


class ReplayedIterator:
    """The iterator of a StatefulDataLoader: its state is that of the batches that the loop has taken."""

    def __init__(self, stream: StratifiedStream, n_workers: int, state: Optional[dict[str, Any]]) -> None:
        self.stream = stream
        self.last = n_workers - 1 if state is None else state["last"]  # the worker that delivered last
        states = None if state is None else state["states"]
        self.finished = state is not None and state["finished"]
        self.states: Any
        if n_workers == 0:
            self.iterator = restored(stream, states)
            return
        first = (self.last + 1) % n_workers
        workers = Workers(stream, states, first, get_context("fork").Barrier(n_workers))
        options: dict[str, Any] = {"num_workers": n_workers, "multiprocessing_context": "fork"}
        self.items = iter(DataLoader(workers, batch_size=None, collate_fn=tuple, **options))
        self.states = {worker: before for worker, _, before in islice(self.items, n_workers)}
        for _ in range(first):
            next(self.items)

    def __iter__(self) -> ReplayedIterator:
        return self

    def __next__(self) -> list[Row]:
        batch = next(self.iterator, None) if self.last < 0 else self.next_of_workers()
        if batch is None:
            self.finished = True
            raise StopIteration
        return batch

    def next_of_workers(self) -> Optional[list[Row]]:
        for worker, batch, states in self.items:
            self.states = {**self.states, worker: states}
            if batch is not None:
                self.last = worker
                return batch
        return None

    def state_dict(self) -> dict[str, Any]:
        states = self.iterator.state_dict() if self.last < 0 else self.states
        return {"states": states, "last": self.last, "finished": self.finished}


def replayed_loader(stream: StratifiedStream, n_workers: int) -> StatefulDataLoader:
    return StatefulDataLoader(partial(ReplayedIterator, stream, n_workers))


def installed_loader(stream: StratifiedStream, n_workers: int) -> Any:
    from torchdata.stateful_dataloader import StatefulDataLoader

    options: dict[str, Any] = {"multiprocessing_context": "fork"} if n_workers else {}
    return StatefulDataLoader(stream, batch_size=None, collate_fn=list, num_workers=n_workers, **options)


LOADERS = pytest.mark.parametrize(
    "make_loader", [replayed_loader, pytest.param(installed_loader, marks=installed("torchdata"))]
)


def epochs_from(epoch: int, count: int) -> list[Batches]:
    stream = make_stream()
    stream.set_epoch(epoch)
    return [list(stream) for _ in range(count)]


@LOADERS
@pytest.mark.parametrize("n_workers", [0, 2, pytest.param(4, marks=pytest.mark.thorough)])
def test_a_stream_resumes_exactly_wherever_it_was_saved(make_loader: Any, n_workers: int) -> None:
    """Before its loop, at the epoch that was set; within an epoch; and after it."""
    epochs = epochs_from(3, 3)
    places = [(epoch, consumed) for epoch in (0, 1) for consumed in (0, 1, 2, 5, len(epochs[0]) - 1, len(epochs[0]))]
    for epoch, consumed in [(0, -1), *some_of(places, 5), (1, None)]:
        stream, resumed = make_stream(), make_loader(make_stream(), n_workers)
        stream.set_epoch(3)
        saved = make_loader(stream, n_workers)
        if consumed is None:
            assert list(saved) == epochs[0]
            resumed.load_state_dict(saved.state_dict())
            assert list(resumed) == epochs[1]
            continue
        for before in range(epoch):
            assert list(saved) == epochs[before]
        if consumed >= 0:
            iterator = iter(saved)
            assert list(islice(iterator, consumed)) == epochs[epoch][:consumed]
        resumed.load_state_dict(saved.state_dict())
        assert [list(resumed), list(resumed)] == [epochs[epoch][max(consumed, 0) :], epochs[epoch + 1]]


@LOADERS
def test_a_resumed_stream_can_be_saved_again_before_any_worker_has_delivered(make_loader: Any) -> None:
    (expected,) = epochs_from(0, 1)
    loader, taken = make_loader(make_stream(), 2), []
    for consumed in (1, 0, 2, 0):
        taken += list(islice(iter(loader), consumed))
        state = loader.state_dict()
        loader = make_loader(make_stream(), 2)
        loader.load_state_dict(state)
    assert taken + list(loader) == expected


@LOADERS
def test_without_counts_every_row_is_delivered_once_wherever_it_was_saved(make_loader: Any) -> None:
    for consumed in some_of((0, 1, 3, 5), 2):
        saved = make_loader(declared(), 2)
        taken = list(islice(iter(saved), consumed))
        resumed = make_loader(declared(), 2)
        resumed.load_state_dict(saved.state_dict())
        assert sorted(row for batch in taken + list(resumed) for row in batch) == ALL_ROWS
