"""The rows of shards dealt to batches, in plain Python: slow, and as the documents describe it."""

from __future__ import annotations

from itertools import product
from typing import Optional, Sequence

from tests.reference.naive_random import epoch_order

Cell = tuple[int, int]  # shard, stratum


def naive_cells(table: Sequence[Sequence[int]], n_batches: int, scope: str) -> dict[Cell, list[int]]:
    """Return the batch of each row of each cell, by its rank: all rows are laid in one line, and dealt in turn."""
    n_shards, n_strata = len(table), len(table[0])
    if scope == "global":
        cells = [(shard, stratum) for stratum, shard in product(range(n_strata), range(n_shards))]
    else:
        cells = list(product(range(n_shards), range(n_strata)))
    line = [cell for cell in cells for _ in range(table[cell[0]][cell[1]])]
    batches: dict[Cell, list[int]] = {cell: [] for cell in cells}
    for place, cell in enumerate(line):
        batches[cell].append(place % n_batches)
    return batches


def naive_n_batches(table: Sequence[Sequence[int]], minimum: int, scope: str) -> Optional[int]:
    """Return the number of batches; None if there is none with which the scope can be kept."""
    rows = [sum(column) for column in zip(*table)] if scope == "global" else [n for shard in table for n in shard]
    return min(rows) // minimum or None


def naive_batches(
    strata: Sequence[Sequence[int]],
    n_strata: int,
    n_batches: int,
    shards: Sequence[int],
    *,
    scope: str,
    seed: Optional[int],
    epoch: int,
) -> list[list[int]]:
    """Return the batches of a process that holds `shards`, of all shards whose rows have `strata`.

    Rows are counted from 0 over the shards of the process; without a seed they keep their order.
    """
    table = [[list(own).count(stratum) for stratum in range(n_strata)] for own in strata]
    batch_of = naive_cells(table, n_batches, scope)
    batches: list[list[int]] = [[] for _ in range(n_batches)]
    first = 0
    for shard in shards:
        n_rows = len(strata[shard])
        order = range(n_rows) if seed is None else epoch_order(n_rows, seed, epoch * len(strata) + shard)
        for stratum in range(n_strata):
            ranked = [row for row in order if strata[shard][row] == stratum]
            for row, batch in zip(ranked, batch_of[shard, stratum]):
                batches[batch].append(first + row)
        first += n_rows
    return batches
