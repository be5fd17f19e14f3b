"""Where the iterations of a stream begin, shared by all processes that read it.

The workers of a DataLoader read copies of the stream. Each iteration takes one epoch number, and the next number is
then one higher in all copies, because the numbers are in shared memory.
"""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import Any, NamedTuple, Optional
from weakref import WeakValueDictionary

import torch
from torch.utils.data import get_worker_info

_BATCHES = 2**32  # a place is one number, so that it is read and written at once
_GENERATIONS = 1024  # the number of places that are kept; a worker must begin before 1,024 later ones are set
_MARKS = 64  # the number of iterations of persistent workers that are kept
_NONE = -1


class Start(NamedTuple):
    """Where an iteration begins: an epoch, and the first of this rank's batches in it."""

    epoch: int
    batch: int


class SharedStart:
    """Where the next iteration begins, and where the running one began.

    Parameters
    ----------
    n_workers : int
        The most workers that can read the stream at the same time.

    Notes
    -----
    All workers of an iteration must begin at the same place, although the first of them advances the next place. In the
    first iteration of a worker, this is the next place at the time when its process was started, because a DataLoader
    requests batches only after it has started all its workers. A later iteration of a persistent worker has a mark,
    which all its workers compute alike. The first of them stores the next place under this mark, before it advances it.
    A worker first reads the next place and then looks for its mark. If there is none, no worker of its iteration had
    advanced the place that it read.

    A worker can begin late, when the loop has already set another place for the next iteration. So each place that is
    set begins a generation, and a worker changes only the places of its own. A new worker is a copy of the stream that
    was made when its iteration began, and has the generation of that time. A persistent worker looks it up.
    """

    def __init__(self, n_workers: int) -> None:
        self._generation = 0
        self._at_process_start = Start(0, 0)
        self._n_iterations = 0  # of this process, if it is a worker
        self._newest = _shared(torch.zeros(1, dtype=torch.int64))
        # For each generation twice the place, plus 1 once it has begun.
        self._places = _shared(torch.zeros(_GENERATIONS, dtype=torch.int64))
        self._marks = _shared(torch.full((_MARKS, 2), _NONE, dtype=torch.int64))
        # For each worker twice the start of its iteration, plus 1 at its end.
        self._readers = _shared(torch.full((n_workers,), _NONE, dtype=torch.int64))
        self._failed = _shared(torch.full((n_workers, 2), _NONE, dtype=torch.int64))  # generation and place
        _watch_forks(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_at_process_start": self.next}  # a new process may be started with this copy

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, part in state.items():
            self.__dict__[name] = _shared(part) if isinstance(part, torch.Tensor) else part
        _watch_forks(self)

    def before_fork(self) -> None:
        """Note the next place, for the process that is forked."""
        self._at_process_start = self.next

    @property
    def _slot(self) -> int:
        return self._generation % _GENERATIONS

    def places(self) -> tuple[Optional[Start], Start]:
        """Return where the running iteration began, and where the next one begins, as of the same time.

        The former is None before the first iteration, and after the next place was set.
        """
        number, has_begun = divmod(int(self._places[self._slot]), 2)
        place = _start(number)
        return (place, Start(place.epoch + 1, 0)) if has_begun else (None, place)

    @property
    def next(self) -> Start:
        """Where the next iteration begins."""
        return self.places()[1]

    @property
    def failed(self) -> Optional[Start]:
        """The first batch of the running iteration that a worker failed to make, if there is one."""
        return min(self._of_running_iteration(self._failed.tolist()), default=None)

    def _of_running_iteration(self, failed: list[list[int]]) -> list[Start]:
        """Return the places, of pairs of a generation and a place, that belong to the running iteration."""
        running, _ = self.places()
        places = [_start(number) for generation, number in failed if generation == self._generation]
        return [place for place in places if running and place.epoch == running.epoch]

    def set(self, start: Start) -> None:
        """Set the place at which the next iteration begins."""
        is_worker = get_worker_info() is not None  # type: ignore[no-untyped-call]
        if is_worker:  # workers all set the same place, of their own iteration
            self._at_process_start = start
        else:
            self._generation += 1
        self._places[self._slot] = 2 * _number(start)
        if not is_worker:
            self._newest.fill_(self._generation)

    def enter(self) -> int:
        """Take part in a new iteration, and return its number in this worker, from 1; 0 without workers.

        The first iteration of a worker has the generation of the copy, the others have the newest one.
        """
        if get_worker_info() is None:  # type: ignore[no-untyped-call]
            self._readers[0] = _NONE  # an iterator of this process that was left before its end
            return 0
        self._n_iterations += 1
        if self._n_iterations > 1:
            self._generation = int(self._newest)
        return self._n_iterations

    def find(self, iteration: int) -> Start:
        """Return where the iteration of this number begins, the same in all its workers."""
        if iteration < 2:
            return self._at_process_start if iteration else self.next
        info: Any = get_worker_info()  # type: ignore[no-untyped-call]
        mark = hash((info.seed - info.id, info.num_workers, self._generation, self._at_process_start, iteration))
        start = self.next
        kept = self._marks[mark % _MARKS]
        if int(kept[0]) == mark:
            return _start(int(kept[1]))
        kept[0] = _NONE  # the mark comes last, since the others may read it at any time
        kept[1] = _number(start)
        kept[0] = mark
        return start

    def begin(self, start: Start, worker: int) -> None:
        """Begin to read from a place; unless another worker did, the next iteration begins with the next epoch."""
        self._readers[worker] = 2 * _number(start)  # before the place: see `is_over`
        if self.next <= start:  # it may have been moved on for a further iteration
            self.run(start)

    def run(self, start: Start) -> None:
        """Note where the running iteration began; the next one begins with the next epoch."""
        self._places[self._slot] = 2 * _number(start) + 1

    def end(self, start: Start, worker: int) -> None:
        """Note that a worker has made its last batch. The loop may still have to take it."""
        if self._reads(start, worker):
            self._readers[worker] = 2 * _number(start) + 1

    def leave(self, start: Start, worker: int) -> None:
        """Note that a worker, or the process without workers, no longer takes part in an iteration."""
        if self._reads(start, worker):
            self._readers[worker] = _NONE

    def _reads(self, start: Start, worker: int) -> bool:
        """Return whether the iteration that this worker of any loader began last is the one from a place."""
        return int(self._readers[worker]) >> 1 == _number(start)

    def is_over(self, start: Start) -> bool:
        """Return whether no process reads the iteration that began at a place, because it ended or was abandoned.

        Workers that are killed count as reading. Persistent workers leave when they begin another iteration. It may
        have been requested just now, so they are given a moment: half a second if they have made all their batches.
        """
        for waited in range(50):
            reading = [number & 1 for number in self._readers.tolist() if number >> 1 == _number(start)]
            if not reading:
                return True
            if waited > 1 and not all(reading):
                return False
            time.sleep(0.01)
        return False

    def fail(self, place: Start, worker: int) -> None:
        """Note the first batch of the running iteration that a worker failed to make, and may try again."""
        noted = self._failed[worker]
        known = self._of_running_iteration([noted.tolist()])
        failed = self._of_running_iteration([[self._generation, _number(place)]])
        if failed and (not known or failed < known):  # the same batch again would be missing while it is written
            noted[0] = _NONE  # the generation comes last, since the main process may read it at any time
            noted[1] = _number(place)
            noted[0] = self._generation


_watched: WeakValueDictionary[int, SharedStart] = WeakValueDictionary()  # of this process


def _watch_forks(start: SharedStart) -> None:
    """Call `before_fork` before this process forks."""
    if hasattr(os, "register_at_fork"):
        _register_at_fork()
        _watched[id(start)] = start


@lru_cache(maxsize=None)  # once
def _register_at_fork() -> None:
    os.register_at_fork(before=_before_fork)


def _before_fork() -> None:
    if get_worker_info() is None:  # type: ignore[no-untyped-call]  # what a worker forks is no worker of a DataLoader
        for reference in _watched.valuerefs():  # a list, since another thread may make a stream meanwhile
            start = reference()
            if start is not None:
                start.before_fork()


def _shared(tensor: torch.Tensor) -> torch.Tensor:
    """Move a tensor to memory that other processes share, unless it is there."""
    shared: torch.Tensor = tensor.share_memory_()  # type: ignore[no-untyped-call]
    return shared


def _number(start: Start) -> int:
    return start.epoch * _BATCHES + start.batch


def _start(number: int) -> Start:
    return Start(*divmod(number, _BATCHES))
