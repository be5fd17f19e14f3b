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
    """Return the values without neighbours that are equal: one for each group that stays together in a batch."""
    return [value for value, _ in groupby(values)]
