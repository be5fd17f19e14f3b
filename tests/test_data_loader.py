"""The sampler in PyTorch's DataLoader, in all configurations: the same batches with any workers."""

from __future__ import annotations

import re
from typing import Any, Optional

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from pystrat import StratifiedBatchSampler

LABELS = np.repeat([1, 0, 2], [12, 40, 28])


class Positions(Dataset):
    """Items that are their own positions, asked for one by one."""

    def __len__(self) -> int:
        return len(LABELS)

    def __getitem__(self, row: int) -> int:
        assert type(row) is int
        return row


class PositionsInBatches(Positions):
    """The same with ``__getitems__``, which newer releases of torch call with a whole batch."""

    def __getitems__(self, rows: list[int]) -> list[int]:
        assert type(rows) is list
        return rows


def sampler_of(**parameters: Any) -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 3, seed=1, **parameters)


def delivered(loader: Any) -> list[list[int]]:
    return [batch.tolist() for batch in loader]


def expected(epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler_of().batches(epoch)]


@pytest.mark.parametrize(
    ("workers", "method", "persistent"),
    [(0, None, False), (1, "fork", False), (2, "fork", True), (2, "spawn", True), (2, "forkserver", False)],
)
def test_the_same_batches_whatever_the_workers(workers: int, method: Optional[str], persistent: bool) -> None:
    sampler = sampler_of()
    loader = DataLoader(
        PositionsInBatches() if method == "fork" else Positions(),
        batch_sampler=sampler,  # type: ignore[arg-type]
        num_workers=workers,
        multiprocessing_context=method,
        persistent_workers=persistent,
    )
    for epoch in range(3):
        assert delivered(loader) == expected(epoch)
    sampler.set_epoch(1)
    assert delivered(loader) == expected(1)
    assert len(loader) == len(expected(0))


def test_a_dataset_in_place_of_its_labels_is_refused_with_what_to_do() -> None:
    dataset = TensorDataset(torch.arange(80), torch.tensor(LABELS))
    message = (
        "The 'strata' parameter must be a vector or a table of columns. "
        "Got a dataset of class 'TensorDataset' instead. pystrat.labels_of(dataset) returns its labels."
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        StratifiedBatchSampler(dataset)  # before anything else


# A batch at once ------------------------------------------------------------------------------------------------------


def at_once(dataset: Any, **given: Any) -> DataLoader:
    return DataLoader(dataset, sampler=sampler_of(), batch_size=None, **given)


@pytest.mark.parametrize("workers", [0, 2])
def test_datasets_that_take_a_list_of_rows_yield_the_same_batches_at_once(workers: int) -> None:
    loader = at_once(TensorDataset(torch.arange(len(LABELS))), num_workers=workers)
    for epoch in range(2):
        assert [batch[0].tolist() for batch in loader] == expected(epoch)
    assert len(loader) == len(expected(0))
