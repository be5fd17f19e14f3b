"""One iteration over a stream, and the epoch that all processes that read it share."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

import torch
from torch.utils.data import get_worker_info

from pystrat.core.messages import refused_value, show
from pystrat.core.places import Place

if TYPE_CHECKING:
    from pystrat.stream.dataset import StratifiedStream

_BATCHES = 2**32  # a place is one number, so that it is read and written at once


class SharedEpoch:
    """Where the next iteration begins, in memory that the workers of a DataLoader share.

    Without workers, the next epoch is one higher as soon as an iteration begins. With workers, it is one higher once
    all of them have delivered the epoch: they all begin at the same place, at whatever time. If a loop leaves an epoch
    before its end, only ``set_epoch()`` says whether it is to come again.
    """

    def __init__(self, most_workers: int) -> None:
        # Of each worker, twice the epoch that it began, plus 1 once it has ended it; 1 after a warning; the next place.
        self.__setstate__({"_numbers": torch.tensor([-1] * (most_workers + 1) + [0])})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._numbers = state["_numbers"].share_memory_()  # shared already in a spawned worker

    @property
    def next(self) -> Place:
        """Where the next iteration begins."""
        return Place(*divmod(int(self._numbers[-1]), _BATCHES))

    def go_on_at(self, place: Place) -> None:
        self._numbers[-1] = place.epoch * _BATCHES + place.batch

    def set(self, place: Place) -> None:
        """Set the place at which the next iteration begins, by the user."""
        self._numbers[:-2] = -1
        self.go_on_at(place)

    def begin(self, epoch: int, worker: Optional[int]) -> None:
        """Note that a worker begins an epoch; without workers, go on to the next one."""
        if worker is None:
            return self.go_on_at(Place(epoch + 1, 0))
        if int(self._numbers[worker]) >> 1 == epoch and int(self._numbers[-2]) < 0:
            self._numbers[-2] = 1
            warnings.warn(
                f"Epoch {epoch} of the stream was begun before, and comes again: with workers, a loop that leaves an "
                "epoch before its end calls set_epoch() before the next iteration.",
                stacklevel=4,
            )
        self._numbers[worker] = 2 * epoch

    def end(self, epoch: int, worker: Optional[int], n_workers: int) -> None:
        """Note that a worker has delivered its last batch of an epoch; after the last worker, go on to the next one."""
        if worker is None:
            return
        self._numbers[worker] = 2 * epoch + 1
        if self.next.epoch == epoch and bool((self._numbers[:n_workers] == 2 * epoch + 1).all()):
            self.set(Place(epoch + 1, 0))


class StreamIterator(Iterator[list[Any]]):
    """One iteration over the batches of a stream, which can be saved and resumed on its own.

    With n lanes, batch k of a rank is batch ``k // n`` of its lane ``k % n``. Worker w of W delivers the batches
    k0 + w, k0 + w + W, ... of an iteration that begins with batch k0: so a DataLoader reads from its workers.
    """

    def __init__(self, stream: StratifiedStream) -> None:
        self._stream = stream
        info: Any = get_worker_info()  # type: ignore[no-untyped-call]
        self._worker: Optional[int] = None if info is None else info.id
        self._step: int = 1 if info is None else info.num_workers
        self._place: Optional[Place] = None  # of the next batch, once it is known
        self._lanes: dict[int, Iterator[list[Any]]] = {}
        # A DataLoader asks all workers for iterators at the same time, and for first batches at different times.
        self._first = None if info is None else self._first_place()

    def __next__(self) -> list[Any]:
        n_lanes = self._stream._n_own_lanes
        if not self._lanes:
            self._begin()
        try:
            for _ in range(n_lanes // self._step):  # until all lanes of this worker have ended
                assert self._place is not None
                epoch, batch = self._place[:2]
                found = next(self._lanes[batch % n_lanes], None)
                self._place = Place(epoch, batch + self._step)
                if found is not None:
                    return found
        except BaseException:
            self._lanes = {}  # the next call reads this batch again: the lane that failed has not ended
            raise
        self._place = Place(epoch, self._stream._length_of(epoch))
        self._stream._shared.end(epoch, self._worker, self._step)
        raise StopIteration

    def _begin(self) -> None:
        """Begin to read the lanes, at the loaded place or at the next place of the stream."""
        stream = self._stream
        if self._place is None:
            self._place = self._first or self._first_place()
            stream._check_epoch(self._place.epoch)
            stream._warn_of_process_group(stacklevel=4)
            stream._shared.begin(self._place.epoch, self._worker)
        epoch, first = self._place[:2]
        n_lanes, drawn = stream._n_own_lanes, stream._lanes.draw(epoch)
        for batch in range(first, first + n_lanes, self._step):
            lane, done = batch % n_lanes, batch // n_lanes
            batches = stream._lane_batches(lane, epoch, drawn, done)
            self._lanes[lane] = batches if stream._is_counted else islice(batches, done, None)

    def _first_place(self) -> Place:
        """Return where this worker begins if the iteration begins at the next place of the stream."""
        stream = self._stream
        if stream._n_own_lanes % self._step:
            required = f"be a multiple of {stream._stride * self._step}, the number of ranks times that of workers"
            raise refused_value("lanes", required, show(stream._lanes.n_lanes))
        epoch, batch = stream._shared.next[:2]
        return Place(epoch, batch + (self._worker or 0))

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the iteration, as `StratifiedStream.state` makes it."""
        return self._stream._state(self._place or self._first or self._first_place())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state; the next epoch of the stream is the one after it."""
        self._place = self._stream._place(state)
        self._lanes = {}
        is_over = self._worker is None or state["batch"] == self._stream._epoch_length(self._place.epoch)
        self._stream._shared.go_on_at(Place(self._place.epoch + is_over, 0))
