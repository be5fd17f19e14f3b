"""Batches of equally likely rows."""

from __future__ import annotations

from typing import Optional

from pystrat.core.core_sampler import KindBatchSampler, arguments_of


class UniformBatchSampler(KindBatchSampler):
    """Batch sampler that draws every batch from all rows, with or without replacement.

    Parameters
    ----------
    n_rows : int
        The number of rows, from 1 to 2147483647.
    batch_size : int
        The number of rows per batch; at most `n_rows` without replacement.
    replacement : bool, default False
        Whether a row may occur in a batch more than once.
    n_batches : int, optional
        The number of batches per epoch, at most 2147483647; by default ``n_rows // batch_size``.
    seed, num_replicas, rank : int, optional, as in `StratifiedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Every set of `batch_size` rows is equally likely, and batches are independent. Over an epoch, a row may occur
      several times, or never.
    * R gives the same rows, counted from 1: ``set.seed(s)``, then ``sample.int(n_rows, batch_size, useHash = FALSE)``
      for each batch of the epoch, or ``sample.int(n_rows, batch_size, replace = TRUE)``; s is
      ``(seed + 1327217885 * epoch) mod (2^31 - 1)``.
    * A batch takes O(batch_size), whatever `n_rows` is.

    Examples
    --------
    >>> from pystrat import UniformBatchSampler
    >>> list(UniformBatchSampler(10, 3, seed=1))
    [[8, 3, 6], [0, 1, 4], [6, 1, 2]]
    """

    _kind = "uniform"
    batch_size: int  #: The number of rows of every batch.

    def __init__(
        self,
        n_rows: int,
        batch_size: int,
        *,
        replacement: bool = False,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals()))
        self._begin()
        self.batch_size = int(self._parts["batch_size"])
