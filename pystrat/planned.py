"""Shared by the samplers that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from pystrat.core_sampler import CoreBatchSampler
from pystrat.plan import BatchPlan
from pystrat.strata import Strata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class PlannedBatchSampler(CoreBatchSampler):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan and a permutation.

    The constructor of a subclass calls `_adopt_plan`.
    """

    def _adopt_plan(
        self,
        strata: Strata,
        parts: Mapping[str, Any],
        labels: Mapping[str, Any],
        taken: Optional[NDArray[np.float64]],
        assign: str,
        **sharing: Any,
    ) -> None:
        """Take the strata of all rows and the parts of the recipe, and make the plan.

        An epoch has `taken` rows of each stratum, all of them if it is None. `sharing` is the rest of `_adopt`.
        """
        self._adopt(parts, {**labels, "names": strata.shown}, **sharing)
        counts = strata.counts if taken is None else taken.astype(np.int64)
        self._plan = BatchPlan(parts["n_batches"], counts, strata.shown, assign, strata.counts)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: the number of batches, their sizes, and the rows of each stratum in each batch."""
        return self._plan

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, and the names and the counts of all strata; read-only."""
        codes, counts = self._parts["codes"].view(), np.asarray(self._plan.available).view()
        codes.setflags(write=False)
        counts.setflags(write=False)
        return Strata(codes, self._plan.shown, counts)
