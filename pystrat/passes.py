"""Epochs that take the rows of a stratum less or more often than once: walked parts of a stratum, and whole passes.

A plan takes k_s entries of the n_s rows of stratum s. If k_s is not a multiple of n_s, the surplus k_s mod n_s rows are
**walked**: the stratum has a fixed order, that of epoch 0, and epoch e takes rows from place e * k_s mod n_s on,
cyclically. So any E consecutive epochs take each row floor or ceiling of E * k_s / n_s times, and n_s / gcd(n_s, k_s)
epochs take all of them equally often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from pystrat import _kernels
from pystrat.base import epoch_permutation
from pystrat.plan import BatchPlan

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class Passes:
    """The epochs of a plan whose strata have other numbers of rows than those of the dataset.

    An epoch orders entries: the rows of the dataset, followed by the repetitions, stratum by stratum, whole passes
    first. One permutation orders all of them.

    Parameters
    ----------
    codes : numpy.ndarray of uint8, uint16 or int32
        The stratum of each row; for rows that are in no batch, the number of strata.
    available : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum.
    plan : BatchPlan
        Its `counts` are the entries of each stratum; it deals rows evenly.
    seed : int or None
        The seed of the order in which rows are walked; None means the order of the dataset.
    """

    def __init__(self, codes: NDArray[Any], available: NDArray[np.int64], plan: BatchPlan, seed: Optional[int]) -> None:
        self._n_rows = len(codes)
        self._taken, self._available = plan.counts, available
        self._plan = plan
        whole, short = np.divmod(plan.counts, available)
        again = np.maximum(whole - 1, 0)  # whole passes besides that of the rows themselves
        self._walk = _Walk(codes, available, plan.counts, seed)
        self._codes, self._sizes = _entry_codes(codes, available, plan.counts)
        self._repeated, self._short = _repetitions(codes, available, again, np.where(whole > 0, short, 0))
        self._layout = np.empty(len(self._codes), dtype=np.int32)
        _kernels.fill_passes_layout(plan.counts, available, plan.offsets[:-1].copy(), self._layout)

    def scatter(self, epoch: int, seed: Optional[int]) -> NDArray[np.int32]:
        """Return the rows of an epoch, batch after batch, in the order of a seed, or of the dataset if it is None."""
        codes, repeated = self._codes, self._repeated
        left_out = self._walk.left_out(epoch)
        if len(left_out):
            codes = codes.copy()
            codes[left_out] = len(self._sizes)
        if len(self._short):
            repeated = repeated.copy()
            repeated[self._short] = self._walk.over(epoch)
        entries = np.empty(len(codes), dtype=np.int32)
        cursors = np.concatenate([[0], np.cumsum(self._sizes)])
        if seed is None:
            _kernels.scatter_in_order(codes, cursors, self._layout, entries)
        else:
            _kernels.scatter_permutation(seed, codes, cursors, self._layout, entries)
        n_taken = self._plan.n_rows
        rows = entries if n_taken == len(entries) else entries[:n_taken].copy()
        if (self._taken > self._available).any():
            _kernels.name_rows(self._n_rows, repeated, rows)
            _kernels.keep_apart(self._taken, self._available, self._layout, self._n_rows, self._plan.n_batches, rows)
        return rows


class _Walk:
    """The rows of the strata that are walked, each stratum in its fixed order.

    The parameters are those of `Passes`; `taken` is the number of entries of each stratum.
    """

    def __init__(
        self, codes: NDArray[Any], available: NDArray[np.int64], taken: NDArray[np.int64], seed: Optional[int]
    ) -> None:
        walked = np.flatnonzero(taken % available)
        self._taken, self._sizes = taken[walked], available[walked]
        self._over = self._taken % self._sizes
        self._is_part = self._taken < self._sizes
        self._begins = np.cumsum(self._sizes) - self._sizes
        self._rows = np.empty(0, dtype=np.int32)
        if len(walked):
            order = np.arange(len(codes), dtype=np.int32)
            if seed is not None:
                order = epoch_permutation(len(codes), seed=seed)
            self._rows = _by_stratum(codes, order, available, walked)

    def over(self, epoch: int) -> NDArray[np.int32]:
        """Return the rows of the short passes of an epoch, stratum by stratum."""
        return self._cyclic(~self._is_part, epoch * self._taken % self._sizes, self._over)

    def left_out(self, epoch: int) -> NDArray[np.int32]:
        """Return the rows that an epoch leaves out, of strata that it takes less often than once."""
        return self._cyclic(self._is_part, (epoch + 1) * self._taken % self._sizes, self._sizes - self._taken)

    def _cyclic(self, chosen: NDArray[Any], places: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return `lengths` rows of the chosen strata from given places on, cyclically."""
        parts = [self._rows[:0]]
        for stratum in np.flatnonzero(chosen).tolist():
            begin, size = int(self._begins[stratum]), int(self._sizes[stratum])
            place, end = int(places[stratum]), int(places[stratum] + lengths[stratum])
            parts.append(self._rows[begin + place : begin + min(end, size)])
            parts.append(self._rows[begin : begin + max(end - size, 0)])
        return np.concatenate(parts)


