"""Batches of equally likely rows."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.entries import named_by_class
from pystrat.limits import MAX_COUNT
from pystrat.messages import RefusedValue, check_flag, check_integer, count_of, show
from pystrat.recipe import Recipe, make_recipe
from pystrat._random import RandomStream
from pystrat.base import Batches, epoch_seed
from pystrat.fixed_size import FixedSizeBatchSampler


class UniformBatchSampler(FixedSizeBatchSampler):
    """Batch sampler that draws every batch from all rows, with or without replacement.

    Parameters
    ----------
    n : int
        The number of rows, from 1 to 2147483647.
    batch_size : int
        The number of rows per batch; at most `n` without replacement.
    replacement : bool, default False
        Whether a row may occur in a batch more than once.
    n_batches : int, optional
        The number of batches per epoch, at most 2147483647; by default ``n // batch_size``.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded down to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid. The message names the parameter, its value and what to do.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Without replacement, the rows of a batch are distinct. Over an epoch, a row may occur several times, or never.
    * Every set of `batch_size` rows is equally likely, and batches are independent. The variance of the mean of a batch
      is (n - batch_size) / (n - 1) times that with replacement.
    * R gives the same rows, counted from 1: ``set.seed(s)``, then ``sample.int(n, batch_size, useHash = FALSE)`` for
      each batch of the epoch, or ``sample.int(n, batch_size, replace = TRUE)``; s is
      ``(seed + 1327217885 * epoch) mod (2^31 - 1)``.
    * A batch takes O(batch_size), whatever `n` is: a few rows of one array of all rows are swapped, and swapped back.

    The method is the Fisher-Yates shuffle, as in M. Huenermann, "Sampling Algorithms" (2021).

    Examples
    --------
    >>> from pystrat import UniformBatchSampler
    >>> list(UniformBatchSampler(10, 3, seed=1))
    [[8, 3, 6], [0, 1, 4], [6, 1, 2]]
    """

    @named_by_class
    def __init__(
        self,
        n: int,
        batch_size: int,
        *,
        replacement: bool = False,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._n_rows = check_integer(n, "n", minimum=1, maximum=MAX_COUNT)
        self._replacement = check_flag(replacement, "replacement")
        if not replacement and check_integer(batch_size, "batch_size", minimum=1) > self._n_rows:
            required = f"be at most {self._n_rows}, the number of rows, without replacement"
            raise RefusedValue("batch_size", required, show(batch_size))
        super().__init__(self._n_rows, batch_size, n_batches=n_batches, seed=seed, num_replicas=num_replicas, rank=rank)
        self._pool: Optional[NDArray[np.int32]] = None  # all rows in order, between two batches

    def _epoch_batches(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self.seed, epoch))
        if self._replacement:
            rows = stream.indices(self._n_rows, self._n_batches * self._batch_size).astype(np.int32)
            return self._as_batches(rows)
        if self._pool is None:
            self._pool = np.arange(self._n_rows, dtype=np.int32)
        return self._as_batches(stream.subsets(self._pool, self._batch_size, self._n_batches))

    def _recipe(self) -> Recipe:
        parts = {
            "n": self._n_rows,
            "batch_size": self._batch_size,
            "replacement": self._replacement,
            "n_batches": self._n_batches,
        }
        return make_recipe("uniform", seed=self._seed, parts=parts)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self._n_rows, 'row')}, batch_size={self._batch_size}, "
            f"{count_of(self._n_batches, 'batch')}, "
            f"replacement={self._replacement}, seed={self.seed}, epoch={self.epoch})"
        )
