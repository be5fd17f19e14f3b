"""R's generator in plain Python, one number at a time, on the standard library's Mersenne-Twister."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Optional, Sequence

import numpy as np
from numpy.typing import NDArray


class NaiveStream:
    """R's set.seed, and its draws."""

    def __init__(self, seed: int) -> None:
        words = []
        for _ in range(50 + 1 + 624):
            seed = (69069 * seed + 1) % 2**32
            words.append(seed)
        self._outputs = random.Random()
        self._outputs.setstate((3, (*words[51:], 624), None))

    def index(self, limit: int) -> int:
        """Draw a number from 0 to limit - 1."""
        bits = (limit - 1).bit_length()
        while True:
            value = 0
            for _ in range(0, bits + 1, 16):
                value = value * 65536 + (self._outputs.getrandbits(32) >> 16)
            value %= 2**bits
            if value < limit:
                return value

    def uniform(self) -> float:
        """Draw a multiple of 2^-53 in [0, 1), of two outputs."""
        return self._outputs.random()

    def indices(self, limit: int, count: int) -> NDArray[np.int64]:
        """Draw sample.int(limit, count, replace = TRUE) - 1."""
        return np.array([self.index(limit) for _ in range(count)], dtype=np.int64)

    def permutation(self, n_rows: int, count: Optional[int] = None) -> list[int]:
        """Draw sample.int(n_rows, count, useHash = FALSE) - 1, of all rows if there is no count."""
        pool = list(range(n_rows))
        order = []
        for left in range(n_rows, n_rows - (n_rows if count is None else count), -1):
            place = self.index(left)
            order.append(pool[place])
            pool[place] = pool[left - 1]
        return order


def epoch_seed(seed: int, number: int) -> int:
    """Return the seed of an epoch, or of something else that is numbered."""
    return (seed + 1_327_217_885 * number) % (2**31 - 1)


@lru_cache(maxsize=4)
def epoch_order(n_rows: int, seed: int, epoch: int) -> Sequence[int]:
    """Return the order of the rows in an epoch."""
    return NaiveStream(epoch_seed(seed, epoch)).permutation(n_rows)
