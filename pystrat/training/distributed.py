"""Samplers of other libraries, divided among processes and resumable."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.base import BatchSampler
from pystrat.core.batches import Batches
from pystrat.core.digest import fingerprint_of
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import check_flag, check_integer, check_iterable, count_of, is_iterable
from pystrat.core.messages import refused_type, refused_value, show
from pystrat.core.row_arguments import check_positions
from pystrat.core.seeds import epoch_seed

_REQUIRED = "be an iterable of rows or of batches, each time that it is iterated over"


def distribute(
    sampler: Any,
    *,
    batch_size: Optional[int] = None,
    drop_last: bool = False,
    seed: Optional[int] = None,
    num_replicas: Optional[int] = None,
    rank: Optional[int] = None,
) -> BatchSampler:
    """Divide the batches of any sampler among processes, with epochs and states as the samplers of this package have.

    Each process draws the whole epoch with the same random numbers and keeps its part. Epochs differ in length if those
    of the sampler do.

    Parameters
    ----------
    sampler : iterable
        Yields row positions, as a `torch.utils.data.Sampler` does, or batches of them, each time that it is iterated
        over. It draws from torch's own generator, which is seeded for the epoch and then set back, or has a method
        ``set_epoch``, which is called before each epoch. Epoch 0 is drawn twice to check that it is the same.
    batch_size : int, optional
        The largest number of rows in a batch; one more if some replicas would have no row otherwise. Required if
        `sampler` yields rows, else not allowed.
    drop_last : bool, default False
        What happens to rows or batches that cannot be divided evenly. If False and `sampler` yields rows, an epoch has
        every row once, in batches whose sizes differ by at most one. If False and it yields batches, the first ones are
        repeated. If True, the last ones are left out, and batches of rows all have `batch_size` rows.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`.

    Examples
    --------
    >>> from torch.utils.data import SubsetRandomSampler
    >>> from pystrat import distribute
    >>> sampler = SubsetRandomSampler(range(6))
    >>> parts = [distribute(sampler, batch_size=2, seed=1, num_replicas=2, rank=rank) for rank in (0, 1)]
    >>> sorted(row for part in parts for batch in part for row in batch)
    [0, 1, 2, 3, 4, 5]
    """
    return _Distributed(sampler, batch_size, drop_last, seed=seed, num_replicas=num_replicas, rank=rank)


class _Distributed(BatchSampler):
    """The batches of another sampler; `distribute` describes the parameters."""

    def __init__(self, sampler: Any, batch_size: Any, drop_last: Any, **shared: Any) -> None:
        super().__init__(**shared)
        check_iterable(sampler, "sampler", required=_REQUIRED)
        if hasattr(sampler, "num_replicas"):
            advice = "Pass 'num_replicas' and 'rank' to the sampler itself."
            required = "be of a library that does not divide it among processes"
            raise refused_type("sampler", required, f"one of class '{type(sampler).__name__}'", advice)
        self._source, self._drop_last = sampler, check_flag(drop_last, "drop_last")
        self._batch_size = None if batch_size is None else check_integer(batch_size, "batch_size", minimum=1)
        first, again = self._draw(0), self._draw(0)
        if not (np.array_equal(first.rows, again.rows) and np.array_equal(first.offsets, again.offsets)):
            required = "yield the same batches again if torch's random numbers are the same"
            raise refused_value("sampler", required, "others", "Give it a method set_epoch().")
        drawn = fingerprint_of(rows=first.rows, offsets=first.offsets)
        self._known_fingerprint = f"kind=distributed seed={self._seed} {drawn}"
        self._drawn = 0, first

    def _draw(self, epoch: int) -> Batches:
        """Return the batches of an epoch in global order."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(epoch_seed(self._seed, epoch))
            if callable(getattr(self._source, "set_epoch", None)):
                self._source.set_epoch(epoch)
            items = list(self._source)
        if not items:
            raise refused_value("sampler", _REQUIRED, "no items")
        are_rows = getattr(items[0], "ndim", None) == 0 or not is_iterable(items[0])
        if are_rows == (self._batch_size is None):
            required = "be given if 'sampler' yields rows, and not if it yields batches"
            raise refused_value("batch_size", required, show(self._batch_size))
        found = self._cut(check_positions(items, MAX_COUNT, "sampler")) if are_rows else self._whole(items)
        return Batches(check_positions(found.rows, MAX_COUNT, "sampler").astype(np.int32), found.offsets)

    def _cut(self, rows: NDArray[np.int64]) -> Batches:
        """Cut the rows of an epoch into batches whose number is a multiple of the replicas."""
        n_rows, n_replicas, size = len(rows), self._num_replicas or 1, self._batch_size or 1
        most = n_rows // (size * n_replicas)
        n_steps = most if self._drop_last else min(-(-n_rows // (size * n_replicas)), n_rows // n_replicas)
        if n_steps == 0:
            required = f"yield rows for {count_of(n_replicas, 'batch')}" + f" of {size} rows" * self._drop_last
            raise refused_value("sampler", required, count_of(n_rows, "row"))
        n_batches = n_steps * n_replicas
        rows = rows[: n_batches * size] if self._drop_last else rows
        return Batches(rows, np.arange(n_batches + 1, dtype=np.int64) * len(rows) // n_batches)

    def _whole(self, batches: list[Any]) -> Batches:
        """Repeat or leave out batches, so that their number is a multiple of the replicas."""
        n_replicas, n_found = self._num_replicas or 1, len(batches)
        n_batches = (n_found if self._drop_last else n_found + n_replicas - 1) // n_replicas * n_replicas
        if n_batches == 0:
            required = f"yield at least {count_of(n_replicas, 'batch')}, one for each replica"
            raise refused_value("sampler", required, count_of(n_found, "batch"))
        return Batches.gather((batches[place % n_found] for place in range(n_batches)), "sampler")

    def _epoch_batches(self, epoch: int) -> Batches:
        if self._drawn[0] != epoch:
            self._drawn = epoch, self._draw(epoch)
        return Batches(self._drawn[1].rows.copy(), self._drawn[1].offsets)

    def _epoch_length(self, epoch: int) -> int:
        return len(self._epoch_batches(epoch))

    def _global_length(self) -> int:
        return self._epoch_length(self.epoch)
