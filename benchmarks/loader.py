"""An epoch of a DataLoader over a dataset that is asked for whole batches, with our and with torch's batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from rounds import head, interleaved, show_ratio
from settings import consume, labels_of
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, WeightedRandomSampler

from pystrat import StratifiedBatchSampler


class ArrayDataset(Dataset[Any]):
    """Features and labels in memory. DataLoader's fetcher asks `__getitems__` for a batch where there is one."""

    def __init__(self, labels: Any) -> None:
        self.features = torch.zeros(len(labels), 16)
        self.labels = torch.from_numpy(labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, row: int) -> Any:
        raise TypeError("this dataset is asked for whole batches; torch before 1.13 does not do so")

    def __getitems__(self, rows: list[int]) -> Any:
        index = torch.tensor(rows)
        return self.features[index], self.labels[index]


def as_it_is(batch: Any) -> Any:
    return batch


def loader(n_rows: int, workers: int, rounds: int) -> None:
    labels = labels_of(n_rows, 2)
    dataset = ArrayDataset(labels)
    weights = np.where(labels == 1, 0.5 / 0.03, 0.5 / 0.97)
    samplers = {
        "ours": StratifiedBatchSampler(labels, mean_batch_size=256, seed=1),
        "random": BatchSampler(RandomSampler(dataset), 256, False),
        "weighted": BatchSampler(WeightedRandomSampler(weights, n_rows), 256, False),
    }
    loaders = {
        name: DataLoader(dataset, batch_sampler=sampler, collate_fn=as_it_is, num_workers=workers)
        for name, sampler in samplers.items()
    }
    timings = interleaved(
        {name: lambda loader=loader: consume(loader) for name, loader in loaders.items()}, rounds=rounds
    )
    setting = f"{n_rows:,} rows, {workers} workers"
    show_ratio(f"DataLoader over the same with torch's random batches, {setting}", timings, "ours", "random")
    show_ratio(f"DataLoader over the same with torch's weighted batches, {setting}", timings, "ours", "weighted")


if __name__ == "__main__":
    head()
    loader(20_000, workers=0, rounds=31)
    loader(1_000_000, workers=0, rounds=7)
    loader(1_000_000, workers=2, rounds=5)
