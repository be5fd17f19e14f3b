"""Shared by the samplers that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from pystrat.messages import check_flag
from pystrat.plan import BatchPlan
from pystrat.strata import Strata
from pystrat.strata_weights import WeightsOfStrata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class PlannedBatchSampler(WeightsOfStrata):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan and a permutation.

    The constructor of a subclass calls `_adopt_plan`.
    """

    _plan: BatchPlan

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
        self._plan = BatchPlan(parts["n_batches"], counts, strata.values, assign, strata.counts)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: the number of batches, their sizes, and the rows of each stratum in each batch."""
        return self._plan

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, and the values and the counts of all strata; read-only."""
        codes, counts = self._parts["codes"].view(), np.asarray(self._plan.available).view()
        codes.setflags(write=False)
        counts.setflags(write=False)
        return Strata(codes, self._plan.strata, counts)

    def _given_weights(self) -> Optional[NDArray[np.float64]]:
        """Return the weights of the strata that the user gave, in the order of their codes; None if there are none."""
        return None

    def _weights_of_classes(self, normalize: bool) -> NDArray[np.float64]:
        plan, given = self._plan, self._given_weights()
        weights = np.asarray(plan.available) / plan.counts if given is None else given
        if not check_flag(normalize, "normalize"):
            return np.array(weights)
        if given is None:  # the rows of an epoch together represent all rows
            return np.asarray(weights * (plan.n_rows / int(np.asarray(plan.available).sum())))
        relative = weights / weights.max()
        # Added up one after another, as in R; sum() adds up in another order.
        return np.asarray(relative / np.cumsum(relative * (plan.counts / plan.n_rows))[-1])
