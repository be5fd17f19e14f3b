"""Shared by the samplers whose batches hold other numbers of rows of a stratum in each epoch."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.base import Batches, BatchSampler
from pystrat.frames import strata_batches_frame
from pystrat.lazy_pandas import pd
from pystrat.range_plan import RangePlan


class RangedBatchSampler(BatchSampler):
    """Base class of the samplers whose plan has bounds for the rows of each stratum in a batch.

    A subclass has the codes of the strata of all rows as `_codes`, and the plan as `_plan`.
    """

    _codes: NDArray[Any]
    _plan: RangePlan

    @abstractmethod
    def _epoch_batches(self, epoch: int) -> Batches:
        """Return the batches of an epoch in global order, whatever the rank."""

    def _global_length(self) -> int:
        return self._plan.n_batches

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
        names, codes = self._plan.shown, self._codes[batches.rows].astype(np.int64)
        places = np.repeat(np.arange(len(batches)), np.diff(batches.offsets)) * len(names) + codes
        table = np.bincount(places, minlength=len(batches) * len(names)).reshape(-1, len(names))
        return strata_batches_frame(table, names)
