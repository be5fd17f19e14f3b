"""Downsampling with upweighting: all rows of the rare class, each epoch a fresh part of the frequent one.

The weights undo in expectation what was left out, so that a network trained on a small part of the rows still learns
probabilities of the whole.
"""

from __future__ import annotations

import hashlib
import numbers
import sys
from fractions import Fraction
from typing import Any, Mapping, Optional, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat import _kernels
from pystrat._messages import check_flag, check_integer, count_of, refusal, show, show_number
from pystrat.base import Batches, BatchSampler, epoch_permutation, epoch_seed
from pystrat.plan import BatchPlan, even_plan
from pystrat.strata import Strata, encode_strata


class DownsampledBatchSampler(BatchSampler):
    """Batch sampler with all rows of the rare classes and, each epoch, a fresh part of the frequent one.

    For a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_downsampled()``
    gives the same batches, row for row, from the same seed.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row of the dataset, at most 2^31 - 1 rows, none missing.
    multiplier : float or dict
        Rows of the majority that are kept, as a multiple of all other rows: ``k = min(majority, floor(multiplier *
        minority + 1/2))``, at least 1. For several classes a dict from class to multiplier: of each class in it
        ``min(rows, floor(multiplier * smallest + 1/2))`` rows are kept, where smallest counts the rows of the smallest
        class; classes that are not in it are kept whole. A multiplier is the decimal number of 15 significant digits
        that it is shown as, taken exactly.
    batch_size : int
        The largest number of rows in a batch.
    majority : label, optional
        The class to be downsampled, against all others together. It may be left out where there are two classes of
        different sizes: the larger one. Not together with a dict.
    walk : bool, default False
        False draws the kept rows afresh each epoch. True walks through one shuffled order of each downsampled class, k
        rows an epoch, cyclically: no row comes again before all the others have come.
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

    def __init__(
        self,
        strata: Any,
        multiplier: Union[float, Mapping[Any, float]],
        batch_size: int,
        *,
        majority: Any = None,
        walk: bool = False,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        owner = type(self).__name__
        multipliers = _check_multiplier(multiplier, owner)
        batch_size = check_integer(batch_size, "batch_size", owner, minimum=1)
        majority = None if majority is None else _name_of(majority, "majority", owner)
        walk = check_flag(walk, "walk", owner)
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        encoded = encode_strata(strata, missing=None, owner=owner)
        kept = _kept_rows(encoded, multipliers, majority, owner)
        plan = even_plan(kept, encoded.names, batch_size=batch_size, num_replicas=self.num_replicas or 1, owner=owner)
        self._multipliers = multipliers
        self._majority = majority
        self._batch_size = batch_size
        self._walk = walk
        self._adopt(encoded, plan)

    def _adopt(self, strata: Strata, plan: BatchPlan) -> None:
        """Take strata and plan, and build from them what every epoch uses."""
        # A pickle may bring a buffer that is shared and read-only; the kernel takes none.
        self._codes = strata.codes if strata.codes.flags.writeable else strata.codes.copy()
        self._counts = strata.counts
        self._plan = plan
        self._layout = self._make_layout()
        self._orders = self._make_orders() if self._walk else {}

    def _make_layout(self) -> NDArray[np.int32]:
        """Return the place of every stratum and rank; rows that are left out go behind the epoch."""
        n_rows, n_kept = len(self._codes), self._plan.n_rows
        dealt = self._plan.layout(n_rows)
        if self._walk:  # what is left out has then a code of its own, the last
            return dealt
        layout = np.empty(n_rows, dtype=np.int32)
        begins = np.cumsum(self._counts) - self._counts
        taken = np.cumsum(self._plan.counts) - self._plan.counts
        behind = n_kept
        for begin, count, first, kept in zip(begins, self._counts, taken, self._plan.counts):
            layout[begin : begin + kept] = dealt[first : first + kept]
            layout[begin + kept : begin + count] = np.arange(behind, behind + count - kept)
            behind += int(count - kept)
        return layout

    def _make_orders(self) -> dict[int, NDArray[np.int32]]:
        """Return the order in which each downsampled class is walked through: that of epoch 0."""
        order = epoch_permutation(len(self._codes), seed=self._seed)
        codes = self._codes[order]
        return {int(code): order[codes == code] for code in np.flatnonzero(self._plan.counts < self._counts)}

    @property
    def plan(self) -> BatchPlan:
        """The batch plan of the kept rows: number of batches, their sizes, how many rows of each class each one has."""
        return self._plan

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters, checked, with classes by name; all but the strata, the seed and the rank."""
        return {
            "multiplier": self._multipliers,
            "batch_size": self._batch_size,
            "majority": self._majority,
            "walk": self._walk,
            "num_replicas": self.num_replicas,
        }

    @property
    def strata(self) -> Strata:
        """The classes: the code of each row (not to be written to), the names and the counts of all rows."""
        codes = self._codes.view()
        codes.setflags(write=False)
        return Strata(codes, self._plan.strata, self._counts)

    @property
    def keep_rates(self) -> pd.Series:
        """The share of the rows of each class that an epoch visits, by name, in order of first appearance."""
        return pd.Series(self._plan.counts / self._counts, index=list(self._plan.strata), name="keep_rate")

    def class_weights(self, *, normalise: bool = False) -> pd.Series:
        """Return the weight of each class in training, by name, in order of first appearance.

        Parameters
        ----------
        normalise : bool, default False
            False: 1 for a class that is kept whole, rows / kept rows for the others. True: these divided by their mean
            over an epoch, which leaves the learning rate its meaning.

        Returns
        -------
        pandas.Series of float64
        """
        normalise = check_flag(normalise, "normalise", type(self).__name__)
        weights = self._counts / self._plan.counts
        if normalise:
            weights = weights * (self._plan.n_rows / len(self._codes))
        return pd.Series(weights, index=list(self._plan.strata), name="weight")

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
        """
        weights: NDArray[np.float64] = self.class_weights(normalise=normalise).to_numpy()
        codes = self._codes if rows is None else self._codes[np.asarray(rows, dtype=np.int64)]
        return np.asarray(weights[codes])

    def _global_length(self) -> int:
        return self._plan.n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        rows = np.empty(len(self._codes), dtype=np.int32)
        codes, counts = (self._walked(epoch), self._plan.counts) if self._walk else (self._codes, self._counts)
        cursors = np.concatenate([[0], np.cumsum(counts)])
        _kernels.scatter_permutation(epoch_seed(self._seed, epoch), codes, cursors, self._layout, rows)
        return Batches(rows[: self._plan.n_rows].copy(), self._plan.offsets)

    def _walked(self, epoch: int) -> NDArray[Any]:
        """Return the codes of the epoch, in which rows that are left out have the number of classes as code."""
        dropped = len(self._counts)
        codes = self._codes.astype(np.int32) if dropped > np.iinfo(self._codes.dtype).max else self._codes.copy()
        for code, order in self._orders.items():
            kept, count = int(self._plan.counts[code]), len(order)
            begin = epoch * kept % count
            left_out = np.arange(begin + kept, begin + count) % count
            codes[order[left_out]] = dropped
        return codes

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(self._codes.data)
        plan = self._plan
        digest.update(repr((plan.n_batches, plan.counts.tolist(), self._walk, self._seed)).encode("ascii"))
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        # The rest follows from the codes and the counts and takes four bytes a row: built again on load.
        state = self.__dict__.copy()
        for derived in ("_plan", "_layout", "_orders"):
            del state[derived]
        plan = self._plan
        state["plan"] = (plan.n_batches, plan.counts, plan.strata, plan.assign)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        plan = BatchPlan(*state.pop("plan"))
        self.__dict__.update(state)
        self._adopt(Strata(self._codes, plan.strata, self._counts), plan)

    def __repr__(self) -> str:
        plan = self._plan
        kept = [f"{show(name)}: {k} of {n}" for name, k, n in zip(plan.strata, plan.counts, self._counts)]
        shown = ", ".join(kept[:10] + ["..."] * (len(kept) > 10))
        return (
            f"{type(self).__name__}({plan.n_rows} of {len(self._codes)} rows, {count_of(plan.n_batches, 'batch')}, "
            f"kept {shown}, {'walk, ' * self._walk}seed={self._seed}, epoch={self.epoch})"
        )


def published_class_weights(weight: float) -> tuple[float, float]:
    """Return the published form of the weights: ``round([1, weight] / (1 + weight), 4)``.

    Parameters
    ----------
    weight : float
        The weight of the majority while that of the minority is 1: rows / kept rows.

    Returns
    -------
    tuple of float
        The weights of the minority and of the majority, which add up to 1.

    Raises
    ------
    TypeError, ValueError
        Where `weight` is no positive finite number, and where one of the weights is rounded to 0, which would leave a
        class out of the training.

    Examples
    --------
    >>> from pystrat.downsampling import published_class_weights
    >>> published_class_weights(20)
    (0.0476, 0.9524)
    """
    owner = "published_class_weights"
    weight = _check_positive_number(weight, "weight", owner)
    weights = round(1 / (1 + weight), 4), round(weight / (1 + weight), 4)
    if 0 in weights:
        got = f"{show(weight)}, which gives {show(weights[0])} and {show(weights[1])},"
        raise ValueError(refusal("weight", owner, "give two weights above 0", got))
    return weights


def correct_probabilities(probabilities: Any, keep_rate: Any) -> NDArray[np.float64]:
    """Bring the probabilities of a network that was trained on downsampled rows without weights to all rows.

    Parameters
    ----------
    probabilities : array of float, shape (n,) or (n, number of classes)
        From 0 to 1: of the minority; or of each class, the classes in the last dimension.
    keep_rate : float, or array of float of shape (number of classes,)
        The share of the majority's rows that the training kept, above 0 and at most 1; of every class, in their order,
        where `probabilities` has them. Where `probabilities` is a DataFrame and this a Series, such as
        ``sampler.keep_rates``, classes are matched by name.

    Returns
    -------
    numpy.ndarray of float64, of the shape of `probabilities`
        For one class ``keep_rate * p / (keep_rate * p + (1 - p))``; for several ``p_c / keep_rate_c``, divided by their
        sum, which for two classes is the same.

    Raises
    ------
    ValueError
        Where a number is out of range, or the shapes do not agree.

    Notes
    -----
    By Bayes' rule, rows of class c that were kept at the rate r_c have had their odds multiplied by r_c (C. Elkan, "The
    foundations of cost-sensitive learning", 2001). A network that fits its training rows only roughly is corrected only
    roughly.

    Examples
    --------
    >>> from pystrat import correct_probabilities
    >>> correct_probabilities([0.5, 0.1], keep_rate=0.05).round(4).tolist()
    [0.0476, 0.0055]
    """
    owner = "correct_probabilities"
    if isinstance(probabilities, pd.DataFrame) and isinstance(keep_rate, pd.Series):
        keep_rate = _in_order_of(probabilities.columns, keep_rate, owner)
    values = np.asarray(probabilities, dtype=np.float64)
    rates = np.asarray(keep_rate, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(refusal("probabilities", owner, "be from 0 to 1", "other values"))
    if not ((rates > 0) & (rates <= 1)).all():
        raise ValueError(refusal("keep_rate", owner, "be above 0 and at most 1", "other values"))
    if rates.ndim == 0:
        kept = rates * values
        return np.asarray(kept / (kept + (1 - values)))
    if rates.ndim != 1 or values.ndim == 0 or values.shape[-1] != len(rates):
        required = "have one value, or one for each class of 'probabilities'"
        raise ValueError(refusal("keep_rate", owner, required, f"shapes {rates.shape} and {values.shape}"))
    odds = values / rates
    sums = odds.sum(axis=-1, keepdims=True)
    if not (sums > 0).all():
        raise ValueError(refusal("probabilities", owner, "have a positive sum over the classes", "0"))
    return np.asarray(odds / sums)


def _in_order_of(columns: pd.Index, keep_rate: pd.Series, owner: str) -> pd.Series:
    """Return the rates in the order of the columns of a table of probabilities, whose classes they name."""
    names = [_name_of(label, "probabilities", owner) for label in columns]
    if sorted(names) != sorted(keep_rate.index):
        classes = ", ".join(map(show, keep_rate.index[:10])) + ", ..." * (len(keep_rate) > 10)
        required = f"have a column for each class of 'keep_rate', {classes}"
        raise ValueError(refusal("probabilities", owner, required, ", ".join(map(show, names[:10]))))
    return keep_rate[names]


def _check_positive_number(value: Any, name: str, owner: str) -> float:
    required = "be a positive number"
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(refusal(name, owner, required, show(value)))
    if value <= 0 or not value <= sys.float_info.max:
        raise ValueError(refusal(name, owner, required, show(value)))
    return float(value)


def _check_multiplier(multiplier: Any, owner: str) -> Union[float, dict[str, float]]:
    """Return the multiplier, or one for each class by its name."""
    if not isinstance(multiplier, Mapping):
        return _check_positive_number(multiplier, "multiplier", owner)
    if not multiplier:
        raise ValueError(refusal("multiplier", owner, "name at least one class", "0 values"))
    names = [_name_of(label, "multiplier", owner) for label in multiplier]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(refusal("multiplier", owner, "name each class once", f"{show(name)} twice"))
    return {name: _check_positive_number(value, "multiplier", owner) for name, value in zip(names, multiplier.values())}


def _name_of(label: Any, parameter: str, owner: str) -> str:
    """Return how a label is shown as the name of a stratum."""
    if np.ndim(label) == 0:
        try:
            return encode_strata([label], missing="stratum").names[0]
        except TypeError:  # of a kind that no stratum has; told below, with the name of the parameter
            pass
    raise TypeError(refusal(parameter, owner, "name a class by its label", show(label)))


def _code_of(name: str, names: tuple[str, ...], parameter: str, owner: str) -> int:
    if names.count(name) != 1:
        listed = ", ".join(map(show, names[:10])) + ", ..." * (len(names) > 10)
        raise ValueError(refusal(parameter, owner, f"name one of the classes, {listed}", show(name)))
    return names.index(name)


def _kept_rows(
    strata: Strata, multiplier: Union[float, dict[str, float]], majority: Optional[str], owner: str
) -> NDArray[np.int64]:
    """Return how many rows of each class an epoch visits."""
    counts = strata.counts
    if len(counts) < 2:
        raise ValueError(refusal("strata", owner, "have at least two classes", "1 class"))
    kept = counts.copy()
    if isinstance(multiplier, dict):
        if majority is not None:
            required = "be left out where 'multiplier' names the classes"
            raise ValueError(refusal("majority", owner, required, show(majority)))
        for name, value in multiplier.items():
            code = _code_of(name, strata.names, "multiplier", owner)
            kept[code] = _kept_of(int(counts[code]), value, int(counts.min()), owner)
        return kept
    code = _majority_of(strata, majority, owner)
    kept[code] = _kept_of(int(counts[code]), multiplier, int(counts.sum() - counts[code]), owner)
    return kept


def _majority_of(strata: Strata, majority: Optional[str], owner: str) -> int:
    """Return the code of the class that is downsampled."""
    if majority is not None:
        return _code_of(majority, strata.names, "majority", owner)
    counts = strata.counts
    if len(counts) != 2 or counts[0] == counts[1]:
        same = f", both of {count_of(int(counts[0]), 'row')}" if len(counts) == 2 else ""
        required = f"be given where there are not two classes of different sizes: there are {len(counts)}{same}"
        raise ValueError(refusal("majority", owner, required, "nothing"))
    return int(counts.argmax())


def _kept_of(count: int, multiplier: float, minority: int, owner: str) -> int:
    """Return floor(multiplier * minority + 1/2), at most all rows; refuse 0."""
    kept = int(Fraction(show_number(multiplier)) * minority + Fraction(1, 2))
    if kept == 0:
        required = f"keep at least 1 row: be at least {show(0.5)} / {minority}"
        raise ValueError(refusal("multiplier", owner, required, show(multiplier)))
    return min(count, kept)
