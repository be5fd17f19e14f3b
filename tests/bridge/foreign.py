"""Samplers that R asks for their batches, because none of them is one of pystrat, nor has a recipe."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from pystrat import Batches, BatchSampler, epoch_permutation

LONG_TEXT = "\u00e9p\u00e9e " * 1000


class Shuffled(BatchSampler):
    """Ten rows in two batches; epoch 3 fails."""

    def _global_length(self) -> int:
        return 2

    def _fingerprint(self) -> str:
        return "Shuffled"

    def _epoch_batches(self, epoch: int) -> Batches:
        if epoch == 3:
            raise ValueError(LONG_TEXT)
        return Batches(epoch_permutation(10, seed=self.seed, epoch=epoch), np.array([0, 4, 10]))


class Numbers(BatchSampler):
    """Numbers that are no rows, given as batches and not as a finished epoch."""

    yields = "numbers"

    def _global_length(self) -> int:
        return 2

    def _fingerprint(self) -> str:
        return "numbers"

    def _epoch_batches(self, epoch: int) -> Any:
        yield np.array([2**53 - 1, 0])
        yield np.array([epoch - 1])


class Epochs:
    """An iterable that is told the epoch."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def __len__(self) -> int:
        return 1

    def set_epoch(self, epoch: int) -> None:
        self.told.append(epoch)

    def __iter__(self) -> Iterator[np.ndarray]:
        yield np.array([self.told[-1], 9])


class Huge:
    """A row that R cannot hold."""

    def __len__(self) -> int:
        return 1

    def batches(self, epoch: int) -> Batches:
        return Batches(np.array([2**32]), np.array([0, 1]))


def asymmetric() -> Iterator[list[int]]:
    """Row 0 and the last row, 6, are not alike, and nothing is the same backwards: an error by one shows."""
    yield from ([0, 6, 2], [5], [1, 3])
