"""Batches by length in plain Python, exactly as documented, to compare with the core."""

from __future__ import annotations

from typing import Callable, Optional

from tests.reference.naive_random import NaiveStream, epoch_seed

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


def split(batches: list[list[int]], n_batches: int) -> list[list[int]]:
    """Split the first one of the largest batches until there are so many."""
    while len(batches) < n_batches:
        sizes = list(map(len, batches))
        place = sizes.index(max(sizes))
        middle = sizes[place] // 2
        batches[place : place + 1] = [batches[place][:middle], batches[place][middle:]]
    return batches


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
    seed: int,
    epoch: int,
) -> Optional[list[list[int]]]:
    """Return the batches of drawn rows; None if there are fewer rows than batches.

    `lengths` are those of all rows of the dataset.
    """
    drawn = [lengths[row] for row in rows]
    shuffled = NaiveStream((epoch_seed(seed, epoch) + 1) % (2**31 - 1)).permutation
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
