"""Items of a DataLoader over pair numbers, and the lookup of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import FeatureLookup, NegativePairBatchSampler, PairDataset, decode_pairs
from tests.refused import refusals

N_USERS, N_ITEMS = 20, 30
USERS, ITEMS = np.divmod(np.arange(0, 600, 11), N_ITEMS)
USER_FEATURES = np.arange(40, dtype=np.float32).reshape(20, 2)
ITEM_FEATURES = np.arange(30) * 10


def sampler_of() -> NegativePairBatchSampler:
    return NegativePairBatchSampler(USERS, ITEMS, 0.3, 16, n_users=N_USERS, n_items=N_ITEMS, seed=1)


def loader_of(dataset: Any, sampler: Any, form: str, workers: int = 0) -> Any:
    given = {form: sampler, **({"batch_size": None} if form == "sampler" else {})}
    return DataLoader(dataset, num_workers=workers, **given)


@pytest.mark.parametrize(("form", "workers"), [("sampler", 0), ("batch_sampler", 2)])
def test_both_forms_of_a_loader_deliver_the_sampler_s_pairs_and_their_features(form: str, workers: int) -> None:
    dataset = PairDataset(N_USERS, N_ITEMS, user_features=USER_FEATURES, item_features=ITEM_FEATURES)
    loader = loader_of(dataset, sampler_of(), form, workers)
    assert len(loader) == len(sampler_of())
    for epoch in range(2):
        batches = list(loader)
        assert len(batches) == len(loader)
        for batch, numbers in zip(batches, sampler_of().batches(epoch)):
            users, items, labels = decode_pairs(numbers, N_ITEMS)
            assert batch["user"].tolist() == users.tolist() and batch["user"].dtype == torch.int64
            assert batch["item"].tolist() == items.tolist() and batch["item"].dtype == torch.int64
            assert batch["label"].tolist() == labels.tolist() and batch["label"].dtype == torch.float32
            assert batch["user_features"].tolist() == USER_FEATURES[users].tolist()
            assert batch["item_features"].tolist() == ITEM_FEATURES[items].tolist()


def test_a_loader_delivers_ids_beside_the_codes() -> None:
    users, items = [f"user {code}" for code in USERS], pd.Categorical([f"item {code}" for code in ITEMS])
    sampler = NegativePairBatchSampler(users, items, 0.3, 16, seed=1)
    ages = FeatureLookup(np.arange(N_USERS), ids=[f"user {code}" for code in range(N_USERS)])
    known = {"user_ids": sampler.user_ids, "item_ids": sampler.item_ids, "user_features": ages}
    observed = set(zip(users, items))
    for form in ("sampler", "batch_sampler"):
        for batch in loader_of(PairDataset(sampler.n_users, sampler.n_items, **known), sampler, form):
            of_user, of_item = list(batch["user_id"]), list(batch["item_id"])
            assert [sampler.user_ids[code] for code in batch["user"]] == of_user
            assert [sampler.item_ids[code] for code in batch["item"]] == of_item
            assert [f"user {age}" for age in batch["user_features"].tolist()] == of_user
            assert [pair in observed for pair in zip(of_user, of_item)] == batch["label"].tolist()


def test_features_in_arrays_go_by_code_where_ids_are_given() -> None:
    dataset = PairDataset(2, 2, user_ids=["b", "a"], user_features=[0.5, 1.5], item_ids=[7, 9], item_features=[3, 4])
    names = ("user", "item", "label", "user_id", "item_id", "user_features", "item_features")
    expected = [[0, 1], [0, 1], [1, 0], ["b", "a"], [7, 9], [0.5, 1.5], [3, 4]]
    assert {name: value.tolist() for name, value in dataset[[1, 6]].items()} == dict(zip(names, expected))
    assert PairDataset(1, 2, user_features=7.5)[[0, 3]]["user_features"].tolist() == [7.5, 7.5]


def test_a_dataset_has_the_items_of_all_pair_numbers_and_no_others_and_no_length() -> None:
    """A sampler of all its items would take the place of the sampler of pairs."""
    dataset: Any = PairDataset(3, 4)
    found = [dataset[number] for number in range(24)]
    assert [(pair["user"], pair["item"], pair["label"]) for pair in found] == [
        (user, item, label) for user in range(3) for item in range(4) for label in (0, 1)
    ]
    with pytest.raises(IndexError, match="there is no user 3: PairDataset has 3"):
        dataset[[0, 24]]
    with pytest.raises(ValueError, match="'numbers' parameter must hold pair numbers"):
        dataset[-1]
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        list(DataLoader(dataset, batch_size=6, shuffle=True))
    largest = PairDataset(2**30, 2**22)[2**53 - 1]
    assert (largest["user"], largest["item"], largest["label"]) == (2**30 - 1, 2**22 - 1, 1)


def test_features_of_fewer_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="one value or one row for each of 20. Got 5 values "):
        PairDataset(N_USERS, N_ITEMS, user_features=USER_FEATURES[:5])


@pytest.mark.parametrize("ids", [["a", "b", "c"], [7, -2, 10**12], pd.Index([1.5, 2.5, np.inf]), None])
def test_features_are_those_of_the_ids_in_any_shape_and_of_unknown_ids_the_default(ids: Any) -> None:
    features = np.array([[1, 2], [3, 4], [5, 6]])
    known = np.asarray(range(3) if ids is None else ids)
    wanted = np.array([2, 0, 2, 1])
    unknown = "d" if known.dtype.kind == "U" else 3
    for lookup in (FeatureLookup(features, ids), FeatureLookup(torch.tensor(features), ids, default=[8, 9])):
        assert lookup(known[wanted]).tolist() == features[wanted].tolist()
        assert lookup(known[wanted].reshape(2, 2)).tolist() == features[wanted].reshape(2, 2, 2).tolist()
        assert lookup(known[1]).tolist() == [3, 4]
    assert lookup([known[1], unknown]).tolist() == [[3, 4], [8, 9]] and lookup(unknown).tolist() == [8, 9]
    with pytest.raises(ValueError, match=f"'ids' parameter must be known if no default is given. Got {unknown!r} inst"):
        FeatureLookup(features, ids)([known[1], unknown])
    assert FeatureLookup(features[:0], known[:0], default=7)(known[:1]).tolist() == [[7, 7]]


def test_ids_are_looked_up_as_pandas_does() -> None:
    with pytest.raises(ValueError, match="'ids' .* must be known if no default is given. Got .1. instead"):
        FeatureLookup([1, 2, 3], ids=["a", "b", "1"])(["a", 1])
    assert FeatureLookup({"bob": 54, "ann": 31}, default=-1)(["ann", "eve", "bob"]).tolist() == [31, -1, 54]
    lookup = FeatureLookup([1, 2, 3], ids=[5, 7, 2**31 - 1], default=0)
    assert lookup([7.0, 5.5, np.nan, -5.0, 2.0**31 - 1]).tolist() == [2, 0, 0, 0, 3]
    assert lookup(torch.tensor(5.0)) == 1 and lookup([torch.tensor(5), torch.tensor(6)]).tolist() == [1, 0]
    large = FeatureLookup([1, 2], ids=[2**53, 2**53 + 1], default=0)
    assert large([2**53 + 1, 2**53 + 2, 2**53]).tolist() == [2, 0, 1]


def test_features_and_a_default_have_a_common_type() -> None:
    assert FeatureLookup(np.array([1, 2]), default=np.nan)([0, 9]).tolist() == [1, pytest.approx(np.nan, nan_ok=True)]
    assert FeatureLookup(np.float32([1, 2]), default=np.float32(0.1))([0, 9]).dtype == np.float32
    assert FeatureLookup(["crime", "war"], default="unknown")([0, 9]).tolist() == ["crime", "unknown"]


test_refused_features = refusals(
    FeatureLookup,
    [
        ({"features": [1, 2], "ids": ["a"]}, "'ids' .* must have one id for each row of features, 2. Got 1 value inst"),
        ({"features": 3}, "'features' .* must have one row for each id. Got 3 instead"),
        ({"features": [[1, 2]], "default": [1, 2, 3]}, "could not be broadcast"),
        ({"features": {"a": 1}, "ids": ["a"]}, "'ids' .* must be left out if the features are a mapping. Got 1 value"),
    ],
)
