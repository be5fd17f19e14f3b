"""How the time of a constructor grows: at twice the size over the size itself, near 2 if it is linear."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pandas as pd
from rounds import head, interleaved, show_ratio

import pystrat

ROUNDS = 7
REACH = 2.8  # room for logarithms, and for memory that no longer fits a cache


def rows(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.arange(size) % 100, 1, seed=1)


def strata(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.repeat(np.arange(size) / 7, 2), 1, seed=1)


def minimums(size: int) -> Any:
    labels = np.repeat(np.arange(size), 4)
    return pystrat.StratifiedBatchSampler(labels, {number: 1 + number % 2 for number in range(size)}, seed=1)


def pairs_of_values(size: int) -> Any:
    columns = {"a": np.arange(size) % 499, "b": np.arange(size) % 307 / 7}
    return pystrat.StratifiedBatchSampler(columns, 1, seed=1)


def rows_with_labels(size: int) -> Any:
    labels = np.random.default_rng(1).random((size, 50)) < 0.1
    return pystrat.MultilabelBatchSampler(labels, 2, seed=1, rare="allow")


def groups_together(size: int) -> Any:
    groups = np.arange(size) // 10
    return pystrat.StratifiedGroupBatchSampler(groups % 5, 1, groups=groups, seed=1)


def groups_apart(size: int) -> Any:
    groups = np.arange(size) // 10
    return pystrat.StratifiedGroupBatchSampler(np.arange(size) % 5, 1, groups=groups, keep="apart", seed=1)


def subsets_of_strata(size: int) -> Any:
    return pystrat.StrataSubsetBatchSampler(np.repeat(np.arange(size), 4), 10, 4, seed=1)


def shards(size: int) -> Any:
    counts = pd.DataFrame(np.full((size, 5), 4), index=[f"shard {number}" for number in range(size)])
    labels = np.tile(np.repeat(np.arange(5), 4), size)
    return pystrat.ShardedStratifiedBatchSampler(labels, 1, counts=counts, shards=counts.index, seed=1)


def weights(size: int) -> Any:
    return pystrat.WeightedBatchSampler(np.arange(size) + 1.0, 256, seed=1)


def priorities(size: int) -> Any:
    return pystrat.PrioritizedBatchSampler(size, 256, seed=1)


def multipliers(size: int) -> Any:
    labels = np.repeat(np.arange(size), 2)
    return pystrat.DownsampledBatchSampler(labels, {number: 0.5 for number in range(size)}, 2 * size, seed=1)


def positives(size: int) -> Any:
    users, items = np.arange(size) // 10, np.arange(size) * 7919 % 1000
    return pystrat.NegativePairBatchSampler(users, items, 0.5, 1024, seed=1)


def part_of_rows(size: int) -> Any:
    return pystrat.EpochSubsetBatchSampler(size, size // 2, 256, seed=1)


def siblings(size: int) -> Any:
    """Each sibling looks at all rows, of which there are a thousand whatever the size."""
    table = pd.DataFrame({"group": np.arange(1000) % 500, "size": np.arange(1000) + 1.0})
    node = {"column": "group", "weight": "proportional(size)", "row_weight": "size"}
    children = [{"name": f"node {number}", "value": number % 500, **node} for number in range(size)]
    return pystrat.TreeSampler(table, {"children": children}, length=1, seed=1)


SIZES: dict[str, tuple[Callable[[int], Any], int]] = {
    "StratifiedBatchSampler, rows": (rows, 500_000),
    # Both sizes are beyond the caches; between 100,000 and 200,000 strata, the step out of one would count as growth.
    "StratifiedBatchSampler, strata": (strata, 400_000),
    "StratifiedBatchSampler, rows of two columns": (pairs_of_values, 200_000),
    "StratifiedBatchSampler, strata with a minimum each": (minimums, 2_000),
    "StratifiedGroupBatchSampler, rows of groups together": (groups_together, 500_000),
    "StratifiedGroupBatchSampler, rows of groups apart": (groups_apart, 500_000),
    "StrataSubsetBatchSampler, strata": (subsets_of_strata, 400_000),
    "ShardedStratifiedBatchSampler, shards": (shards, 2_000),
    "MultilabelBatchSampler, rows": (rows_with_labels, 5_000),
    "WeightedBatchSampler, rows": (weights, 500_000),
    "PrioritizedBatchSampler, rows": (priorities, 500_000),
    "DownsampledBatchSampler, classes with a multiplier": (multipliers, 2_000),
    "NegativePairBatchSampler, positives": (positives, 200_000),
    "EpochSubsetBatchSampler, rows": (part_of_rows, 500_000),
    "TreeSampler, siblings with a condition": (siblings, 1_000),
}


if __name__ == "__main__":
    head()
    for name, (make, size) in SIZES.items():
        timings = interleaved({"twice": lambda: make(2 * size), "once": lambda: make(size)}, rounds=ROUNDS)
        show_ratio(f"time at twice the size, {name}, {size:,}", timings, "twice", "once", REACH)
