"""Downsampling with upweighting: all rows of the rare class, each epoch a fresh part of the frequent one.

The weights undo in expectation what was left out, so that a network trained on a small part of the rows still learns
probabilities of the whole.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.arrays import for_kernel, plain_array
from pystrat.messages import as_written, check_flag, check_integer, check_number, count_of, refusal, show, show_number
from pystrat._sum_tree import first_outside
from pystrat.base import Batches, epoch_permutation, epoch_seed
from pystrat.plan import BatchPlan, even_plan
from pystrat.planned import PlannedBatchSampler
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import Strata, encode_strata

Multiplier = Union[float, Fraction]
SMALLEST_RATE = np.finfo(np.float64).tiny  # 2^-1022


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
        multiplier: Union[Multiplier, Mapping[Any, Multiplier]],
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
        replicas = self.num_replicas or 1
        plan = even_plan(
            kept, encoded.shown, batch_size=batch_size, num_replicas=replicas, available=encoded.counts, owner=owner
        )
        self._multipliers = multipliers
        self._majority = majority
        self._batch_size = batch_size
        self._walk = walk
        self._adopt(encoded, plan)

    def _adopt(self, strata: Strata, plan: BatchPlan) -> None:
        super()._adopt(strata, plan)
        self._weights = self._counts / plan.counts
        if self._walk:  # what an epoch leaves out has then a code of its own, the last
            self._layout = plan.layout(len(self._codes))
        self._orders = self._make_orders() if self._walk else {}

    def _make_orders(self) -> dict[int, NDArray[np.int32]]:
        """Return the order in which each downsampled class is walked through: that of epoch 0."""
        order = epoch_permutation(len(self._codes), seed=self._seed)
        codes = self._codes[order]
        return {int(code): order[codes == code] for code in np.flatnonzero(self._plan.counts < self._counts)}

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters, checked, with classes by name; all but the strata, the seed and the rank."""
        multipliers = self._multipliers
        return {
            "multiplier": dict(multipliers) if isinstance(multipliers, dict) else multipliers,
            "batch_size": self._batch_size,
            "majority": self._majority,
            "walk": self._walk,
            "num_replicas": self.num_replicas,
        }

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
        return pd.Series(self._weights_of_classes(normalise), index=list(self._plan.strata), name="weight")

    def _weights_of_classes(self, normalise: bool) -> NDArray[np.float64]:
        mean = self._plan.n_rows / len(self._codes) if check_flag(normalise, "normalise", type(self).__name__) else 1.0
        return np.asarray(self._weights * mean)

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
        owner, found = type(self).__name__, plain_array(rows)
        if found.size and found.dtype.kind not in "iu":
            raise TypeError(refusal("rows", owner, "hold row positions", f"{found.dtype} values"))
        positions = for_kernel(found, np.int64)
        outside = first_outside(positions.ravel(), len(self._codes))
        if outside >= 0:
            required = f"hold row positions from 0 to {len(self._codes) - 1}"
            raise ValueError(refusal("rows", owner, required, show(found.ravel()[outside])))
        return positions

    def _epoch_batches(self, epoch: int) -> Batches:
        codes, counts = (self._walked(epoch), self._plan.counts) if self._walk else (self._codes, self._counts)
        return self._scatter(epoch_seed(self._seed, epoch), codes, counts)

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

    def _recipe(self) -> Recipe:
        plan = self._plan
        labels = {name: show(value) for name, value in self.parameters.items() if value is not None}
        labels["multiplier"] = _shown(self._multipliers)
        parts = {
            "codes": compact(self._codes, len(plan.counts)),
            "n_strata": len(plan.counts),
            "kept": plan.counts.astype(np.float64),
            "n_batches": plan.n_batches,
            "walk": self._walk,
        }
        return make_recipe("downsampled", seed=self._seed, parts=parts, labels={**labels, "names": plan.shown})

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for derived in ("_weights", "_orders"):
            del state[derived]
        return state

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
        Where `weight` is no finite number above 0, and where one of the weights is rounded to 0, which would leave a
        class out of the training.

    Examples
    --------
    >>> from pystrat import published_class_weights
    >>> published_class_weights(20)
    (0.0476, 0.9524)
    """
    owner = "published_class_weights"
    weight = check_number(weight, "weight", owner, minimum=0, above=True)
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
        From 0 to 1: of the minority, one for each row; or a table with a column for each class, whose rows sum to 1 (to
        0.001). An array of shape (n, 1), as a network gives it, is one of shape (n,).
    keep_rate : float, or array of float of shape (number of classes,)
        The share of the majority's rows that the training kept, above 0 and at most 1; for a table that of each class.
        A Series, such as ``sampler.keep_rates``, has the names of classes, and the table must then be a DataFrame: they
        are matched by name. An array, such as ``sampler.keep_rates.to_numpy()``, has the order of the columns.

    Returns
    -------
    numpy.ndarray of float64, of the shape of `probabilities`
        For one rate ``keep_rate * p / (keep_rate * p + (1 - p))``; for several ``p_c / keep_rate_c``, divided by their
        sum, which for two classes is the same.

    Raises
    ------
    TypeError
        Where something is no number.
    ValueError
        Where a number is out of range, the rows of a table do not sum to 1, or classes and rates do not agree.

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
    values = _as_doubles(probabilities, "probabilities", owner)
    rates = _as_doubles(keep_rate, "keep_rate", owner)
    _check_rates_and_values(rates, values, owner)
    if rates.size == 1:
        kept = rates.reshape(()) * values
        return np.asarray(kept / (kept + (1 - values)))
    if isinstance(keep_rate, pd.Series):
        rates = rates[_order_of(probabilities, keep_rate, owner)]
    sums = values.sum(axis=1)
    wrong = np.flatnonzero(~(abs(sums - 1) <= 1e-3))
    if len(wrong):
        got = f"a row that sums to {show_number(sums[wrong[0]], 6)}"
        raise ValueError(refusal("probabilities", owner, "have rows that sum to 1", got))
    odds = values / rates
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _as_doubles(values: Any, name: str, owner: str) -> NDArray[np.float64]:
    """Return an array of numbers; refuse anything else."""
    found = plain_array(values)
    if found.size and found.dtype.kind not in "iuf":
        raise TypeError(refusal(name, owner, "hold numbers", "other values"))
    return found.astype(np.float64)


def _check_rates_and_values(rates: NDArray[np.float64], values: NDArray[np.float64], owner: str) -> None:
    """Refuse numbers out of range, and rates that are not those of the classes."""
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(refusal("probabilities", owner, "be from 0 to 1", "other values"))
    if not ((rates > 0) & (rates <= 1)).all():
        raise ValueError(refusal("keep_rate", owner, "be above 0 and at most 1", "other values"))
    if (rates < SMALLEST_RATE).any():
        required = "be at least 2^-1022, so that its inverse is a number"
        raise ValueError(refusal("keep_rate", owner, required, show(rates.min())))
    if values.ndim > 2:
        raise ValueError(refusal("probabilities", owner, "be a vector or a table", f"{values.ndim} dimensions"))
    if rates.ndim > 1 or not rates.size:
        got = f"{rates.ndim} dimensions" if rates.ndim > 1 else "0 values"
        raise ValueError(refusal("keep_rate", owner, "be one value, or one for each class", got))
    n_classes = values.shape[1] if values.ndim == 2 else 1
    if values.ndim < 2 and rates.size > 1:
        required = "be a table with a column for each class where 'keep_rate' has several values"
        raise ValueError(refusal("probabilities", owner, required, count_of(values.size, "value")))
    if rates.size != n_classes:
        required = f"have one value for each class of 'probabilities', {n_classes}"
        raise ValueError(refusal("keep_rate", owner, required, count_of(rates.size, "value")))


def _order_of(probabilities: Any, keep_rate: pd.Series, owner: str) -> list[int]:
    """Return where the rate of each column of a table of probabilities is, whose classes they name."""
    if not isinstance(probabilities, pd.DataFrame):
        advice = "To match classes by position, give 'keep_rate' without names."
        required = "have named columns where 'keep_rate' has names"
        raise ValueError(refusal("probabilities", owner, required, "columns without names", advice))
    names = [_name_of(label, "probabilities", owner) for label in probabilities.columns]
    classes = [_name_of(label, "keep_rate", owner) for label in keep_rate.index]
    for name in classes:
        if classes.count(name) > 1:
            raise ValueError(refusal("keep_rate", owner, "name each class once", f"{show(name)} twice"))
    if sorted(names) != sorted(classes):
        required = f"have a column for each class of 'keep_rate', {_listed(classes)}"
        raise ValueError(refusal("probabilities", owner, required, _listed(names)))
    return [classes.index(name) for name in names]


def _check_multiplier(multiplier: Any, owner: str) -> Union[Multiplier, dict[str, Multiplier]]:
    """Return the multiplier, or one for each class by its name."""
    if not isinstance(multiplier, Mapping):
        return _check_one_multiplier(multiplier, owner)
    if not multiplier:
        raise ValueError(refusal("multiplier", owner, "name at least one class", "0 values"))
    names = [_name_of(label, "multiplier", owner) for label in multiplier]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(refusal("multiplier", owner, "name each class once", f"{show(name)} twice"))
    return {name: _check_one_multiplier(value, owner) for name, value in zip(names, multiplier.values())}


def _shown(multipliers: Union[Multiplier, dict[str, Multiplier]]) -> str:
    """Return the multiplier as a generator in R shows it."""
    if isinstance(multipliers, dict):
        return ", ".join(f"{show(name)}: {show(value)}" for name, value in multipliers.items())
    return show(multipliers)


def _check_one_multiplier(value: Any, owner: str) -> Multiplier:
    """Return a float, whose 15 digits are the multiplier, or the fraction that no such float is."""
    number = check_number(value, "multiplier", owner, minimum=0, above=True)
    if isinstance(value, np.floating):
        return as_written(value)
    if isinstance(value, Rational) and Fraction(value) != Fraction(show_number(number)):
        return Fraction(value)
    return number


def _name_of(label: Any, parameter: str, owner: str) -> str:
    """Return how a label is shown as the name of a stratum."""
    if np.ndim(label) == 0 and not pd.isna(label):
        try:
            return encode_strata([label], missing="stratum").names[0]
        except TypeError:  # of a kind that no stratum has; told below, with the name of the parameter
            pass
    raise TypeError(refusal(parameter, owner, "name a class by its label", show(label)))


def _code_of(name: str, names: tuple[str, ...], parameter: str, owner: str) -> int:
    if name not in names:
        raise ValueError(refusal(parameter, owner, f"name one of the classes, {_listed(names)}", show(name)))
    if names.count(name) > 1:
        got = f"{show(name)}, as which {names.count(name)} classes are shown,"
        advice = "Recode the classes, so that each is shown in its own way."
        raise ValueError(refusal(parameter, owner, "name a class that no other is shown as", got, advice))
    return names.index(name)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(show, names[:10])) + ", ..." * (len(names) > 10)


def _kept_rows(
    strata: Strata, multiplier: Union[Multiplier, dict[str, Multiplier]], majority: Optional[str], owner: str
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


def _kept_of(count: int, multiplier: Multiplier, minority: int, owner: str) -> int:
    """Return floor(multiplier * minority + 1/2), at most all rows; refuse 0."""
    exact = multiplier if isinstance(multiplier, Fraction) else Fraction(show_number(multiplier))
    kept = int(exact * minority + Fraction(1, 2))
    if kept == 0:
        required = f"keep at least 1 row: be at least {show(0.5)} / {minority}"
        raise ValueError(refusal("multiplier", owner, required, show(multiplier)))
    return min(count, kept)
