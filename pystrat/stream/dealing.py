"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete.

Both classes accept chunks of rows with their stratum codes. The same rows in the same order make the same batches,
however they are cut into chunks.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence

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
        self._least = min_samples_per_stratum
        self._min_batch_size = min_batch_size
        self._n_unwanted = first
        self._cut: Optional[_Rows] = None  # the batch that is held back
        self._next = _Rows([], [])
        self._counts = np.zeros(n_strata, dtype=np.int64)  # of the next batch

    def add(self, rows: Sequence[Any], codes: NDArray[Any]) -> Iterator[list[Any]]:
        """Add the rows of a chunk; iterate over the batches that are cut, except for the last one."""
        chunk = _Places(codes, len(self._counts))
        begin = 0
        while (end := self._end_of_batch(chunk, begin)) <= len(rows):
            self._next.add(rows[begin:end], codes[begin:end])
            if self._cut is not None:
                yield from self._wanted(self._cut)
            self._cut, self._next = self._next, _Rows([], [])
            self._counts = np.zeros_like(self._counts)
            chunk.skip(begin, end)
            begin = end
        self._next.add(rows[begin:], codes[begin:])
        self._counts += np.bincount(codes[begin:], minlength=len(self._counts))

    @property
    def has_cut(self) -> bool:
        """Whether a batch is held back."""
        return self._cut is not None

    def close(self) -> Iterator[list[Any]]:
        """Iterate over the last batch, at the end of the stream; none if no batch could be cut."""
        if self._cut is not None:
            self._cut.rows.extend(self._next.rows)
            self._cut.codes.extend(self._next.codes)
            yield from self._wanted(self._cut)

    def _end_of_batch(self, chunk: _Places, begin: int) -> int:
        """Return the end of the next batch in a chunk; a number above that of its rows if it is not complete."""
        end = chunk.end_of(np.maximum(self._least - self._counts, 0))
        return max(end, begin + self._min_batch_size - len(self._next.rows))

    def _wanted(self, batch: _Rows) -> Iterator[list[Any]]:
        """Iterate over a batch, if it is to be delivered."""
        if self._n_unwanted:
            self._n_unwanted -= 1
        else:
            yield batch.by_stratum()

    def missing(self) -> list[int]:
        """Return the codes of the strata that have too few rows in the next batch so far."""
        missing: list[int] = np.flatnonzero(self._counts < self._least).tolist()
        return missing

    @property
    def n_held(self) -> int:
        """The number of rows that are not yet in a batch, or in the batch that is held back."""
        return len(self._next.rows) + (0 if self._cut is None else len(self._cut.rows))


class _Rows(NamedTuple):
    """Rows and the codes of their strata, in parts as they came."""

    rows: list[Any]
    codes: list[Counts]

    def add(self, rows: Sequence[Any], codes: Counts) -> None:
        self.rows.extend(rows)
        self.codes.append(codes)

    def by_stratum(self) -> list[Any]:
        """Return the rows, ordered by stratum, then as they came."""
        order = np.argsort(np.concatenate(self.codes), kind="stable")
        return [self.rows[place] for place in order.tolist()]


class _Places:
    """The places of each stratum in a chunk, from the end of the batches that were cut from it."""

    def __init__(self, codes: Counts, n_strata: int) -> None:
        self._codes = codes
        self._order = np.argsort(codes, kind="stable")
        sizes = np.bincount(codes, minlength=n_strata)
        self._ends = np.cumsum(sizes)  # of the strata in the order
        self._begins = self._ends - sizes

    def skip(self, begin: int, end: int) -> None:
        """Leave out the places of a batch, which begins where the last one ended."""
        self._begins += np.bincount(self._codes[begin:end], minlength=len(self._begins))

    def end_of(self, needed: Counts) -> int:
        """Return the end of the needed rows of each stratum; a number above that of all rows if there are too few."""
        last = self._begins + needed
        if (last > self._ends).any():
            return len(self._codes) + 1
        places = self._order[last[needed > 0] - 1]
        return int(places.max()) + 1 if len(places) else 0
