from typing import Any

import numpy as np
from numpy.typing import NDArray

def lay_out(
    counts: NDArray[np.int64], begins: NDArray[np.int64], n_batches: int, layout: NDArray[np.int32]
) -> NDArray[np.int64]: ...
def scatter(
    codes: NDArray[Any],
    counts: NDArray[np.int64],
    layout: NDArray[np.int32],
    rows: NDArray[np.int32],
    shards: NDArray[np.int64],
    n_shards: int,
    seed: int,
    epoch: int,
) -> None: ...
