import numpy as np
from numpy.typing import NDArray

def deal_together(
    order: NDArray[np.int32],
    groups: NDArray[np.int32],
    sizes: NDArray[np.int32],
    strata_of: NDArray[np.int32],
    n_strata: int,
    n_batches: int,
    minimum: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
