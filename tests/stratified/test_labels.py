"""Labels of datasets, found without loading an item."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset, random_split

from pystrat import MultilabelBatchSampler, StratifiedBatchSampler, labels_of, labels_of_masks


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


class Wrapper(Untouchable):
    """A dataset that changes the items of another one, such as a Subset."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(2, **attributes)


X, Y = torch.zeros(3, 2), torch.tensor([2, 0, 1])
PART = Subset(TensorDataset(X, Y), [2, 0])
THREE = TensorDataset(X, Y, torch.ones(3))


@pytest.mark.parametrize(
    ("dataset", "column", "labels"),
    [
        (TensorDataset(X, Y), None, [2, 0, 1]),
        (TensorDataset(X, Y[:, None]), None, [2, 0, 1]),
        (THREE, 1, [2, 0, 1]),
        (Subset(THREE, [1, 0]), 1, [0, 2]),
        ([("a", 2), ("b", 0)], None, [2, 0]),
        ([("a", 2, 9), ("b", 0, 9)], 1, [2, 0]),
        ([{"text": "a", "label": torch.tensor([2])}, {"text": "b", "label": torch.tensor([0])}], None, [2, 0]),
        ([{"text": "a"}, {"text": "b"}], "text", ["a", "b"]),
        ([SimpleNamespace(x=1, y=torch.tensor([2])), SimpleNamespace(x=1, y=torch.tensor([0]))], None, [2, 0]),
        (Wrapper(dataset=PART), None, [1, 2]),
        (Wrapper(subset=PART), None, [1, 2]),
        (Wrapper(dataset=PART, indices=list(PART.indices)), None, [1, 2]),
        (Subset(Subset(TensorDataset(X, Y), [1, 2, 0]), [1, 2, 0]), None, [1, 2, 0]),
    ],
)
def test_labels_of_tensors_of_lists_of_items_and_of_wrapped_datasets(dataset: Any, column: Any, labels: Any) -> None:
    assert labels_of(dataset, column=column).tolist() == labels


def test_a_column_of_a_hugging_face_dataset() -> None:
    assert labels_of(HuggingFaceLike()).tolist() == [1, 0, 1, 0, 0]
    assert labels_of(HuggingFaceLike(), column="source").tolist() == ["a", "b", "a", "b", "b"]


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


@pytest.mark.parametrize(
    ("dataset", "options", "error", "message"),
    [
        (
            Untouchable(),
            {},
            TypeError,
            "have one of targets, label, labels, y, or be made of datasets that have. Got a value",
        ),
        (Untouchable(targets=[1] * 5), {"column": "region"}, TypeError, "have 'region', or be made of datasets"),
        (Untouchable(targets=[1] * 4), {}, ValueError, "have one label for each of its 5 rows. Got 4 labels instead."),
        (Untouchable(targets=torch.zeros(5, 3)), {}, TypeError, "have one label per row. Got an array of shape 5x3"),
        (THREE, {}, ValueError, "'column' .* must be given if there are 3 tensors or values. Got nothing .* column=1."),
        (THREE, {"column": 3}, ValueError, "'column' .* must be an integer from 0 to 2. Got 3 instead."),
        ([1, 0], {}, TypeError, "Got a value of class 'int' instead. Give the labels themselves to the sampler."),
        (SimpleNamespace(), {}, TypeError, "Give the labels themselves to the sampler."),
    ],
)
def test_what_has_no_labels_is_refused(dataset: Any, options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        labels_of(dataset, **options)


MASKS = np.array([[[0, 1], [1, 255]], [[2, 2], [0, 255]], [[0, 0], [0, 2]]])


@pytest.mark.parametrize(
    "masks",
    [
        MASKS,
        torch.tensor(MASKS),
        [MASKS[0], MASKS[1, :, :1], MASKS[2].astype(float)],
        TensorDataset(torch.zeros(3, 1), torch.tensor(MASKS)),
        [{"image": None, "mask": mask} for mask in MASKS],
    ],
)
def test_the_labels_of_masks_are_the_classes_that_they_have(masks: Any) -> None:
    found = labels_of_masks(masks, 4, ignore=[255, 0])
    assert found.to_dict("list") == {1: [True, False, False], 2: [False, True, True], 3: [False] * 3}
    sampler = MultilabelBatchSampler(found[[1, 2]], 1, seed=1)
    assert sampler.labels == (1, 2) and len(sampler) == 1
