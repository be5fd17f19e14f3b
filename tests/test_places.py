"""`state_dict(batches_consumed=...)` names the batch that the training loop takes next, whatever it did before.

Without the argument it does so, too, or is refused.

All short sequences of what a loop can do are tried, against a plain model of what it really took.
"""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import Any, Callable, Iterator, NamedTuple, Optional

import pytest
from torch.utils.data import DataLoader

from pystrat import BatchSampler, PerplexityBatchSampler, StratifiedBatchSampler, WeightedBatchSampler
from tests.levels import IS_THOROUGH

LABELS = [0, 1] * 4
ROWS = range(len(LABELS))
STEPS = ("iter", "take", "set_epoch", "load")
LENGTH = 6 if IS_THOROUGH else 4  # of the sequences of steps


class Place(NamedTuple):
    epoch: int
    batch: int


SET, LOADED = Place(7, 0), Place(3, 1)


class PrefetchingLoader:
    """A loader whose workers request batches as those of torch do, without the time that processes take."""

    def __init__(self, sampler: BatchSampler, prefetched: int = 4) -> None:
        self._sampler = sampler
        self._prefetched = prefetched

    def __iter__(self) -> Iterator[list[int]]:
        iter(self._sampler)  # torch makes an iterator that it does not use
        return PrefetchingIterator(iter(self._sampler), self._prefetched)


class PrefetchingIterator(Iterator[Any]):
    def __init__(self, batches: Iterator[list[int]], prefetched: int) -> None:
        self._batches = batches
        self._waiting: deque[list[int]] = deque()
        self._send_idx = self._rcvd_idx = 0
        for _ in range(prefetched):
            self._try_put_index()

    def _try_put_index(self) -> None:
        """Request a batch, by the name that torch gives to it."""
        batch = next(self._batches, None)
        if batch is not None:
            self._waiting.append(batch)
            self._send_idx += 1

    def __next__(self) -> list[int]:
        if not self._waiting:
            raise StopIteration
        self._rcvd_idx += 1
        self._try_put_index()
        return self._waiting.popleft()


def without_workers(sampler: BatchSampler) -> Any:
    return DataLoader(ROWS, batch_sampler=sampler, collate_fn=list)  # type: ignore[arg-type, var-annotated]


def with_workers(sampler: BatchSampler, **options: Any) -> Any:
    return DataLoader(
        ROWS, batch_sampler=sampler, collate_fn=list, num_workers=2, **options  # type: ignore[arg-type, var-annotated]
    )


class Loop:
    """A training loop, and what a plain model says that it takes next."""

    def __init__(self, sampler: BatchSampler, loader: Any, requests_at_once: bool) -> None:
        self.sampler = sampler
        self.consumed = 0
        self._loader = loader
        self._requests_at_once = requests_at_once
        self._n_batches = len(sampler)
        self._batches: Optional[Iterator[Any]] = None
        self._next = Place(0, 0)  # where the next iteration begins
        self._running: Optional[Place] = None  # the next batch of this one, once it has begun

    def expected(self) -> Place:
        return self._next if self._running is None else self._running

    def is_within_epoch(self) -> bool:
        """Whether an epoch has begun, and the loop has not found out that it is at its end."""
        return self._running is not None

    def can(self, step: str) -> bool:
        return step != "take" or self._batches is not None

    def do(self, step: str) -> None:
        {"iter": self._iterate, "take": self._take, "set_epoch": self._set_epoch, "load": self._load}[step]()

    def _iterate(self) -> None:
        self._batches, self.consumed, self._running = iter(self._loader), 0, None
        if self._requests_at_once:
            self._begin()

    def _begin(self) -> None:
        self._running, self._next = self._next, Place(self._next.epoch + 1, 0)

    def _take(self) -> None:
        assert self._batches is not None
        if self._running is None:
            self._begin()
        assert self._running is not None
        batch = next(self._batches, None)
        if self._running.batch == self._n_batches:
            assert batch is None
            self._batches, self._running = None, None
            return
        assert batch == lists(self.sampler, self._running.epoch)[self._running.batch]
        self._running = Place(self._running.epoch, self._running.batch + 1)
        self.consumed += 1

    def _set_epoch(self) -> None:
        self.sampler.set_epoch(SET.epoch)
        self._go_on_at(SET)

    def _load(self) -> None:
        now = self.sampler.state_dict(batches_consumed=self.consumed)
        state = {**now, "epoch": LOADED.epoch, "batch": LOADED.batch * self.sampler._stride}
        self.sampler.load_state_dict(state)
        self._go_on_at(LOADED)

    def _go_on_at(self, place: Place) -> None:
        """Begin anew: an iterator that has begun is left, and one that has not takes its first batch from there."""
        if self._running is not None:
            self._batches = None
        self._next, self._running, self.consumed = place, None, 0


