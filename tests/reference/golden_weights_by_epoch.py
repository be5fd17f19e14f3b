"""Batches drawn by weights that follow the epoch, from a naive tree of each epoch."""

from __future__ import annotations

from typing import Any

from tests.reference.naive_random import epoch_seed
from tests.reference.naive_sum_tree import NaiveTree


def rows_of(case: dict[str, Any], epoch: int) -> list[int]:
    """Return the rows of all batches of an epoch."""
    weights = case["weights"][str(max(first for first in map(int, case["weights"]) if first <= epoch))]
    tree = NaiveTree(weights, len(weights), epoch_seed(case["seed"], epoch))
    batches = [tree.sample(case["batch_size"], case["replacement"]) for _ in range(case["n_batches"])]
    return [row for batch in batches for row in batch]


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with the rows of its first epochs."""
    return {**case, "drawn": [rows_of(case, epoch) for epoch in range(7)]}
