"""Labels of datasets, found without loading an item."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset, random_split

from pystrat import StratifiedBatchSampler, labels_of


class Untouchable(Dataset):
    """A dataset whose items must not be read."""

    def __init__(self, size: int = 5, **attributes: Any) -> None:
        self.size = size
        self.__dict__.update(attributes)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, row: int) -> Any:
        raise AssertionError("an item was touched")


class HuggingFaceLike(Untouchable):
    """What `datasets.Dataset` offers: columns by name."""

    column_names = ["text", "label", "source"]

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, int):
            raise AssertionError("an item was touched")
        return {"label": [1, 0, 1, 0, 0], "source": ["a", "b", "a", "b", "b"]}[name]


@pytest.mark.parametrize("attribute", ["targets", "labels", "y"])
@pytest.mark.parametrize(
    "labels", [[1, 0, 1, 0, 0], np.array([1, 0, 1, 0, 0]), torch.tensor([1, 0, 1, 0, 0]), pd.Series([1, 0, 1, 0, 0])]
)
def test_an_attribute(attribute: str, labels: Any) -> None:
    assert labels_of(Untouchable(**{attribute: labels})).tolist() == [1, 0, 1, 0, 0]


def test_the_last_tensor_of_a_tensor_dataset() -> None:
    assert labels_of(TensorDataset(torch.zeros(3, 2), torch.tensor([2, 0, 1]))).tolist() == [2, 0, 1]


def test_a_column_of_a_hugging_face_dataset() -> None:
    assert labels_of(HuggingFaceLike()).tolist() == [1, 0, 1, 0, 0]
    assert labels_of(HuggingFaceLike(), column="source").tolist() == ["a", "b", "a", "b", "b"]


def test_an_attribute_by_name() -> None:
    assert labels_of(Untouchable(region=list("abcab"), targets=[0] * 5), column="region").tolist() == list("abcab")


def test_nested_subsets_random_splits_and_concatenations() -> None:
    first = Untouchable(targets=[0, 1, 2, 3, 4])
    second = TensorDataset(torch.zeros(3), torch.tensor([7, 8, 9]))
    nested = Subset(ConcatDataset([Subset(first, [4, 0]), second]), [3, 0, 1])
    assert labels_of(nested).tolist() == [8, 4, 0]
    left, right = random_split(first, [2, 3], generator=torch.Generator().manual_seed(1))
    assert sorted(labels_of(left).tolist() + labels_of(right).tolist()) == [0, 1, 2, 3, 4]
    assert labels_of(left).tolist() == list(left.indices)


def test_parts_of_different_kinds_are_not_converted() -> None:
    mixed = ConcatDataset([Untouchable(1, targets=["a"]), Untouchable(1, targets=np.array([1]))])
    assert labels_of(mixed).tolist() == ["a", 1]
    with pytest.raises(TypeError, match="a mix of kinds"):
        StratifiedBatchSampler(labels_of(mixed), 1)


def test_the_sampler_takes_them() -> None:
    subset = Subset(Untouchable(targets=["a", "b", "a", "b", "a"]), [0, 1, 2, 3])
    sampler = StratifiedBatchSampler(labels_of(subset), 1, seed=1)
    assert sampler.plan.composition().to_dict("list") == {"a": [1, 1], "b": [1, 1]}


@pytest.mark.parametrize(
    ("dataset", "options", "error", "message"),
    [
        (Untouchable(), {}, TypeError, "have one of targets, labels, y, or be made of datasets that have. Got a value"),
        (Untouchable(targets=[1] * 5), {"column": "region"}, TypeError, "have 'region', or be made of datasets"),
        (Untouchable(targets=[1] * 4), {}, ValueError, "have one label for each of its 5 rows. Got 4 labels instead."),
        (Untouchable(targets=torch.zeros(5, 3)), {}, TypeError, "have one label per row. Got labels of shape 5x3"),
        (SimpleNamespace(), {}, TypeError, "Give the labels themselves to the sampler."),
    ],
)
def test_what_has_no_labels_is_refused(dataset: Any, options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        labels_of(dataset, **options)
