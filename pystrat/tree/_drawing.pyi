from numpy.typing import NDArray
import numpy as np

def cumulate(weights: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def stream_seed(seed: int, number: int) -> int: ...
def make_normal(uniforms: NDArray[np.float64], mean: float, deviation: float) -> None: ...

class Drawing:
    def __init__(
        self,
        modes: NDArray[np.int8],
        repeats: NDArray[np.int64],
        leaves: NDArray[np.int8],
        options: NDArray[np.int32],
        offsets: NDArray[np.int64],
        cumulative: NDArray[np.float64],
        cumulative_begin: NDArray[np.int64],
        by_depth: NDArray[np.int64],
        depths: NDArray[np.int64],
        seed: int,
        keep: bool,
    ) -> None: ...
    def draw(self, count: int) -> NDArray[np.int32]: ...
