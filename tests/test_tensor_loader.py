"""TensorLoader yields what a DataLoader yields, bit for bit, of any sampler, data, form and chunk; states are exact."""

from __future__ import annotations

import warnings
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

import pystrat
from pystrat import BatchSampler, NegativePairBatchSampler, PairDataset, StratifiedBatchSampler, TensorLoader
from pystrat import TreeBatchSampler, TripleBatchSampler, TripleDataset, WeightedBatchSampler
from pystrat.tree import DrawnRow

N = 120
LABELS = np.arange(N) % 7 // 5  # 1 in two of seven rows
CHUNKS = (1, 700, 2**22)  # one batch, a few, and all of an epoch


SPEC = {"mode": "shuffle", "children": [{"name": "a", "column": "x", "value": 1}, {"name": "b"}]}
AUXILIARY = {
    "angle": "uniform(-10, 10)",
    "turns": "integers(0, 3)",
    "flip": "choice([true, false])",
    "lamp": "choice(['on', 'off'])",
    "noise": lambda epoch, draw: np.full(2, epoch + draw),
}
LENGTHS = 1 + np.arange(N) ** 2 % 23
SAMPLERS: dict[str, Callable[..., BatchSampler]] = {
    "stratified": lambda **given: StratifiedBatchSampler(LABELS, 3, **given),
    "strata of a subset": lambda **given: pystrat.StrataSubsetBatchSampler(LABELS, 1, 4, **given),
    "downsampled": lambda **given: pystrat.DownsampledBatchSampler(LABELS, 1.5, 8, **given),
    "weighted": lambda **given: WeightedBatchSampler(1.0 + LABELS, 7, **given),
    "prioritized": lambda **given: pystrat.PrioritizedBatchSampler(N, 8, capacity=128, **given),
    "part of a corpus, by length": lambda **given: pystrat.BatchesByLength(
        pystrat.EpochSubsetBatchSampler(N, 60, 6, **given), LENGTHS, max_tokens=40
    ),
    "perplexity": lambda **given: pystrat.PerplexityBatchSampler(N, 6, n_batches=10, **given),
    "tree": lambda **given: TreeBatchSampler({"x": LABELS}, SPEC, 6, length=50, **given),
}
by_sampler = pytest.mark.parametrize("name", SAMPLERS)
by_chunk = pytest.mark.parametrize("chunk", CHUNKS)


def data() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.arange(N), torch.randn(N, 3, generator=generator), torch.tensor(LABELS)]


def assert_same(found: Any, expected: Any) -> None:
    """Assert that two batches are bitwise the same, in the same form."""
    assert type(found) is type(expected)
    if isinstance(expected, torch.Tensor):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        assert found.numpy().tobytes() == expected.numpy().tobytes()
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        assert_all_same(found.values(), expected.values())
    elif isinstance(expected, (list, tuple)):
        assert_all_same(found, expected)
    else:
        assert np.array_equal(found, expected)


def assert_all_same(found: Iterable[Any], expected: Iterable[Any]) -> None:
    pairs = list(zip(list(found), (expected := list(expected))))
    assert len(pairs) == len(expected)
    for mine, other in pairs:
        assert_same(mine, other)


class Items(Dataset):
    """A dataset of items in any form."""

    def __init__(self, item: Callable[[int], Any]) -> None:
        self._item = item

    def __len__(self) -> int:
        return N

    def __getitem__(self, row: int) -> Any:
        return self._item(row)


def loader_of(dataset: Any, sampler: BatchSampler) -> DataLoader:
    return DataLoader(dataset, batch_sampler=sampler)  # type: ignore[arg-type]


# What it yields -------------------------------------------------------------------------------------------------------


@by_chunk
@by_sampler
def test_it_yields_what_a_data_loader_yields(name: str, chunk: int) -> None:
    sampler, other = (SAMPLERS[name](seed=1) for _ in range(2))
    loader, plain = TensorLoader(*data(), sampler=sampler, chunk=chunk), loader_of(TensorDataset(*data()), other)
    for _ in range(3):
        assert len(loader) == len(plain)
        assert_all_same(loader, plain)
    loader.set_epoch(7)
    other.set_epoch(7)
    assert_all_same(loader, plain)


class Named(NamedTuple):
    x: Any
    y: Any


