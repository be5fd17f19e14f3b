"""The batches that the study compares: each kind makes a sampler of the training rows."""

from __future__ import annotations

from typing import Callable, Iterator, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    StratifiedBatchSampler,
    WeightedBatchSampler,
    inverse_frequency_weights,
)

Labels = NDArray[np.int64]
MULTIPLIER = 4
MINIMUM = 4


class Made(NamedTuple):
    """A sampler, and the weights of rows in the loss, if it has some."""

    sampler: BatchSampler
    weights: Optional[NDArray[np.float64]] = None


def plain(labels: Labels, size: int, seed: int) -> Made:
    """Shuffled batches: those of a single stratum."""
    return Made(StratifiedBatchSampler(np.zeros_like(labels), mean_batch_size=size, seed=seed))


def stratified(labels: Labels, size: int, seed: int) -> Made:
    """As many rows of each stratum as its share of the rows, rounded down or up."""
    return Made(StratifiedBatchSampler(labels, mean_batch_size=size, rare="allow", seed=seed))


def at_least_4(labels: Labels, size: int, seed: int) -> Made:
    """At least 4 rows of each stratum; rare rows repeat."""
    return Made(StratifiedBatchSampler(labels, MINIMUM, mean_batch_size=size, rare="repeat", seed=seed))


def equal_shares(labels: Labels, size: int, seed: int) -> Made:
    """Equal shares of all strata. An epoch takes as many rows as there are."""
    shares = {stratum: 1 for stratum in np.unique(labels).tolist()}
    return Made(StratifiedBatchSampler(labels, mean_batch_size=size, shares=shares, seed=seed))


def oversampled(labels: Labels, size: int, seed: int) -> Made:
    """Equal shares of all strata. An epoch takes every row, and rare ones repeatedly."""
    return Made(StratifiedBatchSampler(labels, mean_batch_size=size, balance="over", seed=seed))


def downsampled(labels: Labels, size: int, seed: int) -> Made:
    """All rows of the rare class, 4 times as many of the other, and weights that correct for it."""
    counts = np.bincount(labels)
    if len(counts) != 2 or counts.max() <= MULTIPLIER * counts.min():
        raise ValueError("Nothing to downsample.")
    sampler = DownsampledBatchSampler(labels, MULTIPLIER, size, seed=seed)
    return Made(sampler, sampler.weights(np.arange(len(labels))))


def weighted(labels: Labels, size: int, seed: int) -> Made:
    """Rows drawn with replacement, all strata with the same probability."""
    return Made(WeightedBatchSampler(inverse_frequency_weights(labels), size, seed=seed))


KINDS: dict[str, Callable[[Labels, int, int], Made]] = {
    "plain": plain,
    "stratified": stratified,
    "over": oversampled,
    "weighted": weighted,
    "downsampled": downsampled,
    "at least 4": at_least_4,
    "equal shares": equal_shares,
    # Batches without a loss are drawn again, and do not count as steps.
    "plain, refilled": plain,
}
# Kinds that change the shares of the strata in the loss.
CHANGES_SHARES = ("over", "weighted", "at least 4", "equal shares")


def endless(sampler: BatchSampler) -> Iterator[list[int]]:
    """Yield the batches of one epoch after another."""
    while True:
        yield from sampler
