"""Epochs of plans that are not one pass, in plain Python: slow, exactly as documented."""

from __future__ import annotations

from typing import Optional, Sequence

from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed


def naive_epoch(
    codes: Sequence[int],
    taken: Sequence[int],
    n_batches: int,
    *,
    seed: Optional[int],
    epoch: int,
    is_permuted: bool = False,
) -> list[list[int]]:
    """Return the batches of an epoch that takes ``taken[s]`` rows of stratum s, whose code may be in `codes`.

    The rows of each stratum come in passes: a short one of those whose turn it is, then all of them, as often as they
    are taken. They are dealt to the batches in runs, in which no row comes twice.
    """
    stream = None if seed is None else NaiveStream(epoch_seed(seed, epoch))
    fixed = range(len(codes)) if seed is None else epoch_order(len(codes), seed, 0)
    batches: list[list[int]] = [[] for _ in range(n_batches)]
    dealt_before = 0
    for stratum, count in enumerate(taken):
        rows = [row for row in fixed if codes[row] == stratum]
        short = [rows[(epoch * count + step) % len(rows)] for step in range(count % len(rows))]
        left: list[int] = []
        for own in [short, *[rows] * (count // len(rows))]:
            left += own if stream is None else [own[place] for place in stream.permutation(len(own))]
        turns = [(dealt_before + place) % n_batches for place in range(count)]
        dealt_before += count
        for batch in dict.fromkeys(turns):
            run: list[int] = []
            for _ in range(turns.count(batch)):
                run.append(left.pop(next(place for place, row in enumerate(left) if row not in run)))
            batches[batch] += run
    return [batches[place] for place in stream.permutation(n_batches)] if stream and is_permuted else batches
