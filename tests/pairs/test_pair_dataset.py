"""Items of a DataLoader over pair numbers, and the lookup of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler

from pystrat import FeatureLookup, NegativePairBatchSampler, PairDataset, decode_pairs

N_USERS, N_ITEMS = 20, 30
USERS, ITEMS = np.divmod(np.arange(0, 600, 11), N_ITEMS)
USER_FEATURES = np.arange(40, dtype=np.float32).reshape(20, 2)
ITEM_FEATURES = np.arange(30) * 10
BYTES, FLOATS = np.array([1, 2], dtype=np.uint8), np.array([1, 2], dtype=np.float32)


def sampler_of(**parameters: Any) -> NegativePairBatchSampler:
    return NegativePairBatchSampler(USERS, ITEMS, 0.3, 16, n_users=N_USERS, n_items=N_ITEMS, seed=1, **parameters)


def dataset_of() -> PairDataset:
    return PairDataset(N_USERS, N_ITEMS, user_features=USER_FEATURES, item_features=ITEM_FEATURES)


def delivered(loader: Any) -> list[dict[str, torch.Tensor]]:
    return list(loader)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("form", ["sampler", "batch_sampler"])
def test_both_forms_of_a_loader_deliver_the_sampler_s_pairs_and_their_features(form: str, workers: int) -> None:
    given: dict[str, Any] = {"sampler": sampler_of(), "batch_size": None}
    if form == "batch_sampler":
        given = {"batch_sampler": sampler_of()}
    loader = DataLoader(dataset_of(), num_workers=workers, **given)  # type: ignore[arg-type, var-annotated]
    assert len(loader) == len(sampler_of())
    for epoch in range(2):
        batches = delivered(loader)
        assert len(batches) == len(loader)
        for batch, numbers in zip(batches, sampler_of().batches(epoch)):
            users, items, labels = decode_pairs(numbers, N_ITEMS)
            assert batch["user"].tolist() == users.tolist() and batch["user"].dtype == torch.int64
            assert batch["item"].tolist() == items.tolist() and batch["item"].dtype == torch.int64
            assert batch["label"].tolist() == labels.tolist() and batch["label"].dtype == torch.float32
            assert batch["user_features"].tolist() == USER_FEATURES[users].tolist()
            assert batch["item_features"].tolist() == ITEM_FEATURES[items].tolist()


@pytest.mark.parametrize("form", ["sampler", "batch_sampler"])
def test_a_loader_delivers_ids_beside_the_codes(form: str) -> None:
    users, items = [f"user {code}" for code in USERS], pd.Categorical([f"item {code}" for code in ITEMS])
    sampler = NegativePairBatchSampler(users, items, 0.3, 16, seed=1)
    ages = FeatureLookup(np.arange(N_USERS), ids=[f"user {code}" for code in range(N_USERS)])
    known = {"user_ids": sampler.user_ids, "item_ids": sampler.item_ids, "user_features": ages}
    dataset = PairDataset(sampler.n_users, sampler.n_items, **known)
    loading: dict[str, Any] = {"sampler": sampler, "batch_size": None}
    if form == "batch_sampler":
        loading = {"batch_sampler": sampler}
    observed = set(zip(users, items))
    for batch in DataLoader(dataset, **loading):  # type: ignore[arg-type, var-annotated]
        assert [sampler.user_ids[code] for code in batch["user"]] == list(batch["user_id"])
        assert [sampler.item_ids[code] for code in batch["item"]] == list(batch["item_id"])
        assert [f"user {age}" for age in batch["user_features"].tolist()] == list(batch["user_id"])
        told = zip(batch["user_id"], batch["item_id"], batch["label"].tolist())
        assert all(((user, item) in observed) == label for user, item, label in told)


def test_features_in_arrays_go_by_code_where_ids_are_given() -> None:
    dataset = PairDataset(2, 2, user_ids=["b", "a"], user_features=[0.5, 1.5], item_ids=[7, 9], item_features=[3, 4])
    assert {name: value.tolist() for name, value in dataset[[1, 6]].items()} == {
        "user": [0, 1],
        "item": [0, 1],
        "label": [1, 0],
        "user_id": ["b", "a"],
        "item_id": [7, 9],
        "user_features": [0.5, 1.5],
        "item_features": [3, 4],
    }


def test_the_vectorised_form_asks_once_a_batch() -> None:
    class Counting(PairDataset):
        asked = 0

        def __getitem__(self, numbers: Any) -> dict[str, Any]:
            self.asked += 1
            return super().__getitem__(numbers)

    dataset = Counting(N_USERS, N_ITEMS)
    loader = DataLoader(dataset, sampler=sampler_of(), batch_size=None)  # type: ignore[arg-type, var-annotated]
    assert dataset.asked == 0 and len(list(loader)) == dataset.asked == len(loader)


def test_a_dataset_has_the_items_of_all_pair_numbers_and_no_others() -> None:
    dataset = PairDataset(3, 4)
    found = [dataset[number] for number in range(24)]
    assert [(pair["user"], pair["item"], pair["label"]) for pair in found] == [
        (user, item, label) for user in range(3) for item in range(4) for label in (0, 1)
    ]
    with pytest.raises(IndexError, match="there is no user 3: PairDataset has 3"):
        dataset[[0, 24]]
    with pytest.raises(ValueError, match="'numbers' parameter must hold pair numbers"):
        dataset[-1]


def test_a_table_beyond_pair_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="'n_items' .* must be at most 4194304 with 1073741824 users"):
        PairDataset(2**30, 2**30)
    largest = PairDataset(2**30, 2**22)[2**53 - 1]
    assert (largest["user"], largest["item"], largest["label"]) == (2**30 - 1, 2**22 - 1, 1)


def test_a_dataset_has_no_length_so_that_no_sampler_of_all_pairs_takes_the_place_of_the_sampler() -> None:
    dataset: Any = PairDataset(3, 4)
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        list(DataLoader(dataset, batch_size=None))  # a SequentialSampler
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        list(DataLoader(dataset, batch_size=6, shuffle=True))
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        DistributedSampler(dataset, num_replicas=2, rank=0)


@pytest.mark.parametrize(
    "ids", [["a", "b", "c"], [7, -2, 10**12], pd.Index([1.5, 2.5, np.inf]), np.array([1.5, 2.5, 3], np.float16), None]
)
def test_features_are_those_of_the_ids(ids: Any) -> None:
    features = np.array([[1, 2], [3, 4], [5, 6]])
    lookup = FeatureLookup(features, ids)
    known = np.asarray(range(3) if ids is None else ids)
    wanted = np.array([2, 0, 2, 1])
    assert lookup(known[wanted]).tolist() == features[wanted].tolist()
    assert lookup(known[wanted].reshape(2, 2)).tolist() == features[wanted].reshape(2, 2, 2).tolist()
    assert lookup(known[1]).tolist() == [3, 4]


@pytest.mark.parametrize(("ids", "unknown"), [(["a", "b"], "'c'"), ([5, 7], "6"), (None, "2"), (None, "-1")])
def test_an_unknown_id_is_an_error_or_the_default(ids: Any, unknown: str) -> None:
    features = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    known = list(range(2) if ids is None else ids)
    asked = [known[1], eval(unknown)]
    text = f"'ids' parameter must be known if no default is given. Got {unknown} instead"
    with pytest.raises(ValueError, match=text):
        FeatureLookup(features, ids)(asked)
    assert FeatureLookup(features, ids, default=0)(asked).tolist() == [[3, 4], [0, 0]]
    assert FeatureLookup(features, ids, default=[8, 9])(asked).tolist() == [[3, 4], [8, 9]]
    assert FeatureLookup(features, ids, default=[8, 9])(asked[1]).tolist() == [8, 9]
    assert FeatureLookup(features[:0], known[:0], default=7)(asked).tolist() == [[7, 7], [7, 7]]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32])
def test_doubles_are_ids_among_integers_where_they_are_exact(dtype: Any) -> None:
    lookup = FeatureLookup([1, 2, 3], ids=np.array([5, 7, 2**31 - 1], dtype=dtype), default=0)
    asked = [7.0, 5.5, 5.0, np.nan, np.inf, -np.inf, -5.0, 2.0**31 - 1, 2.0**53 - 1]
    assert lookup(asked).tolist() == [2, 0, 1, 0, 0, 0, 0, 3, 0]
    assert lookup(np.array([7, 5.5, np.inf], dtype=np.float16)).tolist() == [2, 0, 0]
    assert lookup(torch.tensor(5.0)) == 1
    with pytest.raises(ValueError, match="must be known if no default is given. Got 5.5 instead"):
        FeatureLookup([1, 2], ids=np.array([5, 7], dtype=dtype))([7.0, 5.5])


@pytest.mark.parametrize(
    ("ids", "asked"),
    [
        ([2**53, 2**53 + 1], [2.0**53]),
        ([10**18 + 1, 5], [5.0, 1e18]),
        ([-(2**53) - 1, 5], np.array(-(2.0**53))),
        ([2**53 - 1, 5], np.array([np.nan, 1e300])),
        ([1.5, 2.0**53], [2**53 + 1]),
        ([1.5, 2.0**63], np.array([2**63 + 1], dtype=np.uint64)),
    ],
)
def test_no_integer_is_taken_for_another_that_is_the_same_double(ids: Any, asked: Any) -> None:
    with pytest.raises(
        ValueError, match=r"'ids' .* must be below 2\^53, to be exact, if doubles are compared with integers. Got [-\d]"
    ):
        FeatureLookup([1, 2], ids=ids, default=0)(asked)


def test_large_integers_are_ids_of_their_own() -> None:
    assert FeatureLookup([1, 2], ids=[2**53, 2**53 + 1], default=0)(
        [2**53 + 1, 2**53 + 2, 2**53]
    ).tolist() == [2, 0, 1]
    assert FeatureLookup([1, 2], ids=[1.5, 2.0**60], default=0)([2, 2**52]).tolist() == [0, 0]


def test_text_features_by_text_ids() -> None:
    genres = FeatureLookup(np.array(["crime", "poetry"], dtype=object), ["b1", "b2"], default="unknown")
    assert genres(["b2", "b3"]).tolist() == ["poetry", "unknown"]


def test_a_longer_text_is_a_default_in_full() -> None:
    for features in (["crime", "war"], np.array(["crime", "war"], dtype=object)):
        assert FeatureLookup(features, default="unknown")([1, 7, 0]).tolist() == ["war", "unknown", "crime"]


@pytest.mark.parametrize("default", [0.1, 3, True, np.nan, np.inf, 2**40 + 1])
def test_numbers_are_rounded_to_floating_features(default: Any) -> None:
    found = FeatureLookup(FLOATS, default=default)([0, 9])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array([1, default], dtype=np.float32))


def test_a_mapping_has_the_features_by_id() -> None:
    assert FeatureLookup({"bob": 54, "ann": 31}, default=-1)(["ann", "eve", "bob"]).tolist() == [31, -1, 54]
    assert FeatureLookup({7: [1.0, 2.0], 5: [3.0, 4.0]})([5, 7]).tolist() == [[3, 4], [1, 2]]


def test_doubles_are_defaults_of_integers() -> None:
    whole = FeatureLookup([1, 2], default=7.0)([0, 9])
    assert whole.dtype == np.int64 and whole.tolist() == [1, 7]
    fraction = FeatureLookup([1, 2], default=np.nan)
    np.testing.assert_array_equal(fraction([0, 9]), [1, np.nan])
    assert fraction([0]).dtype == fraction([9]).dtype == np.float64


@pytest.mark.parametrize("default", [0, 255, np.int64(255), np.uint8(7), True])
def test_integers_within_the_features_type_are_defaults(default: Any) -> None:
    found = FeatureLookup(BYTES, default=default)([0, 9])
    assert found.dtype == np.uint8 and found.tolist() == [1, int(default)]


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        (([1, 2], ["a"]), {}, "'ids' .* must have one id for each row of features, 2. Got 1 value instead"),
        (([1, 2], ["a", "a"]), {}, "'ids' .* must be all different. Got 'a' again instead"),
        ((3,), {}, "'features' .* must have one row for each id. Got 3 instead"),
        (
            ([[1, 2]],),
            {"default": [1, 2, 3]},
            r"of the shape of an id's features, \(2,\). Got an array of shape \(3,\)",
        ),
        (([1, 2**60],), {"default": 0.5}, "'default' .* must be whole, because doubles do not hold all features"),
        (([1, 2],), {"default": 1e30}, "'default' .* must be a value that the features' type, int64, holds. Got 1e"),
        (({"a": 1}, ["a"]), {}, "'ids' .* must be left out if the features are a mapping. Got 1 value instead"),
        (([1, 2],), {"default": "x"}, "'default' .* must be of the features' type, int64"),
        ((["crime", "war"],), {"default": 0}, "'default' .* must be of the features' type, <U5. Got int64 values"),
        ((BYTES,), {"default": 300}, "'default' .* must be a value that the features' type, uint8, holds. Got 300"),
        ((BYTES,), {"default": -1}, "'default' .* must be a value that the features' type, uint8, holds. Got -1"),
        ((FLOATS,), {"default": 1e300}, "'default' .* must be a value that the features' type, float32, holds. Got 1e"),
        ((BYTES,), {"default": 2**70}, "'default' .* must be of the features' type, uint8. Got object values"),
    ],
)
def test_refused_features(arguments: tuple[Any, ...], options: dict[str, Any], text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        FeatureLookup(*arguments, **options)


def test_codes_are_no_ids_of_another_type() -> None:
    with pytest.raises(TypeError, match="'ids' .* must hold integers from 0. Got <U1 values"):
        FeatureLookup([1, 2])(["a"])


@pytest.mark.parametrize("asked", ["a\0", ["a\0"], [["b", "a\0"]], ["a", 1]])
def test_ids_of_lists_are_looked_up_as_they_are_and_not_as_numpy_makes_them(asked: Any) -> None:
    with pytest.raises(ValueError, match="'ids' .* must be known if no default is given"):
        FeatureLookup([1, 2, 3], ids=["a", "b", "1"])(asked)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"user_features": USER_FEATURES[:5]},
            "The 'user_features' parameter must have one value or one row for each of 20. Got 5 values ",
        ),
        ({"item_features": np.arange(31)}, "'item_features' .* for each of 30. Got 31 values instead"),
        ({"item_features": "text"}, "'item_features' .* for each of 30. Got 1 value instead"),
    ],
)
def test_features_of_fewer_or_more_codes_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        PairDataset(N_USERS, N_ITEMS, **options)


def test_a_single_value_is_the_feature_of_a_single_code() -> None:
    assert PairDataset(1, 2, user_features=7.5)[[0, 3]]["user_features"].tolist() == [7.5, 7.5]


def test_a_user_whom_a_lookup_does_not_know_is_an_error_in_the_loader() -> None:
    dataset = PairDataset(N_USERS, N_ITEMS, user_features=FeatureLookup(USER_FEATURES[:5]))
    with pytest.raises(ValueError, match="'ids' parameter must be known"):
        list(DataLoader(dataset, sampler=sampler_of(), batch_size=None))  # type: ignore[arg-type, call-overload]
