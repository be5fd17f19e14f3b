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
    ranks = run("batches", "proportional", world)
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


@pytest.mark.parametrize("assign", ["proportional", "even"])
def test_what_unequal_batch_sizes_do_to_the_average_of_gradients(assign: str) -> None:
    """DistributedDataParallel averages over ranks: a row of a small batch weighs more than one of a large batch.

    Twelve small strata put all their ceilings into the same batch under "proportional", so that the last batches of the
    two ranks have 12 and 24 rows. Under "even" sizes differ by at most 1.
    """
    ranks = run("gradient", assign, 2)
    batches = [rank["rows"] for rank in ranks]
    expected = np.mean([np.mean(np.square(batch)) for batch in batches])
    assert [rank["gradient"] for rank in ranks] == pytest.approx([expected, expected], rel=1e-6)
    sizes = [len(batch) for batch in batches]
    assert sorted(sizes) == ([12, 24] if assign == "proportional" else [15, 15])
    over_all_rows = np.mean(np.square(np.concatenate(batches)))
    assert (abs(expected - over_all_rows) < 1e-9) == (assign == "even")


def test_ranks_told_alike_by_the_documented_recipe_draw_what_one_process_draws() -> None:
    world = 2
    ranks = run("feedback", "-", world)
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
    first, second = run("vocabulary", "-", 2)
    assert first == second
    torch.manual_seed(0)
    expected = train_vocabulary(torch.nn.Embedding(20, 4), VOCABULARY_TARGETS, average=lambda layer: None)
    assert [np.shape(parameter) for parameter in first] == [(20, 4), (20, 4), (20,)]
    for found, parameter in zip(first, expected):
        assert np.allclose(found, parameter, atol=1e-5)


def test_a_sampled_vocabulary_refuses_a_layer_inside_distributed_data_parallel() -> None:
    for inside, around, beside in run("wrapped", "-", 2):
        assert inside == around and "'model' parameter must have the layer outside Distri" in inside
        assert beside == "2 words"
