import numpy as np
from numpy.typing import NDArray

def deal_blocks(
    order: NDArray[np.int32],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    n_blocks: NDArray[np.int64],
    n_batches: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
