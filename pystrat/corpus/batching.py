"""Drawn rows -> batches of at most a given size, in the order in which they were drawn."""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import NDArray

from pystrat.base import Batches, BatchSampler
from pystrat.limits import MAX_COUNT
from pystrat.messages import RefusedValue, check_integer, show
from pystrat.sizes import even_offsets, full_offsets, round_to_replicas


class BatchCut:
    """Where the drawn rows of an epoch are cut into batches.

    Parameters
    ----------
    n_rows : int
        Rows that are drawn in an epoch.
    batch_size : int
        The most rows of a batch.
    num_replicas : int, optional
        None: all batches have `batch_size` rows, except the last, which may be short. Else the number of batches is
        rounded up to a multiple of it, and the sizes of the batches differ by at most 1.

    Raises
    ------
    TypeError, ValueError
        If `batch_size` is not a positive integer, or there are fewer rows than replicas need batches.
    """

    def __init__(self, n_rows: int, batch_size: Any, num_replicas: Optional[int]) -> None:
        self.batch_size = check_integer(batch_size, "batch_size", minimum=1)
        n_batches = -(-n_rows // self.batch_size)
        if num_replicas is None:
            self.offsets = full_offsets(n_rows, n_batches, self.batch_size)
            return
        n_batches = round_to_replicas(n_batches, num_replicas, "up")
        if n_batches > n_rows:
            required = f"leave each batch a row: {n_rows} are drawn for {n_batches} batches"
            raise RefusedValue("num_replicas", required, show(num_replicas))
        self.offsets = even_offsets(n_rows, n_batches, longer="spread")

    @property
    def n_batches(self) -> int:
        """The number of batches of an epoch."""
        return len(self.offsets) - 1

    def batches(self, rows: NDArray[Any]) -> Batches:
        """Return the drawn rows as batches."""
        return Batches(rows, self.offsets)


class DrawnBatchSampler(BatchSampler):
    """What the samplers share that visit `sample` of `n` examples in each epoch.

    Parameters
    ----------
    n, sample : int
        From 1 to 2147483647.
    batch_size : int
        The most examples of a batch.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is refused.
    """

    def __init__(
        self,
        n: int,
        sample: int,
        batch_size: int,
        *,
        seed: Optional[int],
        num_replicas: Optional[int],
        rank: Optional[int],
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._n = check_integer(n, "n", minimum=1, maximum=MAX_COUNT)
        self._sample = check_integer(sample, "sample", minimum=1, maximum=MAX_COUNT)
        self._cut = BatchCut(self._sample, batch_size, self.num_replicas)

    def _global_length(self) -> int:
        return self._cut.n_batches

    def _drawn_parts(self) -> dict[str, Any]:
        """Return the parts of a recipe that these samplers share."""
        return {
            "n": self._n,
            "sample": self._sample,
            "batch_size": self._cut.batch_size,
            "num_replicas": self.num_replicas,
        }
