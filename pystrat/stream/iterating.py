"""One iteration over a stream: the lanes of a rank, or of one of its workers, in turn."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

from torch.utils.data import get_worker_info

from pystrat.stream.starting import Start

if TYPE_CHECKING:
    from pystrat.stream.dataset import StratifiedStream


class StreamIterator(Iterator[list[Any]]):
    """One iteration over the batches of a stream.

    Its epoch is determined when its first batch is requested. With n lanes, batch k of a rank is batch ``k // n`` of
    its lane ``k % n``. Worker w of W delivers the batches k0 + w, k0 + w + W, ... of an iteration that begins with
    batch k0: this is the order in which a DataLoader reads from its workers.

    An iterator can be saved and resumed on its own, as torchdata's StatefulDataLoader does in each worker.
    """

    def __init__(self, stream: StratifiedStream, iteration: int) -> None:
        self._stream = stream
        self._iteration = iteration  # see `SharedStart.enter`
        self._start: Optional[Start] = None  # of the whole iteration, the same in all its workers
        self._place: Optional[Start] = None  # of the next batch
        self._has_begun = False
        info: Any = get_worker_info()  # type: ignore[no-untyped-call]
        self._worker, self._step = (0, 1) if info is None else (info.id, info.num_workers)
        self._lanes: dict[int, Iterator[list[Any]]] = {}
        self._lock = RLock()  # threads take turns; a signal handler may save the state in the middle of a batch

    def __iter__(self) -> StreamIterator:
        return self

    def __next__(self) -> list[Any]:
        with self._lock:
            try:
                return self._next()
            except StopIteration:
                self._end()
                raise
            except BaseException:
                self._lanes = {}  # the next call reads this batch again: the lane that failed has not ended
                # The other workers go on, and no longer take turns with this one.
                if self._place is not None and self._step > 1:
                    self._stream._start.fail(self._place, self._worker)
                raise

    def _next(self) -> list[Any]:
        if not self._lanes:
            self._begin()
        assert self._place is not None
        n_lanes = self._stream._n_own_lanes
        for _ in range(n_lanes // self._step):  # until all lanes of this worker have ended
            epoch, batch = self._place
            found = next(self._lanes[batch % n_lanes], None)
            self._place = Start(epoch, batch + self._step)
            if found is not None:
                return found
        raise StopIteration

    def _begin(self) -> None:
        """Begin to read the lanes, at the loaded place or at the next place of the stream."""
        stream = self._stream
        epoch, first = self._found_place()
        if self._start is not None and not self._has_begun:
            stream._begin(self._start, self._worker)
            self._has_begun = True
        for batch in range(first, first + stream._n_own_lanes, self._step):
            lane, before = batch % stream._n_own_lanes, batch // stream._n_own_lanes
            self._lanes[lane] = stream._lane_batches(lane, epoch, before)

    def _found_place(self) -> Start:
        """Return the place of the next batch. Before the first batch, find where the iteration begins."""
        self._stream._check_workers(self._step)
        if self._place is None:
            self._start = self._stream._find_start(self._iteration)
            self._place = Start(self._start.epoch, self._start.batch + self._worker)
        return self._place

    def _end(self) -> None:
        """Note the end: without workers, the loop has taken all batches."""
        if self._start is not None:
            is_alone = self._iteration == 0
            (self._stream._start.leave if is_alone else self._stream._start.end)(self._start, self._worker)

    def __del__(self) -> None:
        if self._start is not None:
            self._stream._start.leave(self._start, self._worker)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the iteration, in the form of `StratifiedStream.state_dict`."""
        with self._lock:
            if self._iteration == 0 and self._place is None:
                return self._stream._state_at(self._stream._start.next)  # it may be set until the first batch
            return self._stream._state_at(self._found_place())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state, and set the next epoch of the stream to the one after it."""
        with self._lock:
            self._place = self._stream._place_of(state)
            self._start = None
            self._lanes = {}
            self._stream._start.run(self._place)
