"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete.

Both classes take chunks of rows with their stratum codes. Of two epochs with the same rows in the same order they make
the same batches, however the rows are cut into chunks.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence

import numpy as np

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]


def last_batch_of(ranks: Counts, totals: Counts, n_batches: int) -> Counts:
    """Return the batches, from 0, of rows by their rank, from 1, within strata of these totals: ceil(i * B / n) - 1."""
    batches: Counts = (ranks * n_batches - 1) // totals
    return batches


def n_complete(seen: Counts, totals: Counts, n_batches: int) -> Counts:
    """Return how many batches are complete once so many rows of each stratum have come; strata are the last axis."""
    complete: Counts = np.minimum(((seen + 1) * n_batches - 1) // totals, n_batches).min(axis=-1)
    return complete


class CountedBatches:
    """Batches of a lane whose numbers of rows are known: stratum by stratum, contiguous shares of the stream.

    Row i of n rows of a stratum, counted from 1, belongs to batch ceil(i * B / n), so that each batch has the floor or
    ceiling of n / B of them. A batch is complete as soon as its last row has come.

    Parameters
    ----------
    totals : numpy.ndarray of int64, shape (number of strata,)
        Rows of each stratum in the lane.
    n_batches : int
    first : int
        The first batch that is wanted, from 0. Rows of earlier ones are dropped.
    """

    def __init__(self, totals: Counts, n_batches: int, first: int) -> None:
        self._totals = totals
        self._n_batches = n_batches
        self._next = first
        self._seen = np.zeros(len(totals), dtype=np.int64)
        self._parts: dict[int, list[_Part]] = {}

    def skip(self, counts: Counts) -> bool:
        """Leave out a source with these counts if no wanted batch needs it; return whether it was left out."""
        came = counts > 0
        after = self._seen + counts
        if came.any() and (last_batch_of(after, self._totals, self._n_batches)[came] >= self._next).any():
            return False
        self._seen = after
        return True

    def add(self, rows: list[Any], codes: NDArray[Any]) -> None:
        """Deal the rows of a chunk, whose list is taken over."""
        batches = np.empty(len(rows), dtype=np.int64)
        for code in np.flatnonzero(np.bincount(codes, minlength=len(self._totals))).tolist():
            places = np.flatnonzero(codes == code)
            ranks = self._seen[code] + np.arange(1, len(places) + 1)
            batches[places] = last_batch_of(ranks, self._totals[code], self._n_batches)
            self._seen[code] += len(places)
        keys = batches * len(self._totals) + codes
        order = np.argsort(keys, kind="stable")
        order = order[int(np.searchsorted(batches[order], self._next)) :]
        # Where the batch or the stratum changes, a part begins.
        keys, ordered = keys[order], order.tolist()
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        ends = np.append(begins[1:], len(ordered))
        for key, begin, end in zip(keys[begins].tolist(), begins.tolist(), ends.tolist()):
            batch, code = divmod(key, len(self._totals))
            self._parts.setdefault(batch, []).append(_Part(code, rows, ordered[begin:end]))

    def finished(self) -> Iterator[list[Any]]:
        """Iterate over the batches that are complete, rows by stratum and then as they came."""
        until = int(n_complete(self._seen, self._totals, self._n_batches))
        while self._next < until:
            parts = self._parts.pop(self._next)
            parts.sort(key=_code_of)  # stable: chunks stay in order
            self._next += 1
            batch: list[Any] = []
            for _, rows, places in parts:
                batch += [rows[place] for place in places]
                for place in places:  # the chunk holds none that the batch has
                    rows[place] = None
            yield batch

    @property
    def n_held(self) -> int:
        """Rows that wait for their batches to be complete."""
        return sum(len(part.places) for parts in self._parts.values() for part in parts)


class _Part(NamedTuple):
    """The rows of one stratum in one chunk that belong to one batch."""

    code: int
    rows: list[Any]  # of the chunk
    places: list[int]


_code_of = attrgetter("code")


class DeclaredBatches:
    """Batches of a lane of which nothing but the strata is known: cut as soon as each stratum has its rows.

    Parameters
    ----------
    n_strata : int
    min_samples_per_stratum, min_batch_size : int
        What a batch must have before it is cut: so many rows of each stratum, and so many rows.
    first : int
        The first batch that is wanted, from 0.

    Notes
    -----
    The batch that was cut last is held back, since what is left at the end of the stream joins it.
    """

    def __init__(self, n_strata: int, min_samples_per_stratum: int, min_batch_size: int, first: int) -> None:
        self._least = np.full(n_strata, min_samples_per_stratum, dtype=np.int64)
        self._min_batch_size = min_batch_size
        self._n_unwanted = first
        self._rows: list[Any] = []  # those of the batch that is held back, and then those of the next
        self._codes = np.empty(0, dtype=np.int64)
        self._begin = 0  # of the next

    def add(self, rows: Sequence[Any], codes: NDArray[Any]) -> Iterator[list[Any]]:
        """Take in the rows of a chunk; iterate over the batches that are cut, except for the last one."""
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
        """Return where the next batch ends; beyond all rows if it does not end among them."""
        ends = [self._begin + self._min_batch_size]
        for least, found in zip(self._least.tolist(), places):
            last = int(np.searchsorted(found, self._begin)) + least - 1
            ends.append(int(found[last]) + 1 if last < len(found) else len(self._rows) + 1)
        return max(ends)

    def _wanted(self, begin: int, end: int) -> Iterator[list[Any]]:
        """Iterate over the batch of these rows, by stratum and then as they came, if it is wanted."""
        if self._n_unwanted:
            self._n_unwanted -= 1
        else:
            order = begin + np.argsort(self._codes[begin:end], kind="stable")
            yield [self._rows[place] for place in order.tolist()]

    def missing(self) -> list[int]:
        """Return the codes of the strata of which the next batch has too few rows so far."""
        counts = np.bincount(self._codes[self._begin :], minlength=len(self._least))
        missing: list[int] = np.flatnonzero(counts < self._least).tolist()
        return missing

    @property
    def n_held(self) -> int:
        """Rows that wait for their batches to be cut, and those of the batch that is held back."""
        return len(self._rows)
