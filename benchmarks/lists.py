"""An epoch of the Python sampler as lists of ints, consumed batch by batch, over what is used in its place."""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any, Iterator

import numpy as np
from imblearn.tensorflow import balanced_batch_generator
from rounds import head, interleaved, show_ratio
from settings import consume, labels_of
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import BatchSampler, RandomSampler, WeightedRandomSampler

from pystrat import StratifiedBatchSampler

ROUNDS = {20_000: 51, 1_000_000: 7, 10_000_000: 3}
REACH = {20_000: 0.35, 1_000_000: 0.30, 10_000_000: 0.30}


def over_torch(n_rows: int) -> None:
    labels = labels_of(n_rows, 2)
    weights = np.where(labels == 1, 0.5 / 0.03, 0.5 / 0.97)
    for size in (100, 256):
        sampler = StratifiedBatchSampler(labels, mean_batch_size=size, seed=1)
        random = BatchSampler(RandomSampler(range(n_rows)), size, False)
        weighted = BatchSampler(WeightedRandomSampler(weights, n_rows), size, False)
        rows = sampler.batches(0).rows
        contestants = {
            "ours": lambda: consume(sampler),
            "random": lambda: consume(random),
            "weighted": lambda: consume(weighted),
            "tolist": lambda: rows.tolist(),
        }
        timings = interleaved(contestants, rounds=ROUNDS[n_rows])
        setting = f"{n_rows:,} rows, 2 strata, mean batch {size}"
        reach = REACH[n_rows] if size == 256 else None
        show_ratio(f"as lists over BatchSampler(RandomSampler), {setting}", timings, "ours", "random", reach)
        show_ratio(f"as lists over BatchSampler(WeightedRandomSampler), {setting}", timings, "ours", "weighted")
        show_ratio(f"as lists over tolist alone, {setting}", timings, "ours", "tolist")


def folds(labels: Any, n_batches: int) -> Iterator[list[int]]:
    """Use the test parts of scikit-learn's folds as the batches of an epoch."""
    splitter = StratifiedKFold(n_batches, shuffle=True, random_state=1)
    for _, rows in splitter.split(labels, labels):
        yield rows.tolist()


def over_stratified_k_fold(n_rows: int, rounds: int) -> None:
    """Every fold of scikit-learn looks at all rows, so that an epoch takes a time quadratic in them."""
    labels = labels_of(n_rows, 2)
    sampler = StratifiedBatchSampler(labels, mean_batch_size=256, seed=1)
    timings = interleaved(
        {"ours": lambda: consume(sampler), "folds": lambda: consume(folds(labels, len(sampler)))}, rounds=rounds
    )
    setting = f"{n_rows:,} rows, 2 strata, mean batch 256"
    show_ratio(f"as lists over scikit-learn's StratifiedKFold, {setting}", timings, "ours", "folds")


def over_balanced_batches(n_rows: int, rounds: int) -> None:
    """Compare an epoch of all rows with one of imbalanced-learn, which leaves out most of those of the majority."""
    labels = labels_of(n_rows, 2)
    sampler = StratifiedBatchSampler(labels, mean_batch_size=256, seed=1)
    rows = np.arange(n_rows)[:, np.newaxis]

    def balanced() -> None:
        batches, n_batches = balanced_batch_generator(rows, labels, batch_size=256, random_state=1)
        for batch, _ in islice(batches, n_batches):
            batch[:, 0].tolist()

    timings = interleaved({"ours": lambda: consume(sampler), "balanced": balanced}, rounds=rounds)
    share = 2 * int(labels.sum()) / n_rows
    setting = f"{n_rows:,} rows, 2 strata, mean batch 256"
    claim = f"all rows as lists over imbalanced-learn's balanced batches of {share:.0%} of the rows, {setting}"
    show_ratio(claim, timings, "ours", "balanced")


if __name__ == "__main__":
    head()
    for size in sys.argv[1:] or ROUNDS:
        over_torch(int(size))
    if len(sys.argv) == 1:
        over_stratified_k_fold(20_000, rounds=11)
        over_stratified_k_fold(100_000, rounds=3)
        over_balanced_batches(20_000, rounds=31)
        over_balanced_batches(1_000_000, rounds=7)
