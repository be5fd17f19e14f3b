"""What Lightning does to a batch sampler.

Each replay does, in the order of its source, what Lightning does to the sampler, and nothing else; the version read is
in docs/training-libraries.md.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator

import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler, SequentialSampler

from pystrat import NegativePairBatchSampler, PairDataset
from tests.training_libraries import epoch_of, loader_of, sampler_of


def pair_loader(form: str, **parameters: Any) -> DataLoader:
    """The two forms of a loader of pairs; the vectorized one has no batch sampler."""
    sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 3, n_users=3, n_items=4, seed=1, **parameters)
    given: dict[str, Any] = {"sampler": sampler, "batch_size": None}
    if form == "batch_sampler":
        given = {"batch_sampler": sampler}
    return DataLoader(PairDataset(3, 4), **given)  # type: ignore[arg-type]


def pairs_of(loader: Iterable[Any]) -> list[list[tuple[int, int, int]]]:
    parts = (tuple(batch[name].tolist() for name in ("user", "item", "label")) for batch in loader)
    return [list(zip(*part)) for part in parts]


def lightning_replaces(batch_sampler: Any) -> str:
    """What Lightning does to a batch sampler where it would inject a distributed sampler."""
    if type(batch_sampler) is torch.utils.data.BatchSampler:
        return "makes a new one"
    if isinstance(batch_sampler, torch.utils.data.BatchSampler):  # it has recorded how these were constructed
        return "repeats the constructor"
    if hasattr(batch_sampler, "batch_size") and hasattr(batch_sampler, "drop_last"):
        return "calls the class with sampler, batch_size and drop_last"
    return "TypeError: set use_distributed_sampler=False"


def test_lightning_refuses_to_make_the_sampler_anew_and_says_what_to_set() -> None:
    assert lightning_replaces(sampler_of()) == "TypeError: set use_distributed_sampler=False"


def lightning_sets_epoch(loader: DataLoader, epoch: int) -> int:
    """fabric/utilities/data.py, _set_sampler_epoch: every sampler once; returns how many took it."""
    samplers = {id(sampler): sampler for sampler in (loader.sampler, getattr(loader.batch_sampler, "sampler", None))}
    setters = [sampler.set_epoch for sampler in samplers.values() if callable(getattr(sampler, "set_epoch", None))]
    for set_epoch in setters:
        set_epoch(epoch)
    return len(setters)


def lightning_fits(loader: DataLoader, epochs: Iterable[int], batches_done: int = 0) -> Iterator[list[list[int]]]:
    """pytorch/loops/fit_loop.py: setup_data, on_advance_start, advance; fetchers.py stops at the loader's length."""
    iterator, first = iter(loader), True
    for epoch in epochs:
        assert lightning_sets_epoch(loader, epoch) == 1
        if not first:
            iterator, batches_done = iter(loader), 0
        first = False
        yield [next(iterator) for _ in range(len(loader) - batches_done)]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("rank", [0, 1])
def test_lightning_trains_on_every_epoch_whenever_it_tells_it(rank: int, workers: int) -> None:
    sampler = sampler_of(num_replicas=2, rank=rank)
    fitted = list(lightning_fits(loader_of(sampler, workers), range(3)))
    assert fitted == [epoch_of(sampler, epoch) for epoch in range(3)]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", range(0, 6))
def test_lightning_resumes_where_the_state_in_its_checkpoint_says(done: int, workers: int) -> None:
    sampler = sampler_of(num_replicas=2, rank=1)
    state = {**sampler.state_dict(), "epoch": 3, "batch": 2 * done}
    sampler.load_state_dict(state)
    if done == len(sampler):  # Lightning too counts the end of an epoch as the next one's beginning
        fitted = list(lightning_fits(loader_of(sampler, workers), range(4, 6)))
        assert fitted == [epoch_of(sampler, 4), epoch_of(sampler, 5)]
    else:
        fitted = list(lightning_fits(loader_of(sampler, workers), range(3, 5), batches_done=done))
        assert fitted == [epoch_of(sampler, 3)[done:], epoch_of(sampler, 4)]


def lightning_deals(loader: DataLoader, world: int, rank: int) -> DataLoader:
    """pytorch/trainer/connectors/data_connector.py: a loader without a batch sampler gets a wrapped sampler."""

    class Wrapper(DistributedSampler):
        def __iter__(self) -> Iterator[Any]:
            batches = list(loader.sampler)
            return (batches[place] for place in super().__iter__())

    wrapper = Wrapper(range(len(loader.sampler)), num_replicas=world, rank=rank, shuffle=True)  # type: ignore[arg-type]
    return DataLoader(loader.dataset, sampler=wrapper, batch_size=loader.batch_size)


def test_lightning_deals_the_batches_of_a_loader_without_a_batch_sampler_and_deals_them_twice_where_a_rank_has() -> (
    None
):
    whole = pairs_of(pair_loader("sampler", num_replicas=2))
    dealt = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2), 2, rank)) for rank in range(2)]
    assert len(whole) == 4 and sorted(dealt[0] + dealt[1]) == sorted(whole)
    twice = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2, rank=rank), 2, rank)) for rank in range(2)]
    assert len(twice[0] + twice[1]) == 2, "half of the batches"


def test_lightning_overfits_on_no_other_pairs_than_the_sampler_s() -> None:
    loader = pair_loader("sampler")
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        list(DataLoader(loader.dataset, sampler=SequentialSampler(loader.dataset), batch_size=loader.batch_size))
    assert isinstance(
        pair_loader("batch_sampler").sampler, SequentialSampler
    ), "which it takes for unshuffled, and leaves"
