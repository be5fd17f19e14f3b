"""Groups dealt to batches, in plain Python: slow, and as the documents describe it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from heapq import heapreplace
from itertools import groupby
from math import ceil, gcd
from typing import Any, Sequence

from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed
from tests.reference.naive_stratified import half_up, strata_of


class NaiveGroups:
    """The batches of a group sampler with these columns and parameters; each group that is together has one stratum."""

    def __init__(self, strata: Sequence[Any], groups: Sequence[Any], parameters: dict[str, Any]) -> None:
        self.names, codes = strata_of([strata], parameters.get("missing", "error"))
        self.codes = [-1 if code == len(self.names) else code for code in codes]
        self.groups, self.seed = groups, parameters["seed"]
        self.is_apart = parameters.get("keep") == "apart"
        pairs = Counter(zip(self.codes, groups))
        self.sizes = [[count for (code, _), count in pairs.items() if code == own] for own in range(len(self.names))]
        self.counts = [sum(sizes) for sizes in self.sizes]
        self.n_groups = [len(sizes) for sizes in self.sizes]
        self.choose(parameters)

    def choose(self, parameters: dict[str, Any]) -> None:
        """Choose the number of batches, and the minimum by which groups are large."""
        replicas = parameters.get("num_replicas", 1)
        if "mean_batch_size" not in parameters:
            self.minimum = parameters["min_samples_per_stratum"]
            self.n_batches = max(1, self.allowed(self.minimum)) // replicas * replicas
            return
        self.n_batches = self.by_mean(parameters["mean_batch_size"]) // replicas * replicas
        minimums = range(1, min(self.counts) // max(1, self.n_batches) + 1)
        self.minimum = max((minimum for minimum in minimums if self.allowed(minimum) >= self.n_batches), default=1)

    def by_mean(self, size: int) -> int:
        """Return the number of batches of a mean size, at most one for each row or group that is together."""
        taken = [group for group, code in zip(self.groups, self.codes) if code >= 0]
        most = len(taken if self.is_apart else set(taken))
        return max(1, min(most, half_up(Fraction(len(taken), size))))

    def allowed(self, minimum: int) -> int:
        """Return how many batches are sure to keep a minimum."""
        return min(sum(sizes) // minimum if self.is_apart else most_batches(sizes, minimum) for sizes in self.sizes)

    def bounds(self, stratum: int) -> tuple[int, int]:
        """Return the fewest and the most rows of a stratum in a batch.

        When a group is dealt, no batch has fewer rows than the one that gets it. So no batch exceeds another by more
        than the largest group. The same holds for small groups in the batches without a large one.
        """
        sizes, count, largest = self.sizes[stratum], self.counts[stratum], max(self.sizes[stratum])
        if self.is_apart:
            return count // self.n_batches, ceil(Fraction(count, self.n_batches))
        small, large = ([size for size in sizes if (size >= self.minimum) is is_large] for is_large in (False, True))
        floors, without = [min(large)] if large else [], self.n_batches - len(large)
        if without > 0:
            divisor = gcd(*small) or 1
            rest = Fraction(sum(small) - (without - 1) * max(small, default=0), without)
            floors.append(max(0, ceil(rest / divisor) * divisor))
        of_all = ceil(Fraction(count - (self.n_batches - 1) * largest, self.n_batches))
        return max(of_all, min(floors)), (count - largest) // self.n_batches + largest

    def table(self) -> dict[str, list[int]]:
        """Return the columns of the plan, with a number for each stratum."""
        fewest, most = zip(*map(self.bounds, range(len(self.sizes))))
        return {
            "rows": self.counts,
            "groups": self.n_groups,
            "largest": [max(sizes) for sizes in self.sizes],
            "fewest": list(fewest),
            "most": list(most),
        }

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch, shuffled if a stratum has too few rows or groups for all of them."""
        order = epoch_order(len(self.codes), self.seed, epoch)
        if self.is_apart:
            dealt = naive_apart(order, self.codes, self.groups, self.n_batches)
        else:
            dealt = naive_together(order, self.codes, self.groups, self.n_batches, self.minimum)
        if min(self.counts if self.is_apart else self.n_groups) >= self.n_batches:
            return dealt
        random = NaiveStream(epoch_seed(self.seed, epoch))
        random.permutation(len(self.codes))
        return [dealt[batch] for batch in random.permutation(self.n_batches)]


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
    order: Sequence[int], codes: Sequence[int], groups: Sequence[Any], n_batches: int, minimum: int
) -> list[list[int]]:
    """Return the batches of an epoch; `codes` has the stratum of each row, -1 for rows that are never sampled."""
    batches: list[list[list[int]]] = [[] for _ in range(n_batches)]
    for stratum in sorted(set(codes) - {-1}):
        members: dict[Any, list[int]] = {}
        for row in order:
            if codes[row] == stratum:
                members.setdefault(groups[row], []).append(row)
        large = [rows for rows in members.values() if len(rows) >= minimum][:n_batches]
        others = [rows for rows in members.values() if rows not in large]
        # Rows of the stratum, rows of earlier strata, the batch: the smallest of these gets the next group.
        heap = sorted((0, sum(map(len, batch)), place) for place, batch in enumerate(batches))
        for rows in large + others:
            held, before, place = heap[0]
            batches[place].append(rows)
            heapreplace(heap, (held + len(rows), before, place))
    return [[row for rows in batch for row in rows] for batch in batches]


