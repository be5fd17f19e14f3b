"""A ResumableLoader: its state is that after the batches that the loop has taken, whatever was requested ahead."""

from __future__ import annotations

from itertools import islice
from typing import Any, Iterator

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from pystrat import NegativePairBatchSampler, PairDataset, ResumableLoader, UniformBatchSampler
from pystrat.stream import StratifiedStream, count_sources
from tests.training_libraries import LABELS, epoch_of, loader_of, sampler_of

SOURCES = {name: [[name, row, row % 5 == 0] for row in range(40)] for name in "abcd"}
GIVEN: dict[str, Any] = {"read": iter, "stratum": 2, "lanes": 2, "seed": 1}


def stream() -> StratifiedStream:
    counts = count_sources(SOURCES, read=iter, stratum=2)
    return StratifiedStream(SOURCES, 1, counts=counts, **GIVEN)


def of_rank(workers: int) -> ResumableLoader:
    return ResumableLoader(loader_of(sampler_of(num_replicas=2, rank=1), workers))


def of_stream(workers: int) -> ResumableLoader:
    return ResumableLoader(DataLoader(stream(), batch_size=None, collate_fn=list, num_workers=workers))


def at_once(workers: int) -> ResumableLoader:
    rows: Any = torch.arange(6)
    given: dict[str, Any] = {"sampler": UniformBatchSampler(6, 2, seed=1), "batch_size": None}
    return ResumableLoader(DataLoader(rows, num_workers=workers, collate_fn=torch.Tensor.tolist, **given))


MAKERS = pytest.mark.parametrize("make", [of_rank, of_stream, at_once])
WORKERS = pytest.mark.parametrize("workers", [0, 2])


def endless(loader: Any) -> Iterator[Any]:
    """Iterate epoch after epoch."""
    while True:
        yield from loader


def take(loader: Any, count: int) -> list[Any]:
    return list(islice(endless(loader), count))


@MAKERS
@WORKERS
def test_it_resumes_after_the_batches_that_were_taken(make: Any, workers: int) -> None:
    length = len(make(0))
    expected = take(make(0), 3 * length)
    for stop in (0, 1, length - 1, length, length + 2):
        begun, resumed = make(workers), make(workers)
        batches = endless(begun)
        assert [next(batches) for _ in range(stop)] == expected[:stop]
        resumed.load_state_dict(begun.state_dict())
        assert take(resumed, length + 1) == expected[stop : stop + length + 1]


@MAKERS
@WORKERS
@pytest.mark.parametrize("taken", [0, 2])
def test_the_epoch_may_be_set_after_iter(make: Any, workers: int, taken: int) -> None:
    loader, other = make(workers), make(0)
    loader.sampler.set_epoch(3, taken)
    iterator = iter(loader)
    loader.sampler.set_epoch(3)
    other.set_epoch(3)
    assert next(iterator) == list(other)[taken], "the epoch of a state keeps its place"
    iterator = iter(loader)
    loader.sampler.set_epoch(5)
    other.set_epoch(5)
    assert list(iterator) == list(other)


def test_the_state_counts_the_batches_of_all_ranks() -> None:
    loader = of_rank(0)
    take(loader, 2)
    assert (loader.state_dict()["epoch"], loader.state_dict()["batch"]) == (0, 4)
    assert len(loader) == len(loader.sampler) and repr(loader) == f"ResumableLoader({loader.sampler!r})"


class OneByOne(Dataset[int]):
    """A dataset that takes no list of rows."""

    def __len__(self) -> int:
        return len(LABELS)

    def __getitem__(self, row: int) -> int:
        assert type(row) is int
        return row


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [0, 2])
def test_datasets_that_are_asked_for_one_row_after_the_other(workers: int) -> None:
    begun, resumed = (
        ResumableLoader(DataLoader(OneByOne(), batch_sampler=sampler_of(), num_workers=workers, collate_fn=list))
        for _ in range(2)
    )
    taken = list(islice(begun, 3))
    resumed.load_state_dict(begun.state_dict())
    assert taken + list(resumed) == epoch_of(sampler_of(), 0)
    dataset = PairDataset(2, 9, item_features=np.arange(9.0))
    pairs = [NegativePairBatchSampler([0, 0, 1], [0, 3, 1], 0.3, 5, n_items=9, seed=1) for _ in range(2)]
    at_once: Any = DataLoader(dataset, sampler=pairs[1], batch_size=None)
    for batch, other in zip(ResumableLoader(DataLoader(dataset, batch_sampler=pairs[0])), at_once):
        assert {name: values.tolist() for name, values in batch.items()} == {
            name: values.tolist() for name, values in other.items()
        }


class HasState(list[list[int]]):
    """Batches of another library with a method of the same name as ours."""

    def state(self) -> None:
        ...


def disordered() -> DataLoader:
    loader = loader_of(sampler_of())
    loader.in_order = False  # an option since torch 2.6
    return loader


NO_LOADER = "be a DataLoader with a batch sampler or a stream of pystrat. Got one of class '{}' instead."
REFUSED: dict[str, Any] = {
    NO_LOADER.format("list"): lambda: [1, 2, 3],
    NO_LOADER.format("BatchSampler"): lambda: DataLoader(range(4), batch_size=2),  # type: ignore[arg-type]
    NO_LOADER.format("HasState"): lambda: DataLoader(range(4), batch_sampler=HasState([[0]])),  # type: ignore[arg-type]
    "have batch_size=None, because the items are whole batches. Got 1 instead.": lambda: DataLoader(stream()),
    "have a stream with 'counts'.": lambda: StratifiedStream(SOURCES, 1, strata=[False, True], **GIVEN),
    "deliver batches in order, which is in_order=True. Got in_order=False": disordered,
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        ResumableLoader(REFUSED[message]())
    assert str(caught.value).startswith(f"The 'loader' parameter must {message}")
