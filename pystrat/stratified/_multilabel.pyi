from numpy.typing import NDArray
import numpy as np

def assign_rows(
    codes: NDArray[np.int64], sets: NDArray[np.uint8], n_batches: int, minimum: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...
def gather_batches(
    members: NDArray[np.int64], batches: NDArray[np.int32], order: NDArray[np.int32], n_batches: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
