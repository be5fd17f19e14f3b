"""What torchdata's StatefulDataLoader does to a stream: the real one if it is installed, and a replay of it.

The replay does in this process, in the order of torchdata's source, what its workers do to the stream and to its
iterators, and nothing else; the version read is in docs/training-libraries.md.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any, Optional
from unittest import mock

import pytest

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


class ReplayedIterator:
    """The iterator of a StatefulDataLoader: workers take turns, and it has the state of the batches that were taken.

    Each worker makes its iterator, and loads its state if there is one, before any of them is asked for a batch.
    """

    def __init__(self, stream: StratifiedStream, n_workers: int, state: Optional[dict[str, Any]]) -> None:
        self.last = -1 if state is None else state["last"]  # the worker that delivered last
        self.finished = state is not None and state["finished"]
        self.iterators: list[Any] = []
        self.ended: set[int] = set()  # workers
        workers = [SimpleNamespace(id=worker, num_workers=n_workers) for worker in range(n_workers)]
        for worker, info in enumerate(workers or [None]):
            with mock.patch("pystrat.stream.iterating.get_worker_info", return_value=info):
                self.iterators.append(iter(stream))
            if state is not None:
                self.iterators[worker].load_state_dict(state["states"][worker])

    def __iter__(self) -> ReplayedIterator:
        return self

    def __next__(self) -> list[Row]:
        while len(self.ended) < len(self.iterators):
            self.last = (self.last + 1) % len(self.iterators)
            batch = None if self.last in self.ended else next(self.iterators[self.last], None)
            if batch is not None:
                return batch  # type: ignore[no-any-return]
            self.ended.add(self.last)
        self.finished = True
        raise StopIteration

    def state_dict(self) -> dict[str, Any]:
        states = [iterator.state_dict() for iterator in self.iterators]
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
