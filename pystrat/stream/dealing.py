"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete."""

from __future__ import annotations

from itertools import chain
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Integers = NDArray[np.int64]


class CountedBatches:
    """Batches of a lane with known counts, from number `first` on; their rows are ordered by stratum, then rank.

    Of the k rows of a stratum that an epoch takes (`taken`), that of rank i, from 1, belongs to batch
    ceil((i * B - h) / k), where h is the shift of the stratum.
    """

    def __init__(self, taken: Integers, shifts: Integers, n_batches: int, first: int) -> None:
        self._taken, self._shifts, self._n_batches, self._next = taken, shifts, n_batches, first
        self._done = np.zeros_like(taken)  # the ranks that rows have
        self._held: dict[int, list[tuple[list[Any], Codes]]] = {}  # by batch: parts of rows, and their strata

    def _batches_of(self, ranks: Integers, strata: Any) -> Integers:
        return np.asarray((ranks * self._n_batches - self._shifts[strata] - 1) // self._taken[strata])

    def skip(self, ranks: Integers) -> bool:
        """Leave out rows of these numbers if no batch that is to be delivered has them; return whether it did."""
        strata = np.flatnonzero(ranks)
        if (self._batches_of((self._done + ranks)[strata], strata) >= self._next).any():
            return False
        self._done = self._done + ranks
        return True

    def add(self, rows: Sequence[Any], codes: Codes, copies: Integers) -> Iterator[list[Any]]:
        """Deal rows in the order of an epoch, each as often as it is taken; iterate over the batches that are complete.

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
        strata = np.flatnonzero(self._done < self._taken)
        incomplete = self._batches_of(self._done[strata] + 1, strata).min(initial=self._n_batches)
        while self._next < incomplete:
            self._next += 1
            parts = self._held.pop(self._next - 1)
            rows = [row for part, _ in parts for row in part]
            order = np.argsort(np.concatenate([codes for _, codes in parts]), kind="stable")
            yield [rows[place] for place in order.tolist()]


class CutBatches:
    """Batches of a lane without counts, cut as soon as they have `least` rows of each stratum, and `least_rows` in all.

    The batch that was cut last is held back, because the rows left at the end of the lane are added to it.
    """

    def __init__(self, n_strata: int, least: int, least_rows: int) -> None:
        self._n_strata, self._least, self._least_rows = n_strata, least, least_rows
        self._cut: list[list[Any]] = []  # the batch that is held back: its rows, by stratum
        self._begin()

    def _begin(self) -> None:
        """Begin the next batch."""
        self._next: list[list[Any]] = [[] for _ in range(self._n_strata)]
        self._n_rows, self._n_lacking = 0, self._n_strata

    def add(self, rows: Sequence[Any], codes: Codes, copies: Any = None) -> Iterator[list[Any]]:
        """Add rows in the order of an epoch; iterate over the batches that are cut, except for the last one."""
        for row, code in zip(rows, codes.tolist()):
            self._next[code].append(row)
            self._n_rows += 1
            self._n_lacking -= len(self._next[code]) == self._least
            if self._n_lacking == 0 and self._n_rows >= self._least_rows:
                ready, self._cut = self._cut, self._next
                self._begin()
                if ready:
                    yield list(chain.from_iterable(ready))

    def last(self) -> list[Any]:
        """Return the last batch, at the end of the lane; it has no rows if no batch was cut."""
        return [row for cut, rest in zip(self._cut, self._next) for row in cut + rest]

    def missing(self) -> list[int]:
        """Return the codes of the strata that have too few rows in the next batch so far."""
        return [code for code, rows in enumerate(self._next) if len(rows) < self._least]

    @property
    def n_held(self) -> int:
        """The number of rows that are not yet in a batch, or in the batch that is held back."""
        return self._n_rows + sum(map(len, self._cut))