x, y = data()[1:]
FORMS: dict[str, tuple[Any, Callable[[int], Any]]] = {
    "a dict": ([{"x": x, "y": y}], lambda row: {"x": x[row], "y": y[row]}),
    "a pair": ([(x, y)], lambda row: (x[row], y[row])),
    "a named tuple": ([Named(x, y)], lambda row: Named(x[row], y[row])),
    "nested": ([[{"a": (x, y), "b": [x]}, y]], lambda row: [{"a": (x[row], y[row]), "b": [x[row]]}, y[row]]),
    "dicts of arrays": ([{"x": x.numpy(), "y": y.numpy()}], lambda row: {"x": x.numpy()[row], "y": y.numpy()[row]}),
    "several": ([{"x": x}, y], lambda row: ({"x": x[row]}, y[row])),
    "no values": ([x[:, :0]], lambda row: [x[row, :0]]),
}


@by_chunk
@pytest.mark.parametrize("form", FORMS)
def test_a_batch_has_the_form_of_an_item(form: str, chunk: int) -> None:
    given, item = FORMS[form]
    loader = TensorLoader(*given, sampler=SAMPLERS["stratified"](seed=1), chunk=chunk)
    assert_all_same(loader, loader_of(Items(item), SAMPLERS["stratified"](seed=1)))


