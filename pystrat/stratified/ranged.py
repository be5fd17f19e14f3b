"""Shared by the samplers whose batches differ between epochs in their numbers of rows of a stratum."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from pystrat.core_sampler import KindBatchSampler
from pystrat.lazy_pandas import pd
from pystrat.messages import count_of
from pystrat.plan import Plan
from pystrat.strata import sorted_batches


class RangedBatchSampler(KindBatchSampler):
    """Base class of the samplers whose plan has bounds for the rows of each stratum in a batch.

    A subclass has the plan to show as `_plan`.
    """

    _plan: Plan

    @property
    def plan(self) -> Plan:
        """The plan: the number of batches, and the fewest and the most rows of each stratum in a batch."""
        return self._plan

    def composition(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the rows of each stratum in each batch of an epoch, over all ranks; changes nothing.

        Parameters
        ----------
        epoch : int, optional
            From 0 to 6700000; by default the next epoch.

        Returns
        -------
        pandas.DataFrame
            One row per batch, one column per stratum, by its value. It differs between epochs; `plan` has the bounds
            for all of them.
        """
        batches = self._epoch_batches(self._requested_epoch(epoch))
        values, codes = self._plan.strata, self._parts["codes"][batches.rows].astype(np.int64)
        places = np.repeat(np.arange(len(batches)), np.diff(batches.offsets)) * len(values) + codes
        table = np.bincount(places, minlength=len(batches) * len(values)).reshape(-1, len(values))
        return sorted_batches(table, values)


def plan_of_blocks(
    n_batches: int, found: Mapping[str, Any], strata: pd.Index, held: str, each: Optional[int] = None, **numbers: Any
) -> Plan:
    """Return the plan of strata whose rows are cut into blocks, each in another batch.

    `found` is what the core says of the plan, `held` what the batches hold, and `each` the rows of an exact block.
    """
    counts, blocks = found["counts"][:-1].astype(np.int64), found["batches"].astype(np.int64)
    cut = np.maximum(blocks, 1)
    fewest, most = counts // cut, -(-counts // cut)
    if each is not None:
        fewest = most = np.where(blocks > 0, each, 0)
    columns = {"rows": counts, "batches": blocks, "fewest": fewest, "most": most}
    return Plan(f"{count_of(n_batches, 'batch')} of {held}", n_batches, strata, columns, **numbers)
