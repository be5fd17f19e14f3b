"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete.

Both classes accept chunks of rows with their stratum codes. The same rows in the same order make the same batches,
however they are cut into chunks.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]


def last_batch_of(ranks: Counts, totals: Counts, n_batches: int) -> Counts:
    """Return the batches, from 0, of rows with these ranks, from 1, in their strata: ceil(i * B / n) - 1."""
    batches: Counts = (ranks * n_batches - 1) // totals
    return batches


def n_complete(seen: Counts, totals: Counts, n_batches: int) -> Counts:
    """Return the number of complete batches after `seen` rows of each stratum; strata are the last axis."""
    complete: Counts = np.minimum(((seen + 1) * n_batches - 1) // totals, n_batches).min(axis=-1)
    return complete


class CountedBatches:
    """Batches of a lane with known counts: each has a contiguous share of the rows of every stratum.

    The i-th of the n rows of a stratum belongs to batch ceil(i * B / n), so that each batch has the floor or ceiling of
    n / B of them. A batch is complete as soon as its last row has been read.

    Parameters
    ----------
    totals : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum in the lane.
    n_batches : int
    first : int
        The first batch to deliver, from 0. Rows of earlier batches are dropped.
    """

    def __init__(self, totals: Counts, n_batches: int, first: int) -> None:
        self._totals = totals
        self._n_batches = n_batches
        self._first = self._next = first
        self._seen = np.zeros(len(totals), dtype=np.int64)
        self._held: dict[int, dict[int, list[Any]]] = {}  # rows by batch and by stratum, of batches that are incomplete

    def skip(self, counts: Counts) -> bool:
        """Skip a source with these counts if no remaining batch needs it; return whether it was skipped.

        A source without rows is skipped only in a resumed epoch: others check that it has none.
        """
        came = counts > 0
        if not came.any():
            return self._first > 0
        after = self._seen + counts
        if (last_batch_of(after, self._totals, self._n_batches)[came] >= self._next).any():
            return False
        self._seen = after
        return True

    def add(self, rows: Sequence[Any], codes: NDArray[Any]) -> None:
        """Deal the rows of a chunk."""
        places = np.argsort(codes, kind="stable").tolist()
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        begin = 0
        for code, count in zip(present.tolist(), counts[present].tolist()):
            self._deal(code, [rows[place] for place in places[begin : begin + count]])
            begin += count

    def _deal(self, code: int, rows: list[Any]) -> None:
        """Deal rows of one stratum."""
        batch = int(last_batch_of(self._seen[code] + 1, self._totals[code], self._n_batches))
        total, seen = int(self._totals[code]), int(self._seen[code])
        begin = 0
        while begin < len(rows):
            end = (batch + 1) * total // self._n_batches - seen  # the last row of a batch has the rank floor(b * n / B)
            if batch >= self._next:
                self._held.setdefault(batch, {}).setdefault(code, []).extend(rows[begin:end])
            begin, batch = end, batch + 1
        self._seen[code] += len(rows)

    def finished(self) -> Iterator[list[Any]]:
        """Iterate over the complete batches. Their rows are ordered by stratum, then as they were read."""
        until = int(n_complete(self._seen, self._totals, self._n_batches))
        while self._next < until:
            yield self._take_next()

    def _take_next(self) -> list[Any]:
        held = self._held.pop(self._next)
        self._next += 1
        batch, *others = [held[code] for code in sorted(held)]
        batch.extend(chain.from_iterable(others))
        return batch


class DeclaredBatches:
    """Batches of a lane without counts: a batch is cut as soon as it has enough rows of each stratum.

    Parameters
    ----------
    n_strata : int
    min_samples_per_stratum, min_batch_size : int
        The number of rows of each stratum, and of all rows, that a batch needs before it is cut.
    first : int
        The first batch to deliver, from 0.

    Notes
    -----
    The batch that was cut last is held back, because the rows left at the end of the stream are added to it.
    """

    def __init__(self, n_strata: int, min_samples_per_stratum: int, min_batch_size: int, first: int) -> None:
        self._least = np.full(n_strata, min_samples_per_stratum, dtype=np.int64)
        self._min_batch_size = min_batch_size
        self._n_unwanted = first
        self._rows: list[Any] = []  # of the batch that is held back, and then of the next batch
        self._codes = np.empty(0, dtype=np.int64)
        self._begin = 0  # of the next

    def add(self, rows: Sequence[Any], codes: NDArray[Any]) -> Iterator[list[Any]]:
        """Add the rows of a chunk; iterate over the batches that are cut, except for the last one."""
        self._rows.extend(rows)
        self._codes = np.concatenate((self._codes, codes))
        places = [np.flatnonzero(self._codes == code) for code in range(len(self._least))]
        done = 0
        while (end := self._end_of_batch(places)) <= len(self._rows):
            if self._begin > done:
                yield from self._wanted(done, self._begin)
            done, self._begin = self._begin, end
        self._rows, self._codes, self._begin = self._rows[done:], self._codes[done:], self._begin - done

    @property
    def has_cut(self) -> bool:
        """Whether a batch is held back."""
        return self._begin > 0

    def close(self) -> Iterator[list[Any]]:
        """Iterate over the last batch, at the end of the stream; none if no batch could be cut."""
        if self.has_cut:
            yield from self._wanted(0, len(self._rows))

    def _end_of_batch(self, places: list[NDArray[np.int64]]) -> int:
        """Return the end of the next batch; a number above that of the rows if it is not complete."""
        ends = [self._begin + self._min_batch_size]
        for least, found in zip(self._least.tolist(), places):
            last = int(np.searchsorted(found, self._begin)) + least - 1
            ends.append(int(found[last]) + 1 if last < len(found) else len(self._rows) + 1)
        return max(ends)

    def _wanted(self, begin: int, end: int) -> Iterator[list[Any]]:
        """Iterate over the batch of these rows, if it is to be delivered. Rows are ordered by stratum, then as read."""
        if self._n_unwanted:
            self._n_unwanted -= 1
        else:
            order = begin + np.argsort(self._codes[begin:end], kind="stable")
            yield [self._rows[place] for place in order.tolist()]

    def missing(self) -> list[int]:
        """Return the codes of the strata that have too few rows in the next batch so far."""
        counts = np.bincount(self._codes[self._begin :], minlength=len(self._least))
        missing: list[int] = np.flatnonzero(counts < self._least).tolist()
        return missing

    @property
    def n_held(self) -> int:
        """The number of rows that are not yet in a batch, or in the batch that is held back."""
        return len(self._rows)
