from typing import Optional

from numpy.typing import NDArray
import numpy as np

from pystrat._random import RandomStream

class FreeCells:
    count: int
    def __init__(self, positives: NDArray[np.int64], n_cells: int) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def cells(self, ranks: NDArray[np.int64]) -> None: ...

def popularity(cells: NDArray[np.int64], n_items: int, power: float) -> NDArray[np.float64]: ...
def kept_shares(distinct: NDArray[np.int64], n_users: int, weights: NDArray[np.float64]) -> NDArray[np.float64]: ...
def popular_cells(
    stream: RandomStream,
    cells: NDArray[np.int64],
    starts: Optional[NDArray[np.int64]],
    n_items: int,
    sums: NDArray[np.float64],
    count: int,
) -> NDArray[np.int64]: ...
def share_out(counts: NDArray[np.int64], whole: int, rest: int, denominator: int) -> NDArray[np.int64]: ...
def deal_pairs(
    order: NDArray[np.int32],
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    offsets: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> None: ...
def group_pairs(
    order: NDArray[np.int32], positives: NDArray[np.int64], negatives: NDArray[np.int64], per_positive: int
) -> NDArray[np.int64]: ...
