"""Batches that keep the rows of a group together, or apart, with a minimum of rows of every stratum."""

from __future__ import annotations

from typing import Any, Optional

from pystrat.core.arrays import check_same_rows
from pystrat.core.core_sampler import arguments_of, data_of_groups
from pystrat.core.strata import encode_strata
from pystrat.stratified.ranged import RangedBatchSampler


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
    strata, missing, seed, num_replicas, rank
        As in `StratifiedBatchSampler`.

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
        numbered = encode_strata(groups, missing=None, name="groups")
        self._plan_strata(encode_strata(strata, missing=missing), data_of_groups(numbered))
