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
def deal_apart(
    order: NDArray[np.int32],
    strata: NDArray[np.int32],
    groups: NDArray[np.int32],
    stratum_counts: NDArray[np.int32],
    group_counts: NDArray[np.int32],
    n_batches: int,
    nested: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
