"""Rank-based priorities in plain Python: slow, only for comparison."""

from __future__ import annotations

from tests.reference.naive_sum_tree import NaiveTree


class NaiveRanks:
    """All rows are sorted anew for every draw."""

    def __init__(self, n: int, capacity: int, alpha: float, seed: int) -> None:
        self.priorities = [1.0] * n
        self.capacity, self.alpha = capacity, alpha
        self.told: list[float] = []
        self.next_position = n % capacity
        self.random = NaiveTree([], 1, seed).random

    def order(self) -> list[int]:
        return sorted(range(len(self.priorities)), key=lambda row: (-self.priorities[row], row))

    def weights(self) -> list[float]:
        """Those of the rows, in the order of the rows."""
        found = [0.0] * len(self.priorities)
        for place, row in enumerate(self.order(), start=1):
            found[row] = place**-self.alpha
        return found

    def update(self, rows: list[int], priorities: list[float]) -> None:
        for row, priority in zip(rows, priorities):
            self.priorities[row] = abs(priority)
            self.told.append(abs(priority))

    def append(self, count: int) -> None:
        for _ in range(count):
            value = max(self.told, default=1.0)
            if self.next_position == len(self.priorities):
                self.priorities.append(value)
            else:
                self.priorities[self.next_position] = value
            self.next_position = (self.next_position + 1) % self.capacity

    def sample(self, k: int, sliced: bool = False) -> list[int]:
        tree = NaiveTree([place**-self.alpha for place in range(1, len(self.priorities) + 1)], self.capacity, 0)
        order = self.order()
        shares = [(slice_ + self.random.uniform()) / k if sliced else self.random.uniform() for slice_ in range(k)]
        return [order[tree.row_at(share * tree.total)] for share in shares]
