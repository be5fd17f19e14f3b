"""Batches of some of the strata, with several rows of each: P classes of m rows, as for metric learning."""

from __future__ import annotations

from typing import Any, Optional, Union

from pystrat.core.core_sampler import arguments_of
from pystrat.core.strata import encode_strata
from pystrat.core.strata_weights import WeightsOfStrata
from pystrat.stratified.ranged import RangedBatchSampler


class StrataSubsetBatchSampler(WeightsOfStrata, RangedBatchSampler):
    """Batch sampler with a few strata in each batch, and several rows of each of them.

    For metric learning and contrastive losses with more classes than fit into a batch. The R function
    ``rbridge::batch_sampler_strata_subset()`` returns the same batches. docs/contrastive.md is a guide, with the rules.

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
    strata, missing, seed, num_replicas, rank
        As in `StratifiedBatchSampler`.

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

    It is the PK sampling of A. Hermans, L. Beyer and B. Leibe, "In Defense of the Triplet Loss for Person
    Re-Identification" (2017), without its random choice of classes and rows.

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
