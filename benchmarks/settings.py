"""The datasets and samplers that are measured."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray

from pystrat import StratifiedBatchSampler

GENERATOR = np.random.default_rng(1)

# Number of strata, and parameters of the sampler.
SETTINGS: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"mean_batch_size": 100}),
    (2, {"mean_batch_size": 256}),
    (10, {"mean_batch_size": 256}),
    (1000, {"min_samples_per_stratum": 1}),
    (1000, {"mean_batch_size": 256, "assign": "even", "rare": "allow"}),
)

# What is wanted in a batch of two strata: other numbers of rows than there are.
WANTED: dict[str, dict[str, Any]] = {
    "quotas of 3 and 90": {"min_samples_per_stratum": {0: 90, 1: 3}},
    "shares 3 to 1": {"mean_batch_size": 100, "shares": {0: 3, 1: 1}},
    "balanced over": {"mean_batch_size": 100, "balance": "over"},
    "repeats for m = 10": {"min_samples_per_stratum": 10, "mean_batch_size": 100, "rare": "repeat"},
    "batches of 101": {"mean_batch_size": 101, "drop": "balanced"},
}


def labels_of(n_rows: int, n_strata: int) -> NDArray[np.int64]:
    """Return labels in random order: 3 % of two strata, or strata of sizes as 1, 1/2, 1/3, ... (Zipf)."""
    if n_strata == 2:
        return (GENERATOR.random(n_rows) < 0.03).astype(np.int64)
    shares = 1 / np.arange(1, n_strata + 1)
    return GENERATOR.choice(n_strata, size=n_rows, p=shares / shares.sum())


def sampler_of(n_rows: int, n_strata: int = 2, **parameters: Any) -> StratifiedBatchSampler:
    """Return a sampler over such labels, of 256 rows a batch unless the parameters say otherwise."""
    return StratifiedBatchSampler(labels_of(n_rows, n_strata), seed=1, **(parameters or {"mean_batch_size": 256}))


def described(n_rows: int, n_strata: int, parameters: dict[str, Any]) -> str:
    size = "m = 1" if "min_samples_per_stratum" in parameters else f"mean batch {parameters['mean_batch_size']}"
    even = ", even" if "assign" in parameters else ""
    return f"{n_rows:,} rows, {n_strata:,} strata, {size}{even}"


def consume(batches: Iterable[Any]) -> None:
    """Take all batches, one by one, as a training loop does."""
    for _ in batches:
        pass
