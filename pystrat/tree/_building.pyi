from typing import Optional, Sequence

from numpy.typing import NDArray
import numpy as np

FOUND: int
MISSING: int
ENDLESS_PASS: int

class Nodes:
    declared: NDArray[np.int32]
    values: NDArray[np.int32]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    offsets: NDArray[np.int64]
    options: NDArray[np.int32]
    node_rows: NDArray[np.int64]
    untaken: NDArray[np.int64]
    weights: NDArray[np.float64]
    matter: NDArray[np.bool_]
    failed: int
    emptied: int
    n_missing: int
    n_looked_at: int
    def __init__(
        self,
        n_rows: int,
        parents: Sequence[int],
        codes: Sequence[Optional[NDArray[np.int32]]],
        n_values: Sequence[int],
        taken: Sequence[Optional[NDArray[np.uint8]]],
        missing: Sequence[int],
        prune: Sequence[int],
    ) -> None: ...
    def build(self) -> int: ...
    def path_of_failed(self) -> list[tuple[int, int]]: ...
    def weigh(
        self,
        forms: Sequence[int],
        modes: Sequence[int],
        numbers: Sequence[float],
        summed: Sequence[Optional[NDArray[np.float64]]],
        row_weights: Sequence[Optional[NDArray[np.float64]]],
    ) -> Optional[tuple[int, Optional[bool], float]]: ...

def pass_length(
    modes: NDArray[np.int8],
    parents: NDArray[np.int32],
    depths: NDArray[np.int32],
    offsets: NDArray[np.int64],
    repeats: NDArray[np.int64],
    node: int,
) -> tuple[int, int]: ...
