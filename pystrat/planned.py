"""Shared by the samplers that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pystrat.plan import BatchPlan
from pystrat.strata import Strata, check_keys, strata_of_keys
from pystrat.strata_weights import WeightsOfStrata


class PlannedBatchSampler(WeightsOfStrata):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan and a permutation.

    The constructor of a subclass calls `_check`, then `_plan_strata`.
    """

    _plan: BatchPlan

    def _plan_strata(self, strata: Strata, arguments: Mapping[str, Any], *, noun: str, **data: Any) -> None:
        """Make the plan for the strata of all rows; some arguments may name strata.

        `noun` is the word for a stratum in messages, and `data` are the numbers of strata that others name.
        """
        for name, given in arguments.items():
            if isinstance(given, Mapping):
                check_keys(given, name, noun=noun)
                data[f"{name}_strata"] = np.array(strata_of_keys(given, strata.values, name, noun=noun), dtype=float)
                self._parameters[name] = dict(zip(given, np.atleast_1d(self._parts[name]).tolist()))
        found = self._begin_strata(strata, data, stacklevel=5)
        taken, available = found["taken"].astype(np.int64), found["counts"][:-1].astype(np.int64)
        counts = available if (taken == available).all() else taken
        assign = "even" if found["even"][0] else "proportional"
        self._plan = BatchPlan(self._n_batches, counts, strata.values, assign, available)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: the number of batches, their sizes, and the rows of each stratum in each batch."""
        return self._plan

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, and the values and the counts of all strata; read-only."""
        codes = self._parts["codes"].view()
        codes.setflags(write=False)
        return Strata(codes, self._plan.strata)
