"""Groups dealt to batches, in plain Python: slow, and as the documents tell it."""

from __future__ import annotations

from itertools import groupby
from math import gcd
from typing import Sequence


def most_batches(sizes: Sequence[int], minimum: int) -> int:
    """Return with how many batches a stratum with groups of these sizes is sure to keep the minimum."""
    small = [size for size in sizes if size < minimum]
    n_large = len(sizes) - len(small)
    if not small:
        return n_large
    divisor, largest = gcd(*small), max(small)
    least = next(rows for rows in range(minimum, minimum + divisor) if rows % divisor == 0)
    return n_large + (sum(small) + largest - divisor) // (least + largest - divisor)


def naive_together(
    order: Sequence[int], codes: Sequence[int], groups: Sequence[int], n_batches: int, minimum: int
) -> list[list[int]]:
    """Return the batches of an epoch; `codes` has the stratum of each row, -1 for rows that are never sampled."""
    batches: list[list[list[int]]] = [[] for _ in range(n_batches)]
    for stratum in sorted(set(codes) - {-1}):
        members: dict[int, list[int]] = {}
        for row in order:
            if codes[row] == stratum:
                members.setdefault(groups[row], []).append(row)
        large = [rows for rows in members.values() if len(rows) >= minimum][:n_batches]
        others = [rows for rows in members.values() if rows not in large]
        before = [sum(map(len, batch)) for batch in batches]
        held = [0] * n_batches
        for rows in large + others:
            best = min(range(n_batches), key=lambda batch: (held[batch], before[batch], batch))
            batches[best].append(rows)
            held[best] += len(rows)
    return [[row for rows in batch for row in rows] for batch in batches]


def runs(values: Sequence[int]) -> list[int]:
    """Return the values without neighbors that are equal: one for each group that stays together in a batch."""
    return [value for value, _ in groupby(values)]


def naive_apart(order: Sequence[int], codes: Sequence[int], groups: Sequence[int], n_batches: int) -> list[list[int]]:
    """Return the batches of an epoch of spread groups; `codes` has -1 for rows that are never sampled."""
    rows = [row for row in order if codes[row] >= 0]
    nested = len({(codes[row], groups[row]) for row in rows}) == len({groups[row] for row in rows})
    colors = (
        dealt_in_turn(rows, codes, groups, n_batches) if nested else Coloring(rows, codes, groups, n_batches).colors
    )
    dealt = [[row for row, color in zip(rows, colors) if color == batch] for batch in range(n_batches)]
    return [sorted(batch, key=lambda row: codes[row]) for batch in dealt]


def dealt_in_turn(rows: Sequence[int], codes: Sequence[int], groups: Sequence[int], n_batches: int) -> list[int]:
    """Return the batch of each row if each group lies in one stratum."""
    first: dict[int, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(groups[row], place)
    line = sorted(range(len(rows)), key=lambda place: (codes[rows[place]], first[groups[rows[place]]], place))
    batches = [0] * len(rows)
    for place, edge in enumerate(line):
        batches[edge] = place % n_batches
    return batches


class Coloring:
    """The rows as edges between blocks of their stratum and of their group; no two edges of a block get one color."""

    def __init__(self, rows: Sequence[int], codes: Sequence[int], groups: Sequence[int], n_batches: int) -> None:
        self.n_batches = n_batches
        self.ends = [blocks_of([labels[row] for row in rows], n_batches) for labels in (codes, groups)]
        self.colors: list[int] = []
        self.edges: list[dict[int, dict[int, int]]] = [{vertex: {} for vertex in ends} for ends in self.ends]
        for edge in range(len(rows)):
            self.color(edge)
        wanted = [len(rows) // n_batches + (color < len(rows) % n_batches) for color in range(n_batches)]
        while True:
            givers = [color for color in range(n_batches) if self.colors.count(color) > wanted[color]]
            takers = [color for color in range(n_batches) if self.colors.count(color) < wanted[color]]
            if not givers:
                break
            self.move(givers[0], takers[0])

    def color(self, edge: int) -> None:
        left, right = (self.edges[side][self.ends[side][edge]] for side in (0, 1))
        free = [[color for color in range(self.n_batches) if color not in held] for held in (left, right)]
        common = [color for color in free[0] if color in free[1]]
        if not common:
            self.flip(1, self.ends[1][edge], free[0][0], free[1][0])
        color = common[0] if common else free[0][0]
        self.colors.append(color)
        left[color] = right[color] = edge

    def path(self, side: int, vertex: int, color: int, other: int) -> list[int]:
        """Return the edges of two colors on the path that begins at a vertex of a side."""
        path = []
        while color in self.edges[side][vertex]:
            path.append(self.edges[side][vertex][color])
            side, color, other = 1 - side, other, color
            vertex = self.ends[side][path[-1]]
        return path

    def flip(self, side: int, vertex: int, color: int, other: int) -> None:
        path = self.path(side, vertex, color, other)
        for edge in path:
            for end in (0, 1):
                del self.edges[end][self.ends[end][edge]][self.colors[edge]]
        for edge in path:
            self.colors[edge] = color + other - self.colors[edge]
            for end in (0, 1):
                self.edges[end][self.ends[end][edge]][self.colors[edge]] = edge

    def move(self, giver: int, taker: int) -> None:
        """Flip the path of the first stratum's block that has one more edge of the giver."""
        for vertex in sorted(self.edges[0]):
            held = self.edges[0][vertex]
            if giver in held and taker not in held and len(self.path(0, vertex, giver, taker)) % 2:
                self.flip(0, vertex, giver, taker)
                return
        raise AssertionError("no path has one more edge")


def blocks_of(labels: Sequence[int], n_batches: int) -> list[int]:
    """Return the block of each edge: the rest of a label comes first, beside other rests if there is room."""
    n_blocks, room, shared = 0, 0, -1
    rests: dict[int, int] = {}
    wholes: dict[int, int] = {}
    ranks = {label: 0 for label in labels}
    blocks = []
    for label in labels:
        count = labels.count(label)
        whole, rest = divmod(count, n_batches)
        if ranks[label] == 0:
            if rest > room:
                shared, n_blocks, room = n_blocks, n_blocks + 1, n_batches
            rests[label], wholes[label] = shared, n_blocks
            room, n_blocks = room - rest, n_blocks + whole
        rank = ranks[label]
        blocks.append(rests[label] if rank < rest else wholes[label] + (rank - rest) % whole)
        ranks[label] += 1
    return blocks
