"""Weighted batches: a function of weights, seed, epoch, updates, and the batches drawn before each update."""

from __future__ import annotations

import json
import pickle
from typing import Any, Callable

import numpy as np
import pytest
from torch.utils.data import DataLoader

from pystrat import PrioritizedBatchSampler, SumTree, WeightedBatchSampler
from pystrat.core.seeds import epoch_seed

N, K, BATCHES = 40, 4, 12
WEIGHTS = np.random.default_rng(1).integers(0, 5, N).astype(float)
BOTH = pytest.mark.parametrize("replacement", [True, False])


def sampler_of(replacement: bool = True, **parameters: Any) -> WeightedBatchSampler:
    options = {"n_batches": BATCHES, "seed": 1, **parameters}
    return WeightedBatchSampler(WEIGHTS, K, replacement=replacement, **options)


def tell(sampler: WeightedBatchSampler, rows: list[int], step: int) -> None:
    """Feedback that depends on the rows that were trained on, and on when."""
    sampler.update(rows, [(row * 7 + step * 3) % 11 + 0.25 for row in rows])


def loader_of(sampler: WeightedBatchSampler, workers: int, prefetch: int = 2) -> DataLoader:
    options = {"prefetch_factor": prefetch} if workers else {}
    return DataLoader(range(N), batch_sampler=sampler, num_workers=workers, **options)  # type: ignore[arg-type]


@BOTH
def test_without_updates_an_epoch_is_what_the_sum_tree_draws(replacement: bool) -> None:
    sampler = sampler_of(replacement)
    for epoch in (0, 1, 5):
        tree = SumTree(WEIGHTS, seed=epoch_seed(1, epoch))
        expected = [tree.sample(K, replacement=replacement).tolist() for _ in range(BATCHES)]
        assert [batch.tolist() for batch in sampler.batches(epoch)] == expected
        sampler.set_epoch(epoch)
        assert list(sampler) == expected


@pytest.mark.filterwarnings("ignore:This DataLoader will create 4 worker processes")
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_with_workers_a_batch_is_as_many_updates_old_as_batches_were_asked_for_ahead(workers: int) -> None:
    """Replayed without a loader, which asks for `ahead` batches first, then for one more before each that it gives."""
    sampler, replay = sampler_of(), sampler_of()
    trained = []
    for step, batch in enumerate(loader_of(sampler, workers)):
        trained.append(batch.tolist())
        tell(sampler, trained[-1], step)
    ahead = 2 * workers
    iterator = iter(replay)
    asked = [next(iterator) for _ in range(ahead)]
    for step in range(BATCHES):
        if len(asked) < BATCHES:
            asked.append(next(iterator))
        tell(replay, asked[step], step)
    assert trained == asked
    assert (sampler.weights() == replay.weights()).all()


def prioritized_of(**parameters: Any) -> PrioritizedBatchSampler:
    options = {"alpha": 0.5, "n_batches": BATCHES, "seed": 1, **parameters}
    return PrioritizedBatchSampler(N, K, **options)


MAKERS = pytest.mark.parametrize(
    "make",
    [sampler_of, lambda **options: sampler_of(False, **options), prioritized_of],
    ids=["with replacement", "without replacement", "prioritised"],
)


@pytest.mark.parametrize("replacement", [True, False])
def test_a_state_is_valid_for_any_sampler_of_as_many_rows_with_the_same_parameters(replacement: bool) -> None:
    sampler = sampler_of(replacement)
    iterator = iter(sampler)
    tell(sampler, next(iterator), 0)
    state = sampler.state(sampler.epoch - 1, 1)
    assert state["weights"].nbytes == 8 * N
    other = WeightedBatchSampler(np.ones(N), K, replacement=replacement, n_batches=BATCHES, seed=sampler.seed)
    other.load_state_dict(state)
    assert list(other) == list(iterator)
    with pytest.raises(ValueError, match="must come from a sampler with the same data, parameters and seed"):
        WeightedBatchSampler(np.ones(N + 1), K, replacement=replacement, n_batches=BATCHES, seed=1).load_state_dict(
            state
        )


