"""Batches of one stratum each, such as batches of one source, task or language."""

from __future__ import annotations

from typing import Any, Optional

from pystrat.core.core_sampler import arguments_of
from pystrat.core.strata import encode_strata
from pystrat.stratified.ranged import RangedBatchSampler


class OneStratumBatchSampler(RangedBatchSampler):
    """Batch sampler whose every batch has rows of one stratum only, such as one source, task or language.

    The R function ``rbridge::batch_sampler_one_stratum()`` returns the same batches. docs/one-stratum.md is a guide.

    Parameters
    ----------
    batch_size : int
        The largest number of rows in a batch.
    order : {"proportional", "round_robin"}, default "proportional"
        The order of the batches. "proportional": all batches are shuffled, so that the strata come in proportion to
        their batches. "round_robin": the strata take turns, each with one batch, until they have no more.
    shuffle : bool, default True
        Whether to shuffle rows, batches and turns in each epoch. If False, all keep the order of the dataset.
    strata, missing, seed, num_replicas, rank
        As in `StratifiedBatchSampler`, but the number of batches is rounded up to a multiple of `num_replicas`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row that is not dropped exactly once.
    * A stratum of n rows has ``ceil(n / batch_size)`` batches, whose sizes differ by at most 1. For `num_replicas`,
      batches are added one by one, each to the stratum with the most rows per batch, the first of equal ones.
    * With "round_robin", the strata are in the same order in all rounds of an epoch, except those without further
      batches.

    The orders are those of sentence-transformers, where an epoch with "round_robin" ends with the smallest dataset.

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
