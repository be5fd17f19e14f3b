"""Triples: every positive once, each with new negatives of its own user, equally likely free items."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat import FeatureLookup, TripleBatchSampler, TripleDataset, decode_pairs
from tests.pairs.tables import ITEMS, N_ITEMS, N_USERS, USERS
from tests.reference.naive_pairs import naive_triples
from tests.refused import refusals

Triple = tuple[int, int, list[int]]


def sampler_of(batch_size: int = 4, **parameters: Any) -> TripleBatchSampler:
    options = {"n_users": N_USERS, "n_items": N_ITEMS, "seed": 1, "negatives_per_positive": 3, **parameters}
    return TripleBatchSampler(USERS, ITEMS, batch_size, **options)


def triples_of(sampler: TripleBatchSampler, epoch: int = 0) -> list[list[Triple]]:
    batches = []
    for numbers in sampler.batches(epoch):
        users, items, labels = decode_pairs(numbers.reshape(-1, sampler.negatives_per_positive + 1), sampler.n_items)
        assert (users == users[:, :1]).all() and (labels == [1] + [0] * sampler.negatives_per_positive).all()
        batches.append([(int(u[0]), int(i[0]), i[1:].tolist()) for u, i in zip(users, items)])
    return batches


@given(
    cells=st.lists(st.integers(0, 23), min_size=1, max_size=40),
    n_items=st.integers(4, 9),
    k=st.integers(1, 5),
    batch_size=st.integers(1, 50),
    replicas=st.integers(1, 3),
    unique=st.booleans(),
    epoch=st.integers(0, 6_700_000),
)
def test_an_epoch_is_as_documented(
    cells: list[int], n_items: int, k: int, batch_size: int, replicas: int, unique: bool, epoch: int
) -> None:
    positives = [(cell // 4, cell % 4) for cell in cells]
    met = Counter(user for user, _ in set(positives))
    free = n_items - max(met.values())
    n_batches = -(-(-(-len(positives) // batch_size)) // replicas) * replicas
    if free < (k if unique else 1) or n_batches > len(positives):
        return
    users, items = zip(*positives)
    options = {"negatives_per_positive": k, "n_users": 6, "n_items": n_items, "unique": unique, "seed": 3}
    sampler = TripleBatchSampler(users, items, batch_size, num_replicas=replicas, **options)
    batches = triples_of(sampler, epoch)
    assert batches == naive_triples(positives, n_items, n_batches, k, seed=3, epoch=epoch, unique=unique)
    triples = [triple for batch in batches for triple in batch]
    assert sorted((user, item) for user, item, _ in triples) == sorted(positives), "every positive once"
    assert not any((user, other) in set(positives) for user, _, negatives in triples for other in negatives)
    assert not unique or all(len(set(negatives)) == k for _, _, negatives in triples)
    sizes = [len(batch) for batch in batches]
    assert len(sampler) == len(batches) == n_batches and max(sizes) <= batch_size and max(sizes) - min(sizes) <= 1


def test_negatives_of_a_nearly_full_user_are_the_free_ones() -> None:
    items = np.delete(np.arange(10_000), 77)
    sampler = TripleBatchSampler([0] * 9999, items, 10_000, n_items=10_000, seed=1)
    assert {negative for batch in triples_of(sampler) for _, _, (negative,) in batch} == {77}


def test_users_who_have_met_all_items_are_refused_or_left_out() -> None:
    full = {"users": ["ann", "ann", "bob", "eve", "eve"], "items": [0, 1, 0, 1, 0], "batch_size": 2}
    with pytest.raises(ValueError, match="2 users without one, the first of them user 'ann', instead. Leave such"):
        TripleBatchSampler(**full)
    sampler = TripleBatchSampler(**full, full_users="skip", seed=1)
    assert (sampler.n_skipped_users, sampler.n_positives, sampler.n_users) == (2, 1, 3)
    assert triples_of(sampler) == [[(1, 0, [1])]]
    with pytest.raises(ValueError, match="leave some user an item that is not a positive. Got 2 users with positives"):
        TripleBatchSampler([0, 1], [0, 0], 2, full_users="skip")


test_refused_parameters = refusals(
    sampler_of,
    [
        ({"negatives_per_positive": 2**31 - 1}, "be at most 238609293 with 9 positives, for at most 2147483647 p"),
        ({"unique": True, "negatives_per_positive": 4}, "Got true and 4 negatives for user '2', of 3 items, instead"),
        ({"num_replicas": 10}, "'num_replicas' .* must be at most 9, the number of triples. Got 10"),
        ({"num_replicas": 2, "batch_size": 1}, "'batch_size' .* must be at least 2, so that every batch has a triple"),
    ],
)


@pytest.mark.parametrize(("form", "workers"), [("sampler", 2), ("batch_sampler", 0)])
def test_both_forms_of_a_loader_deliver_triples_with_features_and_ids(form: str, workers: int) -> None:
    names, prices = np.array(["a", "b", "c", "d", "e"]), FeatureLookup(np.arange(12.0).reshape(6, 2))
    of_users = {"user_ids": names, "user_features": np.arange(5)}
    of_items = {"item_ids": range(6), "item_features": prices}
    dataset = TripleDataset(5, 6, negatives_per_positive=3, **of_users, **of_items)
    loading: dict[str, Any] = {form: sampler_of(), **({"batch_size": None} if form == "sampler" else {})}
    batches = list(DataLoader(dataset, num_workers=workers, **loading))  # type: ignore[arg-type, var-annotated]
    assert len(batches) == 3
    for batch, triples in zip(batches, triples_of(sampler_of())):
        users, positives, negatives = map(list, zip(*triples))
        assert batch["user"].dtype == torch.int64 and batch["negatives"].shape == (len(users), 3)
        assert batch["negatives_features"].shape == (len(users), 3, 2)
        found = {
            name: value.tolist() if isinstance(value, torch.Tensor) else list(value) for name, value in batch.items()
        }
        assert found == {
            "user": users,
            "positive": positives,
            "negatives": negatives,
            "user_id": names[users].tolist(),
            "user_features": users,
            "positive_id": positives,
            "negatives_id": negatives,
            "positive_features": prices(positives).tolist(),
            "negatives_features": prices(negatives).tolist(),
        }


def test_a_dataset_refuses_what_are_no_whole_triples() -> None:
    of_another_user = [2 * 4 * 3 + 1, 2 * 4 * 3, 2 * 4 * 3]
    cases: list[Any] = [[7, 0], [6, 0, 4], [7, 9, 4], [7, 1, 4], 7, [[7, 0, 4]], of_another_user]
    for numbers in cases:
        with pytest.raises(ValueError, match="'numbers' parameter must hold whole triples of 3 users: a"):
            TripleDataset(3, 4, negatives_per_positive=2)[numbers]
    none = TripleDataset(3, 4)[np.empty(0, dtype=np.int64)]
    assert none["user"].shape == (0,) and none["negatives"].shape == (0, 1)
