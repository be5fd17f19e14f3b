"""Auxiliary values: one for each drawn row, delivered with it, the same for any number of workers."""

from __future__ import annotations

import pickle
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset

from pystrat import TreeBatchSampler, TreeSampler
from pystrat.tree import DrawnRow

TABLE = {"label": ["active"] * 10 + ["inactive"] * 90}
SPEC: dict[str, Any] = {
    "children": [
        {"name": "active", "column": "label", "value": "active", "weight": 0.3},
        {"name": "inactive", "column": "label", "value": "inactive", "weight": 0.7},
    ],
    "auxiliary": {
        "angle": "uniform(-10, 10)",
        "shift": "normal(2, 0.5)",
        "crop": "integers(-3, 3)",
        "side": "choice(['left', 'right'])",
        "flip": "cycle([true, false, false])",
        "step": "counter()",
    },
}


def sampler_of(**parameters: Any) -> TreeBatchSampler:
    return TreeBatchSampler(TABLE, SPEC, 16, **{"length": 100, "seed": 4, **parameters})


class Augmented(Dataset):  # type: ignore[misc]
    """Items that tell their row and are rotated, cropped and flipped as the draw says."""

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: Any) -> torch.Tensor:
        aux = index.aux
        sign = -1.0 if aux["flip"] else 1.0
        values = [float(index), sign * aux["angle"], aux["shift"] + aux["crop"], len(aux["side"]), aux["step"]]
        return torch.tensor(values, dtype=torch.float64)


def test_the_same_augmented_batches_with_and_without_workers() -> None:
    epochs = []
    for n_workers in (0, 2):
        loader = DataLoader(Augmented(), batch_sampler=sampler_of(), num_workers=n_workers)
        epochs.append([torch.cat(list(loader)), torch.cat(list(loader))])
    assert all(torch.equal(mine, other) for mine, other in zip(*epochs))
    assert not torch.equal(*epochs[0])


def test_single_rows_carry_them_too() -> None:
    rows = TreeSampler(TABLE, SPEC, length=100, seed=4)
    with_batches = [row.aux for batch in sampler_of() for row in batch]  # type: ignore[attr-defined]
    assert [row.aux for row in rows] == with_batches  # type: ignore[attr-defined]
    loader = DataLoader(Augmented(), sampler=rows, batch_size=16)
    assert torch.equal(torch.cat(list(loader))[:, 0], torch.tensor(rows.batches(1).rows, dtype=torch.float64))


def values_of(sampler: TreeBatchSampler, epoch: int = 0) -> list[dict[str, Any]]:
    """Return the auxiliary values of the draws of an epoch."""
    sampler.set_epoch(epoch)
    return [row.aux for batch in sampler for row in batch]  # type: ignore[attr-defined]


def test_values_are_plain_ones_and_persistent_ones_go_on_over_the_epochs(recwarn: pytest.WarningsRecorder) -> None:
    sampler = sampler_of(persistent=True)
    whole = values_of(sampler_of(persistent=True, length=300))
    assert {name: type(value) for name, value in whole[0].items()} == {
        "angle": float,
        "shift": float,
        "crop": int,
        "side": str,
        "flip": bool,
        "step": int,
    }
    assert [values for epoch in range(3) for values in values_of(sampler, epoch)] == whole
    assert not recwarn.list


def test_without_them_rows_are_plain_ints() -> None:
    sampler = TreeBatchSampler(TABLE, {"children": SPEC["children"]}, 16, length=20, seed=4)
    assert {type(row) for batch in sampler for row in batch} == {int}
    assert sampler.batches(0).rows.tolist() == sampler_of(length=20).batches(0).rows.tolist()


