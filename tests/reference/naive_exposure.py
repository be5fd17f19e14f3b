"""Batches in which all strata come equally often, as the rule says it: from epoch 0 on, take after take."""

from __future__ import annotations

from typing import Callable, Iterator, Sequence

from tests.reference.naive_random import NaiveStream, epoch_seed

FIRST_ORDER = 6_700_001  # the orders of cycles are numbered after the epochs


def takes(n: int, size: int, order_of_cycle: Callable[[int], list[int]]) -> Iterator[list[int]]:
    """Yield `size` of n numbers at a time, in cycles, none of them twice; those that would be wait."""
    cycle, queue = 0, list[int]()
    while True:
        taken: list[int] = []
        waiting: list[int] = []
        while len(taken) < size:
            if not queue:
                queue = order_of_cycle(cycle)
                cycle += 1
            number = queue.pop(0)
            (waiting if number in taken else taken).append(number)
        queue = waiting + queue
        yield taken


def choices(n: int, count: int, order_of_cycle: Callable[[int], list[int]]) -> Iterator[list[int]]:
    """Yield `count` of n numbers at a time, by takes of them or, if these are fewer, of those that are left out."""
    if count <= n - count:
        yield from takes(n, count, order_of_cycle)
    for left_out in takes(n, n - count, order_of_cycle):
        yield [number for number in range(n) if number not in left_out]


def orders_of(seed: int, n_orders: int, which: int, n: int) -> Callable[[int], list[int]]:
    """Return what gives the order of n numbers in each cycle of what has this number among `n_orders`."""
    return lambda cycle: NaiveStream(epoch_seed(seed, FIRST_ORDER + cycle * n_orders + which)).permutation(n)


def strata_of_epochs(
    n_strata: int, n_batches: int, strata_per_batch: int, seed: int, n_orders: int
) -> Iterator[list[list[int]]]:
    """Yield the strata of the batches of epoch 0, 1, ...: all equally often."""
    n_chosen = n_batches * strata_per_batch
    n_more = n_chosen % n_strata
    turns = choices(n_strata, n_more, orders_of(seed, n_orders, 0, n_strata)) if n_more else None
    epoch = 0
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
            queue = waiting + queue
            batches.append(sorted(chosen))
        yield batches
        epoch += 1


def naive_exposure(
    codes: Sequence[int], n_strata: int, n_batches: int, strata_per_batch: int, rows_of_each: int, seed: int
) -> Iterator[list[list[int]]]:
    """Yield the batches of epoch 0, 1, ...; `codes` are numbers of strata, or the number of strata for dropped rows."""
    rows = [[row for row in NaiveStream(seed).permutation(len(codes)) if codes[row] == s] for s in range(n_strata)]
    sampled = [stratum for stratum in range(n_strata) if len(rows[stratum]) >= rows_of_each]
    n_orders = n_strata + 1
    places = {s: choices(len(rows[s]), rows_of_each, orders_of(seed, n_orders, 1 + s, len(rows[s]))) for s in sampled}
    for epoch in strata_of_epochs(len(sampled), n_batches, strata_per_batch, seed, n_orders):
        strata = [[sampled[number] for number in batch] for batch in epoch]
        yield [[rows[s][place] for s in batch for place in next(places[s])] for batch in strata]


def naive_per_label(
    labels: Sequence[Sequence[int]], n_batches: int, labels_per_batch: int, each: tuple[int, int], seed: int
) -> Iterator[list[list[int]]]:
    """Yield the numbers of the batches of epoch 0, 1, ...; `each` are the positives and negatives of a label."""
    n_labels = len(labels[0])
    n_orders = 2 * n_labels + 1
    takes_of = []
    for label in range(n_labels):
        for sign, count in zip((1, 0), each):
            numbers = [2 * (row * n_labels + label) + sign for row in range(len(labels)) if labels[row][label] == sign]
            orders = orders_of(seed, n_orders, 2 * label + 2 - sign, len(numbers))
            takes_of.append((numbers, choices(len(numbers), count, orders)))
    for epoch in strata_of_epochs(n_labels, n_batches, labels_per_batch, seed, n_orders):
        batches = []
        for chosen in epoch:
            parts = [takes_of[2 * label + part] for label in chosen for part in (0, 1)]
            batches.append([numbers[place] for numbers, taken in parts for place in next(taken)])
        yield batches
