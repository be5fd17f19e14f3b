"""An epoch of the Python sampler, as arrays and as lists, over numpy's permutation and torch's random batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rounds import head, interleaved, ratio, show
from torch.utils.data import BatchSampler, RandomSampler

from pystrat import StratifiedBatchSampler

GENERATOR = np.random.default_rng(1)


def labels_of(n_rows: int, n_strata: int) -> NDArray[np.int64]:
    """Return labels in random order: 3 % of two strata, or strata of sizes as 1, 1/2, 1/3, ... (Zipf)."""
    if n_strata == 2:
        return (GENERATOR.random(n_rows) < 0.03).astype(np.int64)
    shares = 1 / np.arange(1, n_strata + 1)
    return GENERATOR.choice(n_strata, size=n_rows, p=shares / shares.sum())


def sampler_of(n_rows: int, n_strata: int, **parameters: Any) -> StratifiedBatchSampler:
    if not parameters:
        parameters = {"mean_batch_size": 256, "assign": "even", "rare": "allow"}
    return StratifiedBatchSampler(labels_of(n_rows, n_strata), seed=1, **parameters)


def consume(batches: Any) -> None:
    for _ in batches:
        pass


def as_arrays() -> None:
    for n_rows, rounds in ((20_000, 101), (1_000_000, 15), (10_000_000, 5)):
        for n_strata in (2, 10, 1000):
            sampler = sampler_of(n_rows, n_strata)
            timings = interleaved(
                {
                    "ours": lambda: sampler.batches(0),
                    "numpy": lambda: GENERATOR.permutation(n_rows),
                    "torch": lambda: torch.randperm(n_rows),
                },
                rounds=rounds,
            )
            reach = 0.9 if n_rows == 10_000_000 else 1.15
            setting = f"{n_rows:,} rows, {n_strata} strata"
            show(f"as arrays over numpy permutation, {setting}", ratio(timings, "ours", "numpy"), reach)
            show(f"as arrays over torch randperm, {setting}", ratio(timings, "ours", "torch"), reach)


def as_lists() -> None:
    for n_rows, rounds, reach in ((20_000, 31, 0.35), (1_000_000, 7, 0.30), (10_000_000, 3, 0.30)):
        sampler = sampler_of(n_rows, 2)
        random_batches = BatchSampler(RandomSampler(range(n_rows)), 256, False)
        timings = interleaved(
            {"ours": lambda: consume(sampler), "torch": lambda: consume(random_batches)}, rounds=rounds
        )
        claim = f"as lists over torch BatchSampler(RandomSampler), {n_rows:,} rows"
        show(claim, ratio(timings, "ours", "torch"), reach)


def first_batch() -> None:
    sampler = sampler_of(1_000_000, 2)
    timings = interleaved(
        {"first": lambda: next(iter(sampler)), "arrays": lambda: sampler.batches(0)},
        rounds=15,
    )
    show("first batch over a whole epoch as arrays, 1,000,000 rows", ratio(timings, "first", "arrays"), 1.1)


if __name__ == "__main__":
    head()
    as_arrays()
    as_lists()
    first_batch()
