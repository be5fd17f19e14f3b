"""What changes before each batch of the golden vectors of weighted and prioritized batches, without the samplers."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

Changes = list[tuple[int, float]]


def changes_of_weights(given: dict[str, Any]) -> Iterator[Changes]:
    """Yield the rows that change before each batch, with their weights, or with their keys if ranks are drawn."""
    if given["kind"] == "uniform":
        for _ in range(given["n_batches"]):
            yield []
    elif given["kind"] == "weighted":
        yield from _changed_weights(given)
    else:
        yield from _changed_priorities(given)


def _first_numbers(given: dict[str, Any], name: str) -> list[float]:
    made = given[name]
    return [(i + 1) * made["multiplier"] % made["modulus"] / made["divisor"] for i in range(given["n"])]


def _changed_weights(given: dict[str, Any]) -> Iterator[Changes]:
    for batch in range(given["n_batches"]):
        changes = list(enumerate(_first_numbers(given, "weights"))) if batch == 0 else []
        for update in given["updates"]:
            if update["before"] == batch:
                changes += [(row, update["weight"]) for row in range(0, given["n"], update["step"])]
        yield changes


def _changed_priorities(given: dict[str, Any]) -> Iterator[Changes]:
    is_ranked = given.get("method") == "rank"
    epsilon: float = given.get("epsilon", 0.0)

    def size_of(priority: float) -> float:
        return abs(priority) + epsilon

    def number_of(size: float) -> float:
        return size if is_ranked else float(np.power(size, given["alpha"]))

    sizes = [size_of(number - 1) for number in _first_numbers(given, "priorities")]
    largest, next_row = max(sizes), given["n"]
    for batch in range(given["n_batches"]):
        changes = [(row, number_of(size)) for row, size in enumerate(sizes)] if batch == 0 else []
        for update in given["updates"]:
            if update["before"] != batch:
                continue
            size = size_of(update["priority"])
            largest = max(largest, size)
            changes += [(row, number_of(size)) for row in range(0, given["n"], update["step"])]
            changes += [
                (row % given["capacity"], number_of(largest)) for row in range(next_row, next_row + update["append"])
            ]
            next_row += update["append"]
        yield changes
