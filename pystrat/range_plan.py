"""Plans of samplers whose batches differ between epochs: bounds on the rows of each stratum that hold in all epochs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Mapping

from pystrat.first_rows import first_rows
from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, range_of
from pystrat.read_only import ReadOnlyArrays
from pystrat.strata import sorted_frame
from pystrat.value_names import Names, names_index

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class RangePlan(ReadOnlyArrays, ABC):
    """The fewest and the most rows of each stratum in a batch, in all epochs.

    Attributes
    ----------
    n_batches : int
        The number of batches of an epoch over all replicas.
    strata : pandas.Index
        The values of the strata, in order of first appearance.
    """

    n_batches: int
    strata: pd.Index

    @abstractmethod
    def heading(self) -> str:
        """Return the number of batches and what each of them holds."""

    @abstractmethod
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """Return the numbers of all strata, with "rows", "fewest" and "most" among others."""

    def table(self) -> pd.DataFrame:
        """Return one row per stratum, by its value: "rows", "fewest" and "most" rows in a batch, and others."""
        return sorted_frame(self.columns(), self.strata)

    def named_table(self) -> pd.DataFrame:
        """Return one row per stratum, by its name, in order of first appearance."""
        return pd.DataFrame(self.columns(), index=names_index(Names(self.strata), "stratum"))

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        return f"{self.heading()}\n{first_rows(self.named_table())}"

    def in_words(self, row: Any) -> str:
        """Return what a row of the table says: ``18 rows, 3 to 9 in a batch``."""
        return f"{count_of(row.rows, 'row')}, {range_of([row.fewest, row.most])} in a batch"
