"""Shared by the samplers that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from pystrat import _kernels
from pystrat.base import Batches, BatchSampler, epoch_seed
from pystrat.passes import Passes
from pystrat.plan import BatchPlan
from pystrat.strata import Strata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class PlannedBatchSampler(BatchSampler):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan and a permutation.

    The constructor of a subclass calls `_adopt`.
    """

    def _adopt(self, strata: Strata, plan: BatchPlan, *, walked: bool, shuffle: bool = True) -> None:
        """Take the strata of all rows and a plan, and build from them what every epoch uses.

        If an epoch takes other numbers of rows than the dataset has, `walked` says which: if False, the rows of the
        first ranks; if True, rows in turn, as often as the plan says.
        """
        # A pickle may contain a shared, read-only buffer, which the kernel does not accept.
        self._codes = strata.codes if strata.codes.flags.writeable else strata.codes.copy()
        self._counts = strata.counts
        self._plan = plan
        self._is_walked = walked
        self._is_shuffled = shuffle
        if walked:
            self._passes: Optional[Passes] = Passes(self._codes, self._counts, plan, self._seed if shuffle else None)
            self._layout = np.empty(0, dtype=np.int32)
        else:
            self._passes = None
            self._layout = plan.layout(len(self._codes), available=self._counts)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: the number of batches, their sizes, and the rows of each stratum in each batch."""
        return self._plan

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, and the names and the counts of all strata; read-only."""
        codes, counts = self._codes.view(), self._counts.view()
        codes.setflags(write=False)
        counts.setflags(write=False)
        return Strata(codes, self._plan.shown, counts)

    def _global_length(self) -> int:
        return self._plan.n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        seed = epoch_seed(self._seed, epoch) if self._is_shuffled else None
        rows = self._scatter(seed) if self._passes is None else self._passes.scatter(epoch, seed)
        return Batches(rows, self._plan.offsets)

    def _scatter(self, seed: Optional[int]) -> NDArray[np.int32]:
        """Return the rows of an epoch in the order of a seed, or of the dataset if the seed is None."""
        rows = np.empty(len(self._codes), dtype=np.int32)
        # The first place of each stratum in the layout; rows that are in no batch come last.
        cursors = np.concatenate([[0], np.cumsum(self._counts)])
        if seed is None:
            _kernels.scatter_in_order(self._codes, cursors, self._layout, rows)
        else:
            _kernels.scatter_permutation(seed, self._codes, cursors, self._layout, rows)
        taken = rows[: self._plan.n_rows]
        # A view would keep the rows that were left out in memory.
        return taken if len(taken) == len(rows) else taken.copy()

    def __getstate__(self) -> dict[str, Any]:
        # The layout and the tables of the plan follow from the counts and take four bytes per row: built again on load.
        state = self.__dict__.copy()
        for derived in ("_plan", "_layout", "_passes"):
            del state[derived]
        plan = self._plan
        state["plan"] = (plan.n_batches, plan.counts, plan.shown, plan.assign, plan.available)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        plan = BatchPlan(*state.pop("plan"))
        self.__dict__.update(state)
        strata = Strata(self._codes, plan.shown, self._counts)
        self._adopt(strata, plan, walked=self._is_walked, shuffle=self._is_shuffled)
