"""Downsampling with upweighting: all rows of the rare class, each epoch a fresh part of the frequent one.

The weights undo in expectation what was left out, so that a network trained on a small part of the rows still learns
probabilities of the whole.
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
from pystrat.entries import named_by_class
from pystrat.messages import RefusedType, RefusedValue, check_flag, check_integer, count_of, show
from pystrat.multiplier import Multiplier
from pystrat.plan_making import even_plan
from pystrat.planned import PlannedBatchSampler
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import encode_strata
from pystrat.stratum_names import name_of
from pystrat._sum_tree import first_outside


class DownsampledBatchSampler(PlannedBatchSampler):
    """Batch sampler with all rows of the rare classes and, each epoch, a fresh part of the frequent one.

    For a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_downsampled()``
    gives the same batches, row for row, from the same seed.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row of the dataset, at most 2^31 - 1 rows, none missing.
    multiplier : float, Fraction or dict
        Rows of the majority that are kept, as a multiple of all other rows: ``k = min(majority, floor(multiplier *
        minority + 1/2))``, at least 1. For several classes a dict from class to multiplier: of each class in it
        ``min(rows, floor(multiplier * smallest + 1/2))`` rows are kept, where smallest counts the rows of the smallest
        class; classes that are not in it are kept whole. A float is the decimal number of 15 significant digits that it
        is shown as, a narrower one of numpy the shortest that stands for it, taken exactly; an integer or a Fraction is
        itself.
    batch_size : int
        The largest number of rows in a batch.
    majority : label, optional
        The class to be downsampled, against all others together. It may be left out where there are two classes of
        different sizes: the larger one. Not together with a dict. Where the strata have several columns a class is
        named as it is shown, its values joined by a comma and a space: ``"1, y"``. So it is in a dict of multipliers.
    walk : bool, default False
        False draws the kept rows afresh each epoch. True walks through one shuffled order of each downsampled class, k
        rows an epoch, cyclically: no row comes again before all the others have come.
    weights : dict, optional
        The weight in training of a row of each class in it, a finite number above 0. Classes that are not in it have
        the weight that undoes the downsampling, rows / kept rows. Classes are named as in `majority`. The batches do
        not depend on it.
    seed : int, optional
        From 0 to 2147483646. None draws one from the system's entropy; ``.seed`` tells it.
    num_replicas : int, optional
        The number of processes that share an epoch: the number of batches is rounded up to a multiple of it.
    rank : int, optional
        Which of the replicas this is, from 0. None gives all batches in global order.

    Raises
    ------
    TypeError, ValueError
        Where a parameter is refused, before any work; where a class keeps fewer rows than there are batches, with the
        smallest `batch_size` that works.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has all rows of the classes that are not downsampled, and exactly `kept` rows of each other class, no row
      twice.
    * With T rows an epoch has ``ceil(T / batch_size)`` batches, up to the next multiple of `num_replicas`. No batch has
      more than `batch_size` rows, their sizes differ by at most 1, and each class has in each batch the floor or the
      ceiling of its share.
    * The kept rows are those of the first ranks in the epoch order: uniform, without replacement, and independent of
      each other in different epochs.
    * With `walk`, any ``ceil(N / k)`` consecutive epochs visit all N rows of a class, and over ``N / gcd(N, k)`` epochs
      every row comes equally often, so that the mean over them of a sum weighted by `weights` is that over all rows.
    * Pickled, it takes one byte a row for up to 256 classes.

    The method is that of "Sampling methods within TensorFlow input functions" (Datatonic). Calibration is what it
    keeps, at a fraction of the gradient steps; a better ranking (AUC) is not to be expected of it.

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

    @named_by_class
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
        """The parameters, checked, with classes by name; all but the strata, the seed and the rank."""
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
        """The share of the rows of each class that an epoch visits, by name, in order of first appearance."""
        return pd.Series(self._plan.counts / self._counts, index=list(self._plan.strata), name="keep_rate")

    @named_by_class
    def class_weights(self, *, normalise: bool = False) -> pd.Series:
        """Return the weight of each class in training, by name, in order of first appearance.

        Parameters
        ----------
        normalise : bool, default False
            False: what `weights` gave, else rows / kept rows, which is 1 for a class that is kept whole. True: these
            divided by their mean over an epoch, which leaves the learning rate its meaning.

        Returns
        -------
        pandas.Series of float64
        """
        return pd.Series(self._weights_of_classes(normalise), index=list(self._plan.strata), name="weight")

    def _weights_of_classes(self, normalise: bool) -> NDArray[np.float64]:
        if not check_flag(normalise, "normalise"):
            return self._weights.copy()
        if self._given_weights is None:  # all kept rows together stand for all rows
            return np.asarray(self._weights * (self._plan.n_rows / len(self._codes)))
        relative = self._weights / self._weights.max()
        return np.asarray(relative / (relative * (self._plan.counts / self._plan.n_rows)).sum())

    @named_by_class
    def weights(self, rows: Any = None, *, normalise: bool = False) -> NDArray[np.float64]:
        """Return the weight that each row has in training.

        In evaluation all rows have the weight 1.

        Parameters
        ----------
        rows : array of int, optional
            Positions from 0, such as a batch; all rows of the dataset where not given.
        normalise : bool, default False
            As in `class_weights`.

        Returns
        -------
        numpy.ndarray of float64, of the shape of `rows`

        Raises
        ------
        TypeError, ValueError
            Where `rows` are no integers, such as a mask of logical values, or not from 0 to the number of rows - 1.
        """
        weights = self._weights_of_classes(normalise)
        return np.asarray(weights[self._codes if rows is None else self._codes[self._positions(rows)]])

    def _positions(self, rows: Any) -> NDArray[np.int64]:
        """Return positions of rows, of any shape; refuse what is none, also numbers below 0."""
        found = plain_array(rows, "rows")
        if found.size and found.dtype.kind not in "iu":
            raise RefusedType("rows", "hold row positions", f"{found.dtype} values")
        positions = for_kernel(found, np.int64)
        outside = first_outside(positions.ravel(), len(self._codes))
        if outside >= 0:
            required = f"hold row positions from 0 to {len(self._codes) - 1}"
            raise RefusedValue("rows", required, show(found.ravel()[outside]))
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
