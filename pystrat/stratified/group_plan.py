"""Strata and groups -> the number of batches, and bounds on the rows of each stratum in a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, range_of
from pystrat.range_plan import RangePlan


@dataclass(frozen=True, eq=False)
class GroupPlan(RangePlan):
    """The number of batches of an epoch, and the fewest and the most rows of each stratum that a batch can have.

    The arrays are read-only.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch over all replicas.
    keep : {"together", "apart"}
        Whether the rows of a group are in one batch, or spread over the batches.
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum.
    groups : numpy.ndarray of int64, shape (number of strata,)
        The number of groups with rows of each stratum.
    largest : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum in the largest of these groups.
    fewest, most : numpy.ndarray of int64, shape (number of strata,)
        Bounds on the rows of each stratum in any batch of any epoch.
    most_of_group, most_of_batch : int
        Upper bounds on the rows of a group in any batch of any epoch, and on all rows of a batch.
    most_batches : int
        An upper bound on B: with more batches, some batch would have fewer than m rows of some stratum. It is B itself
        if batches may lack rows of a stratum.
    mixed : bool
        Whether groups that are together have rows of several strata. A search has then found B, which may be below the
        largest possible number.
    strata : pandas.Index
        The values of the strata, in order of first appearance.
    """

    n_batches: int
    keep: str
    counts: NDArray[np.int64]
    groups: NDArray[np.int64]
    largest: NDArray[np.int64]
    fewest: NDArray[np.int64]
    most: NDArray[np.int64]
    most_of_group: int
    most_of_batch: int
    most_batches: int
    mixed: bool
    strata: pd.Index

    @property
    def min_samples_per_stratum(self) -> int:
        """The number of rows of every stratum that every batch of any epoch is guaranteed to hold."""
        return int(self.fewest.min())

    @property
    def size_range(self) -> tuple[int, int]:
        """The smallest and the largest size that any batch of any epoch can have."""
        n_rows, others = int(self.counts.sum()), self.n_batches - 1
        if self.keep == "apart":
            return n_rows // self.n_batches, self.most_of_batch
        fewest, most = int(self.fewest.sum()), self.most_of_batch
        return max(fewest, n_rows - others * most), min(most, n_rows - others * fewest)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the rows, groups and largest group of each stratum, and its fewest and most rows in a batch."""
        return {
            "rows": self.counts,
            "groups": self.groups,
            "largest": self.largest,
            "fewest": self.fewest,
            "most": self.most,
        }

    def heading(self) -> str:
        """Return the number and the sizes of batches, and what each of them holds."""
        held = f"every batch holds at least {count_of(self.min_samples_per_stratum, 'row')} of every stratum"
        if self.keep == "apart":
            held += f", and at most {count_of(self.most_of_group, 'row')} of a group"
        if self.mixed and self.min_samples_per_stratum > 0:
            held += (
                f"; at most {count_of(self.most_batches, 'batch')} {'is' if self.most_batches == 1 else 'are'} possible"
            )
        return f"{count_of(self.n_batches, 'batch')} of {range_of(self.size_range, 'row')}, groups {self.keep}\n{held}"
