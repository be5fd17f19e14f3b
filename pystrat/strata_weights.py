"""Shared by the samplers whose epochs may take rows of some strata less or more often than once: weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.core_sampler import KindBatchSampler
from pystrat.lazy_pandas import pd
from pystrat.messages import check_flag
from pystrat.row_arguments import check_positions
from pystrat.strata import sorted_series


class WeightsOfStrata(KindBatchSampler):
    """Base class of samplers that know how often an epoch takes the rows of each stratum, on average.

    A subclass has the plan, with the strata, as `_plan`, and the codes of the rows in `_parts`.
    """

    _plan: Any

    def _weights_of_classes(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weight of each stratum, in the order of the codes."""
        return self._describe()["normalized" if check_flag(normalize, "normalize") else "weights"]

    def class_weights(self, *, normalize: bool = False) -> pd.Series:
        """Return the training weight of each stratum, by its value, sorted as ``numpy.unique`` sorts classes.

        Epochs may repeat or omit rows of a stratum; the weights correct for this. Position k of ``to_numpy()`` is that
        of output k of a network, so that a loss takes them as they are, see Examples.

        Parameters
        ----------
        normalize : bool, default False
            If False, the weight of a stratum is that given in `weights`, if the sampler has this parameter, and
            otherwise its rows / its mean number of rows in an epoch; NaN if it is never sampled. If True, the weights
            are divided by their mean over an epoch, so that the learning rate keeps its scale.

        Returns
        -------
        pandas.Series of float64

        Examples
        --------
        >>> import torch
        >>> from pystrat import StratifiedBatchSampler
        >>> labels = [1] * 10 + [0] * 40
        >>> sampler = StratifiedBatchSampler(labels, mean_batch_size=10, balance="under")
        >>> sampler.class_weights().to_dict()
        {0: 4.0, 1: 1.0}
        >>> weight = torch.tensor(sampler.class_weights().to_numpy())
        >>> torch.nn.CrossEntropyLoss(weight=weight).weight.tolist()
        [4.0, 1.0]
        """
        return sorted_series(self._weights_of_classes(normalize), self._plan.strata, "weight")

    def weights(self, rows: Any = None, *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row.

        In evaluation, all rows have the weight 1. A row that is never sampled, such as with ``missing="drop"``, has the
        weight NaN.

        Parameters
        ----------
        rows : array of int, optional
            Positions from 0, such as a batch; by default all rows of the dataset.
        normalize : bool, default False
            As in `class_weights`.

        Returns
        -------
        numpy.ndarray of float64, of the shape of `rows`
        """
        weights, codes = self._weights_of_classes(normalize), self._parts["codes"]
        weights = np.append(weights, np.nan)  # the code of dropped rows is the number of strata
        return np.asarray(weights[codes if rows is None else codes[check_positions(rows, len(codes))]])
