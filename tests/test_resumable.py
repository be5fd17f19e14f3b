"""A ResumableLoader: its state is that after the batches that the loop has taken, whatever was requested ahead."""

from __future__ import annotations

from typing import Any, Iterator

import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import ResumableLoader, UniformBatchSampler
from pystrat.stream import StratifiedStream, count_sources
from tests.training_libraries import N_BATCHES, epoch_of, loader_of, sampler_of

SOURCES = {name: [[name, row, row % 5 == 0] for row in range(40)] for name in "abcd"}
GIVEN: dict[str, Any] = {"read": iter, "stratum": 2, "lanes": 2, "seed": 1}


def stream() -> StratifiedStream:
    counts = count_sources(SOURCES, read=iter, stratum=2)
    return StratifiedStream(SOURCES, 1, counts=counts, **GIVEN)


def of_sampler(workers: int, **options: Any) -> ResumableLoader:
    return ResumableLoader(loader_of(sampler_of(**options), workers))


def of_stream(workers: int) -> ResumableLoader:
    return ResumableLoader(DataLoader(stream(), batch_size=None, collate_fn=list, num_workers=workers))


MAKERS = pytest.mark.parametrize("make", [of_sampler, of_stream])
WORKERS = pytest.mark.parametrize("workers", [0, 2])


def endless(loader: Any) -> Iterator[Any]:
    """Iterate epoch after epoch."""
    while True:
        yield from loader


def take(loader: Any, count: int) -> list[Any]:
    batches = endless(loader)
    return [next(batches) for _ in range(count)]


@MAKERS
@WORKERS
def test_it_resumes_after_the_batches_that_were_taken(make: Any, workers: int) -> None:
    length = len(make(0))
    expected = take(make(0), 3 * length)
    for stop in (0, 1, 3, length - 1, length, length + 2):
        begun, resumed = make(workers), make(workers)
        batches = endless(begun)
        assert [next(batches) for _ in range(stop)] == expected[:stop]
        resumed.load_state_dict(begun.state_dict())
        assert take(resumed, length + 1) == expected[stop : stop + length + 1]


@MAKERS
@WORKERS
@pytest.mark.parametrize("taken", [0, 2])
def test_the_epoch_may_be_set_after_iter(make: Any, workers: int, taken: int) -> None:
    loader = make(workers)
    loader.load_state_dict({**loader.state_dict(), "epoch": 3, "batch": taken})
    iterator = iter(loader)
    loader.sampler.set_epoch(3)
    first = next(iterator)
    other = make(0)
    other.set_epoch(3)
    assert first == list(other)[taken], "the epoch of a state keeps its place"
    iterator = iter(loader)
    loader.sampler.set_epoch(5)
    other.set_epoch(5)
    assert list(iterator) == list(other)


def test_the_state_is_that_of_the_sampler() -> None:
    loader, sampler = of_sampler(0), sampler_of()
    taken = take(loader, 4)
    sampler.load_state_dict(loader.state_dict())
    assert taken + list(sampler) == epoch_of(sampler, 0)
    assert len(loader) == N_BATCHES and loader.sampler.epoch == 1
    assert repr(loader) == f"ResumableLoader({loader.sampler!r})"


def test_a_rank_counts_the_batches_of_all() -> None:
    loader = of_sampler(0, num_replicas=2, rank=1)
    take(loader, 2)
    assert loader.state_dict()["batch"] == 4


def test_a_loader_without_a_batch_sampler() -> None:
    rows: Any = torch.arange(6)
    sampler: Any = UniformBatchSampler(6, 2, seed=1)
    loader = ResumableLoader(DataLoader(rows, sampler=sampler, batch_size=None))
    assert take(loader, 2) and loader.state_dict()["batch"] == 2


class HasState(list[list[int]]):
    """Batches of another library with a method of the same name as ours."""

    def state(self) -> None:
        ...


def refused(error: type[Exception], message: str, loader: Any) -> None:
    with pytest.raises(error) as caught:
        ResumableLoader(loader)
    assert str(caught.value).startswith(f"The 'loader' parameter must {message}")


def test_what_is_refused() -> None:
    required = "be a DataLoader with a batch sampler or a stream of pystrat. Got "
    refused(TypeError, required + "3 values instead.", [1, 2, 3])
    plain: Any = DataLoader(range(4), batch_size=2)  # type: ignore[arg-type]
    refused(TypeError, required + "one with a batch sampler of class 'BatchSampler' instead.", plain)
    other: Any = DataLoader(range(4), batch_sampler=HasState([[0, 1]]))  # type: ignore[arg-type]
    refused(TypeError, required + "one with a batch sampler of class 'HasState' instead.", other)
    whole = "have batch_size=None, because the items are whole batches. Got 1 instead."
    refused(ValueError, whole, DataLoader(stream()))
    refused(ValueError, "have a stream with 'counts'.", StratifiedStream(SOURCES, 1, strata=[False, True], **GIVEN))
    disorder = loader_of(sampler_of())
    disorder.in_order = False  # an option since torch 2.6
    refused(ValueError, "deliver batches in order, which is in_order=True. Got in_order=False", disorder)
