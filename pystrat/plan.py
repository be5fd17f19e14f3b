"""The batch plan: how many batches an epoch has, and how many rows of each stratum each batch has.

Integers only: no rows, no randomness. The second step of the one-way flow strata -> plan -> order -> batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from pystrat import _core
from pystrat.first_rows import first_rows
from pystrat.lazy_pandas import pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_integer, count_of, range_of, refused_type, refused_value, show
from pystrat.read_only import ReadOnlyArrays
from pystrat.strata import encode_strata, sorted_batches, sorted_series
from pystrat.value_names import Names, names_index

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

ASSIGN_CHOICES = ("proportional", "even")


@dataclass(frozen=True, eq=False)
class BatchPlan(ReadOnlyArrays):
    """What follows from the sizes of the strata alone, and is the same in every epoch.

    If a stratum has fewer rows than there are batches, the batches of the plan come in another order in each epoch.

    With B batches, batch b (from 1) holds ``floor(b*n_s/B) - floor((b-1)*n_s/B)`` rows of a stratum of n_s rows under
    ``assign="proportional"``. Under ``assign="even"``, the rows are dealt to the batches in turn, stratum by stratum.
    Both give each batch the floor or the ceiling of n_s/B.

    Arrays have the strata in order of first appearance in the dataset. Tables and series have the values of the strata
    as keys, sorted as ``numpy.unique`` sorts them.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch over all replicas.
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum in an epoch: n_s, unless an epoch repeats or omits rows of the stratum.
    strata : pandas.Index
        The values of the strata; a list of values is accepted.
    assign : {"proportional", "even"}
        How rows are assigned to batches.
    available : numpy.ndarray of int64, shape (number of strata,), optional
        The number of rows of each stratum in the dataset; by default `counts`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid.
    """

    n_batches: int
    counts: NDArray[np.int64]
    strata: pd.Index
    assign: str
    available: Optional[NDArray[np.int64]] = None

    def __post_init__(self) -> None:
        _check_counts(self.counts, "counts")
        n_batches = check_integer(self.n_batches, "n_batches", minimum=1, maximum=self.n_rows)
        object.__setattr__(self, "n_batches", n_batches)  # the dataclass is frozen
        if not isinstance(self.strata, pd.Index):
            object.__setattr__(self, "strata", encode_strata(self.strata, missing="stratum").values)
        if len(self.strata) != len(self.counts):
            required = f"have one value for each stratum, {len(self.counts)}"
            raise refused_value("strata", required, count_of(len(self.strata), "value"))
        check_choice(self.assign, "assign", choices=ASSIGN_CHOICES)
        available = self.counts if self.available is None else self.available
        if available is not self.counts:
            _check_counts(available, "available")
        if len(available) != len(self.counts):
            required = f"have one number for each stratum, {len(self.counts)}"
            raise refused_value("available", required, count_of(len(available), "number"))
        object.__setattr__(self, "available", available)
        super().__post_init__()

    @property
    def names(self) -> Names:
        """The names of the strata, in order of first appearance, made on access."""
        return Names(self.strata)

    @property
    def n_rows(self) -> int:
        """The number of rows of an epoch; a row counts as often as it occurs."""
        return int(self.counts.sum())

    @property
    def min_samples_per_stratum(self) -> int:
        """The number of rows of every stratum that every batch is guaranteed to hold: ``n_min // n_batches``."""
        return int(self.counts.min()) // self.n_batches

    @property
    def minimums(self) -> pd.Series:
        """The number of rows of each stratum that every batch is guaranteed to hold, by the value of the stratum."""
        return sorted_series(self.counts // self.n_batches, self.strata, "minimum")

    @property
    def keep_rates(self) -> pd.Series:
        """How often an epoch takes a row of each stratum, by its value; the inverse corrects for it as a weight."""
        return sorted_series(self.counts / np.asarray(self.available), self.strata, "keep_rate")

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each batch, shape (n_batches,)."""
        return np.diff(self.offsets)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The place in the epoch where each batch begins, and where the last one ends, shape (n_batches + 1,)."""
        offsets: NDArray[np.int64] = self._follows("batch_offsets")["offsets"]
        return offsets

    def _follows(self, name: str, **data: NDArray[Any]) -> dict[str, Any]:
        """Return what the core says that follows from the plan."""
        counts = {"counts": self.counts.astype(np.float64)}
        return _core.call(name, {"n_batches": self.n_batches, "even": self.assign == "even"}, {**counts, **data})

    def composition(self) -> pd.DataFrame:
        """Return the rows of each stratum in each batch: one row per batch, one column per stratum, by its value."""
        return sorted_batches(self.rows_of_strata(), self.strata)

    def rows_of_strata(self) -> NDArray[np.int64]:
        """Return the same as an array, shape (n_batches, number of strata), with strata in the order of `counts`."""
        rows: NDArray[np.float64] = self._follows("batch_composition")["rows"]
        return rows.reshape(-1, self.n_batches).T.astype(np.int64)

    def layout(self, n_rows: int, *, available: Optional[NDArray[np.int64]] = None) -> NDArray[np.int32]:
        """Return the place in the epoch of every stratum and rank, in that order, shape (n_rows,).

        Places beyond those of the plan are those of dropped rows, in dataset order. If more rows of some strata are
        `available` than an epoch takes, those of the last ranks have places after the epoch.
        """
        n_rows = check_integer(n_rows, "n_rows", minimum=self.n_rows, maximum=MAX_COUNT)
        if available is not None:
            _check_available(available, self.counts, n_rows)
        available = self.counts if available is None else available
        layout: NDArray[np.int32] = self._follows(
            "batch_layout",
            n_rows=np.array([n_rows], dtype=np.float64),
            available=available.astype(np.float64),
        )["layout"]
        return layout

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        batches = f"{count_of(self.n_batches, 'batch')} of {range_of(self.sizes, 'row')}"
        lines = [
            f"{batches}, {count_of(self.n_rows, 'row')} in all, assign={self.assign!r}",
            self._promise(),
            self._strata_table(),
        ]
        return "\n".join(lines)

    def _promise(self) -> str:
        least = self.min_samples_per_stratum
        n_held = int((self.counts >= self.n_batches).sum())
        if least == 0 and n_held > 0:
            return f"every batch holds rows of {n_held} of {len(self.counts)} strata"
        return f"every batch holds at least {count_of(least, 'row')} of every stratum"

    def _strata_table(self) -> str:
        """Format the strata and their rows per batch as a table; of many strata, the first and the last ones."""
        available = np.asarray(self.available)
        columns = {
            "stratum": names_index(self.names),
            "rows": self.counts,
            "of": available,
            "fewest in a batch": self.counts // self.n_batches,
            "most in a batch": -(-self.counts // self.n_batches),
        }
        if (self.counts == available).all():
            del columns["of"]
        return first_rows(pd.DataFrame(columns), index=False)

    def __repr__(self) -> str:
        return (
            f"BatchPlan(n_batches={self.n_batches}, n_rows={self.n_rows}, strata={len(self.counts)}, "
            f"min_samples_per_stratum={self.min_samples_per_stratum}, assign={self.assign!r})"
        )


def _check_counts(counts: Any, name: str) -> None:
    """Refuse invalid counts, or more rows in total than a dataset may have."""
    required = "be a vector of integers above 0, as an array of int64"
    is_array = isinstance(counts, np.ndarray) and not isinstance(counts, np.ma.MaskedArray)
    if not is_array or counts.dtype != np.int64 or counts.ndim != 1:
        raise refused_type(name, required, show(counts))
    if len(counts) > MAX_COUNT:
        raise refused_value(name, f"have at most {MAX_COUNT} values", show(counts))
    least = counts.min(initial=MAX_COUNT)
    if not len(counts) or least < 1:
        raise refused_value(name, required, show(least) if len(counts) else "0 values")
    if counts.max() > MAX_COUNT or counts.sum() > MAX_COUNT:
        raise refused_value(name, f"add up to at most {MAX_COUNT}", "more")


def _check_available(available: Any, counts: NDArray[np.int64], n_rows: int) -> None:
    """Refuse `available` rows that do not match the counts of the plan, or are more than all rows."""
    if available is counts:
        return
    _check_counts(available, "available")
    if len(available) != len(counts) or (available < counts).any() or available.sum() > n_rows:
        required = f"have at least the rows of each stratum that the plan takes, and at most {n_rows} in all"
        raise refused_value("available", required, "others")
