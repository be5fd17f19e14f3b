"""Plans: what is the same in every epoch of a sampler, and follows from the sizes of the strata alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
from numpy.typing import NDArray

from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of
from pystrat.core.strata import sorted_batches, sorted_frame, sorted_series
from pystrat.core.value_names import Names, names_index

MOST_SHOWN = 20


class Plan:
    """The number of batches of an epoch, and bounds on the rows of each stratum in a batch of any epoch.

    `heading` says the number of batches and what each of them holds. `strata` are the values of the strata in order of
    first appearance, and `columns` those of `table`: "rows", "fewest" and "most" rows in a batch, and others. These and
    further numbers are attributes of the plan; `counts` is the column "rows".
    """

    noun = "stratum"  # what messages and tables call what `strata` has

    def __init__(
        self, heading: str, n_batches: int, strata: pd.Index, columns: Mapping[str, NDArray[Any]], **numbers: Any
    ) -> None:
        self.n_batches, self.strata = n_batches, strata
        vars(self).update(columns, heading=heading, columns=columns, counts=columns.get("rows"), **numbers)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            ...

    @property
    def names(self) -> Names:
        """The names of the strata, in order of first appearance, made on access."""
        return Names(self.strata)

    def table(self) -> pd.DataFrame:
        """Return one row per stratum, by its value, sorted: its rows, the fewest and most in a batch, and others."""
        return sorted_frame(self.columns, self.strata)

    def rows_of_batches(self) -> pd.DataFrame:
        """Return what `plot_plan` shows: a row per stratum, by its name, and a column per bound, or per batch."""
        shown = {name: self.columns[name] for name in ("fewest", "most")}
        return pd.DataFrame(shown, index=names_index(self.names, self.noun))

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        table = pd.DataFrame(self.columns, index=names_index(self.names, self.noun))
        return f"{self.heading}\n{_ends(table)}"

    def __repr__(self) -> str:
        return self.summary()


class BatchPlan(Plan):
    """A plan whose batches hold the same numbers of rows in every epoch.

    If a stratum has fewer rows than there are batches, the batches of the plan come in another order in each epoch.
    `n_batches` is their number over all replicas. `counts` and `available` are the rows of each stratum in an epoch and
    in the dataset, by the order of the values in `strata`, that of first appearance. `assign` is that of the sampler.
    """

    def __init__(
        self, n_batches: int, counts: NDArray[np.int64], strata: pd.Index, assign: str, available: Any = None
    ) -> None:
        self.n_batches, self.counts, self.strata, self.assign = n_batches, counts, strata, assign
        self.available = counts if available is None else available

    @cached_property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """The columns of `table`."""
        of = {"of": self.available} if (self.counts != self.available).any() else {}
        return {"rows": self.counts, **of, "fewest": self.fewest, "most": -(-self.counts // self.n_batches)}

    @cached_property
    def heading(self) -> str:
        """The number of batches and what each of them holds."""
        least, n_held = self.min_samples_per_stratum, int((self.counts >= self.n_batches).sum())
        held = f"at least {count_of(least, 'row')} of every stratum"
        if least == 0 and n_held > 0:
            held = f"rows of {n_held} of {count_of(len(self.counts), 'stratum')}"
        batches = f"{count_of(self.n_batches, 'batch')} of {count_of(self.sizes, 'row')}"
        return f"{batches}, {count_of(self.n_rows, 'row')} in all, assign={self.assign!r}\nevery batch holds {held}"

    @property
    def fewest(self) -> NDArray[np.int64]:
        """The fewest rows of each stratum in a batch."""
        return self.counts // self.n_batches

    @property
    def n_rows(self) -> int:
        """The number of rows of an epoch; a row counts as often as it occurs."""
        return int(self.counts.sum())

    @property
    def min_samples_per_stratum(self) -> int:
        """The number of rows of every stratum that every batch is guaranteed to hold."""
        return int(self.fewest.min())

    @property
    def minimums(self) -> pd.Series:
        """The number of rows of each stratum that every batch is guaranteed to hold, by the value of the stratum."""
        return sorted_series(self.fewest, self.strata, "minimum")

    @property
    def keep_rates(self) -> pd.Series:
        """How often an epoch takes a row of each stratum, by its value; the inverse corrects for it as a weight."""
        return sorted_series(self.counts / self.available, self.strata, "keep_rate")

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each batch, shape (n_batches,)."""
        if self.assign == "even":
            return self.n_rows // self.n_batches + (np.arange(self.n_batches) < self.n_rows % self.n_batches)
        batches = np.arange(self.n_batches + 1)
        return np.diff(sum(batches * count // self.n_batches for count in self.counts))

    def composition(self) -> pd.DataFrame:
        """Return the rows of each stratum in each batch: one row per batch, one column per stratum, by its value."""
        return sorted_batches(self.rows_of_strata(), self.strata)

    def rows_of_strata(self) -> NDArray[np.int64]:
        """Return the same as an array, shape (n_batches, number of strata), with strata in the order of `counts`."""
        batches = np.arange(self.n_batches + 1)[:, np.newaxis]
        if self.assign == "even":
            ends = np.concatenate([[0], np.cumsum(self.counts)])
            return np.diff((ends - batches[:-1] - 1) // self.n_batches)
        return np.diff(batches * self.counts // self.n_batches, axis=0)

    def rows_of_batches(self) -> pd.DataFrame:  # noqa: D102, as in `Plan`
        batches = range(1, self.n_batches + 1)
        return pd.DataFrame(self.rows_of_strata().T, index=names_index(self.names, "stratum"), columns=batches)


def _ends(table: pd.DataFrame) -> str:
    """Return a table as text; of more than 20 rows, the first and the last 10, and how many are between them."""
    left = len(table) - MOST_SHOWN
    shown = table if left <= 0 else pd.concat([table[: MOST_SHOWN // 2], table[-MOST_SHOWN // 2 :]])
    lines = [line.rstrip() for line in shown.to_string().splitlines()]
    if left > 0:
        lines.insert(len(lines) - MOST_SHOWN // 2, f"... and {left} more")
    return "\n".join(lines)
