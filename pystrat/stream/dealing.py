"""Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete.

The core says which batch a row belongs to; here, batches hold the rows. Both classes accept chunks of rows with their
stratum codes. The same rows in the same order make the same batches, however they are cut into chunks.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from pystrat import _core

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]
    Counts = NDArray[np.float64]  # whole numbers


class _Batches:
    """Batches whose rows are given one after another.

    Parameters
    ----------
    n_batches : int
    first : int
        The first batch to deliver, from 0. Rows of earlier batches are dropped.
    """

    def __init__(self, n_batches: int, first: int) -> None:
        self._n_batches = n_batches
        self._first = self._next = min(first, n_batches)  # the place of a worker may be beyond the last batch
        self._n_complete = 0
        self._held: dict[int, dict[int, list[Any]]] = {}  # rows by batch and by stratum, of batches that are incomplete

    def _hold(self, rows: Sequence[Any], dealt: dict[str, Any]) -> None:
        """Hold rows until their batches are complete, as the core has dealt them."""
        places, begin = dealt["places"].tolist(), 0
        for batch, stratum, size in zip(*(dealt[name].tolist() for name in ("batches", "strata", "sizes"))):
            held = self._held.setdefault(batch, {}).setdefault(stratum, [])
            held.extend([rows[place] for place in places[begin : begin + size]])
            begin += size
        self._n_complete = dealt["complete"]

    def finished(self) -> Iterator[list[Any]]:
        """Iterate over the complete batches. Their rows are ordered by stratum, then as they were read."""
        while self._next < self._n_complete:
            yield self._take_next()

    def _take_next(self) -> list[Any]:
        held = self._held.pop(self._next)
        self._next += 1
        batch, *others = [held[code] for code in sorted(held)]
        batch.extend(chain.from_iterable(others))
        return batch


class CountedBatches(_Batches):
    """Batches of a lane with known counts: each has a contiguous share of the rows of every stratum.

    The i-th of the n rows of a stratum belongs to batch ceil((i * B - h) / n), where h is the shift of the stratum, so
    that each batch has the floor or ceiling of n / B of them. A batch is complete as soon as its last row has been
    read.

    Parameters
    ----------
    totals : numpy.ndarray, shape (number of strata,)
        The number of rows of each stratum in the lane.
    shifts : numpy.ndarray, shape (number of strata,)
        From 0 to the number of batches minus 1.
    n_batches : int
    first : int
        The first batch to deliver, from 0. Rows of earlier batches are dropped.
    """

    def __init__(self, totals: Counts, shifts: Counts, n_batches: int, first: int) -> None:
        super().__init__(n_batches, first)
        self._totals = totals
        self._shifts = shifts
        self._seen = np.zeros(len(totals))

    def _call(self, name: str, **data: NDArray[Any]) -> dict[str, Any]:
        """Return the results of a function of the core for the rows after those that were dealt."""
        data.update(totals=self._totals, shifts=self._shifts, seen=self._seen)
        return _core.call(name, {"n_batches": self._n_batches, "next": self._next}, data)

    def skip(self, counts: Counts) -> bool:
        """Skip a source with these counts if no remaining batch needs it; return whether it was skipped.

        A source without rows is skipped only in a resumed epoch: others check that it has none.
        """
        if not counts.any():
            return self._first > 0
        if self._call("needs_rows", counts=counts)["needed"]:
            return False
        self._seen = self._seen + counts
        return True

    def add(self, rows: Sequence[Any], codes: Codes) -> None:
        """Deal the rows of a chunk."""
        dealt = self._call("deal_rows", codes=codes)
        self._hold(rows, dealt)
        self._seen = dealt["seen"]


class TakenBatches(_Batches):
    """Batches of a lane with known counts, if an epoch repeats or omits rows of some strata.

    Parameters
    ----------
    totals, taken : numpy.ndarray, shape (number of strata,)
        The number of rows of each stratum in the lane, and how many of them an epoch takes.
    n_batches : int
    first : int
        The first batch to deliver, from 0. Rows of earlier batches are dropped.
    """

    def __init__(self, totals: Counts, taken: Counts, n_batches: int, first: int) -> None:
        super().__init__(n_batches, first)
        self._of_lane = {"totals": totals, "taken": taken}

    def add(self, rows: Sequence[Any], codes: Codes, copies: Codes, windows: Counts) -> None:
        """Deal the rows of sources that were read together, each as often as it is taken."""
        wanted = {"n_batches": self._n_batches, "next": self._next, "epoch": 0}
        data = {**self._of_lane, "codes": codes, "copies": copies, "windows": windows}
        self._hold(rows, _core.call("deal_taken", wanted, data))


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
        self._counts = np.zeros(n_strata)  # of the next batch

    def add(self, rows: Sequence[Any], codes: Codes) -> Iterator[list[Any]]:
        """Add the rows of a chunk; iterate over the batches that are cut, except for the last one."""
        sizes = {"min_samples_per_stratum": self._least, "min_batch_size": self._min_batch_size}
        cut = _core.call("cut_batches", sizes, {"counts": self._counts, "codes": codes})
        self._counts = cut["counts"]
        begin = 0
        for end in cut["ends"].tolist():
            self._next.add(rows[begin:end], codes[begin:end])
            if self._cut is not None:
                yield from self._wanted(self._cut)
            self._cut, self._next = self._next, _Rows([], [])
            begin = end
        self._next.add(rows[begin:], codes[begin:])

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
    codes: list[Codes]

    def add(self, rows: Sequence[Any], codes: Codes) -> None:
        self.rows.extend(rows)
        self.codes.append(codes)

    def by_stratum(self) -> list[Any]:
        """Return the rows, ordered by stratum, then as they came."""
        order = np.argsort(np.concatenate(self.codes), kind="stable")
        return [self.rows[place] for place in order.tolist()]
