"""Real processes, connected by gloo."""

from __future__ import annotations


import numpy as np
import pytest
import torch

from pystrat import StratifiedBatchSampler
from tests.distributed_job import LABELS, VOCABULARY_TARGETS, train_vocabulary, weighted_sampler
from tests.process_groups import run

pytestmark = pytest.mark.xdist_group("process groups")


@pytest.mark.parametrize("world", [2, 3, 4])
def test_every_row_on_one_rank_and_the_promise_on_each(world: int) -> None:
    ranks = run("batches", world)
    whole = StratifiedBatchSampler(LABELS, 2, seed=1, num_replicas=world)
    for epoch in range(2):
        batches = [rank[epoch] for rank in ranks]
        assert {len(rank) for rank in batches} == {len(whole) // world}, "equal numbers of batches"
        rows = sorted(row for rank in batches for batch in rank for row in batch)
        assert rows == list(range(len(LABELS))), "every row exactly once"
        for batch in (batch for rank in batches for batch in rank):
            assert np.bincount(LABELS[batch], minlength=5).min() >= 2, "the promise on every rank"
        interleaved = [batch for turn in zip(*batches) for batch in turn]
        assert interleaved == [batch.tolist() for batch in whole.batches(epoch)]


def test_ranks_told_alike_by_the_documented_recipe_draw_what_one_process_draws() -> None:
    world = 2
    ranks = run("feedback", world)
    whole, expected = weighted_sampler(world, None), []
    iterator = iter(whole)
    for _ in range(len(whole) // world):
        step = [next(iterator) for _ in range(world)]
        rows = torch.tensor(step).reshape(-1)
        whole.update(rows, rows / 60)
        expected += step
    assert [batch for turn in zip(*ranks) for batch in turn] == expected
    assert any(batch != told.tolist() for batch, told in zip(expected, weighted_sampler(world, None).batches(0)))


def test_a_sampled_vocabulary_by_the_documented_recipe_trains_what_one_process_trains() -> None:
    first, second = run("vocabulary", 2)
    assert first == second
    torch.manual_seed(0)
    expected = train_vocabulary(torch.nn.Embedding(20, 4), VOCABULARY_TARGETS, average=lambda layer: None)
    assert [np.shape(parameter) for parameter in first] == [(20, 4), (20, 4), (20,)]
    for found, parameter in zip(first, expected):
        assert np.allclose(found, parameter, atol=1e-5)


def test_a_sampled_vocabulary_refuses_a_layer_inside_distributed_data_parallel() -> None:
    for inside, around, beside in run("wrapped", 2):
        assert inside == around and "'model' parameter must have the layer outside Distri" in inside
        assert beside == "2 words"