def runs(values: Sequence[int]) -> list[int]:
    """Return the values without neighbors that are equal: one for each group that stays together in a batch."""
    return [value for value, _ in groupby(values)]


def naive_apart(order: Sequence[int], codes: Sequence[int], groups: Sequence[Any], n_batches: int) -> list[list[int]]:
    """Return the batches of an epoch of spread groups; `codes` has -1 for rows that are never sampled."""
    rows = [row for row in order if codes[row] >= 0]
    nested = len({(codes[row], groups[row]) for row in rows}) == len({groups[row] for row in rows})
    colors = (
        dealt_in_turn(rows, codes, groups, n_batches) if nested else Coloring(rows, codes, groups, n_batches).colors
    )
    dealt: list[list[int]] = [[] for _ in range(n_batches)]
    for row, color in zip(rows, colors):
        dealt[color].append(row)
    return [sorted(batch, key=lambda row: codes[row]) for batch in dealt]


def dealt_in_turn(rows: Sequence[int], codes: Sequence[int], groups: Sequence[Any], n_batches: int) -> list[int]:
    """Return the batch of each row if each group lies in one stratum."""
    first: dict[Any, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(groups[row], place)
    line = sorted(range(len(rows)), key=lambda place: (codes[rows[place]], first[groups[rows[place]]], place))
    batches = [0] * len(rows)
    for place, edge in enumerate(line):
        batches[edge] = place % n_batches
    return batches


class Coloring:
    """The rows as edges between blocks of their stratum and of their group; no two edges of a block get one color."""

    def __init__(self, rows: Sequence[int], codes: Sequence[int], groups: Sequence[Any], n_batches: int) -> None:
        self.ends = [blocks_of([labels[row] for row in rows], n_batches) for labels in (codes, groups)]
        self.colors: list[int] = []
        self.edges: list[dict[int, dict[int, int]]] = [{vertex: {} for vertex in ends} for ends in self.ends]
        self.free = [dict.fromkeys(ends, 2**n_batches - 1) for ends in self.ends]  # bit k: no edge has color k
        for edge in range(len(rows)):
            self.color(edge)
        sizes = Counter(self.colors)
        sizes.subtract(place % n_batches for place in range(len(rows)))
        while +sizes:
            giver, taker = min(+sizes), min(-sizes)
            self.move(giver, taker)
            sizes.subtract({giver: 1, taker: -1})

    def color(self, edge: int) -> None:
        """Give an edge the first color that is free at both of its ends, or make one free."""
        left, right = (self.free[side][self.ends[side][edge]] for side in (0, 1))
        color = lowest_bit(left & right or left)
        if not left & right:
            self.flip(1, self.ends[1][edge], color, lowest_bit(right))
        self.colors.append(color)
        self.set(edge)

    def set(self, edge: int) -> None:
        for side, ends in enumerate(self.ends):
            self.edges[side][ends[edge]][self.colors[edge]] = edge
            self.free[side][ends[edge]] &= ~(1 << self.colors[edge])

    def unset(self, edge: int) -> None:
        for side, ends in enumerate(self.ends):
            del self.edges[side][ends[edge]][self.colors[edge]]
            self.free[side][ends[edge]] |= 1 << self.colors[edge]

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
            self.unset(edge)
        for edge in path:
            self.colors[edge] = color + other - self.colors[edge]
            self.set(edge)

    def move(self, giver: int, taker: int) -> None:
        """Flip the path of the first stratum's block that has one more edge of the giver."""
        for vertex in sorted(self.edges[0]):
            held = self.edges[0][vertex]
            if giver in held and taker not in held and len(self.path(0, vertex, giver, taker)) % 2:
                self.flip(0, vertex, giver, taker)
                return
        raise AssertionError("no path has one more edge")


def lowest_bit(number: int) -> int:
    return (number & -number).bit_length() - 1


def blocks_of(labels: Sequence[Any], n_batches: int) -> list[int]:
    """Return the block of each edge: the rest of a label comes first, beside other rests if there is room."""
    n_blocks, room, shared = 0, 0, -1
    rests: dict[Any, int] = {}
    wholes: dict[Any, int] = {}
    ranks, counts = dict.fromkeys(labels, 0), Counter(labels)
    blocks = []
    for label in labels:
        whole, rest = divmod(counts[label], n_batches)
        if ranks[label] == 0:
            if rest > room:
                shared, n_blocks, room = n_blocks, n_blocks + 1, n_batches
            rests[label], wholes[label] = shared, n_blocks
            room, n_blocks = room - rest, n_blocks + whole
        rank = ranks[label]
        blocks.append(rests[label] if rank < rest else wholes[label] + (rank - rest) % whole)
        ranks[label] += 1
    return blocks
