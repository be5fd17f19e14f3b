"""Shared by the samplers whose epochs may take rows of some strata less or more often than once: weights of rows."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import KindBatchSampler
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_flag
from pystrat.core.plan import BatchPlan
from pystrat.core.row_arguments import check_positions
from pystrat.core.strata import Strata, check_keys, sorted_series, strata_of_keys


class WeightsOfStrata(KindBatchSampler):
    """Base class of samplers that know how often an epoch takes the rows of each stratum, on average."""

    plan: Any

    def _weights_of_classes(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weight of each stratum, in the order of the codes."""
        return self._instance.describe()["normalized" if check_flag(normalize, "normalize") else "weights"]

    def class_weights(self, *, normalize: bool = False) -> pd.Series:
        """Return the training weight of each stratum, a Series by its value, sorted as ``numpy.unique`` sorts classes.

        Epochs may repeat or omit rows of a stratum; the weights correct for this. Position k of ``to_numpy()`` is that
        of output k of a network, as ``torch.nn.CrossEntropyLoss(weight=...)`` takes them.

        Parameters
        ----------
        normalize : bool, default False
            If False, the weight of a stratum is that given in `weights`, if the sampler has this parameter, and
            otherwise its rows / its mean number of rows in an epoch; NaN if it is never sampled. If True, the weights
            are divided by their mean over an epoch, so that the learning rate keeps its scale.

        Examples
        --------
        >>> from pystrat import StratifiedBatchSampler
        >>> sampler = StratifiedBatchSampler([1] * 10 + [0] * 40, mean_batch_size=10, balance="under")
        >>> sampler.class_weights().to_dict()
        {0: 4.0, 1: 1.0}
        """
        return sorted_series(self._weights_of_classes(normalize), self.plan.strata, "weight")

    def weights(self, rows: Any = None, *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row, an array of float64; NaN of rows that are never sampled.

        Parameters
        ----------
        rows : array of int, optional
            Positions from 0, of any shape, such as a batch; by default all rows of the dataset.
        normalize : bool, default False
            As in `class_weights`.
        """
        weights, codes = self._weights_of_classes(normalize), self._parts["codes"]
        weights = np.append(weights, np.nan)  # the code of dropped rows is the number of strata
        return np.asarray(weights[codes if rows is None else codes[check_positions(rows, len(codes))]])


class PlannedBatchSampler(WeightsOfStrata):
    """Base class of the samplers whose epochs follow from the strata of the rows, a plan and a permutation."""

    plan: BatchPlan  #: The number of batches, their sizes, and the rows of each stratum in each batch.

    def _plan_strata(self, strata: Strata, arguments: Mapping[str, Any], *, noun: str, **data: Any) -> None:
        """Make the plan for the strata of all rows; some arguments name strata, in messages by the `noun`."""
        for name, given in arguments.items():
            if isinstance(given, Mapping):
                check_keys(given, name, noun=noun)
                data[f"{name}_strata"] = np.array(strata_of_keys(given, strata.values, name, noun=noun), dtype=float)
                self._parameters[name] = dict(zip(given, np.atleast_1d(self._parts[name]).tolist()))
        found = self._begin_strata(strata, data, stacklevel=5)
        taken, available = found["taken"].astype(np.int64), found["counts"][:-1].astype(np.int64)
        counts = available if (taken == available).all() else taken
        assign = "even" if found["even"][0] else "proportional"
        self.plan = BatchPlan(self._n_batches, counts, strata.values, assign, available)

    @property
    def strata(self) -> Strata:
        """The strata: the code of each row, and the values and the counts of all strata; read-only."""
        codes = self._parts["codes"].view()
        codes.setflags(write=False)
        return Strata(codes, self.plan.strata)
