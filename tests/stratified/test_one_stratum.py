"""Batches of one stratum each: the rule for all small sizes, and the output."""

from __future__ import annotations

from itertools import product
from math import ceil
from typing import Any

import numpy as np
import pytest

from pystrat import OneStratumBatchSampler, epoch_permutation

LABELS = ["news"] * 6 + ["web"] * 3 + ["mail"] * 2


def batches_of(sampler: OneStratumBatchSampler, epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch)]


def numbers_of_batches(sizes: Any, size: int, replicas: int) -> list[int]:
    """Return the batches of each stratum; those for replicas go to the stratum with the most rows per batch."""
    numbers = [ceil(count / size) for count in sizes]
    while sum(numbers) % replicas:
        means = [count / number for count, number in zip(sizes, numbers)]
        numbers[means.index(max(means))] += 1
    return numbers


@pytest.mark.parametrize("order", ["proportional", "round_robin"])
def test_small_datasets_exhaustively(order: str) -> None:
    for sizes in product(range(1, 7), repeat=3):
        labels = np.repeat(range(3), sizes)
        place = np.argsort(epoch_permutation(len(labels), seed=4, epoch=2))
        for size, replicas in ((1, 1), (2, 1), (3, 2), (4, 5)):
            if ceil(sum(ceil(count / size) for count in sizes) / replicas) * replicas > sum(sizes):
                with pytest.raises(ValueError, match="'num_replicas' parameter must leave each batch a row"):
                    OneStratumBatchSampler(labels, size, order=order, num_replicas=replicas)
                continue
            sampler = OneStratumBatchSampler(labels, size, order=order, num_replicas=replicas, seed=4)
            batches = batches_of(sampler, 2)
            assert sorted(row for batch in batches for row in batch) == list(range(sum(sizes)))
            assert all(len(set(labels[batch])) == 1 and 1 <= len(batch) <= size for batch in batches)
            assert all(batch == sorted(batch, key=place.__getitem__) for batch in batches)
            table, turns = sampler.plan.table(), [int(labels[batch[0]]) for batch in batches]
            numbers = numbers_of_batches(sizes, size, replicas)
            for stratum in range(3):
                held = [len(batch) for batch in batches if labels[batch[0]] == stratum]
                assert (len(held), min(held), max(held)) == tuple(table.loc[stratum, ["batches", "fewest", "most"]])
                assert len(held) == numbers[stratum] and max(held) - min(held) <= 1
            if order == "round_robin":
                rounds = [[s for s in turns[:3] if numbers[s] > number] for number in range(max(numbers))]
                assert turns == [stratum for of_round in rounds for stratum in of_round]


def test_batches_keep_the_order_of_the_dataset_without_shuffling() -> None:
    sampler = OneStratumBatchSampler(LABELS, 4, shuffle=False)
    assert batches_of(sampler, 0) == batches_of(sampler, 5) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10]]


def test_many_strata_and_dropped_rows() -> None:
    labels = [number % 400 if number % 7 else None for number in range(6000)]
    sampler = OneStratumBatchSampler(labels, 4, missing="drop", order="round_robin", seed=3)
    assert np.sort(sampler.batches(1).rows).tolist() == [row for row in range(6000) if row % 7]
    assert {labels[batch[0]] for batch in sampler.batches(1)[:400]} == set(range(400))


@pytest.mark.parametrize(("order", "n_orders"), [("round_robin", 6), ("proportional", 60)])
def test_the_order_of_the_strata_changes_with_the_epoch(order: str, n_orders: int) -> None:
    sampler = OneStratumBatchSampler(LABELS, 2, order=order, seed=1)
    n_turns = 3 if order == "round_robin" else 6
    seen = {tuple(LABELS[batch[0]] for batch in batches_of(sampler, epoch)[:n_turns]) for epoch in range(600)}
    assert len(seen) == n_orders


def test_the_plan_and_the_output() -> None:
    sampler = OneStratumBatchSampler(LABELS, 4, seed=1)
    assert sampler.plan.summary().splitlines()[0] == "4 batches of one stratum each"
    assert sampler.plan.table().loc["news"].tolist() == [6, 2, 3, 3]
    assert sampler.composition(0).to_numpy().max(axis=1).tolist() == [len(batch) for batch in sampler.batches(0)]
