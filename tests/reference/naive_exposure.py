"""Batches in which all strata come equally often, as the rule says it: from epoch 0 on, take after take."""

from __future__ import annotations

from typing import Callable, Iterator, Sequence

from tests.reference.naive_shards import naive_seed
from tests.test_random_stream import Reference

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


def naive_exposure(
    codes: Sequence[int], n_strata: int, n_batches: int, strata_per_batch: int, rows_of_each: int, seed: int
) -> Iterator[list[list[int]]]:
    """Yield the batches of epoch 0, 1, ...; `codes` are numbers of strata, or the number of strata for dropped rows."""

    def orders(n: int, which: int) -> Callable[[int], list[int]]:
        return lambda cycle: Reference(naive_seed(seed, FIRST_ORDER + cycle * (n_strata + 1) + which)).permutation(n)

    rows = [[row for row in Reference(seed).permutation(len(codes)) if codes[row] == s] for s in range(n_strata)]
    sampled = [stratum for stratum in range(n_strata) if len(rows[stratum]) >= rows_of_each]
    n_sampled, n_chosen = len(sampled), n_batches * strata_per_batch
    turns = choices(n_sampled, n_chosen % n_sampled, orders(n_sampled, 0)) if n_chosen % n_sampled else None
    rows_of = {s: choices(len(rows[s]), rows_of_each, orders(len(rows[s]), 1 + s)) for s in sampled}
    epoch = 0
    while True:
        stream = Reference(naive_seed(seed, epoch))
        queue = []
        if turns is not None:
            short = next(turns)
            queue = [short[place] for place in stream.permutation(len(short))]
        for _ in range(n_chosen // n_sampled):
            queue += stream.permutation(n_sampled)
        batches = []
        for _ in range(n_batches):
            chosen: list[int] = []
            waiting: list[int] = []
            while len(chosen) < strata_per_batch:
                number = queue.pop(0)
                (waiting if number in chosen else chosen).append(number)
            queue = waiting + queue
            batch = []
            for number in sorted(chosen):
                batch += [rows[sampled[number]][place] for place in next(rows_of[sampled[number]])]
            batches.append(batch)
        yield batches
        epoch += 1
