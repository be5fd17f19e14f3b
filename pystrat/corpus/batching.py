"""Drawn rows -> batches of at most a given size, in the order in which they were drawn."""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import NDArray

from pystrat.messages import check_integer, refusal, show
from pystrat.base import Batches
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
        None: all batches have `batch_size` rows, but for the last, which may be short. Else the number of batches is
        rounded up to a multiple of it, and the sizes of the batches differ by at most 1.
    owner : str
        The sampler that error messages name.

    Raises
    ------
    TypeError, ValueError
        Where `batch_size` is not a positive integer, or there are fewer rows than replicas need batches.
    """

    def __init__(self, n_rows: int, batch_size: Any, num_replicas: Optional[int], *, owner: str) -> None:
        self.batch_size = check_integer(batch_size, "batch_size", owner, minimum=1)
        n_batches = -(-n_rows // self.batch_size)
        if num_replicas is None:
            self.offsets = full_offsets(n_rows, n_batches, self.batch_size)
            return
        n_batches = round_to_replicas(n_batches, num_replicas, "up")
        if n_batches > n_rows:
            required = f"leave each batch a row: {n_rows} are drawn for {n_batches} batches"
            raise ValueError(refusal("num_replicas", owner, required, show(num_replicas)))
        self.offsets = even_offsets(n_rows, n_batches, longer="spread")

    @property
    def n_batches(self) -> int:
        """The number of batches of an epoch."""
        return len(self.offsets) - 1

    def batches(self, rows: NDArray[Any]) -> Batches:
        """Return the drawn rows as batches."""
        return Batches(rows, self.offsets)
