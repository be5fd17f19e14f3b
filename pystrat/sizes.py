"""The number of batches for replicas, and where each batch begins: for all samplers, in exact integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Optional

import numpy as np

from pystrat.messages import refused_value, show

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


def round_to_replicas(n_batches: int, num_replicas: Optional[int], direction: Literal["down", "up"]) -> int:
    """Return the next multiple of the number of replicas, where None counts as one.

    Round down if batches may grow or rows may be left out, up if batches may not exceed the size that the user allows.
    """
    replicas = num_replicas or 1
    multiples = n_batches // replicas if direction == "down" else -(-n_batches // replicas)
    return multiples * replicas


def share_of_replicas(n_batches: int, num_replicas: Optional[int]) -> int:
    """Return the number of batches rounded down; refuse if some replicas would get none.

    Raises
    ------
    ValueError
        If there are fewer batches than replicas.
    """
    if n_batches < (num_replicas or 1):
        required = f"be at most {n_batches}, the number of batches"
        raise refused_value("num_replicas", required, show(num_replicas or 1))
    return round_to_replicas(n_batches, num_replicas, "down")


def even_offsets(n_rows: int, n_batches: int) -> NDArray[np.int64]:
    """Return the offsets of batches whose sizes differ by at most 1, shape (n_batches + 1,).

    Batch b, from 0, begins at floor(b * n_rows / n_batches).
    """
    begins: NDArray[np.int64] = np.arange(n_batches + 1, dtype=np.int64) * n_rows // n_batches
    return begins


def full_offsets(n_rows: int, n_batches: int, batch_size: int) -> NDArray[np.int64]:
    """Return the offsets of batches of `batch_size` rows; the last one may be shorter."""
    size = min(batch_size, n_rows)  # larger sizes make one batch, and could overflow
    return np.minimum(np.arange(n_batches + 1, dtype=np.int64) * size, n_rows)
