"""Real processes, connected by gloo."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from pystrat import DownsampledBatchSampler, PairDataset, StratifiedBatchSampler
from tests.distributed_job import LABELS, VOCABULARY_TARGETS, pair_sampler, train_vocabulary, weighted_sampler
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


@pytest.mark.parametrize("kept", ["fresh", "in_turn"])
def test_downsampled_rows_are_shared_by_the_ranks_in_batches_of_nearly_one_size(kept: str) -> None:
    ranks = run("downsampled", kept, 3)
    whole = DownsampledBatchSampler(LABELS == 0, 2, 8, in_turn=kept == "in_turn", seed=1, num_replicas=3)
    assert len(whole) == 9, "60 rows in batches of at most 8 are 8 batches, and 9 for 3 ranks"
    for epoch in range(2):
        interleaved = [batch for turn in zip(*(rank[epoch] for rank in ranks)) for batch in turn]
        assert interleaved == [batch.tolist() for batch in whole.batches(epoch)]
        rows = np.concatenate(interleaved)
        assert len(set(rows)) == 60 and set(range(20)) <= set(rows)
        assert {len(batch) for batch in interleaved} == {6, 7}


def test_pairs_are_shared_by_the_ranks_with_every_positive_once_and_no_positive_among_the_negatives() -> None:
    ranks = run("pairs", "-", 2)
    whole, dataset = pair_sampler(2, None), PairDataset(20, 30)
    assert (len(pair_sampler(1, None)), len(whole)) == (13, 14), "183 pairs in batches of at most 15, and for 2 ranks"
    observed = {(cell // 30, cell % 30) for cell in range(0, 600, 11)}
    for form, epoch in product(("sampler", "batch_sampler"), range(2)):
        interleaved = [batch for turn in zip(*(rank[form][epoch] for rank in ranks)) for batch in turn]
        expected = [dataset[numbers] for numbers in whole.batches(epoch)]
        assert interleaved == [{name: part.tolist() for name, part in batch.items()} for batch in expected]
        pairs = [pair for batch in interleaved for pair in zip(batch["user"], batch["item"], batch["label"])]
        assert sorted((user, item) for user, item, label in pairs if label) == sorted(observed)
        assert not observed & {(user, item) for user, item, label in pairs if not label}


def test_training_on_the_survey_ends_with_the_same_parameters_on_all_ranks() -> None:
    first, second = run("train", "even", 2)
    assert first["parameters"] == second["parameters"]
    assert first["losses"] != second["losses"], "each rank had batches of its own"
    assert min(first["fewest"], second["fewest"]) >= 3
    assert np.mean(first["losses"][-20:]) < np.mean(first["losses"][:5]), "and it learned"


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


def test_more_ranks_than_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="'num_replicas' .* must be at most 2, the number of batches. Got 3 instead."):
        StratifiedBatchSampler([0, 0, 0, 0, 1, 1, 1, 1], 2, seed=1, num_replicas=3, rank=0)


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
