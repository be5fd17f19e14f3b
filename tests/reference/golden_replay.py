"""A naive replay buffer, and calls of one."""

from __future__ import annotations

import random
from typing import Any, Iterator, Optional


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


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case whose calls have what the buffer then holds."""
    naive = NaiveReplay(*(case[name] for name in ("n_rows", "capacity", "alpha", "epsilon")))
    return {**case, "steps": list(map(naive.call, case["steps"]))}
