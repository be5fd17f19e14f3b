"""Whole epochs of training a small network, by the form of the loader, over the same loop on one fixed batch.

Arguments: numbers of rows.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable

import torch
from rounds import Timing, head, interleaved, show, show_ratio
from settings import consume, labels_of
from torch.utils.data import DataLoader, TensorDataset

from pystrat import StratifiedBatchSampler, TensorLoader

COLUMNS, UNITS, BATCH_SIZE = 20, 32, 100
ROUNDS = {20_000: 15, 200_000: 5, 1_000_000: 3}
WITH_WORKERS = 200_000  # the most rows that are measured with workers, too

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


def loaders_of(n_rows: int, workers: int) -> tuple[dict[str, Loader], StratifiedBatchSampler]:
    """Return the forms of a loader by what they are called, and the sampler of ours."""
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
    if workers == 0:
        loaders["TensorLoader"] = TensorLoader(*tensors, sampler=sampler)
        loaders["one fixed batch"] = [tuple(values[:BATCH_SIZE].clone() for values in tensors)] * len(sampler)
    return loaders, sampler


def measured(loaders: dict[str, Loader], sampler: StratifiedBatchSampler, rounds: int) -> dict[str, Timing]:
    contestants: dict[str, Callable[[], None]] = {
        name: lambda loader=loader: train_on(loader) for name, loader in loaders.items()  # type: ignore[misc]
    }
    contestants["the sampler alone"] = lambda: consume(sampler)
    return interleaved(contestants, rounds=rounds)


def loop(n_rows: int) -> None:
    loaders, sampler = loaders_of(n_rows, workers=0)
    if n_rows <= WITH_WORKERS:
        with_workers, _ = loaders_of(n_rows, workers=2)
        loaders.update({f"{name}, 2 workers": loader for name, loader in with_workers.items()})
    timings = measured(loaders, sampler, ROUNDS.get(n_rows, 3))
    for name, timing in timings.items():
        milliseconds = sorted(1000 * seconds for seconds in timing.seconds)
        show(f"ms an epoch, {name}, {n_rows:,} rows", (1000 * timing.median, milliseconds[0], milliseconds[-1]))
    for name in timings:
        if name != "one fixed batch":
            limit = 1.08 if name == "TensorLoader" and n_rows == WITH_WORKERS else None
            show_ratio(f"{name} over one fixed batch, {n_rows:,} rows", timings, name, "one fixed batch", limit)
    show_ratio(
        f"TensorLoader over DataLoader, batch_sampler=, {n_rows:,} rows",
        timings,
        "TensorLoader",
        "DataLoader, batch_sampler=",
        1,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    head()
    for size in map(int, sys.argv[1:] or ROUNDS):
        loop(size)
