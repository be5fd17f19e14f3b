"""Threads that share a sampler or an iterator never take the same epoch or the same batch."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any, Callable, Iterator

import numpy as np
import pytest

from pystrat import Batches, BatchSampler, StratifiedBatchSampler, WeightedBatchSampler

N_THREADS = 4


class Slow(BatchSampler):
    """Ten batches of the rows 10 * epoch and up; another thread runs before it has taken its epoch."""

    def _check_epoch(self, epoch: Any) -> int:
        time.sleep(0.005)
        return super()._check_epoch(epoch)

    def _epoch_batches(self, epoch: int) -> Batches:
        return Batches(10 * epoch + np.arange(10), np.arange(11))

    def _global_length(self) -> int:
        return 10

    def _fingerprint(self) -> str:
        return "slow"


class InTurn(Slow):
    """The same, made one by one; another thread runs before a batch is made."""

    def _epoch_batches(self, epoch: int) -> Iterator[Any]:  # type: ignore[override]
        for row in range(10 * epoch, 10 * epoch + 10):
            time.sleep(0.001)
            yield np.array([row])


class SlowlyDrawn(WeightedBatchSampler):
    """Another thread runs before rows are drawn."""

    def _draw_rows(self, *given: Any) -> Any:
        time.sleep(0.001)
        return super()._draw_rows(*given)


def in_threads(function: Callable[[], list[Any]]) -> list[list[Any]]:
    with ThreadPoolExecutor(N_THREADS) as threads:
        futures = [threads.submit(function) for _ in range(N_THREADS)]
        return [future.result() for future in futures]


@pytest.fixture(autouse=True)
def threads_that_alternate_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("kind", [Slow, InTurn])
def test_threads_that_iterate_a_sampler_have_an_epoch_each(kind: type[BatchSampler]) -> None:
    sampler = kind(seed=1)
    found = in_threads(lambda: list(sampler))
    assert sorted(found) == [[[10 * epoch + row] for row in range(10)] for epoch in range(N_THREADS)]
    assert sampler.epoch == N_THREADS


@pytest.mark.parametrize("kind", [Slow, InTurn])
def test_threads_that_share_an_iterator_share_one_epoch(kind: type[BatchSampler]) -> None:
    sampler = kind(seed=1)
    iterator = iter(sampler)
    found = in_threads(lambda: list(iterator))
    assert sorted(batch for part in found for batch in part) == [[row] for row in range(10)]
    assert sampler.epoch == 1 and iterator.state_dict()["batch"] == 10


def test_threads_share_the_batches_of_samplers_of_this_package() -> None:
    for sampler in (StratifiedBatchSampler([0, 1] * 2000, 1, seed=1), WeightedBatchSampler(np.ones(4000), 2, seed=1)):
        iterator = iter(sampler)
        found = [batch for part in in_threads(lambda: list(iterator)) for batch in part]
        assert sorted(found) == sorted(batch.tolist() for batch in sampler.batches(0))
        assert iterator.state_dict()["batch"] == len(sampler) == 2000


def test_threads_draw_rows_outside_of_epochs_only_once() -> None:
    sampler, alone = (SlowlyDrawn(np.ones(4000), 2, seed=1) for _ in range(2))
    found = in_threads(lambda: [sampler.sample(3).tolist() for _ in range(10)])
    expected = [alone.sample(3).tolist() for _ in range(10 * N_THREADS)]
    assert sorted(rows for part in found for rows in part) == sorted(expected)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda sampler: pickle.loads(pickle.dumps(sampler))])
def test_a_copy_that_is_made_while_the_sampler_is_held_is_free(copied: Callable[[Any], Any]) -> None:
    sampler = StratifiedBatchSampler([0, 1] * 8, 2, seed=1)
    with sampler._lock.held:
        other = copied(sampler)
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(lambda: list(other)).result(timeout=60) == [
                batch.tolist() for batch in sampler.batches(0)
            ]


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_process_that_is_forked_while_the_sampler_is_held_does_not_wait() -> None:
    sampler = StratifiedBatchSampler([0, 1] * 8, 2, seed=1)
    is_held, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        with sampler._lock.held:
            is_held.set()
            may_go.wait()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(hold)
        is_held.wait()
        process = get_context("fork").Process(target=lambda: list(sampler))
        process.start()
        process.join(timeout=60)
        may_go.set()
    process.kill()
    process.join()
    assert process.exitcode == 0
