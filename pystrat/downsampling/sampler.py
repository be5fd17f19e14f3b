"""Downsampling with weights: all rows of the rare class, and in each epoch a new part of the frequent one.

The weights correct for the rows that are left out, in expectation, so that a network trained on a small part of the
rows still learns the probabilities of the whole dataset.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.arrays import for_kernel, plain_array
from pystrat.downsampling.rule import (
    check_multiplier,
    check_weights,
    class_weights,
    kept_rows,
    show_numbers,
)
from pystrat.frames import names_index
from pystrat.messages import check_flag, check_integer, count_of, refused_type, refused_value, show
from pystrat.multiplier import Multiplier
from pystrat.plan_making import even_plan
from pystrat.planned import PlannedBatchSampler
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import encode_strata
from pystrat.stratum_names import name_of
from pystrat._sum_tree import first_outside


class DownsampledBatchSampler(PlannedBatchSampler):
    """Batch sampler with all rows of the rare classes and, in each epoch, a new part of the frequent one.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_downsampled()`` returns the same batches, row for row, from the same seed.
    docs/downsampling.md is a guide.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row of the dataset; at most 2^31 - 1 rows, none missing.
    multiplier : float, Fraction or dict
        The number of rows of the majority to keep, as a multiple of all other rows:
        ``k = min(majority, floor(multiplier * minority + 1/2))``, at least 1. For several classes, a dict from class to
        multiplier: ``min(rows, floor(multiplier * smallest + 1/2))`` rows of each class in it are kept, where smallest
        is the size of the smallest class; all rows of other classes are kept. A float is taken exactly as the decimal
        number of 15 significant digits that is shown (a narrower numpy float as the shortest that represents it);
        integers and Fractions are exact.
    batch_size : int
        The largest number of rows in a batch.
    majority : label, optional
        The class to downsample, against all others together. Optional if there are two classes of different sizes: then
        it is the larger one. Not allowed with a dict. If the strata have several columns, a class is named as it is
        shown, its values joined by a comma and a space, such as ``"1, y"``; the same applies to the keys of
        `multiplier`.
    walk : bool, default False
        If False, the kept rows are drawn anew in each epoch. If True, epochs walk through one shuffled order of each
        downsampled class, k rows per epoch, cyclically: no row occurs again before all others have occurred.
    weights : dict, optional
        The training weight of a row of each class in it, a finite number above 0. Other classes have the weight that
        corrects for the downsampling, rows / kept rows. Classes are named as in `majority`. The batches do not depend
        on the weights.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded up to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, or if a class keeps fewer rows than there are batches; the message then names the
        smallest `batch_size` that works.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has all rows of the classes that are not downsampled, and exactly `kept` rows of each other class. No row
      occurs twice.
    * An epoch of T rows has ``ceil(T / batch_size)`` batches, rounded up to a multiple of `num_replicas`. No batch has
      more than `batch_size` rows, batch sizes differ by at most 1, and every batch holds the floor or the ceiling of
      each class's share.
    * The kept rows are those of the first ranks in the epoch order: uniform, without replacement, and independent
      between epochs.
    * With `walk`, any ``ceil(N / k)`` consecutive epochs visit all N rows of a class. Over ``N / gcd(N, k)`` epochs,
      every row occurs equally often, so that the mean over them of a sum weighted by `weights` equals the sum over all
      rows.
    * A pickle takes one byte per row for up to 256 classes.

    The method is that of "Sampling methods within TensorFlow input functions" (Datatonic). It preserves calibration at
    a fraction of the gradient steps; do not expect a better ranking (AUC).

    Examples
    --------
    >>> from pystrat import DownsampledBatchSampler
    >>> labels = [1] * 1000 + [0] * 2000
    >>> sampler = DownsampledBatchSampler(labels, multiplier=1, batch_size=100, seed=1)
    >>> sampler
    DownsampledBatchSampler(2000 of 3000 rows, 20 batches, kept '1': 1000 of 1000, '0': 1000 of 2000, seed=1, epoch=0)
    >>> sampler.weights([0, 2999]).tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        strata: Any,
        multiplier: Union[Multiplier, Mapping[Any, Multiplier]],
        batch_size: int,
        *,
        majority: Any = None,
        walk: bool = False,
        weights: Optional[Mapping[Any, float]] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        multipliers = check_multiplier(multiplier)
        batch_size = check_integer(batch_size, "batch_size", minimum=1)
        majority = None if majority is None else name_of(majority, "majority")
        walk = check_flag(walk, "walk")
        given_weights = check_weights(weights)
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        encoded = encode_strata(strata, missing=None)
        kept = kept_rows(encoded, multipliers, majority)
        replicas = self.num_replicas or 1
        plan = even_plan(kept, encoded.shown, batch_size=batch_size, num_replicas=replicas, available=encoded.counts)
        self._multipliers = multipliers
        self._majority = majority
        self._batch_size = batch_size
        self._given_weights = given_weights
        self._weights = class_weights(encoded, kept, given_weights)
        self._adopt(encoded, plan, walked=walk)

    @property
    def parameters(self) -> dict[str, Any]:
        """The checked parameters, with classes by name, except the strata, the seed and the rank."""
        multipliers = self._multipliers
        return {
            "multiplier": dict(multipliers) if isinstance(multipliers, dict) else multipliers,
            "batch_size": self._batch_size,
            "majority": self._majority,
            "walk": self._is_walked,
            "weights": None if self._given_weights is None else dict(self._given_weights),
            "num_replicas": self.num_replicas,
        }

    @property
    def keep_rates(self) -> pd.Series:
        """The share of the rows of each class in an epoch, by name, in order of first appearance."""
        return pd.Series(self._plan.counts / self._counts, index=names_index(self._plan.strata), name="keep_rate")

    def class_weights(self, *, normalise: bool = False) -> pd.Series:
        """Return the training weight of each class, by name, in order of first appearance.

        Parameters
        ----------
        normalise : bool, default False
            If False, the weights are those given in `weights`, and otherwise rows / kept rows, which is 1 for a class
            of which all rows are kept. If True, they are divided by their mean over an epoch, so that the learning rate
            keeps its scale.

        Returns
        -------
        pandas.Series of float64
        """
        return pd.Series(self._weights_of_classes(normalise), index=names_index(self._plan.strata), name="weight")

    def _weights_of_classes(self, normalise: bool) -> NDArray[np.float64]:
        if not check_flag(normalise, "normalise"):
            return self._weights.copy()
        if self._given_weights is None:  # all kept rows together represent all rows
            return np.asarray(self._weights * (self._plan.n_rows / len(self._codes)))
        relative = self._weights / self._weights.max()
        # Added up one after another, as in R; sum() adds up in another order.
        return np.asarray(relative / np.cumsum(relative * (self._plan.counts / self._plan.n_rows))[-1])

    def weights(self, rows: Any = None, *, normalise: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row.

        In evaluation, all rows have the weight 1.

        Parameters
        ----------
        rows : array of int, optional
            Positions from 0, such as a batch; by default all rows of the dataset.
        normalise : bool, default False
            As in `class_weights`.

        Returns
        -------
        numpy.ndarray of float64, of the shape of `rows`

        Raises
        ------
        TypeError, ValueError
            If `rows` are not integers, such as a logical mask, or not from 0 to the number of rows - 1.
        """
        weights = self._weights_of_classes(normalise)
        return np.asarray(weights[self._codes if rows is None else self._codes[self._positions(rows)]])

    def _positions(self, rows: Any) -> NDArray[np.int64]:
        """Return row positions, of any shape; refuse anything else, including negative numbers."""
        found = plain_array(rows, "rows")
        if found.size and found.dtype.kind not in "iu":
            raise refused_type("rows", "hold row positions", f"{found.dtype} values")
        positions = for_kernel(found, np.int64)
        outside = first_outside(positions.ravel(), len(self._codes))
        if outside >= 0:
            required = f"hold row positions from 0 to {len(self._codes) - 1}"
            raise refused_value("rows", required, show(found.ravel()[outside]))
        return positions

    def _recipe(self) -> Recipe:
        plan = self._plan
        labels = {name: show(value) for name, value in self.parameters.items() if value is not None}
        for name in ("multiplier", "weights"):
            if name in labels:
                labels[name] = show_numbers(self.parameters[name])
        parts = {
            "codes": compact(self._codes, len(plan.counts)),
            "n_strata": len(plan.counts),
            "kept": plan.counts.astype(np.float64),
            "n_batches": plan.n_batches,
            "walk": self._is_walked,
            "weights": None if self._given_weights is None else self._weights,
        }
        return make_recipe("downsampled", seed=self._seed, parts=parts, labels={**labels, "names": plan.shown})

    def __repr__(self) -> str:
        plan = self._plan
        kept = [f"{show(name)}: {k} of {n}" for name, k, n in zip(plan.strata, plan.counts, self._counts)]
        shown = ", ".join(kept[:10] + ["..."] * (len(kept) > 10))
        return (
            f"{type(self).__name__}({plan.n_rows} of {len(self._codes)} rows, {count_of(plan.n_batches, 'batch')}, "
            f"kept {shown}, {'walk, ' * self._is_walked}seed={self._seed}, epoch={self.epoch})"
        )