def lists(sampler: BatchSampler, epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch)]


def stratified(**options: Any) -> BatchSampler:
    return StratifiedBatchSampler(LABELS, 1 if options else 2, seed=1, **options)


def normal(place: Place, n_batches: int) -> Place:
    """The end of an epoch is the beginning of the next."""
    return Place(place.epoch + 1, 0) if place.batch == n_batches else place


def check(loop: Loop) -> None:
    state = loop.sampler.state_dict(batches_consumed=loop.consumed)
    expected = normal(loop.expected(), len(loop.sampler))
    assert (state["epoch"], state["batch"]) == (expected.epoch, expected.batch * loop.sampler._stride)
    try:
        told = loop.sampler.state_dict()
    except ValueError as error:
        assert loop.is_within_epoch() and "must be given within epoch" in str(error)
    else:
        assert (told["epoch"], told["batch"]) == (state["epoch"], state["batch"])


def run(loop: Loop, steps: tuple[str, ...]) -> bool:
    """Take the steps and check each; return False if a step is not possible."""
    check(loop)
    for step in steps:
        if not loop.can(step):
            return False
        loop.do(step)
        check(loop)
    return True


LOADERS: dict[str, tuple[Callable[[BatchSampler], Any], bool]] = {
    "the sampler": (lambda sampler: sampler, False),
    "no workers": (without_workers, False),
    "workers that request one batch": (lambda sampler: PrefetchingLoader(sampler, 1), True),
    "workers that request the epoch": (PrefetchingLoader, True),
}


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("options", [{}, {"num_replicas": 2, "rank": 1}], ids=["one process", "rank 1 of 2"])
def test_after_all_short_sequences_of_steps(loader: str, options: dict[str, Any]) -> None:
    make, requests_at_once = LOADERS[loader]
    n_possible = 0
    for steps in product(STEPS, repeat=LENGTH):
        sampler = stratified(**options)
        n_possible += run(Loop(sampler, make(sampler), requests_at_once), steps)
    assert len(stratified(**options)) == 2 and n_possible > 30


SEQUENCES = [
    ("iter",),
    ("iter", "take"),
    ("iter", "take", "take", "take"),
    ("iter", "take", "take", "take", "iter"),
    ("iter", "take", "take", "take", "iter", "take"),
    ("iter", "take", "iter"),
    ("iter", "take", "iter", "take", "iter", "iter"),
    ("iter", "take", "set_epoch", "iter"),
    ("iter", "take", "take", "take", "set_epoch", "iter", "take"),
    ("load", "iter"),
    ("load", "iter", "take", "take", "iter"),
    ("iter", "take", "load", "iter", "take", "take", "iter"),
]


@pytest.mark.parametrize("persistent", [False, True])
def test_with_real_workers(persistent: bool) -> None:
    for steps in SEQUENCES:
        sampler = stratified()
        assert run(Loop(sampler, with_workers(sampler, persistent_workers=persistent), True), steps)


KINDS: dict[str, Callable[[], BatchSampler]] = {
    "stratified": stratified,
    "weighted": lambda: WeightedBatchSampler([1.0] * 8, 4, seed=1),
    "perplexity": lambda: PerplexityBatchSampler(8, 8, 4, seed=1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loader", LOADERS)
def test_the_state_continues_with_the_batches_that_the_loop_would_have_taken(kind: str, loader: str) -> None:
    make, requests_at_once = LOADERS[loader]
    for steps in SEQUENCES:
        if "load" in steps and kind != "stratified":  # their states hold draws, which another place does not have
            continue
        sampler, resumed, whole = (KINDS[kind]() for _ in range(3))
        loop = Loop(sampler, make(sampler), requests_at_once)
        assert run(loop, steps)
        resumed.load_state_dict(sampler.state_dict(batches_consumed=loop.consumed))
        place = normal(loop.expected(), len(sampler))
        whole.set_epoch(place.epoch)
        assert list(resumed) == lists(whole, place.epoch)[place.batch :]
