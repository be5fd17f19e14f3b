"""Batches by length in plain Python, exactly as documented, to compare with the core."""

from __future__ import annotations

from typing import Callable, Optional

Shuffled = Callable[[int], list[int]]  # R's sample.int() - 1


def sorted_windows(lengths: list[int], window: int) -> list[list[int]]:
    """Return the places of each window, the shortest rows first; equally long ones in drawn order."""
    begins = range(0, len(lengths), window)
    return [sorted(range(begin, min(begin + window, len(lengths))), key=lengths.__getitem__) for begin in begins]


def cut(places: list[int], lengths: list[int], batch_size: Optional[int], max_tokens: Optional[int]) -> list[list[int]]:
    """Cut a sorted window into batches: a row opens a batch where it would exceed a limit of the one before it."""
    batches: list[list[int]] = []
    for place in places:
        longer = [*batches[-1], place] if batches else [place]
        tokens = len(longer) * max([1, *(lengths[row] for row in longer)])
        exceeds = (batch_size is not None and len(longer) > batch_size) or (
            max_tokens is not None and tokens > max_tokens
        )
        if not batches or exceeds:
            batches.append([place])
        else:
            batches[-1] = longer
    return batches


def parts_of(batch: list[int], count: int) -> list[list[int]]:
    """Return so many parts of a batch, whose sizes differ by at most 1."""
    ends = [part * len(batch) // count for part in range(count + 1)]
    return [batch[begin:end] for begin, end in zip(ends, ends[1:])]


def split(batches: list[list[int]], n_batches: int) -> list[list[int]]:
    """Split batches until there are so many: as few rows as possible in the largest, the first ones first."""
    most = 1
    while sum(-(-len(batch) // most) for batch in batches) > n_batches:
        most += 1
    counts = [-(-len(batch) // most) for batch in batches]
    for place, batch in enumerate(batches):
        while most > 1 and sum(counts) < n_batches and counts[place] < -(-len(batch) // (most - 1)):
            counts[place] += 1
    return [part for batch, count in zip(batches, counts) for part in parts_of(batch, count)]


def balanced(batches: list[list[int]], tokens: list[int], num_replicas: int, shuffled: Shuffled) -> list[list[int]]:
    """Return the batches in an order in which those of each step, one for each replica, have similar tokens."""
    by_tokens = sorted(range(len(batches)), key=tokens.__getitem__)
    steps = [by_tokens[begin : begin + num_replicas] for begin in range(0, len(batches), num_replicas)]
    order = [steps[step] for step in shuffled(len(steps))]
    return [batches[step[place]] for step in order for place in shuffled(num_replicas)]


def batches_by_length(
    rows: list[int],
    lengths: list[int],
    *,
    batch_size: Optional[int] = None,
    max_tokens: Optional[int] = None,
    window: Optional[int] = None,
    num_replicas: int = 1,
    balance_replicas: bool = False,
    shuffled: Shuffled,
) -> Optional[list[list[int]]]:
    """Return the batches of drawn rows; None if there are fewer rows than batches.

    `lengths` are those of all rows of the dataset, and `shuffled` is R's ``sample.int() - 1``.
    """
    drawn = [lengths[row] for row in rows]
    windows = sorted_windows(drawn, window or len(rows))
    batches = [batch for places in windows for batch in cut(places, drawn, batch_size, max_tokens)]
    n_batches = -(-len(batches) // num_replicas) * num_replicas
    if n_batches > len(rows):
        return None
    batches = split(batches, n_batches)
    if balance_replicas:
        tokens = [len(batch) * max([1, *(drawn[place] for place in batch)]) for batch in batches]
        batches = balanced(batches, tokens, num_replicas, shuffled)
    else:
        batches = [batches[batch] for batch in shuffled(n_batches)]
    return [[rows[place] for place in batch] for batch in batches]
