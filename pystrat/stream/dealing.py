"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]
    Integers = NDArray[np.int64]
    Part = tuple[list[Any], Codes]  # rows, and the codes of their strata


class CountedBatches:
    """Batches of a lane with known counts.

    An epoch takes k rows of a stratum (`taken`), which have ranks from 1 on. Rank i belongs to batch
    ceil((i * B - h) / k), where h is the shift of the stratum. So each batch has the floor or ceiling of k / B rows. It
    is complete as soon as the last of them has been read. Its rows are ordered by stratum, then rank. Rows of batches
    before `first`, from 0, are dropped.
    """

    def __init__(self, taken: Integers, shifts: Integers, n_batches: int, first: int) -> None:
        self._taken, self._shifts, self._n_batches, self._next = taken, shifts, n_batches, first
        self._done = np.zeros_like(taken)  # the ranks that rows have
        self._held: dict[int, list[Part]] = {}  # by batch, in parts

    def _batches_of(self, ranks: Integers, strata: Any) -> Integers:
        return np.asarray((ranks * self._n_batches - self._shifts[strata] - 1) // self._taken[strata])

    def skip(self, ranks: Integers) -> bool:
        """Leave out rows of so many ranks if no batch that is to be delivered has them; return whether it did."""
        strata = np.flatnonzero(ranks)
        if (self._batches_of((self._done + ranks)[strata], strata) >= self._next).any():
            return False
        self._done = self._done + ranks
        return True

    def add(self, rows: Sequence[Any], codes: Codes, copies: Integers) -> None:
        """Deal rows in the order of an epoch, each as often as it is taken.

        Rows of a stratum that are taken several times come in passes, in which those that are taken once more come
        first.
        """
        order = np.lexsort((-copies, codes))  # type: ignore[arg-type]  # of the stubs of numpy
        order = order[copies[order] > 0]
        codes, copies = codes[order], copies[order]
        begins = np.searchsorted(codes, codes)
        counts = np.searchsorted(codes, codes, side="right") - begins
        repeated = np.repeat(np.arange(len(order)), copies)
        passes = np.arange(len(repeated)) - np.repeat(np.cumsum(copies) - copies, copies)
        strata = codes[repeated]
        ranks = self._done[strata] + 1 + passes * counts[repeated] + repeated - begins[repeated]
        self._done = self._done + np.bincount(strata, minlength=len(self._done))
        batches = self._batches_of(ranks, strata)
        dealt = np.lexsort((ranks, strata, batches))
        dealt = dealt[batches[dealt] >= self._next]
        batches, strata, places = batches[dealt], strata[dealt], order[repeated[dealt]].tolist()
        cuts = [0, *(np.flatnonzero(np.diff(batches)) + 1).tolist(), len(batches)]
        for begin, end in zip(cuts, cuts[1:]):
            if begin < end:
                part = [rows[place] for place in places[begin:end]], strata[begin:end]
                self._held.setdefault(int(batches[begin]), []).append(part)

    def finished(self) -> Iterator[list[Any]]:
        """Iterate over the batches that are complete."""
        strata = np.flatnonzero(self._done < self._taken)
        incomplete = self._batches_of(self._done[strata] + 1, strata).min(initial=self._n_batches)
        while self._next < incomplete:
            self._next += 1
            yield _joined(self._held.pop(self._next - 1))


class CutBatches:
    """Batches of a lane without counts: a batch is cut as soon as it has enough rows of each stratum.

    It needs `least` rows of each stratum, and `least_rows` in all. The batch that was cut last is held back, because
    the rows left at the end of the lane are added to it. Batches before `first` are not delivered.
    """

    def __init__(self, n_strata: int, least: int, least_rows: int, first: int) -> None:
        self._least, self._least_rows, self._n_unwanted = least, least_rows, first
        self._cut: list[Part] = []  # the batch that is held back
        self._next: list[Part] = []
        self._counts = [0] * n_strata  # of the next batch
        self._ready: list[list[Any]] = []

    def add(self, rows: Sequence[Any], codes: Codes, copies: Any = None) -> None:
        """Add rows in the order of an epoch, which takes each of them once."""
        counts, begin = self._counts, 0
        n_rows, n_lacking = sum(counts), len(self.missing())
        for end, code in enumerate(codes.tolist(), start=1):
            counts[code] += 1
            n_rows += 1
            n_lacking -= counts[code] == self._least
            if n_lacking == 0 and n_rows >= self._least_rows:
                self._next.append((list(rows[begin:end]), codes[begin:end]))
                self._deliver(self._cut)
                self._cut, self._next, begin = self._next, [], end
                counts[:] = [0] * len(counts)
                n_rows, n_lacking = 0, len(counts)
        self._next.append((list(rows[begin:]), codes[begin:]))

    def finished(self) -> Iterator[list[Any]]:
        """Iterate over the batches that are cut, except for the last one."""
        ready, self._ready = self._ready, []
        yield from ready

    def close(self) -> None:
        """Cut the last batch, at the end of the lane."""
        self._deliver(self._cut + self._next)

    def _deliver(self, parts: list[Part]) -> None:
        """Add a batch to those that are ready, if it is to be delivered."""
        if parts and self._n_unwanted == 0:
            self._ready.append(_joined(parts))
        self._n_unwanted -= bool(parts) and self._n_unwanted > 0

    def missing(self) -> list[int]:
        """Return the codes of the strata that have too few rows in the next batch so far."""
        return [code for code, count in enumerate(self._counts) if count < self._least]

    @property
    def has_cut(self) -> bool:
        """Whether a batch was cut."""
        return bool(self._cut)

    @property
    def n_held(self) -> int:
        """The number of rows that are not yet in a batch, or in the batch that is held back."""
        return sum(len(rows) for rows, _ in self._cut + self._next)


def _joined(parts: Sequence[Part]) -> list[Any]:
    """Return the rows of the parts of a batch, ordered by stratum, then as they came."""
    rows = [row for part, _ in parts for row in part]
    order = np.argsort(np.concatenate([codes for _, codes in parts]), kind="stable")
    return [rows[place] for place in order.tolist()]
