"""Shared by the samplers that deal the rows of strata to the batches of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from pystrat.arrays import for_kernel, plain_array
from pystrat.core_sampler import CoreBatchSampler
from pystrat.frames import strata_series
from pystrat.lazy_pandas import pd
from pystrat.messages import check_flag, refused_type, refused_value, show
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

    def _given_weights(self) -> Optional[NDArray[np.float64]]:
        """Return the weights of the strata that the user gave, in the order of their codes; None if there are none."""
        return None

    def class_weights(self, *, normalize: bool = False) -> pd.Series:
        """Return the training weight of each stratum, by its value, sorted as ``numpy.unique`` sorts classes.

        An epoch may take the rows of a stratum less or more often than once; the weights correct for this. Position k
        of ``to_numpy()`` is that of output k of a network, so that a loss takes them as they are, see Examples.

        Parameters
        ----------
        normalize : bool, default False
            If False, the weight of a stratum is that given in `weights`, if the sampler has this parameter, and
            otherwise its rows / its rows in an epoch, which is 1 if an epoch takes each row once. If True, the weights
            are divided by their mean over an epoch, so that the learning rate keeps its scale.

        Returns
        -------
        pandas.Series of float64

        Examples
        --------
        >>> import torch
        >>> from pystrat import StratifiedBatchSampler
        >>> labels = [1] * 10 + [0] * 40
        >>> sampler = StratifiedBatchSampler(labels, mean_batch_size=10, balance="under", seed=1)
        >>> sampler.class_weights().to_dict()
        {0: 4.0, 1: 1.0}
        >>> weight = torch.as_tensor(sampler.class_weights().to_numpy())
        >>> torch.nn.CrossEntropyLoss(weight=weight).weight.tolist()
        [4.0, 1.0]
        """
        return strata_series(self._weights_of_classes(normalize), self._plan.shown, "weight")

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

    def weights(self, rows: Any = None, *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row.

        In evaluation, all rows have the weight 1. That of a row that is never sampled, with ``missing="drop"``, is NaN.

        Parameters
        ----------
        rows : array of int, optional
            Positions from 0, such as a batch; by default all rows of the dataset.
        normalize : bool, default False
            As in `class_weights`.

        Returns
        -------
        numpy.ndarray of float64, of the shape of `rows`

        Raises
        ------
        TypeError, ValueError
            If `rows` are not integers, such as a logical mask, or not from 0 to the number of rows - 1.
        """
        weights, codes = self._weights_of_classes(normalize), self._parts["codes"]
        weights = np.append(weights, np.nan)  # the code of dropped rows is the number of strata
        return np.asarray(weights[codes if rows is None else codes[self._positions(rows)]])

    def _positions(self, rows: Any) -> NDArray[np.int64]:
        """Return row positions, of any shape; refuse anything else, including negative numbers."""
        found = plain_array(rows, "rows")
        if found.size and found.dtype.kind not in "iu":
            raise refused_type("rows", "hold row positions", f"{found.dtype} values")
        positions = for_kernel(found, np.int64)
        n_rows = len(self._parts["codes"])
        outside = found[(positions < 0) | (positions >= n_rows)]
        if outside.size:
            raise refused_value("rows", f"hold row positions from 0 to {n_rows - 1}", show(outside.ravel()[0]))
        return positions
