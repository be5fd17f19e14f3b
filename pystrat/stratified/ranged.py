"""Samplers whose batches differ between epochs in their rows of a stratum: of groups, of some strata, or of one."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np

from pystrat.core.arrays import check_same_rows
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of
from pystrat.core.plan import Plan
from pystrat.core.strata import Strata, data_of_groups, encode_strata, sorted_batches
from pystrat.core.strata_weights import WeightsOfStrata

_COLUMNS = ("rows", "groups", "batches", "largest", "fewest", "most")
_NUMBERS = ("min_samples_per_stratum", "most_batches")


class RangedBatchSampler(KindBatchSampler):
    """Base class of the samplers whose plan has bounds for the rows of each stratum in a batch."""

    plan: Plan  #: The number of batches, and the fewest and the most rows of each stratum in a batch.

    def _plan_strata(self, strata: Strata, data: Mapping[str, Any] = {}) -> None:
        """Plan for the strata of all rows."""
        found = self._begin_strata(strata, data, stacklevel=5)
        heading = f"{count_of(self._n_batches, 'batch')} {found['held'].tobytes().decode()}"
        columns = {name: found[name] for name in _COLUMNS if name in found}
        numbers = {name: int(found[name][0]) for name in _NUMBERS if name in found}
        self.plan = Plan(heading, self._n_batches, strata.values, columns, **numbers)

    def composition(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the rows of each stratum, by its value, in each batch of an epoch, by default the next one.

        It is that of all ranks, and changes nothing. `plan` has bounds for all epochs.
        """
        batches = self._epoch_batches(self._requested_epoch(epoch))
        values, codes = self.plan.strata, self._parts["codes"][batches.rows].astype(np.int64)
        places = np.repeat(np.arange(len(batches)), np.diff(batches.offsets)) * len(values) + codes
        table = np.bincount(places, minlength=len(batches) * len(values)).reshape(-1, len(values))
        return sorted_batches(table, values)


class StratifiedGroupBatchSampler(RangedBatchSampler):
    """Batch sampler that keeps the rows of a group together, or apart, with a minimum of rows of every stratum.

    For rows that belong together, such as the images of a patient or the events of a session. The R function
    ``rbridge::batch_sampler_stratified_group()`` returns the same batches. docs/groups.md is a guide, with the rules.

    Parameters
    ----------
    min_samples_per_stratum : int, optional
        The minimum m: every batch has at least m rows of every stratum. Give either it or `mean_batch_size`.
    groups : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The group of each row, without missing values. With several columns, every combination that occurs is a group.
        The rows of a group may have different strata.
    mean_batch_size : int, optional
        The mean number of rows per batch; with "together", there are no more batches than groups. The minimum m is then
        the largest that this number of batches allows.
    keep : {"together", "apart"}, default "together"
        "together": all rows of a group are in one batch. "apart": the rows of a group are spread over the batches as
        evenly as possible.
    rare : {"error", "warn", "allow"}, default "error"
        What to do if a stratum has fewer than m rows: raise an error, or put all rows into one batch, with or without a
        warning. With `mean_batch_size`, what to do if there are more batches than rows of a stratum, or with "together"
        than groups of it: raise an error, or make batches without the stratum, in another order in each epoch.
    strata, missing, seed, num_replicas, rank : as in `StratifiedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row once.
    * Every batch has at least m rows of each stratum that is not rare, and from ``fewest`` to ``most`` of
      ``plan.table()``.
    * Together: all rows of a group are in one batch, side by side.
    * Apart: every batch has the floor or the ceiling of its share of each stratum and of each group. Batch sizes differ
      by at most 1.

    Examples
    --------
    >>> from pystrat import StratifiedGroupBatchSampler
    >>> patients = ["a", "a", "a", "b", "b", "c", "c", "d", "d", "d"]
    >>> sick = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    >>> sampler = StratifiedGroupBatchSampler(sick, 2, groups=patients, seed=1)
    >>> [[patients[row] for row in batch] for batch in sampler]
    [['b', 'b', 'd', 'd', 'd'], ['a', 'a', 'a', 'c', 'c']]
    """

    _kind = "stratified_group"

    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: Optional[int] = None,
        *,
        groups: Any,
        mean_batch_size: Optional[int] = None,
        keep: str = "together",
        rare: str = "error",
        missing: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("strata", "groups")))
        check_same_rows([("strata", strata), ("groups", groups)])
        data = data_of_groups(groups)
        self._plan_strata(encode_strata(strata, missing=missing), data)


