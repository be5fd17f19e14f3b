"""How the time of a constructor grows: at twice the size over the size itself, near 2 if it is linear."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pandas as pd
from rounds import head, interleaved, show_ratio

import pystrat
from pystrat._kernels import number_integers
from pystrat.corpus import CorpusPlan

ROUNDS = 7
REACH = 2.8  # room for logarithms, and for memory that no longer fits a cache
INVERSE = pow(0x9E3779B97F4A7C15, -1, 2**64)  # of the factor of the core's hash


def rows(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.arange(size) % 100, 1, seed=1)


def strata(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.repeat(np.arange(size) / 7, 2), 1, seed=1)


def pairs_of_values(size: int) -> Any:
    columns = {"a": np.arange(size) % 499, "b": np.arange(size) % 307 / 7}
    return pystrat.StratifiedBatchSampler(columns, 1, seed=1)


def colliding_numbers(size: int) -> Any:
    bits = np.arange(size, dtype=np.uint64) * np.uint64(INVERSE)
    values = (bits ^ (bits >> np.uint64(32))).view(np.int64)
    return number_integers(values, np.empty_like(values))


def rows_with_labels(size: int) -> Any:
    labels = np.random.default_rng(1).random((size, 50)) < 0.1
    return pystrat.MultilabelBatchSampler(labels, 2, seed=1, shortfall="allow")


def labels_and_rows(size: int) -> Any:
    """The size is that of the matrix, whose sides are equal."""
    side = round(size**0.5)
    labels = np.random.default_rng(1).random((side, side)) < 0.1
    labels[0] = True
    return pystrat.MultilabelBatchSampler(labels, 1, seed=1, shortfall="allow")


def weights(size: int) -> Any:
    return pystrat.WeightedBatchSampler(np.arange(size) + 1.0, 256, seed=1)


def priorities(size: int) -> Any:
    return pystrat.PrioritizedBatchSampler(size, 256, seed=1)


def multipliers(size: int) -> Any:
    labels = np.repeat(np.arange(size), 2)
    return pystrat.DownsampledBatchSampler(labels, {number: 0.5 for number in range(size)}, 2 * size, seed=1)


def corrected_classes(size: int) -> Any:
    names = [f"class {number}" for number in range(size)]
    probabilities = pd.DataFrame(np.full((1, size), 1 / size), columns=names)
    return pystrat.correct_probabilities(probabilities, pd.Series(0.5, index=names))


def positives(size: int) -> Any:
    users, items = np.arange(size) // 10, np.arange(size) * 7919 % 1000
    return pystrat.NegativePairBatchSampler(users, items, 0.5, 1024, seed=1)


def siblings(size: int) -> Any:
    """Each sibling looks at all rows, of which there are a thousand whatever the size."""
    table = pd.DataFrame({"group": np.arange(1000) % 500, "size": np.arange(1000) + 1.0})
    node = {"column": "group", "weight": "proportional(size)", "row_weight": "size"}
    children = [{"name": f"node {number}", "value": number % 500, **node} for number in range(size)]
    return pystrat.TreeSampler(table, {"children": children}, length=1, seed=1)


def clones(size: int) -> Any:
    """Siblings with clones for each of a hundred values."""
    table = pd.DataFrame({"group": np.arange(1000) % 100, "size": np.arange(1000) + 1.0})
    child = {"name": "value", "for_each": True, "column": "group", "weight": "proportional(size)"}
    children = [
        {"name": f"node {number}", "weight": "proportional(size)", "children": [child]} for number in range(size)
    ]
    return pystrat.TreeSampler(table, {"children": children}, length=1, seed=1)


def letters_of_a_name(size: int) -> Any:
    return CorpusPlan(["c" * size], [10], 5, [".-a.-a.-a.-a.-a.-a 1", "* 1"])


SIZES: dict[str, tuple[Callable[[int], Any], int]] = {
    "StratifiedBatchSampler, rows": (rows, 500_000),
    # Both sizes are beyond the caches; between 100,000 and 200,000 strata, the step out of one would count as growth.
    "StratifiedBatchSampler, strata": (strata, 400_000),
    "StratifiedBatchSampler, rows of two columns": (pairs_of_values, 200_000),
    "numbering integers whose hashes collide": (colliding_numbers, 500_000),
    "MultilabelBatchSampler, rows": (rows_with_labels, 5_000),
    "MultilabelBatchSampler, entries of a square of rows and labels": (labels_and_rows, 250_000),
    "WeightedBatchSampler, rows": (weights, 500_000),
    "PrioritizedBatchSampler, rows": (priorities, 500_000),
    "DownsampledBatchSampler, classes with a multiplier": (multipliers, 2_000),
    "correct_probabilities, classes": (corrected_classes, 2_000),
    "NegativePairBatchSampler, positives": (positives, 200_000),
    "TreeSampler, siblings with a condition": (siblings, 1_000),
    "TreeSampler, siblings with clones": (clones, 200),
    "CorpusPlan, letters of a name under '.-a' six times": (letters_of_a_name, 2_000),
}


if __name__ == "__main__":
    head()
    for name, (make, size) in SIZES.items():
        timings = interleaved({"twice": lambda: make(2 * size), "once": lambda: make(size)}, rounds=ROUNDS)
        show_ratio(f"time at twice the size, {name}, {size:,}", timings, "twice", "once", REACH)
