"""Where the iterations of a stream begin, shared by all processes that read it.

The workers of a DataLoader read copies of the stream. Each iteration takes one epoch number, and the next number is
then one higher in all copies, because the numbers are in shared memory.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, NamedTuple, Optional
from weakref import WeakSet

import torch
from torch.utils.data import get_worker_info

_BATCHES = 2**32  # a place is one number, so that it is read and written at once
_GENERATIONS = 1024  # the number of places that are kept; a worker must begin before 1,024 later ones are set
_ITERATIONS = 4  # the number of iterations whose marks a worker keeps; fewer begin at a time
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
    All workers of an iteration must begin at the same place, although the first of them advances the next place. Each
    worker therefore stores the place at which it began, and the mark of the iteration. It keeps those of the last few
    iterations, since another one may begin before all workers of this one have begun. A worker first reads the next
    place and then looks for its mark. If there is none, no worker of its iteration had advanced the place that it read.

    A mark is derived from the seed of the DataLoader, so iterations with equal seeds have equal marks. A worker
    therefore ignores two kinds of places. The first are those up to the one at which it last began with this mark. The
    second are those from before its process was started, because a DataLoader requests batches only after it has
    started all its workers. Places have increasing turns, so that a process knows which are from before. Two iterations
    that begin at the same time with equal seeds are still mixed up.

    A worker can begin late, when the loop has already set another place for the next iteration. So each place that is
    set begins a generation, and a worker changes only the places of its own. A new worker is a copy of the stream that
    was made when its iteration began, and has the generation of that time. A persistent worker looks it up.
    """

    def __init__(self, n_workers: int) -> None:
        self._generation = 0
        self._has_iterated = False
        self._newest = _shared(torch.zeros(1, dtype=torch.int64))
        self._next = _shared(torch.zeros(_GENERATIONS, dtype=torch.int64))
        self._running = _shared(torch.full((_GENERATIONS,), _NONE, dtype=torch.int64))
        self._failed = _shared(torch.full((n_workers, 2), _NONE, dtype=torch.int64))  # generation and place
        self._marks = _shared(torch.full((n_workers, _ITERATIONS, 3), _NONE, dtype=torch.int64))
        self._turn_at_start = _NONE  # the last turn before this process was started
        _watch_forks(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_turn_at_start": self._last_turn}  # a new process may be started with this copy

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, part in state.items():
            self.__dict__[name] = _shared(part) if isinstance(part, torch.Tensor) else part
        _watch_forks(self)

    def before_fork(self) -> None:
        """Note the last turn, for the process that is forked."""
        self._turn_at_start = self._last_turn

    @property
    def _last_turn(self) -> int:
        return int(self._marks[:, :, 2].max())

    @property
    def next(self) -> Start:
        """Where the next iteration begins."""
        return _start(int(self._next[self._slot]))

    @property
    def running(self) -> Optional[Start]:
        """Where the running iteration began; None before one, and after the next place was set."""
        number = int(self._running[self._slot])
        return None if number == _NONE else _start(number)

    @property
    def failed(self) -> Optional[Start]:
        """The first batch of the running iteration that a worker failed to make, if there is one."""
        return min(self._of_running_iteration(self._failed.tolist()), default=None)

    def _of_running_iteration(self, failed: list[list[int]]) -> list[Start]:
        """Return the places, of pairs of a generation and a place, that belong to the running iteration."""
        running = self.running
        places = [_start(number) for generation, number in failed if generation == self._generation]
        return [place for place in places if running and place.epoch == running.epoch]

    @property
    def _slot(self) -> int:
        return self._generation % _GENERATIONS

    def set(self, start: Start) -> None:
        """Set the place at which the next iteration begins."""
        is_worker = _is_worker()
        if not is_worker:  # workers all set the same place, of their own iteration
            self._generation += 1
        self._running[self._slot] = _NONE
        self._next[self._slot] = _number(start)
        if not is_worker:
            self._newest.fill_(self._generation)

    def enter(self) -> None:
        """Take part in the newest generation, before each iteration; in that of the copy before a worker's first."""
        if _is_worker() and self._has_iterated:
            self._generation = int(self._newest)
        self._has_iterated = _is_worker()

    def begin(self, mark: Optional[int] = None, worker: int = 0) -> Start:
        """Begin an iteration, or take part in one that another worker has begun.

        Parameters
        ----------
        mark : int, optional
            The same for all workers of an iteration; None without workers.
        worker : int, default 0
        """
        start = self.next
        if mark is not None:
            start = self._join(hash((mark, self._generation)), worker, start)
        if self.next <= start:  # unless another worker has moved it on, maybe for a further iteration
            self.run(start)
        return start

    def _join(self, mark: int, worker: int, start: Start) -> Start:
        """Return where the iteration of a mark begins, `start` for its first worker, and leave it for the others."""
        marks: list[list[list[int]]] = self._marks.tolist()
        new = [
            [number for known, number, turn in left if known == mark and turn > self._turn_at_start] for left in marks
        ]
        own_last = max(new[worker], default=_NONE)
        found = [number for left in new for number in left if number > own_last]
        if found:
            start = _start(max(found))
        own, _, turns = zip(*marks[worker])
        written = self._marks[worker, own.index(mark) if mark in own else turns.index(min(turns))]
        written[0] = _NONE  # the mark comes last, since the others may read it at any time
        written[1], written[2] = _number(start), self._last_turn + 1
        written[0] = mark
        return start

    def run(self, start: Start) -> None:
        """Note where the running iteration began; the next one begins with the next epoch."""
        self._running[self._slot] = _number(start)
        self._next[self._slot] = _number(Start(start.epoch + 1, 0))

    def fail(self, place: Start, worker: int) -> None:
        """Note the first batch of the running iteration that a worker failed to make."""
        written = self._failed[worker]
        places = self._of_running_iteration([written.tolist(), [self._generation, _number(place)]])
        if places:
            written[0] = _NONE  # the generation comes last, since the main process may read it at any time
            written[1] = _number(min(places))
            written[0] = self._generation


_watched: WeakSet[SharedStart] = WeakSet()  # of this process


def _watch_forks(start: SharedStart) -> None:
    """Call `before_fork` before this process forks."""
    if hasattr(os, "register_at_fork"):
        _register_at_fork()
        _watched.add(start)


@lru_cache(maxsize=None)  # once
def _register_at_fork() -> None:
    os.register_at_fork(before=_before_fork)


def _before_fork() -> None:
    if not _is_worker():  # what a worker forks is no worker of the same DataLoader
        for start in _all_watched():
            start.before_fork()


def _all_watched() -> list[SharedStart]:
    while True:
        try:
            return list(_watched)
        except RuntimeError:  # another thread has made a stream meanwhile
            continue


def _is_worker() -> bool:
    """Return whether this process is a worker of a DataLoader."""
    return get_worker_info() is not None  # type: ignore[no-untyped-call]


def _shared(tensor: torch.Tensor) -> torch.Tensor:
    """Move a tensor to memory that other processes share, unless it is there."""
    shared: torch.Tensor = tensor.share_memory_()  # type: ignore[no-untyped-call]
    return shared


def _number(start: Start) -> int:
    return start.epoch * _BATCHES + start.batch


def _start(number: int) -> Start:
    return Start(*divmod(number, _BATCHES))
