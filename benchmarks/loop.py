"""Whole epochs of training a small network, by the form of the loader, over the same loop on one fixed batch.

Arguments: the number of rows and the number of workers, 0 or 2, to measure these alone.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import torch
from rounds import head, interleaved, show, show_ratio
from settings import labels_of
from torch.utils.data import DataLoader, TensorDataset

from pystrat import StratifiedBatchSampler, TensorLoader

COLUMNS, UNITS, BATCH_SIZE = 20, 32, 100
ROUNDS = {20_000: 15, 200_000: 7, 1_000_000: 3}
WORKERS = (0, 2)

Loader = Iterable[Any]


def train_on(batches: Loader) -> None:
    """Train a network with one hidden layer for one epoch."""
    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Linear(COLUMNS, UNITS), torch.nn.ReLU(), torch.nn.Linear(UNITS, 1))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.01)
    for inputs, targets in batches:
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(module(inputs).squeeze(1), targets).backward()
        optimizer.step()


class RowsAsTensors:
    """The batches of a sampler as tensors, which no sampler offers: what would be gained if it did."""

    def __init__(self, sampler: StratifiedBatchSampler) -> None:
        self._sampler = sampler

    def __iter__(self) -> Iterator[torch.Tensor]:
        epoch = self._sampler.epoch
        self._sampler.set_epoch(epoch + 1)
        batches = self._sampler.batches(epoch)
        rows = torch.from_numpy(batches.rows.astype(np.int64))
        return iter(torch.unsafe_split_with_sizes(rows, np.diff(batches.offsets).tolist()))


def loaders_of(n_rows: int, workers: int) -> dict[str, Loader]:
    """Return the forms of a loader by what they are called."""
    labels = labels_of(n_rows, 2)
    tensors = torch.randn(n_rows, COLUMNS), torch.from_numpy(labels).float()
    dataset = TensorDataset(*tensors)
    sampler = StratifiedBatchSampler(labels, mean_batch_size=BATCH_SIZE, seed=1)
    ours: Any = sampler
    loaders: dict[str, Loader] = {
        "DataLoader, torch's shuffle": DataLoader(dataset, BATCH_SIZE, shuffle=True, num_workers=workers),
        "DataLoader, batch_sampler=": DataLoader(dataset, batch_sampler=ours, num_workers=workers),
        "DataLoader, sampler=, batch_size=None": DataLoader(
            dataset, sampler=ours, batch_size=None, num_workers=workers
        ),
    }
    if workers:
        loaders = {f"{name}, {workers} workers": loader for name, loader in loaders.items()}
    else:
        as_tensors: Any = RowsAsTensors(StratifiedBatchSampler(labels, mean_batch_size=BATCH_SIZE, seed=1))
        loaders["DataLoader, rows as tensors, batch_size=None"] = DataLoader(
            dataset, sampler=as_tensors, batch_size=None
        )
        loaders["TensorLoader"] = TensorLoader(*tensors, sampler=sampler)
    loaders["one fixed batch"] = [tuple(values[:BATCH_SIZE].clone() for values in tensors)] * len(sampler)
    return loaders


def said(name: str, train: Callable[[], None]) -> Callable[[], None]:
    """Return a function that also says that it begins, for those who wait."""

    def begin() -> None:
        print(f"{name} ...", file=sys.stderr, flush=True)
        train()

    return begin


def loop(n_rows: int, workers: int) -> None:
    loaders = loaders_of(n_rows, workers)
    contestants = {name: said(name, partial(train_on, loader)) for name, loader in loaders.items()}
    timings = interleaved(contestants, rounds=ROUNDS[n_rows])
    rows = f"{n_rows:,} rows"
    floor = "one fixed batch"
    for name, timing in timings.items():
        if name != floor or not workers:
            milliseconds = sorted(1000 * seconds for seconds in timing.seconds)
            show(f"ms an epoch, {name}, {rows}", (1000 * timing.median, milliseconds[0], milliseconds[-1]))
    for name in loaders:
        if name != floor:
            limit = 1.08 if name == "TensorLoader" and n_rows == 200_000 else None
            show_ratio(f"{name} over {floor}, {rows}", timings, name, floor, limit)


if __name__ == "__main__":
    torch.set_num_threads(1)
    head()
    chosen = [int(argument) for argument in sys.argv[1:]]
    for size in chosen[:1] or ROUNDS:
        for n_workers in chosen[1:] or WORKERS:
            loop(size, n_workers)
