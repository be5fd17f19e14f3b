"""Where the iterations of a stream begin, shared by all processes that read it.

The workers of a DataLoader read copies of the stream. Each iteration takes one epoch number, and the next number is
then one higher in all copies, because the numbers are in shared memory.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch.utils.data import get_worker_info

_BATCHES = 2**32  # a place is one number, so that it is read and written at once
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
    worker therefore stores the place at which it began, with the mark of the iteration. A worker first reads the next
    place and then looks for its mark. If there is none, no worker of its iteration had advanced the place that it read.

    A mark is derived from the seed of the DataLoader, so iterations with equal seeds have equal marks. A worker
    therefore ignores places up to the one at which it last began with this mark: they are from an earlier iteration.
    """

    def __init__(self, n_workers: int) -> None:
        self._next = _shared(torch.zeros(1, dtype=torch.int64))
        self._running = _shared(torch.full((1,), _NONE, dtype=torch.int64))
        self._marks = _shared(torch.full((n_workers, 2), _NONE, dtype=torch.int64))

    def __setstate__(self, state: dict[str, torch.Tensor]) -> None:
        self.__dict__.update({name: _shared(tensor) for name, tensor in state.items()})

    @property
    def next(self) -> Start:
        """Where the next iteration begins."""
        return _start(int(self._next))

    @property
    def running(self) -> Optional[Start]:
        """Where the running iteration began; None before one, and after the next place was set."""
        number = int(self._running)
        return None if number == _NONE else _start(number)

    def set(self, start: Start) -> None:
        """Set the place at which the next iteration begins."""
        if get_worker_info() is None:  # type: ignore[no-untyped-call]  # a worker would erase the marks of the others
            self._marks.fill_(_NONE)
        self._running.fill_(_NONE)
        self._next.fill_(_number(start))

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
            marks = self._marks.tolist()
            former = marks[worker][1] if marks[worker][0] == mark else _NONE
            found = [number for known, number in marks if known == mark and number > former]
            if found:
                start = _start(max(found))
            self._marks[worker, 1] = _number(start)
            self._marks[worker, 0] = mark
        self.run(start)
        return start

    def run(self, start: Start) -> None:
        """Note where the running iteration began; the next one begins with the next epoch."""
        self._running.fill_(_number(start))
        self._next.fill_(_number(Start(start.epoch + 1, 0)))


def _shared(tensor: torch.Tensor) -> torch.Tensor:
    """Move a tensor to memory that other processes share, unless it is there."""
    shared: torch.Tensor = tensor.share_memory_()  # type: ignore[no-untyped-call]
    return shared


def _number(start: Start) -> int:
    return start.epoch * _BATCHES + start.batch


def _start(number: int) -> Start:
    return Start(*divmod(number, _BATCHES))
