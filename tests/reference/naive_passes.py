"""Epochs of plans that are not one pass, in plain Python: slow, exactly as documented."""

from __future__ import annotations

from typing import Optional, Sequence

from tests.reference.naive_random import epoch_order


def order_of(n: int, seed: Optional[int], epoch: int) -> Sequence[int]:
    return range(n) if seed is None else epoch_order(n, seed, epoch)


def walked(rows: Sequence[int], count: int, epoch: int) -> list[int]:
    """The `count` rows of an epoch of rows that are walked, in steps of `count` modulo their number."""
    begin = epoch * count % len(rows)
    return [rows[(begin + step) % len(rows)] for step in range(count % len(rows))]


def naive_epoch(
    codes: Sequence[int], taken: Sequence[int], n_batches: int, *, seed: Optional[int], epoch: int
) -> list[list[int]]:
    """Return the batches of an epoch that takes ``taken[s]`` rows of stratum s, whose code may be in `codes`."""
    n_strata = len(taken)
    fixed = order_of(len(codes), seed, 0)
    rows_of = [[row for row in range(len(codes)) if codes[row] == stratum] for stratum in range(n_strata)]
    walks = [[row for row in fixed if codes[row] == stratum] for stratum in range(n_strata)]
    over = [walked(rows, count, epoch) for rows, count in zip(walks, taken)]
    chosen = [set(rows) for rows in over]
    # An entry is its row and its pass: 0 for the short one, 1 for that of the rows themselves.
    is_part = [taken[stratum] < len(rows_of[stratum]) for stratum in range(n_strata)]
    entries: list[Optional[tuple[int, int, int]]] = []
    for row, code in enumerate(codes):
        is_taken = code < n_strata and (not is_part[code] or row in chosen[code])
        entries.append((code, 1, row) if is_taken else None)
    for stratum in range(n_strata):
        if not is_part[stratum]:
            for number in range(2, taken[stratum] // len(rows_of[stratum]) + 1):
                entries.extend((stratum, number, row) for row in rows_of[stratum])
            entries.extend((stratum, 0, row) for row in over[stratum])
    order = order_of(len(entries), seed, epoch)
    sequences: list[list[int]] = []
    for stratum in range(n_strata):
        own = [entry for entry in map(entries.__getitem__, order) if entry is not None and entry[0] == stratum]
        sequences.append([row for _, _, row in sorted(own, key=lambda entry: entry[1])])
    return dealt(sequences, [len(rows) for rows in rows_of], n_batches)


def dealt(sequences: Sequence[Sequence[int]], sizes: Sequence[int], n_batches: int) -> list[list[int]]:
    """Deal sequences to batches: in turn, or in runs of the same lengths in which no row comes twice."""
    batches: list[list[int]] = [[] for _ in range(n_batches)]
    dealt_before = 0
    for sequence, size in zip(sequences, sizes):
        turns = [(dealt_before + place) % n_batches for place in range(len(sequence))]
        dealt_before += len(sequence)
        if len(sequence) <= size:
            for turn, row in zip(turns, sequence):
                batches[turn].append(row)
            continue
        left = list(sequence)
        for batch in range(n_batches):
            run: list[int] = []
            for _ in range(turns.count(batch)):
                run.append(left.pop(next(place for place, row in enumerate(left) if row not in run)))
            batches[batch].extend(run)
    return batches