def test_arrays_and_memory_maps_and_tables(tmp_path: Path) -> None:
    values = x.numpy()
    np.save(tmp_path / "x.npy", values)
    frozen = values.copy()
    frozen.setflags(write=False)
    mapped = [np.load(tmp_path / "x.npy", mmap_mode=mode) for mode in ("r", "r+")]  # type: ignore[call-overload]
    given = [values, *mapped, frozen, np.asfortranarray(values), pd.DataFrame(values), values.astype(">f4")]
    expected = list(TensorLoader(x, sampler=SAMPLERS["stratified"](seed=1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in given:
            assert_all_same(TensorLoader(each, sampler=SAMPLERS["stratified"](seed=1)), expected)


def test_a_transform_gets_each_batch_on_the_device() -> None:
    sampler = SAMPLERS["stratified"]
    plain = TensorLoader(*data(), sampler=sampler(seed=1))
    doubled = TensorLoader(*data(), sampler=sampler(seed=1), transform=lambda batch: 2 * batch[1])
    assert_all_same(doubled, [2 * batch[1] for batch in plain])
    given: dict[str, Any] = {"device": "meta", "transform": lambda batch: [values.device.type for values in batch]}
    assert list(TensorLoader(*data(), sampler=sampler(seed=1), **given)) == [["meta"] * 3] * len(plain)


@pytest.mark.thorough
def test_a_memory_map_larger_than_a_chunk_and_a_tree_without_an_end(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(400_000, dtype=np.float32).reshape(-1, 4))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    samplers = [StratifiedBatchSampler(np.arange(len(mapped)) % 7 // 5, 50, seed=1) for _ in range(2)]
    whole = torch.from_numpy(np.array(mapped))
    assert_all_same(TensorLoader(mapped, sampler=samplers[0], chunk=4096), TensorLoader(whole, sampler=samplers[1]))
    trees = [TreeBatchSampler({"x": LABELS}, SPEC, 6, length=length, seed=1) for length in (None, 6 * 3000)]
    loaders = [TensorLoader(x, sampler=tree, chunk=700) for tree in trees]
    assert_all_same(islice(loaders[0], 3000), loaders[1])


# Pairs, auxiliary values, feedback ------------------------------------------------------------------------------------


@by_chunk
def test_pairs_and_triples(chunk: int) -> None:
    users, items = np.arange(40) % 8, np.arange(40) * 7 % 12
    names = {"user_ids": list("abcdefgh"), "item_features": np.arange(24.0).reshape(12, 2)}
    for sampler, dataset in (
        (NegativePairBatchSampler(users, items, 0.4, 9, n_items=12, seed=1), PairDataset(8, 12, **names)),
        (
            TripleBatchSampler(users, items, 9, negatives_per_positive=2, n_items=12, seed=1),
            TripleDataset(8, 12, negatives_per_positive=2, **names),
        ),
    ):
        loader = TensorLoader(dataset, sampler=sampler, chunk=chunk)
        plain = DataLoader(dataset, sampler=sampler, batch_size=None)  # type: ignore[var-annotated]
        for epoch in range(2):
            loader.set_epoch(epoch)
            found = list(loader)
            sampler.set_epoch(epoch)
            assert_all_same(found, plain)


def test_auxiliary_values_come_with_their_rows() -> None:
    def sampler() -> TreeBatchSampler:
        return TreeBatchSampler({"x": LABELS}, {**SPEC, "auxiliary": AUXILIARY}, 6, length=50, seed=1)

    plain = loader_of(Items(lambda row: (x[row], row.aux)), sampler())  # type: ignore[attr-defined]
    assert_all_same(TensorLoader(x, sampler=sampler()), plain)
    plain = loader_of(Items(lambda row: {"x": x[row], "aux": row.aux}), sampler())  # type: ignore[attr-defined]
    assert_all_same(TensorLoader({"x": x}, sampler=sampler()), plain)
    assert isinstance(next(iter(sampler()))[0], DrawnRow), "the batches of this sampler have such values"


@by_chunk
def test_feedback_takes_effect_with_the_next_batch(chunk: int) -> None:
    samplers = [WeightedBatchSampler(np.ones(N), 8, n_batches=20, seed=1) for _ in range(2)]
    loaders = [TensorLoader(*data(), sampler=samplers[0], chunk=chunk), loader_of(TensorDataset(*data()), samplers[1])]
    delivered: list[list[Any]] = [[], []]
    for loader, sampler, batches in zip(loaders, samplers, delivered):
        for batch in loader:
            sampler.update(batch[0], np.full(len(batch[0]), 1e-9))  # these are hardly drawn again
            batches.append(batch)
    assert_all_same(*delivered)
    drawn = torch.cat([batch[0] for batch in delivered[0][:-5]])
    assert len(set(drawn.tolist())) > 60


# States ---------------------------------------------------------------------------------------------------------------


@by_sampler
def test_a_loader_continues_after_each_batch(name: str) -> None:
    make = SAMPLERS[name]
    whole = TensorLoader(*data(), sampler=make(seed=1))
    first, second = list(whole), list(whole)
    stopped = TensorLoader(*data(), sampler=make(seed=1))
    for taken, _ in enumerate(stopped, start=1):
        state = stopped.state_dict()
        sampler, resumed = make(seed=1), TensorLoader(*data(), sampler=make(seed=1), chunk=300)
        sampler.load_state_dict(state)
        resumed.load_state_dict(state)
        for loader in (resumed, loader_of(TensorDataset(*data()), sampler)):
            rest = list(loader)
            assert_all_same([*rest, *loader] if taken < len(first) else rest, [*first[taken:], *second])


# Refusals -------------------------------------------------------------------------------------------------------------


class Rows:
    """A dataset that returns the rows of an array of positions, or too few of them."""

    def __init__(self, n_rows: int, n_missing: int = 0) -> None:
        self._n_rows, self._n_missing = n_rows, n_missing

    def __len__(self) -> int:
        return self._n_rows

    def __getitem__(self, rows: Any) -> Any:
        return torch.as_tensor(rows)[self._n_missing :]


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name != "prioritized"])
def test_data_have_as_many_rows_as_the_sampler_was_made_for(name: str) -> None:
    sampler = SAMPLERS[name](seed=1)
    for n_rows, advice in ((N - 1, "$"), (0, "$"), (N + 1, " Of more rows, give only those of the sampler.")):
        required = f"as many rows as the sampler was made for, {N}. Got {n_rows} rows? instead.{advice}"
        for data in (torch.zeros(n_rows), Rows(n_rows)):
            with pytest.raises(ValueError, match=f"The 'tensors' parameter must have {required}"):
                TensorLoader(data, sampler=sampler)
        with pytest.raises(ValueError, match=f"The 'loader' parameter must have a dataset of {required}"):
            pystrat.ResumableLoader(loader_of(TensorDataset(torch.zeros(n_rows)), sampler))
    assert len(TensorLoader(torch.zeros(N + 1)[:N], Rows(N), sampler=sampler)) == len(sampler)


@pytest.mark.parametrize(
    ("tensors", "given", "message"),
    [
        ([], {}, "'tensors' parameter must have at least one tensor. Got none"),
        ([{}], {}, "'tensors' parameter must have at least one tensor. Got none"),
        (
            [x.clone().requires_grad_()],
            {},
            "must require no gradients. Got one that does instead. Call its method detach()",
        ),
        ([x.to_sparse()], {}, "must be an array, or a dense tensor of numbers. Got a sparse or quantized tensor"),
        (["abc"], {}, "must be tensors or arrays. Got 'abc'"),
        ([[1, 2]], {}, "must be tensors or arrays. Got 1"),
        ([x], {"sampler": [[0, 1]]}, "'sampler' parameter must be a batch sampler of pystrat. Got 1 value"),
        ([x], {"chunk": 0}, "'chunk' parameter must be an integer from 1 to 9007199254740992. Got 0"),
        (
            [x, y[:-1]],
            {"sampler": SAMPLERS["prioritized"](seed=1)},
            "must have the same number of rows. Got 119 and 120 rows",
        ),
        ([Rows(N, 1)], {}, "return a value for each row, or for each group of rows. Got 9 values for 10 rows"),
    ],
)
def test_what_is_refused(tensors: list[Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        list(TensorLoader(*tensors, **{"sampler": SAMPLERS["stratified"](seed=1), **given}))
    assert message in str(caught.value)