def _by_stratum(
    codes: NDArray[Any], order: NDArray[np.int32], available: NDArray[np.int64], strata: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the rows of some strata, stratum by stratum, within each in the given order of all rows."""
    is_wanted = np.zeros(len(available) + 1, dtype=bool)
    is_wanted[strata] = True
    rows = order[is_wanted[codes[order]]]
    return np.asarray(rows[np.argsort(codes[rows], kind="stable")])


def _entry_codes(
    codes: NDArray[Any], available: NDArray[np.int64], taken: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the pass of each entry, from 0, and the size of each pass; rows in no batch have the number of passes.

    The passes of a stratum are consecutive, the short one first. The rows of the dataset form the first whole pass, or
    part of it.
    """
    whole, short = np.divmod(taken, available)
    short = np.where(whole > 0, short, 0)
    whole = np.maximum(whole, 1)
    n_passes = whole + (short > 0).astype(np.int64)
    ends = np.cumsum(n_passes)
    dtype = np.uint8 if ends[-1] < 2**8 else np.uint16 if ends[-1] < 2**16 else np.int32
    if ends[-1] == len(taken):
        return codes.astype(dtype, copy=False), taken
    own = ends - whole
    numbers = np.append(own, ends[-1])
    sizes: NDArray[np.int64] = np.repeat(np.minimum(taken, available), n_passes)
    has_short = np.flatnonzero(short)
    sizes[ends[has_short] - n_passes[has_short]] = short[has_short]
    behind = []
    for stratum in np.flatnonzero(n_passes > 1).tolist():
        passes = np.arange(own[stratum] + 1, ends[stratum], dtype=dtype)
        behind.append(np.repeat(passes, available[stratum]))
        behind.append(np.full(short[stratum], own[stratum] - 1, dtype=dtype))
    return np.concatenate([numbers.astype(dtype)[codes], *behind]), sizes


def _repetitions(
    codes: NDArray[Any], available: NDArray[np.int64], again: NDArray[np.int64], short: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows of the entries beyond the dataset, and whether each of them is in a short pass."""
    strata = np.flatnonzero(again + short)
    if not len(strata):
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    rows = _by_stratum(codes, np.arange(len(codes), dtype=np.int32), available, strata)
    parts, places, begin, end = [], [], 0, 0
    for stratum in strata.tolist():
        size = int(available[stratum])
        parts.append(np.tile(rows[begin : begin + size], int(again[stratum])))
        parts.append(np.zeros(int(short[stratum]), dtype=np.int32))  # filled in each epoch
        begin += size
        end += size * int(again[stratum])
        places.append(np.arange(end, end + int(short[stratum])))
        end += int(short[stratum])
    return np.concatenate(parts), np.concatenate(places)
