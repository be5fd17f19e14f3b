"""What the samplers share that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from pystrat import _kernels
from pystrat.base import Batches, BatchSampler
from pystrat.plan import BatchPlan
from pystrat.strata import Strata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class PlannedBatchSampler(BatchSampler):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan, and a permutation.

    A subclass calls `_adopt` when it is made. The plan may take fewer rows of a stratum than there are: those of the
    first ranks.
    """

    def _adopt(self, strata: Strata, plan: BatchPlan, *, spread: bool = True) -> None:
        """Take the strata of all rows and a plan, and build from them what every epoch uses.

        `spread` is False if the rows that an epoch leaves out get a code of their own instead of places behind it.
        """
        # A pickle may bring a buffer that is shared and read-only; the kernel takes none.
        self._codes = strata.codes if strata.codes.flags.writeable else strata.codes.copy()
        self._counts = strata.counts
        self._plan = plan
        self._layout = plan.layout(len(self._codes), available=self._counts if spread else None)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: number of batches, their sizes, how many rows of each stratum each one has."""
        return self._plan

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, the names and the counts of all rows, not to be written to."""
        codes, counts = self._codes.view(), self._counts.view()
        codes.setflags(write=False)
        counts.setflags(write=False)
        return Strata(codes, self._plan.shown, counts)

    def _global_length(self) -> int:
        return self._plan.n_batches

    def _scatter(self, seed: Optional[int], codes: NDArray[Any], counts: NDArray[np.int64]) -> Batches:
        """Return the batches of a permutation of the rows, or of the order of the dataset if `seed` is None.

        `counts` has the rows of each stratum in `codes`.
        """
        rows = np.empty(len(codes), dtype=np.int32)
        # Where each stratum begins in the layout; rows that are in no batch come last.
        cursors = np.concatenate([[0], np.cumsum(counts)])
        if seed is None:
            _kernels.scatter_in_order(codes, cursors, self._layout, rows)
        else:
            _kernels.scatter_permutation(seed, codes, cursors, self._layout, rows)
        taken = rows[: self._plan.n_rows]
        # Rows that were left out would be kept in memory with the epoch.
        return Batches(taken if len(taken) == len(rows) else taken.copy(), self._plan.offsets)

    def __getstate__(self) -> dict[str, Any]:
        # The layout and the plan's tables follow from the counts and take four bytes a row: built again on load.
        state = self.__dict__.copy()
        for derived in ("_plan", "_layout"):
            del state[derived]
        plan = self._plan
        state["plan"] = (plan.n_batches, plan.counts, plan.shown, plan.assign)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        plan = BatchPlan(*state.pop("plan"))
        self.__dict__.update(state)
        self._adopt(Strata(self._codes, plan.shown, self._counts), plan)
