"""The sum tree in plain Python: slow, only for comparison."""

from __future__ import annotations
from tests.reference.naive_random import NaiveStream


FAN = 8


class NaiveTree:
    """All sums are made anew for every draw."""

    def __init__(self, weights: list[float], capacity: int, seed: int) -> None:
        self.weights = list(weights) + [0.0] * (capacity - len(weights))
        self.length = len(weights)
        self.next_position = len(weights) % capacity
        self.random = NaiveStream(seed)

    def levels(self) -> list[list[float]]:
        """The leaves first, each level padded with zeros to whole nodes, up to a single node."""
        levels = [padded(self.weights)]
        while len(levels[-1]) > FAN:
            below = levels[-1]
            levels.append(padded([sum_of(below[i : i + FAN]) for i in range(0, len(below), FAN)]))
        return levels

    @property
    def total(self) -> float:
        return sum_of(self.levels()[-1])

    def row_at(self, value: float) -> int:
        place = 0
        for level in reversed(self.levels()):
            parts = level[place * FAN : place * FAN + FAN]
            before = [0.0]
            for part in parts[:-1]:
                before.append(before[-1] + part)
            child = sum(value >= s for s in before[1:])
            while parts[child] == 0:
                child -= 1
            value -= before[child]
            place = place * FAN + child
        return place

    def draw(self) -> int:
        return self.row_at(self.random.uniform() * self.total)

    def sample(self, k: int, replacement: bool = True) -> list[int]:
        if replacement:
            return [self.draw() for _ in range(k)]
        drawn: list[int] = []
        tries = 0
        while len(drawn) < k and tries < 2 * k:
            row = self.draw()
            tries += 1
            if row not in drawn:
                drawn.append(row)
        kept = list(self.weights)
        for row in drawn:
            self.weights[row] = 0.0
        while len(drawn) < k:
            drawn.append(self.draw())
            self.weights[drawn[-1]] = 0.0
        self.weights = kept
        return drawn

    def append(self, weights: list[float]) -> list[int]:
        positions = []
        for weight in weights:
            positions.append(self.next_position)
            self.weights[self.next_position] = weight
            self.next_position = (self.next_position + 1) % len(self.weights)
            self.length = min(self.length + 1, len(self.weights))
        return positions


def padded(values: list[float]) -> list[float]:
    return values + [0.0] * (-len(values) % FAN)


def sum_of(c: list[float]) -> float:
    return ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]))