def as_json(state: dict[str, Any]) -> Any:
    return json.loads(json.dumps(state, default=lambda array: array.tolist()))


def test_a_state_in_the_middle_of_a_step_is_for_all_ranks_together_only() -> None:
    whole = sampler_of(num_replicas=3)
    iterator = iter(whole)
    next(iterator)
    state = whole.state(whole.epoch - 1, 1)
    assert len(state["drawn"]) == 2 * K, "drawn together"
    resumed = sampler_of(num_replicas=3)
    resumed.load_state_dict(state)
    assert list(resumed) == list(iterator)
    with pytest.raises(ValueError, match="must be at a multiple of the number of replicas, 3, to be continued"):
        sampler_of(num_replicas=3, rank=1).load_state_dict(state)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"drawn": [1, 2]}, "must hold drawn batches of 4 rows. Got others"),
        ({"generator": None}, "must hold the state of the generator. Got nothing"),
        ({"generator": [0] * 624 + [2**32]}, "must hold 625 words of the generator. Got others"),
        ({"sample_generator": [0.5] * 625}, "must hold 625 words of the generator. Got others"),
        ({"drawn": [2**32, 1, 2, 3]}, "hold row positions from 0 to 39, counted from 0"),
        ({"weights": [1] * 41}, "must hold 40 weights. Got 41 values"),
        ({"next_position": 40}, "must be an integer from 0 to 39. Got 40"),
        ({"weights": [-1] * 40}, "none below 0. Got -1"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(changed: dict, text: str) -> None:
    sampler = sampler_of()
    iterator = iter(sampler)
    next(iterator)
    state = {**sampler.state(sampler.epoch - 1, 1), **changed}
    before = as_json(sampler.state(sampler.epoch - 1, 1))
    with pytest.raises(ValueError) as caught:
        sampler.load_state_dict(state)
    assert text in str(caught.value)
    assert as_json(sampler.state(sampler.epoch - 1, 1)) == before
    del state["next_position"]
    with pytest.raises(ValueError, match="have the entries of a sampler with feedback too"):
        sampler.load_state_dict(state)


def test_a_batch_that_cannot_be_drawn_is_an_error() -> None:
    sampler = sampler_of(replacement=False)
    iterator = iter(sampler)
    next(iterator)
    sampler.update(np.arange(N), np.zeros(N))
    with pytest.raises(ValueError, match="'weights' parameter must not all be 0 when rows are"):
        next(iterator)


@BOTH
def test_a_sample_is_what_the_sum_tree_draws_by_the_weights_so_far(replacement: bool) -> None:
    sampler = sampler_of(replacement)
    tree = SumTree(WEIGHTS, seed=epoch_seed(1, 6_700_001))
    for step, k in enumerate((5, 1, 9)):
        assert sampler.sample(k).tolist() == tree.sample(k, replacement=replacement).tolist()
        tell(sampler, [0, 3], step)
        tree.update([0, 3], sampler.weights([0, 3]))


@MAKERS
def test_samples_go_on_where_a_state_or_a_copy_was_taken(make: Callable[..., Any]) -> None:
    sampler = make()
    next(iter(sampler))
    fresh = sampler.state(sampler.epoch - 1, 1)
    assert "sample_generator" not in fresh
    sampler.sample(3)
    state = sampler.state(sampler.epoch - 1, 1)
    copies = [pickle.loads(pickle.dumps(sampler)), make(), make()]
    copies[1].load_state_dict(state)
    copies[2].load_state_dict(as_json(state))
    expected = [sampler.sample(4).tolist() for _ in range(300)]
    for resumed in copies:
        assert [resumed.sample(4).tolist() for _ in range(300)] == expected
    sampler.load_state_dict(fresh)
    assert sampler.sample(9).tolist() == make().sample(9).tolist(), "a state from before the first sample"
