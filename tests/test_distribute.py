"""`distribute`: samplers of other libraries, divided among processes, with epochs, states and resume."""

from __future__ import annotations

import random
from typing import Any, Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from pystrat import UniformBatchSampler, distribute

ROWS = list(range(20))


class ByEpoch:
    """Draws by the epoch that it is told, with a length that changes."""

    def __init__(self) -> None:
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        return ([row, self.epoch] for row in range(4 + self.epoch % 3))


SAMPLERS = {
    "rows": lambda: RandomSampler(ROWS),
    "weighted rows": lambda: WeightedRandomSampler(np.arange(1.0, 21.0).tolist(), 20),
    "a subset": lambda: SubsetRandomSampler(ROWS),
    "rows in order": lambda: SequentialSampler(ROWS),
    "batches": lambda: BatchSampler(RandomSampler(ROWS), 3, False),
    "batches by epoch": ByEpoch,
}
BATCHES = {"batches", "batches by epoch"}
samplers = pytest.mark.parametrize("name", SAMPLERS)


def made(name: str, **options: Any) -> Any:
    size = {} if name in BATCHES else {"batch_size": 3}
    return distribute(SAMPLERS[name](), **{"seed": 5, **size, **options})


def lists(batches: Any) -> list[list[int]]:
    return [batch.tolist() for batch in batches]


@samplers
@pytest.mark.parametrize("n_replicas", [1, 2, 3])
def test_interleaving_the_ranks_gives_the_batches_of_all(name: str, n_replicas: int) -> None:
    for epoch in (0, 1, 7):
        whole = lists(made(name, num_replicas=n_replicas).batches(epoch))
        parts = [lists(made(name, num_replicas=n_replicas, rank=rank).batches(epoch)) for rank in range(n_replicas)]
        assert [batch for step in zip(*parts) for batch in step] == whole
        assert len({len(part) for part in parts}) == 1


@samplers
def test_an_epoch_is_a_function_of_the_seed_and_leaves_all_generators_as_they_were(name: str) -> None:
    sampler = made(name)
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    before = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    later = lists(sampler.batches(3))
    again = lists(made(name).batches(3))
    assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[2]
    assert np.array_equal(np.random.get_state()[1], before[1])
    assert later == again


@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 6))
def test_every_row_once_in_batches_that_differ_by_one_row(n_rows: int, batch_size: int, n_replicas: int) -> None:
    def sampler(drop_last: bool) -> Any:
        rows = range(n_rows)
        return distribute(
            RandomSampler(rows), batch_size=batch_size, drop_last=drop_last, seed=1, num_replicas=n_replicas
        )

    if n_rows < n_replicas:
        with pytest.raises(ValueError, match="must yield rows for"):
            sampler(False)
    else:
        batches = lists(sampler(False).batches(2))
        sizes = [len(batch) for batch in batches]
        assert sorted(row for batch in batches for row in batch) == list(range(n_rows))
        assert len(sizes) % n_replicas == 0 and 0 < min(sizes) and max(sizes) - min(sizes) <= 1
        # A larger batch only if one batch more for each replica would have no row.
        assert max(sizes) <= batch_size or len(sizes) + n_replicas > n_rows
    if n_rows >= batch_size * n_replicas:
        full = lists(sampler(True).batches(2))
        assert {len(batch) for batch in full} == {batch_size}
        assert len(full) == n_rows // (batch_size * n_replicas) * n_replicas
        assert len({row for batch in full for row in batch}) == len(full) * batch_size


@given(st.integers(1, 12), st.integers(1, 15))
def test_the_first_batches_are_repeated_or_the_last_ones_left_out(n_batches: int, n_replicas: int) -> None:
    own = [[row, 50] for row in range(n_batches)]
    repeated = lists(distribute(own, seed=1, num_replicas=n_replicas).batches())
    assert len(repeated) == -(-n_batches // n_replicas) * n_replicas
    assert repeated == (own * n_replicas)[: len(repeated)]
    if n_batches >= n_replicas:
        assert (
            lists(distribute(own, drop_last=True, seed=1, num_replicas=n_replicas).batches())
            == own[: len(own) // n_replicas * n_replicas]
        )


@samplers
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_resumes_within_an_epoch_and_in_the_next_one(name: str, taken: int) -> None:
    sampler = made(name, num_replicas=2, rank=1)
    sampler.set_epoch(4)
    batches = iter(sampler)
    for _ in range(taken):
        next(batches)
    state = sampler.state(4, taken)
    expected = list(batches), list(sampler)
    resumed = made(name, num_replicas=2, rank=1)
    resumed.load_state_dict(state)
    assert (list(resumed), list(resumed)) == expected


ITEMS = "must be an iterable of rows or of batches, each time that it is iterated over. Got no items"
REFUSED = {
    "one of this package": (lambda: distribute(UniformBatchSampler(9, 3), seed=1), "Got one of class 'UniformBatch"),
    "an iterator": (lambda: distribute(iter(ROWS), batch_size=3), ITEMS),
    "divided": (
        lambda: distribute(DistributedSampler(ROWS, num_replicas=2, rank=0), batch_size=3),
        "must be of a library that does not divide it among processes. Got one of class 'DistributedSampler'",
    ),
    "no size": (
        lambda: distribute(RandomSampler(ROWS)),
        "'batch_size' parameter must be given if 'sampler' yields rows, and not",
    ),
    "two sizes": (lambda: distribute([[0, 1]], batch_size=2), "and not if it yields batches. Got 2 instead"),
    "nothing": (lambda: distribute([], batch_size=2), ITEMS),
    "negative rows": (lambda: distribute([0, -1], batch_size=2), "hold row positions from 0 to 2147483646. Got -1"),
    "a generator of its own": (
        lambda: distribute(RandomSampler(ROWS, generator=torch.Generator()), batch_size=3),
        "must yield the same batches again if torch's random numbers are the same. Got others",
    ),
    "too few batches": (lambda: distribute([[0]], drop_last=True, num_replicas=2), "one for each replica"),
    "too few full batches": (
        lambda: distribute([0, 1, 2], batch_size=2, drop_last=True, num_replicas=2),
        "must yield rows for 2 batches of 2 rows. Got 3 rows",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=message):
        call()