def test_a_drawn_row_is_an_int_that_can_be_pickled() -> None:
    row = DrawnRow(7, {"angle": 0.5})
    twin = pickle.loads(pickle.dumps(row))
    assert (twin, twin.aux) == (7, {"angle": 0.5})
    assert [10, 20, 30][DrawnRow(1)] == 20 and DrawnRow(1) + 1 == 2
    assert torch.arange(9)[row] == 7 and np.arange(9)[row] == 7


def test_a_wrapper_that_computes_an_index_drops_the_values() -> None:
    with pytest.raises(AttributeError, match="aux"):
        next(iter(DataLoader(Subset(Augmented(), range(100)), batch_sampler=sampler_of())))


def contrast(epoch: int, draw: int) -> Any:
    """A value of the user's own, of any kind."""
    return {"of": (epoch, draw)} if draw % 2 else 100.5 * epoch + draw


OWN: dict[str, Any] = {**SPEC, "auxiliary": {"angle": "uniform(-10, 10)", "own": contrast, "step": "counter()"}}


@pytest.mark.parametrize("persistent", [False, True])
def test_a_function_of_the_user_is_asked_for_each_draw_of_an_epoch(persistent: bool) -> None:
    options: dict[str, Any] = {"length": 100, "seed": 4, "persistent": persistent}
    sampler = TreeBatchSampler(TABLE, OWN, 16, **options)
    plain = {**SPEC, "auxiliary": {"angle": "uniform(-10, 10)", "own": "counter()", "step": "counter()"}}
    twin = TreeBatchSampler(TABLE, plain, 16, **options)
    for epoch in range(3):
        drawn, expected = [row for rows in sampler for row in rows], [row for rows in twin for row in rows]
        assert drawn == expected
        assert [list(row.aux) for row in drawn] == [["angle", "own", "step"]] * 100  # type: ignore[attr-defined]
        for draw, (row, other) in enumerate(zip(drawn, expected)):
            assert row.aux == {**other.aux, "own": contrast(epoch, draw)}  # type: ignore[attr-defined]


def test_a_function_of_the_user_is_resumed_shared_and_endless() -> None:
    whole = [[row.aux["own"] for row in rows] for rows in TreeBatchSampler(TABLE, OWN, 16, length=100, seed=4)]
    sampler = TreeBatchSampler(TABLE, OWN, 16, length=100, seed=4)
    iterator = iter(sampler)
    next(iterator), next(iterator)
    resumed = TreeBatchSampler(TABLE, OWN, 16, length=100, seed=4)
    resumed.load_state_dict(iterator.state_dict())
    assert [[row.aux["own"] for row in rows] for rows in resumed] == whole[2:]
    for rank in range(2):
        shared = TreeBatchSampler(TABLE, OWN, 16, length=100, seed=4, num_replicas=2, rank=rank)
        assert [[row.aux["own"] for row in rows] for rows in shared] == whole[rank:6:2]
    endless = TreeBatchSampler(TABLE, OWN, 16, length=None, seed=4)
    values = [row.aux["own"] for rows in islice(endless, 500) for row in rows]  # type: ignore[attr-defined]
    assert values == [contrast(0, draw) for draw in range(8000)]


def test_a_function_is_asked_only_for_the_batches_that_are_asked_for_and_its_errors_are_its_own() -> None:
    asked: list[tuple[int, int]] = []

    def of_function(function: Any, **parameters: Any) -> TreeBatchSampler:
        return TreeBatchSampler(TABLE, {**SPEC, "auxiliary": {"own": function}}, 4, length=100, seed=4, **parameters)

    sampler = of_function(lambda epoch, draw: asked.append((epoch, draw)), num_replicas=2, rank=1)
    sampler.set_epoch(3)
    next(iter(sampler))
    assert asked == [(3, 4), (3, 5), (3, 6), (3, 7)]
    with pytest.raises(ZeroDivisionError):
        next(iter(of_function(lambda epoch, draw: 1 // draw)))
    with pytest.raises(ValueError, match="'auxiliary' parameter must map names to functions: uniform"):
        of_function(iter([1, 2]))
