"""Shared by the samplers whose batches differ between epochs in their numbers of rows of a stratum."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from pystrat.core.core_sampler import KindBatchSampler
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of
from pystrat.core.plan import Plan
from pystrat.core.strata import Strata, sorted_batches

_COLUMNS = ("rows", "groups", "batches", "largest", "fewest", "most")
_NUMBERS = ("min_samples_per_stratum", "most_batches")


class RangedBatchSampler(KindBatchSampler):
    """Base class of the samplers whose plan has bounds for the rows of each stratum in a batch."""

    _plan: Plan

    def _plan_strata(self, strata: Strata, data: Mapping[str, Any] = {}) -> None:
        """Plan for the strata of all rows."""
        found = self._begin_strata(strata, data, stacklevel=5)
        heading = f"{count_of(self._n_batches, 'batch')} {found['held'].tobytes().decode()}"
        columns = {name: found[name] for name in _COLUMNS if name in found}
        numbers = {name: int(found[name][0]) for name in _NUMBERS if name in found}
        self._plan = Plan(heading, self._n_batches, strata.values, columns, **numbers)

    @property
    def plan(self) -> Plan:
        """The plan: the number of batches, and the fewest and the most rows of each stratum in a batch."""
        return self._plan

    def composition(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the rows of each stratum, by its value, in each batch of an epoch, by default the next one.

        It is that of all ranks, and changes nothing. `plan` has bounds for all epochs.
        """
        batches = self._epoch_batches(self._requested_epoch(epoch))
        values, codes = self._plan.strata, self._parts["codes"][batches.rows].astype(np.int64)
        places = np.repeat(np.arange(len(batches)), np.diff(batches.offsets)) * len(values) + codes
        table = np.bincount(places, minlength=len(batches) * len(values)).reshape(-1, len(values))
        return sorted_batches(table, values)
