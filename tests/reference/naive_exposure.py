"""Batches in which all strata come equally often, as the rule says it, take after take from an epoch on."""

from __future__ import annotations

from itertools import count
from math import gcd
from typing import Callable, Iterator, Sequence

from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed

Source = tuple[Sequence[int], int, int]  # numbers, how many of them are taken, and the number of their orders

FIRST_ORDER = 6_700_001  # the orders of cycles are numbered after the epochs


def takes(n: int, size: int, order_of_cycle: Callable[[int], list[int]], first: int) -> Iterator[list[int]]:
    """Yield `size` of n numbers at a time, at most half, in cycles, none of them twice; those that would be wait.

    The first take is number `first`. Only what its cycle and the one before take before it can matter.
    """
    cycle = max(0, first * size // n - 1)
    take = -(-cycle * n // size) if size else first
    queue = order_of_cycle(cycle)[take * size - cycle * n :]
    while True:
        taken: list[int] = []
        waiting: list[int] = []
        while len(taken) < size:
            if not queue:
                cycle += 1
                queue = order_of_cycle(cycle)
            number = queue.pop(0)
            (waiting if number in taken else taken).append(number)
        queue[:0] = waiting
        if take >= first:
            yield taken
        take += 1


def choices(n: int, size: int, order_of_cycle: Callable[[int], list[int]], first: int) -> Iterator[list[int]]:
    """Yield `size` of n numbers at a time, by takes of them or, if these are fewer, of those that are left out."""
    if size <= n - size:
        yield from takes(n, size, order_of_cycle, first)
    for left_out in takes(n, n - size, order_of_cycle, first):
        yield [number for number in range(n) if number not in left_out]


def orders_of(seed: int, n_orders: int, which: int, n: int) -> Callable[[int], list[int]]:
    """Return what gives the order of n numbers in each cycle of what has this number among `n_orders`."""
    return lambda cycle: NaiveStream(epoch_seed(seed, FIRST_ORDER + cycle * n_orders + which)).permutation(n)


def strata_of_epochs(
    n_strata: int, n_batches: int, strata_per_batch: int, seed: int, n_orders: int, epoch: int
) -> Iterator[list[list[int]]]:
    """Yield the strata of the batches of an epoch and of those after it: all equally often."""
    n_chosen = n_batches * strata_per_batch
    n_more = n_chosen % n_strata
    turns = choices(n_strata, n_more, orders_of(seed, n_orders, 0, n_strata), epoch) if n_more else None
    while True:
        stream = NaiveStream(epoch_seed(seed, epoch))
        queue = []
        if turns is not None:
            short = next(turns)
            queue = [short[place] for place in stream.permutation(len(short))]
        for _ in range(n_chosen // n_strata):
            queue += stream.permutation(n_strata)
        batches = []
        for _ in range(n_batches):
            chosen: list[int] = []
            waiting: list[int] = []
            while len(chosen) < strata_per_batch:
                number = queue.pop(0)
                (waiting if number in chosen else chosen).append(number)
            queue[:0] = waiting
            batches.append(sorted(chosen))
        yield batches
        epoch += 1


def exposed(
    sources: Sequence[Sequence[Source]], n_batches: int, strata_per_batch: int, seed: int, n_orders: int, epoch: int
) -> Iterator[list[list[int]]]:
    """Yield the batches of an epoch and of those after it, given the sources of each stratum."""
    n_strata, n_chosen = len(sources), n_batches * strata_per_batch
    begin = epoch - epoch % (n_strata // gcd(n_strata, n_chosen))  # all strata have come equally often before it
    n_earlier = begin * n_chosen // n_strata
    taken = [
        [
            choices(len(numbers), size, orders_of(seed, n_orders, which, len(numbers)), n_earlier)
            for numbers, size, which in own
        ]
        for own in sources
    ]
    for number, strata in zip(
        count(begin), strata_of_epochs(n_strata, n_batches, strata_per_batch, seed, n_orders, begin)
    ):
        batches = [
            [
                numbers[place]
                for s in batch
                for (numbers, _, _), places in zip(sources[s], taken[s])
                for place in next(places)
            ]
            for batch in strata
        ]
        if number >= epoch:
            yield batches


def naive_exposure(
    codes: Sequence[int], n_strata: int, n_batches: int, strata_per_batch: int, rows_of_each: int, seed: int, epoch: int
) -> Iterator[list[list[int]]]:
    """Yield the batches of an epoch and of those after it; rows that are dropped have the number of strata as code."""
    rows: list[list[int]] = [[] for _ in range(n_strata + 1)]
    for row in epoch_order(len(codes), seed, 0):
        rows[codes[row]].append(row)
    sources = [[(rows[s], rows_of_each, 1 + s)] for s in range(n_strata) if len(rows[s]) >= rows_of_each]
    return exposed(sources, n_batches, strata_per_batch, seed, n_strata + 1, epoch)


def naive_per_label(
    labels: Sequence[Sequence[int]], n_batches: int, labels_per_batch: int, each: tuple[int, int], seed: int, epoch: int
) -> Iterator[list[list[int]]]:
    """Yield the numbers of the batches of an epoch and of those after it; `each` are positives and negatives."""
    n_labels = len(labels[0])
    sources = []
    for label in range(n_labels):
        numbers = [2 * (row * n_labels + label) + own[label] for row, own in enumerate(labels)]
        signs = [[number for number in numbers if number % 2 == sign] for sign in (1, 0)]
        sources.append([(signs[k], each[k], 2 * label + 1 + k) for k in (0, 1)])
    return exposed(sources, n_batches, labels_per_batch, seed, 2 * n_labels + 1, epoch)
