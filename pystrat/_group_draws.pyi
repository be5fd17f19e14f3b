from numpy.typing import NDArray
import numpy as np

from pystrat._random import RandomStream

def indices_within(
    stream: RandomStream, firsts: NDArray[np.int64], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def subsets_within(
    stream: RandomStream, firsts: NDArray[np.int64], limits: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]: ...
