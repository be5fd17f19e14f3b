"""Batches of one stratum each: the rule by brute force, against plain Python, and the output."""

from __future__ import annotations

from itertools import product
from math import ceil
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import OneStratumBatchSampler
from pystrat.seeds import epoch_seed
from tests.reference.naive_random import NaiveStream

LABELS = ["news"] * 6 + ["web"] * 3 + ["mail"] * 2


def batches_of(sampler: OneStratumBatchSampler, epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch)]


def naive_epoch(codes: list[int], size: int, order: str, replicas: int, seed: Optional[int], epoch: int) -> Any:
    """Return the batches of an epoch, as documented; in the order of the dataset if the seed is None."""
    counts = [codes.count(stratum) for stratum in range(max(codes) + 1)]
    n_batches = [ceil(count / size) for count in counts]
    while sum(n_batches) % replicas:
        means = [count / number for count, number in zip(counts, n_batches)]
        n_batches[means.index(max(means))] += 1
    reference = None if seed is None else NaiveStream(epoch_seed(seed, epoch))

    def drawn(count: int) -> list[int]:
        return list(range(count)) if reference is None else reference.permutation(count)

    rows = drawn(len(codes))
    all_batches = []
    for stratum, (count, number) in enumerate(zip(counts, n_batches)):
        own = [row for row in rows if codes[row] == stratum]
        ends = [batch * count // number for batch in range(number + 1)]
        all_batches.append([own[begin:end] for begin, end in zip(ends, ends[1:])])
    if order == "proportional":
        flat = [batch for batches in all_batches for batch in batches]
        return [flat[place] for place in drawn(len(flat))]
    turns = drawn(len(counts))
    return [
        all_batches[stratum][number]
        for number in range(max(n_batches))
        for stratum in turns
        if number < n_batches[stratum]
    ]


@pytest.mark.parametrize("order", ["proportional", "round_robin"])
def test_small_datasets_exhaustively(order: str) -> None:
    for sizes in product(range(1, 7), repeat=3):
        labels = np.repeat(range(3), sizes)
        for size, replicas in ((1, 1), (2, 1), (3, 2), (4, 5)):
            if ceil(sum(ceil(count / size) for count in sizes) / replicas) * replicas > sum(sizes):
                with pytest.raises(ValueError, match="'num_replicas' parameter must leave each batch a row"):
                    OneStratumBatchSampler(labels, size, order=order, num_replicas=replicas)
                continue
            sampler = OneStratumBatchSampler(labels, size, order=order, num_replicas=replicas, seed=4)
            batches = batches_of(sampler, 2)
            assert batches == naive_epoch(labels.tolist(), size, order, replicas, 4, 2)
            assert sorted(row for batch in batches for row in batch) == list(range(sum(sizes)))
            assert all(len(set(labels[batch])) == 1 and 1 <= len(batch) <= size for batch in batches)
            assert len(batches) == len(sampler) == sampler.plan.n_batches and len(batches) % replicas == 0
            table = sampler.plan.table()
            for stratum in range(3):
                held = [len(batch) for batch in batches if labels[batch[0]] == stratum]
                assert (len(held), min(held), max(held)) == tuple(table.loc[stratum, ["batches", "fewest", "most"]])
                assert max(held) - min(held) <= 1


@given(st.data())
def test_any_strata(data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=40))
    known: dict[int, int] = {}
    codes = [known.setdefault(code, len(known)) for code in codes]
    size, order = data.draw(st.integers(1, 12)), data.draw(st.sampled_from(["proportional", "round_robin"]))
    seed = data.draw(st.none() | st.integers(0, 2**31 - 2))
    sampler = OneStratumBatchSampler(codes, size, order=order, shuffle=seed is not None, seed=seed or 0)
    for epoch in (0, 1, 6_700_000):
        assert batches_of(sampler, epoch) == naive_epoch(codes, size, order, 1, seed, epoch)


def test_many_strata_and_dropped_rows() -> None:
    labels = [number % 400 if number % 7 else None for number in range(6000)]
    sampler = OneStratumBatchSampler(labels, 4, missing="drop", order="round_robin", seed=3)
    batches = batches_of(sampler, 1)
    assert sorted(row for batch in batches for row in batch) == [row for row in range(6000) if row % 7]
    assert all(len({labels[row] for row in batch}) == 1 for batch in batches)
    first_round = [labels[batch[0]] for batch in batches[:400]]
    assert set(first_round) == set(range(400)) and first_round != list(range(400))


def test_the_turns_of_the_strata_change_with_the_epoch() -> None:
    sampler = OneStratumBatchSampler(LABELS, 2, order="round_robin", seed=1)
    seen = {tuple(LABELS[batch[0]] for batch in batches_of(sampler, epoch)[:3]) for epoch in range(60)}
    assert len(seen) == 6


def test_the_plan_and_the_output() -> None:
    sampler = OneStratumBatchSampler(LABELS, 4, seed=1)
    assert sampler.plan.summary().splitlines()[0] == "4 batches of one stratum each"
    assert sampler.plan.table().loc["news"].tolist() == [6, 2, 3, 3]
    assert sampler.composition(0).to_numpy().max(axis=1).tolist() == [len(batch) for batch in sampler.batches(0)]
    assert repr(sampler) == (
        "OneStratumBatchSampler(11 rows, 3 strata, 4 batches, order='proportional', seed=1, epoch=0)"
    )
    assert sampler.parameters == {
        "batch_size": 4,
        "order": "proportional",
        "shuffle": True,
        "missing": "error",
        "num_replicas": None,
    }


def test_refusals() -> None:
    with pytest.raises(ValueError, match="'order' parameter must be one of 'proportional', 'round_robin'. Got 'x'"):
        OneStratumBatchSampler(LABELS, 2, order="x")
    with pytest.raises(ValueError, match="'batch_size' parameter must be a positive integer. Got 0 instead"):
        OneStratumBatchSampler(LABELS, 0)
    text = "must leave each batch a row: there are 11 for 12 batches. Got 12 instead"
    with pytest.raises(ValueError, match=text):
        OneStratumBatchSampler(LABELS, 4, num_replicas=12)
