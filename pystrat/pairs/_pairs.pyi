from numpy.typing import NDArray
import numpy as np

from pystrat._random import RandomStream

class FreeCells:
    count: int
    def __init__(self, positives: NDArray[np.int64], n_cells: int) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def cells(self, ranks: NDArray[np.int64]) -> None: ...

def indices_within(
    stream: RandomStream, firsts: NDArray[np.int64], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def subsets_within(
    stream: RandomStream, firsts: NDArray[np.int64], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def find_cells(
    positives: NDArray[np.int64], starts: NDArray[np.int64], n_columns: int, cells: NDArray[np.int64]
) -> NDArray[np.bool_]: ...
def deal_pairs(
    order: NDArray[np.int32],
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    offsets: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> None: ...
