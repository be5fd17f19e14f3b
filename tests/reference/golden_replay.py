"""A naive replay buffer, and the golden vectors that it gives, in JSON that every language reads.

``python -m tests.reference.golden_replay`` writes ``tests/golden/replay.json`` afresh.
"""

from __future__ import annotations

import json
import random
from typing import Any, Iterator, Optional

from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "Calls of a replay buffer of 'n_rows' rows and place for 'capacity', and what it then holds: 'weights', the powers "
    "abs(priority) + epsilon ^ alpha of all rows, 0 if both are 0, and 'n_added', the rows ever added. 'append' adds "
    "'count' rows with 'priorities', or without any with the largest abs(priority) + epsilon ever told, or 1, and its "
    "rows take the 'places'. 'update' tells 'priorities' of 'rows'; with 'since', not of those written after so many "
    "rows had been added. Rows are counted from 0. Written by tests/reference/golden_replay.py."
)


class NaiveReplay:
    """Each row notes when it was written; nothing is computed twice or in another way."""

    def __init__(self, n_rows: int, capacity: int, alpha: float, epsilon: float) -> None:
        self.alpha, self.epsilon, self.capacity = alpha, epsilon, capacity
        self.written: list[int] = list(range(1, n_rows + 1))  # how many rows had been added then, this one included
        self.sizes: list[float] = [1.0] * n_rows
        self.n_added, self.largest = n_rows, -1.0

    def append(self, count: int, priorities: Optional[list[float]]) -> list[int]:
        places = []
        for number in range(count):
            size = self.largest if self.largest > 0 else 1.0
            if priorities is not None:
                size = abs(priorities[number]) + self.epsilon
            place = self.n_added % self.capacity
            self.n_added += 1
            if place == len(self.sizes):
                self.sizes.append(size)
                self.written.append(self.n_added)
            else:
                self.sizes[place], self.written[place] = size, self.n_added
            places.append(place)
        self.largest = max([self.largest] + [abs(priority) + self.epsilon for priority in priorities or []])
        return places

    def update(self, rows: list[int], priorities: list[float], since: Optional[int]) -> None:
        for row, priority in zip(rows, priorities):
            if since is None or self.written[row] <= since:
                self.sizes[row] = abs(priority) + self.epsilon
                self.largest = max(self.largest, self.sizes[row])

    def weights(self) -> list[float]:
        return [size**self.alpha if size > 0 else 0.0 for size in self.sizes]

    def call(self, step: dict[str, Any]) -> dict[str, Any]:
        """Make a call; return it with what the buffer then holds."""
        if step["call"] == "append":
            found = {"places": self.append(step["count"], step["priorities"])}
        else:
            self.update(step["rows"], step["priorities"], step["since"])
            found = {}
        return {**step, **found, "weights": self.weights(), "n_added": self.n_added}


def random_steps(naive: NaiveReplay, source: random.Random, n_steps: int) -> Iterator[dict[str, Any]]:
    """Yield random calls that the buffer allows in its present state."""
    for _ in range(n_steps):
        n_rows = len(naive.sizes)

        def priorities(count: int) -> list[float]:
            return [source.choice([0.0, 0.25, -1.5, source.uniform(-2, 2)]) for _ in range(count)]

        if n_rows == 0 or source.random() < 0.5:
            count = source.randint(0, naive.capacity)
            given = priorities(count) if source.random() < 0.5 else None
            yield {"call": "append", "count": count, "priorities": given}
        else:
            rows = [source.randrange(n_rows) for _ in range(source.randint(0, 2 * n_rows))]
            since = source.randint(max(0, naive.n_added - 2 * naive.capacity), naive.n_added)
            since_or_none = since if source.random() < 0.7 else None
            yield {"call": "update", "rows": rows, "priorities": priorities(len(rows)), "since": since_or_none}


def cases() -> Iterator[dict[str, Any]]:
    """Yield all cases."""
    for seed, (n_rows, capacity, alpha, epsilon) in enumerate(
        [(0, 1, 1.0, 0.5), (0, 3, 0.6, 0.0), (2, 2, 1.0, 0.0), (3, 5, 0.6, 0.01), (7, 7, 0.0, 0.0), (4, 9, 2.0, 1e-6)]
    ):
        naive = NaiveReplay(n_rows, capacity, alpha, epsilon)
        steps = [naive.call(step) for step in random_steps(naive, random.Random(seed), 8)]
        yield {"n_rows": n_rows, "capacity": capacity, "alpha": alpha, "epsilon": epsilon, "steps": steps}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps(case) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "replay.json").write_text(as_text(), encoding="utf-8")