class StrataSubsetBatchSampler(WeightsOfStrata, RangedBatchSampler):
    """Batch sampler with a few strata in each batch, and several rows of each of them.

    For metric learning and contrastive losses with more classes than fit into a batch. It is the PK sampling of A.
    Hermans, L. Beyer and B. Leibe, "In Defense of the Triplet Loss for Person Re-Identification" (2017), without its
    random choice of classes and rows. The R function ``rbridge::batch_sampler_strata_subset()`` returns the same
    batches. docs/contrastive.md is a guide, with the rules.

    Parameters
    ----------
    strata_per_batch : int
        P, the number of strata in a batch.
    min_samples_per_stratum : int, optional
        m, the number of rows of each of its strata in a batch. Give either it or `mean_batch_size`.
    mean_batch_size : int, optional
        The mean number of rows per batch; m is then the largest minimum with which every batch has P strata. Batches
        with `exact` or `balance` have P * m rows, and take m instead.
    exact : bool, default False
        If False, every batch holds at least P strata and at least m rows of each of them, and an epoch visits every row
        once. If True, every batch holds exactly m rows of exactly P strata; surplus rows and strata are left out in
        turn. With `balance`, all batches are exact.
    balance : {"mean", "over", "under"} or int, optional
        Every stratum is in equally many batches, whatever its number of rows. The value is the number of rows of each
        stratum that an epoch takes, on average: the mean number of rows of the strata ("mean"), that of the largest
        ("over") or that of the smallest one ("under").
    rare : {"error", "warn", "allow"}, default "error"
        What to do with strata of fewer than m rows: raise an error, or continue, with or without a warning. All rows of
        such a stratum are then in one batch of the epoch, and the stratum counts as one of the P. With `exact`, they
        are never sampled.
    strata, missing, seed, num_replicas, rank : as in `StratifiedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has as many batches as there can be with P strata of m rows each.
    * No batch has a stratum twice, and the numbers of strata in two batches differ by at most 1.
    * With `exact`, blocks of m rows are left out in turn, and the numbers of times that the rows of a stratum occur
      from epoch 0 on differ by at most one.
    * With `balance`, every stratum is in the floor or the ceiling of B * P / S of the B batches of an epoch, for S
      strata of at least m rows, and after S / gcd(S, B * P) epochs in equally many. All pairs of strata meet about
      equally often.
    * Within a batch, rows are ordered by stratum.

    Examples
    --------
    >>> from pystrat import StrataSubsetBatchSampler
    >>> labels = ["a", "b", "c", "d"] * 3
    >>> sampler = StrataSubsetBatchSampler(labels, 2, min_samples_per_stratum=3, seed=1)
    >>> [[labels[row] for row in batch] for batch in sampler]
    [['a', 'a', 'a', 'd', 'd', 'd'], ['b', 'b', 'b', 'c', 'c', 'c']]
    """

    _kind = "strata_subset"

    def __init__(
        self,
        strata: Any,
        strata_per_batch: int,
        min_samples_per_stratum: Optional[int] = None,
        *,
        mean_batch_size: Optional[int] = None,
        exact: bool = False,
        balance: Union[str, int, None] = None,
        rare: str = "error",
        missing: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("strata",)))
        self._plan_strata(encode_strata(strata, missing=missing))


class OneStratumBatchSampler(RangedBatchSampler):
    """Batch sampler whose every batch has rows of one stratum only, such as one source, task or language.

    The orders are those of sentence-transformers, where an epoch with "round_robin" ends with the smallest dataset. The
    R function ``rbridge::batch_sampler_one_stratum()`` returns the same batches. docs/one-stratum.md is a guide.

    Parameters
    ----------
    batch_size : int
        The largest number of rows in a batch.
    order : {"proportional", "round_robin"}, default "proportional"
        The order of the batches. "proportional": all batches are shuffled, so that the strata come in proportion to
        their batches. "round_robin": the strata take turns, each with one batch, until they have no more.
    shuffle : bool, default True
        Whether to shuffle rows, batches and turns in each epoch. If False, all keep the order of the dataset.
    strata, missing : as in `StratifiedBatchSampler`
    seed, num_replicas, rank : int, optional, as in `BatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row that is not dropped exactly once.
    * A stratum of n rows has ``ceil(n / batch_size)`` batches, whose sizes differ by at most 1. For `num_replicas`,
      batches are added one by one, each to the stratum with the most rows per batch, the first of equal ones.
    * With "round_robin", the strata are in the same order in all rounds of an epoch, except those without further
      batches.

    Examples
    --------
    >>> from pystrat import OneStratumBatchSampler
    >>> sources = ["news"] * 6 + ["web"] * 3 + ["mail"] * 2
    >>> sampler = OneStratumBatchSampler(sources, batch_size=2, order="round_robin", seed=1)
    >>> [sources[batch[0]] for batch in sampler]
    ['news', 'mail', 'web', 'news', 'web', 'news']
    """

    _kind = "one_stratum"

    def __init__(
        self,
        strata: Any,
        batch_size: int,
        *,
        order: str = "proportional",
        shuffle: bool = True,
        missing: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("strata",)))
        self._plan_strata(encode_strata(strata, missing=missing))
