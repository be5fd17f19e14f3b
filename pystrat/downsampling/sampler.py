"""Downsampling with weights: all rows of the rare class, and in each epoch a new part of the frequent one."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from pystrat.core.core_sampler import arguments_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.strata_weights import PlannedBatchSampler
from pystrat.core.strata import check_keys, encode_strata, strata_of_keys
from pystrat.core.value_names import name_of


class DownsampledBatchSampler(PlannedBatchSampler):
    """Batch sampler with all rows of the rare classes and, in each epoch, a new part of the frequent one.

    Its weights correct for the rows that are left out, in expectation, so that a network trained on a small part of the
    rows learns the probabilities of the whole dataset. The method is that of "Sampling methods within TensorFlow input
    functions" (Datatonic). The R function is ``rbridge::batch_sampler_downsampled()``. docs/downsampling.md is a guide.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row of the dataset, none missing.
    multiplier : float or dict
        The number of rows of the majority to keep, as a multiple of all other rows:
        ``k = min(majority, floor(multiplier * minority + 1/2))``, at least 1. For several classes, a dict from class to
        multiplier, of the smallest class; all rows of other classes are kept. A float is taken as the decimal number of
        15 significant digits that is shown.
    batch_size : int
        The largest number of rows in a batch.
    majority : label, optional
        The class to downsample, against all others together; by default the larger one of two. Not allowed with a dict.
        If the strata have several columns, a class is a tuple of values, such as ``(1, "y")``.
    in_turn : bool, default False
        If False, the kept rows are drawn anew in each epoch. If True, epochs take rows in turn from one shuffled order
        of each downsampled class: no row occurs again before all others have occurred.
    weights : dict, optional
        The training weight of a row of each class in it, a finite number above 0. Other classes have the weight that
        corrects for the downsampling, rows / kept rows.
    seed, num_replicas, rank : int, optional, as in `BatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has all rows of the classes that are not downsampled, and the kept rows of each other class, each once.
    * An epoch of T rows has ``ceil(T / batch_size)`` batches, rounded up to a multiple of `num_replicas`. Batch sizes
      differ by at most 1, and every batch holds the floor or the ceiling of each class's share.
    * The kept rows are drawn uniformly, without replacement, and independently between epochs.
    * With `in_turn`, any ``ceil(N / k)`` consecutive epochs visit all N rows of a class, and over ``N / gcd(N, k)``
      epochs every row occurs equally often.

    Examples
    --------
    >>> from pystrat import DownsampledBatchSampler
    >>> labels = [1] * 1000 + [0] * 2000
    >>> sampler = DownsampledBatchSampler(labels, multiplier=1, batch_size=100, seed=1)
    >>> sampler
    DownsampledBatchSampler(3000 rows, 20 batches, multiplier=1, batch_size=100, in_turn=False, seed=1, epoch=0)
    >>> sampler.weights([0, 2999]).tolist()
    [1.0, 2.0]
    """

    _kind = "downsampled"

    def __init__(
        self,
        strata: Any,
        multiplier: Union[float, Mapping[Any, float]],
        batch_size: int,
        *,
        majority: Any = None,
        in_turn: bool = False,
        weights: Optional[Mapping[Any, float]] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("strata",))
        check_keys([majority], "majority")
        arguments["majority"] = None if majority is None else name_of(majority)
        self._check(arguments)
        encoded, named = encode_strata(strata, missing=None), {}
        if majority is not None:
            named["majority_strata"] = strata_of_keys([majority], encoded.values, "majority")[0]
        self._plan_strata(encoded, arguments, noun="class", **named)
        self._parameters["majority"] = majority

    @property
    def keep_rates(self) -> pd.Series:
        """The share of the rows of each class in an epoch, by its value: ``plan.keep_rates``."""
        return self.plan.keep_rates
