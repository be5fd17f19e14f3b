"""Shared by batch samplers with a given number of batches of one size."""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import NDArray

from pystrat.limits import MAX_COUNT
from pystrat.messages import check_integer, refused_value
from pystrat.base import Batches, BatchSampler
from pystrat.sizes import full_offsets, share_of_replicas


class FixedSizeBatchSampler(BatchSampler):
    """Base class of the samplers whose batches all have `batch_size` rows.

    Parameters
    ----------
    n_rows : int
        The number of rows, or the number that there is room for.
    batch_size : int
        The number of rows per batch, at least 1.
    n_batches : int, optional
        The number of batches per epoch, over all ranks, at most 2147483647; by default ``n_rows // batch_size``. With
        `num_replicas`, it is rounded down to a multiple of it.
    seed, num_replicas, rank
        As in `BatchSampler`.
    """

    def __init__(
        self,
        n_rows: int,
        batch_size: int,
        *,
        n_batches: Optional[int],
        seed: Optional[int],
        num_replicas: Optional[int],
        rank: Optional[int],
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._batch_size = check_integer(batch_size, "batch_size", minimum=1, maximum=MAX_COUNT)
        if n_batches is not None:
            # The limit prevents overflow of the number of rows, even for the largest batches.
            n_batches = check_integer(n_batches, "n_batches", minimum=1, maximum=MAX_COUNT)
        else:
            n_batches = n_rows // self._batch_size
            if n_batches == 0:
                required = f"be given if the batch size exceeds the number of rows, {n_rows}"
                raise refused_value("n_batches", required, "nothing")
        self._n_batches = share_of_replicas(n_batches, self.num_replicas)

    @property
    def batch_size(self) -> int:
        """The number of rows of every batch."""
        return self._batch_size

    def _global_length(self) -> int:
        return self._n_batches

    def _as_batches(self, rows: NDArray[Any]) -> Batches:
        """Cut the rows of an epoch into batches."""
        return Batches(rows, full_offsets(len(rows), self._n_batches, self._batch_size))
