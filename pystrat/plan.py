"""Counts of the strata -> the batch plan: how many batches, and how many rows of each stratum each batch has.

Pure integers: no rows, no randomness. The second step of the one-way flow strata -> plan -> order -> batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
import pandas as pd

from pystrat import _kernels
from pystrat.entries import named_by_class
from pystrat.limits import MAX_COUNT
from pystrat.messages import RefusedType, RefusedValue, check_choice, check_integer, count_of, range_of, show
from pystrat.sizes import round_to_replicas

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

ASSIGN_CHOICES = ("proportional", "even")
_RARE_ADVICE = "or set 'rare' to 'warn' or 'allow'."


@dataclass(frozen=True, eq=False)
class BatchPlan:
    """What follows from the counts alone, and is therefore the same in every epoch.

    With B batches, batch b (from 1) holds ``floor(b*n_s/B) - floor((b-1)*n_s/B)`` rows of a stratum of n_s rows under
    ``assign="proportional"``; under ``assign="even"`` the rows, stratum by stratum, are dealt to the batches in turn.
    Both give each batch the floor or the ceiling of n_s/B.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch over all replicas.
    counts : numpy.ndarray of int64, shape (number of strata,)
        n_s, the rows of each stratum.
    shown : sequence of str
        The names of the strata, or what makes them when they are asked for.
    assign : {"proportional", "even"}
        How the rows are dealt to the batches.

    Raises
    ------
    TypeError, ValueError
        If one of them is refused.
    """

    n_batches: int
    counts: NDArray[np.int64]
    shown: Sequence[str]
    assign: str

    @named_by_class
    def __post_init__(self) -> None:
        _check_counts(self.counts, "counts")
        n_batches = check_integer(self.n_batches, "n_batches", minimum=1, maximum=self.n_rows)
        object.__setattr__(self, "n_batches", n_batches)  # the dataclass is frozen
        if not isinstance(self.shown, Sequence) or isinstance(self.shown, (str, bytes, memoryview)):
            raise RefusedType("shown", "be a sequence of names", show(self.shown))
        if len(self.shown) != len(self.counts):
            required = f"have one name for each stratum, {len(self.counts)}"
            raise RefusedValue("shown", required, count_of(len(self.shown), "name"))
        # Names that are made when they are asked for are texts if one is.
        known = self.shown if isinstance(self.shown, (list, tuple)) else self.shown[:1]
        if not all(isinstance(name, str) for name in known):
            raise RefusedType("shown", "be a sequence of names", "other values")
        check_choice(self.assign, "assign", choices=ASSIGN_CHOICES)
        self.counts.setflags(write=False)

    @property
    def strata(self) -> tuple[str, ...]:
        """The names of the strata, in order of first appearance."""
        return tuple(self.shown)

    @property
    def n_rows(self) -> int:
        """Rows that an epoch visits, each once."""
        return int(self.counts.sum())

    @property
    def min_samples_per_stratum(self) -> int:
        """The rows of every stratum that every batch is guaranteed to hold: ``n_min // n_batches``."""
        return int(self.counts.min()) // self.n_batches

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each batch, shape (n_batches,)."""
        return np.diff(self.offsets)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each batch begins in the epoch, and where the last one ends, shape (n_batches + 1,)."""
        offsets = np.zeros(self.n_batches + 1, dtype=np.int64)
        _kernels.fill_offsets(self.counts, self.assign == "even", offsets)
        return offsets

    def composition(self) -> pd.DataFrame:
        """Return the rows of each stratum in each batch: one row a batch, one column a stratum."""
        batches = np.arange(self.n_batches + 1, dtype=np.int64)[:, np.newaxis]
        if self.assign == "even":
            ends = np.cumsum(self.counts)
            # Batch b gets the places b, b + B, ...; so many of them lie before the end of a stratum:
            dealt = (ends + self.n_batches - 1 - batches[:-1]) // self.n_batches
            table = np.diff(dealt, axis=1, prepend=0)
        else:
            table = np.diff(batches * self.counts // self.n_batches, axis=0)
        index = pd.RangeIndex(self.n_batches, name="batch")
        return pd.DataFrame(table, index=index, columns=list(self.strata))

    @named_by_class
    def layout(self, n_rows: int, *, available: Optional[NDArray[np.int64]] = None) -> NDArray[np.int32]:
        """Return the place in the epoch of every stratum and rank, in that order, shape (n_rows,).

        The places beyond those of the plan are those of dropped rows, in dataset order. If more rows of some strata are
        `available` than an epoch takes, those of the last ranks have places behind the epoch.
        """
        n_rows = check_integer(n_rows, "n_rows", minimum=self.n_rows, maximum=MAX_COUNT)
        if available is not None:
            _check_available(available, self.counts, n_rows)
        layout = np.empty(n_rows, dtype=np.int32)
        _kernels.fill_layout(self.counts, self.assign == "even", self.offsets[:-1], layout)
        if available is not None and (available != self.counts).any():
            _kernels.spread_layout(self.counts, available, layout)
        return layout

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        batches = f"{count_of(self.n_batches, 'batch')} of {range_of(self.sizes)} rows"
        lines = [
            f"{batches}, {self.n_rows} rows in all, assign={self.assign!r}",
            f"every batch holds at least {count_of(self.min_samples_per_stratum, 'row')} of every stratum",
            self._strata_table(),
        ]
        return "\n".join(lines)

    def _strata_table(self, most: int = 20) -> str:
        """Lay out the strata and what a batch holds of each; of many strata, the first ones."""
        table = pd.DataFrame(
            {
                "stratum": list(self.shown[:most]),
                "rows": self.counts[:most],
                "fewest in a batch": self.counts[:most] // self.n_batches,
                "most in a batch": -(-self.counts[:most] // self.n_batches),
            }
        )
        text = str(table.to_string(index=False))
        left = len(self.counts) - most
        return text if left <= 0 else f"{text}\n... and {left} more"

    def __repr__(self) -> str:
        return (
            f"BatchPlan(n_batches={self.n_batches}, n_rows={self.n_rows}, strata={len(self.counts)}, "
            f"min_samples_per_stratum={self.min_samples_per_stratum}, assign={self.assign!r})"
        )


def _check_counts(counts: Any, name: str) -> None:
    """Refuse counts that are none, or more rows in all than a dataset may have."""
    required = "be a vector of integers above 0, as an array of int64"
    is_array = isinstance(counts, np.ndarray) and not isinstance(counts, np.ma.MaskedArray)
    if not is_array or counts.dtype != np.int64 or counts.ndim != 1:
        raise RefusedType(name, required, show(counts))
    if len(counts) > MAX_COUNT:
        raise RefusedValue(name, f"have at most {MAX_COUNT} values", show(counts))
    if not len(counts) or (counts < 1).any():
        raise RefusedValue(name, required, show(counts.min()) if len(counts) else "0 values")
    if (counts > MAX_COUNT).any() or counts.sum() > MAX_COUNT:
        raise RefusedValue(name, f"add up to at most {MAX_COUNT}", "more")


def _check_available(available: Any, counts: NDArray[np.int64], n_rows: int) -> None:
    """Refuse rows of the strata that the plan's are no part of, or that are more than all rows."""
    _check_counts(available, "available")
    if len(available) != len(counts) or (available < counts).any() or available.sum() > n_rows:
        required = f"have at least the rows of each stratum that the plan takes, and at most {n_rows} in all"
        raise RefusedValue("available", required, "others")


def make_plan(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    min_samples_per_stratum: Optional[int] = None,
    mean_batch_size: Optional[int] = None,
    assign: str = "proportional",
    rare: str = "error",
    num_replicas: int = 1,
) -> BatchPlan:
    """Choose the number of batches.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        Rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    min_samples_per_stratum : int, optional
        The promise m: ``max(1, n_min // m)`` batches.
    mean_batch_size : int, optional
        Instead of the promise: ``max(1, round-half-up(n / mean_batch_size))`` batches.
    assign : {"proportional", "even"}, default "proportional"
        How the rows are dealt to the batches.
    rare : {"error", "warn", "allow"}, default "error"
        What to do where the smallest stratum cannot give every batch what it should: refuse; or go on, with one batch
        for `min_samples_per_stratum` and with ``assign="even"`` for `mean_batch_size`. It is the caller that warns.
    num_replicas : int, default 1
        The number of batches is rounded down to a multiple of it.

    Returns
    -------
    BatchPlan

    Raises
    ------
    ValueError
        Where a stratum is too rare, or there are fewer batches than replicas.
    """
    rule = _Rule(counts, strata, rare, num_replicas)
    if min_samples_per_stratum is not None:
        return BatchPlan(rule.batches_by_minimum(min_samples_per_stratum), counts, strata, assign)
    assert mean_batch_size is not None
    n_batches = rule.batches_by_mean(mean_batch_size)
    if n_batches > rule.n_min:
        assign = "even"
    return BatchPlan(n_batches, counts, strata, assign)


def largest_minimum(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    batch_size: int,
    num_replicas: int = 1,
) -> int:
    """Return the largest promise with which batches have at most `batch_size` rows on average.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        Rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    batch_size : int
        The largest mean number of rows in a batch.
    num_replicas : int
        The number of batches is rounded down to a multiple of it.

    Returns
    -------
    int
        m, from 1 to the rows of the smallest stratum.

    Raises
    ------
    ValueError
        Where no promise gives batches so small, since the smallest stratum has too few rows.
    """
    rule = _Rule(counts, strata, "error", num_replicas)
    return rule.n_min // rule.batches_by_batch_size(batch_size)


def even_plan(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    batch_size: int,
    num_replicas: int = 1,
    available: Optional[NDArray[np.int64]] = None,
) -> BatchPlan:
    """Return the plan with the fewest batches of at most `batch_size` rows, all strata dealt evenly to them.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        Rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    batch_size : int
        The largest number of rows in a batch.
    num_replicas : int
        The number of batches is rounded up to a multiple of it.
    available : numpy.ndarray of int64, shape (number of strata,), optional
        Rows of each stratum of which a parameter 'multiplier' keeps `counts`, for error messages.

    Returns
    -------
    BatchPlan
        With ``assign="even"``: batch sizes differ by at most 1, and each batch has a row of every stratum.

    Raises
    ------
    ValueError
        Where the smallest stratum has fewer rows than there would be batches.
    """
    n_batches = _Rule(counts, strata, "error", num_replicas, available).batches_by_batch_size(batch_size)
    return BatchPlan(n_batches, counts, strata, "even")


class _Rule:
    """The number of batches, exactly, and every refusal with the value that would work."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        strata: Sequence[str],
        rare: str,
        num_replicas: int,
        available: Optional[NDArray[np.int64]] = None,
    ) -> None:
        self._strata = strata
        self._smallest, self._left_out = int(counts.argmin()), 0
        if available is not None:
            left_out = available - counts
            # Of strata that are equally small, one that is whole: keeping more rows of the others would not help.
            self._smallest = int(np.lexsort((left_out > 0, counts))[0])
            self._left_out = int(left_out[self._smallest])
        self.n_rows = int(counts.sum())
        self.n_min = int(counts[self._smallest])
        self.rare = rare
        self.num_replicas = num_replicas
        self.is_kept_part = self._left_out > 0

    @property
    def smallest(self) -> str:
        """The smallest stratum as messages tell of it."""
        has = f"has {count_of(self.n_min, 'row')}"
        if self.is_kept_part:
            has = f"keeps {self.n_min} of {count_of(self.n_min + self._left_out, 'row')}"
        return f"'{self._strata[self._smallest]}', {has}"

    def batches_by_minimum(self, minimum: int) -> int:
        largest = self.n_min // self.num_replicas
        if minimum > self.n_min and self.rare == "error" and largest > 0:
            required = f"be at most {largest}: the smallest stratum, {self.smallest}"
            raise self._refuse("min_samples_per_stratum", required, show(minimum), f"Lower it, {_RARE_ADVICE}")
        n_batches = max(1, self.n_min // minimum)
        if n_batches < self.num_replicas:
            advice = f"Lower 'min_samples_per_stratum' to at most {largest}."
            if largest == 0:
                advice = f"The smallest stratum, {self.smallest}."
            raise self._too_many_replicas(n_batches, advice)
        return round_to_replicas(n_batches, self.num_replicas, "down")

    def batches_by_mean(self, mean: int) -> int:
        n_batches = max(1, (2 * self.n_rows + mean) // (2 * mean))
        if n_batches < self.num_replicas:
            largest = 2 * self.n_rows // (2 * self.num_replicas - 1)
            advice = f"Lower 'mean_batch_size' to at most {largest}." if largest else None
            raise self._too_many_replicas(n_batches, advice)
        n_batches = round_to_replicas(n_batches, self.num_replicas, "down")
        if n_batches > self.n_min and self.rare == "error":
            raise self._mean_too_small(mean, n_batches)
        return n_batches

    def batches_by_batch_size(self, batch_size: int) -> int:
        n_batches = round_to_replicas(-(-self.n_rows // batch_size), self.num_replicas, "up")
        if n_batches <= self.n_min:
            return n_batches
        most = round_to_replicas(self.n_min, self.num_replicas, "down")
        if most == 0:
            required = f"be at most {self.n_min}: the smallest stratum, {self.smallest}"
            advice = "Lower it, or raise 'multiplier'." if self.is_kept_part else "Lower it."
            raise self._refuse("num_replicas", required, show(self.num_replicas), advice)
        required = (
            f"be at least {-(-self.n_rows // most)}, for at most {count_of(most, 'batch')}: "
            f"the smallest stratum, {self.smallest}"
        )
        got = f"{show(batch_size)}, for {count_of(n_batches, 'batch')},"
        raise self._refuse(
            "batch_size", required, got, "Raise it, or 'multiplier'." if self.is_kept_part else "Raise it."
        )

    def _mean_too_small(self, mean: int, n_batches: int) -> ValueError:
        most = round_to_replicas(self.n_min, self.num_replicas, "down")
        if most == 0:
            required = f"be at most {self.n_min}: the smallest stratum, {self.smallest}"
            advice = f"Lower it, {_RARE_ADVICE}"
            return self._refuse("num_replicas", required, show(self.num_replicas), advice)
        # The least mean whose rounded number of batches is still below most + num_replicas.
        least = 2 * self.n_rows // (2 * (most + self.num_replicas - 1) + 1) + 1
        required = (
            f"be at least {least}, for at most {count_of(most, 'batch')}: " f"the smallest stratum, {self.smallest}"
        )
        got = f"{show(mean)}, for {count_of(n_batches, 'batch')},"
        return self._refuse("mean_batch_size", required, got, f"Raise it, {_RARE_ADVICE}")

    def _too_many_replicas(self, n_batches: int, advice: Optional[str]) -> ValueError:
        required = f"be at most {n_batches}, the number of batches"
        return self._refuse("num_replicas", required, show(self.num_replicas), advice)

    def _refuse(self, name: str, required: str, got: str, advice: Optional[str]) -> ValueError:
        return RefusedValue(name, required, got, advice)
