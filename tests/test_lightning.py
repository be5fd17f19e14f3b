"""What Lightning does to a batch sampler: real runs if it is installed, and its calls replayed in any case.

Each replay does, in the order of its source, what Lightning does to the sampler, and nothing else; the version read is
in docs/training-libraries.md. The jobs in tests/lightning_job.py are real runs of one process and of two.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Optional

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler

from pystrat import ResumableLoader, StratifiedBatchSampler, TensorLoader
from pystrat.stream import StratifiedStream, count_sources
from tests.example_processes import environment
from tests.training_libraries import (
    EPOCHS,
    LABELS,
    N_BATCHES,
    code_blocks,
    corpus_sampler,
    epoch_of,
    installed,
    loader_of,
    pair_loader,
    pairs_of,
    sampler_of,
    shared_lines,
)

JOB = Path(__file__).parent / "lightning_job.py"
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*:UserWarning:lightning", "ignore::FutureWarning", "ignore::DeprecationWarning"
)


# Replays --------------------------------------------------------------------------------------------------------------


def lightning_sets_epoch(loader: Any, epoch: int) -> int:
    """fabric/utilities/data.py, _set_sampler_epoch: every sampler once; returns how many took it."""
    batch_sampler = getattr(loader, "batch_sampler", None)
    samplers = {id(sampler): sampler for sampler in (loader.sampler, getattr(batch_sampler, "sampler", None))}
    setters = [sampler.set_epoch for sampler in samplers.values() if callable(getattr(sampler, "set_epoch", None))]
    for set_epoch in setters:
        set_epoch(epoch)
    return len(setters)


def replayed_fits(
    loader: Any, epochs: Iterable[int], batches_done: int = 0, limit: Optional[int] = None
) -> Iterator[list[list[int]]]:
    """pytorch/loops/fit_loop.py: setup_data, on_advance_start, advance; fetchers.py stops at the loader's length."""
    iterator, first = iter(loader), True
    for epoch in epochs:
        assert lightning_sets_epoch(loader, epoch) == 1
        if not first:
            iterator, batches_done = iter(loader), 0
        first = False
        yield [next(iterator) for _ in range((limit or len(loader)) - batches_done)]


def installed_fits(loader: Any, epochs: Iterable[int], **options: Any) -> list[list[list[int]]]:
    """Train with Lightning's Trainer from epoch 0 on; a function as the loader is its `train_dataloader`."""
    from tests.lightning_job import Recorder, trainer_of

    recorder = Recorder(loader)
    trainer_of(1, max_epochs=len(list(epochs)), enable_checkpointing=False, **options).fit(recorder)
    return list(recorder.seen.values())


FITS = pytest.mark.parametrize("fits", [replayed_fits, pytest.param(installed_fits, marks=installed("lightning"))])


@FITS
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("rank", [0, 1])
def test_lightning_trains_on_every_epoch_whenever_it_sets_it(rank: int, workers: int, fits: Any) -> None:
    sampler = sampler_of(num_replicas=2, rank=rank)
    fitted = list(fits(loader_of(sampler, workers), range(EPOCHS)))
    assert fitted == [epoch_of(sampler, epoch) for epoch in range(EPOCHS)]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", range(0, 6))
def test_lightning_resumes_where_the_state_in_its_checkpoint_says(done: int, workers: int) -> None:
    sampler = sampler_of(num_replicas=2, rank=1)
    state = {**sampler.state(), "epoch": 3, "batch": 2 * done}
    sampler.load_state_dict(state)
    if done == len(sampler):  # Lightning too counts the end of an epoch as the next one's beginning
        fitted = list(replayed_fits(loader_of(sampler, workers), range(4, 6)))
        assert fitted == [epoch_of(sampler, 4), epoch_of(sampler, 5)]
    else:
        fitted = list(replayed_fits(loader_of(sampler, workers), range(3, 5), batches_done=done))
        assert fitted == [epoch_of(sampler, 3)[done:], epoch_of(sampler, 4)]


def lightning_deals(loader: DataLoader, world: int, rank: int) -> DataLoader:
    """pytorch/trainer/connectors/data_connector.py: a loader without a batch sampler gets a wrapped sampler."""

    class Wrapper(DistributedSampler):
        def __iter__(self) -> Iterator[Any]:
            batches = list(loader.sampler)
            return (batches[place] for place in super().__iter__())

    wrapper = Wrapper(range(len(loader.sampler)), num_replicas=world, rank=rank, shuffle=True)  # type: ignore[arg-type]
    return DataLoader(loader.dataset, sampler=wrapper, batch_size=loader.batch_size)


def test_lightning_deals_the_batches_of_a_loader_without_a_batch_sampler_and_loses_half_if_the_sampler_has_a_rank() -> (
    None
):
    whole = pairs_of(pair_loader("sampler", num_replicas=2))
    dealt = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2), 2, rank)) for rank in range(2)]
    assert len(whole) == 4 and sorted(dealt[0] + dealt[1]) == sorted(whole)
    twice = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2, rank=rank), 2, rank)) for rank in range(2)]
    assert len(twice[0] + twice[1]) == 2, "half of the batches"


# Real runs in this process --------------------------------------------------------------------------------------------


@installed("lightning")
def test_overfitting_takes_the_first_batches_of_each_epoch() -> None:
    fitted = installed_fits(loader_of(sampler_of()), range(EPOCHS), overfit_batches=4)
    assert fitted == [epoch_of(sampler_of(), epoch)[:4] for epoch in range(EPOCHS)]


@installed("lightning")
def test_overfitting_fails_for_pairs_without_a_batch_sampler() -> None:
    from tests.lightning_job import messages_of

    with pytest.raises(Exception) as caught:
        installed_fits(pair_loader("sampler"), range(1), overfit_batches=2)
    assert any("'PairDataset' has no len()" in message for message in messages_of(caught.value))


@installed("lightning")
@pytest.mark.parametrize("reload", [0, 1])
def test_epochs_of_different_lengths_need_loaders_that_are_reloaded(reload: int) -> None:
    loader = loader_of(corpus_sampler())
    fitted = installed_fits(lambda: loader, range(EPOCHS), reload_dataloaders_every_n_epochs=reload)
    expected = [epoch_of(corpus_sampler(), epoch) for epoch in range(EPOCHS)]
    assert len(expected[2]) > len(expected[0]) > len(expected[1])
    if not reload:
        expected[2] = expected[2][: len(expected[0])]
    assert fitted == expected


@installed("lightning")
def test_a_loader_of_fabric_counts_its_iterations_from_0() -> None:
    from lightning import Fabric

    sampler = sampler_of()
    sampler.set_epoch(5)
    fabric = Fabric(accelerator="cpu", devices=1)
    loader = fabric.setup_dataloaders(loader_of(sampler), use_distributed_sampler=False)
    assert [list(loader), list(loader)] == [epoch_of(sampler, 0), epoch_of(sampler, 1)]


@installed("lightning")
@installed("torchdata")
@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", [4, N_BATCHES, N_BATCHES + 3])
def test_lightning_saves_the_state_of_a_stateful_data_loader(done: int, workers: int, tmp_path: Path) -> None:
    from lightning.pytorch.callbacks import ModelCheckpoint
    from torchdata.stateful_dataloader import StatefulDataLoader

    from tests.lightning_job import Recorder, trainer_of

    def make() -> Any:
        return StatefulDataLoader(range(len(LABELS)), batch_sampler=sampler_of(), num_workers=workers, collate_fn=list)

    saving = ModelCheckpoint(dirpath=tmp_path, filename="stopped", every_n_train_steps=done)
    trainer_of(1, max_steps=done, callbacks=[saving]).fit(Recorder(make))
    resumed = Recorder(make)
    trainer_of(1, enable_checkpointing=False).fit(resumed, ckpt_path=tmp_path / "stopped.ckpt")
    rest = [batch for epoch in range(EPOCHS) for batch in epoch_of(sampler_of(), epoch)][done:]
    if done == N_BATCHES:
        rest = rest[N_BATCHES:]  # the iterator of the saved loader is at its end, so epoch 1 is empty
    assert [batch for batches in resumed.seen.values() for batch in batches] == rest


LIMIT = 7  # of the batches of an epoch, as `limit_train_batches`
LIMITED = [batch for epoch in range(EPOCHS) for batch in epoch_of(sampler_of(), epoch)[:LIMIT]]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", [0, 3, LIMIT, LIMIT + 1])
def test_a_resumable_loader_resumes_in_the_epoch_that_lightning_sets(done: int, workers: int) -> None:
    begun, resumed = (ResumableLoader(loader_of(sampler_of(), workers)) for _ in range(2))
    trained: list[Any] = []
    while len(trained) < done:
        trained += islice(begun, min(done - len(trained), LIMIT))
    resumed.load_state_dict(begun.state_dict())
    first, batches_done = divmod(done, LIMIT)
    rest = replayed_fits(resumed, range(first, EPOCHS), batches_done, LIMIT)
    assert trained + [batch for batches in rest for batch in batches] == LIMITED


LOADERS = {
    "ResumableLoader": lambda: ResumableLoader(loader_of(sampler_of())),
    "ResumableLoader, 2 workers": lambda: ResumableLoader(loader_of(sampler_of(), 2)),
    "TensorLoader": lambda: TensorLoader(
        torch.arange(len(LABELS)), sampler=sampler_of(), transform=lambda batch: batch[0].tolist()
    ),
}


def stream_loader() -> ResumableLoader:
    sources = {name: [(name, row, int(row % 9 == 0)) for row in range(90)] for name in "ab"}
    counts = count_sources(sources, read=iter, stratum=2)
    stream = StratifiedStream(sources, 2, read=iter, stratum=2, counts=counts, lanes=2, seed=1)
    return ResumableLoader(DataLoader(stream, batch_size=None, collate_fn=list))


def begun_and_resumed(make: Callable[[], Any], done: int, folder: Path) -> list[Any]:
    """Return the batches of a training that stops after so many, and those of one that resumes from its checkpoint."""
    from lightning.pytorch.callbacks import ModelCheckpoint

    from tests.lightning_job import Recorder, trainer_of

    saving = ModelCheckpoint(dirpath=folder, filename="stopped", every_n_train_steps=done)
    begun, resumed = Recorder(make), Recorder(make)
    trainer_of(1, max_steps=done, callbacks=[saving], limit_train_batches=LIMIT).fit(begun)
    again = trainer_of(1, enable_checkpointing=False, limit_train_batches=LIMIT)
    again.fit(resumed, ckpt_path=folder / "stopped.ckpt")
    return [batch for module in (begun, resumed) for batches in module.seen.values() for batch in batches]


@installed("lightning")
@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("done", [3, LIMIT, LIMIT + 1])
def test_lightning_resumes_a_loader_with_a_state(done: int, loader: str, tmp_path: Path) -> None:
    assert begun_and_resumed(LOADERS[loader], done, tmp_path) == LIMITED


@installed("lightning")
@pytest.mark.parametrize("done", [3, LIMIT, LIMIT + 1])
def test_lightning_resumes_a_stream(done: int, tmp_path: Path) -> None:
    whole = stream_loader()
    expected = [batch for _ in range(EPOCHS) for batch in list(whole)[:LIMIT]]
    assert len(expected) == EPOCHS * LIMIT
    assert begun_and_resumed(stream_loader, done, tmp_path) == expected


# Real runs of one process and of two ----------------------------------------------------------------------------------


def run(job: str, folder: Path, processes: int, steps: int = 0) -> list[Any]:
    """Run a job; return the result of each process."""
    command = [sys.executable, str(JOB), job, str(folder), str(processes), str(steps)]
    done = subprocess.run(command, env=environment(), cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"{job}-{rank}.json").read_text(encoding="utf-8")) for rank in range(processes)]


@installed("lightning")
@pytest.mark.parametrize("processes", [1, 2])
def test_the_recipe_resumes_with_the_batches_that_would_have_come(processes: int, tmp_path: Path) -> None:
    labels = np.repeat([1, 0], [60, 940])
    for steps in (7, 20 // processes, 20 // processes + 3):
        begun = run("begin", tmp_path, processes, steps)
        resumed = run("resume", tmp_path, processes, steps)
        for rank in range(processes):
            sampler = StratifiedBatchSampler(labels, 3, seed=1, num_replicas=processes, rank=rank)
            expected = [[epoch, batch] for epoch in range(EPOCHS) for batch in epoch_of(sampler, epoch)]
            assert begun[rank] == expected[:steps]
            assert resumed[rank] == expected[steps:]
        (tmp_path / "stopped.ckpt").unlink()


@installed("lightning")
def test_the_recipe_is_a_script(tmp_path: Path) -> None:
    ((_, code),) = code_blocks("Lightning")
    (tmp_path / "script.py").write_text(shared_lines() + code, encoding="utf-8")
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "`Trainer.fit` stopped: `max_epochs=2` reached." in done.stderr


@installed("lightning")
def test_lightning_refuses_to_replace_the_batch_sampler_of_two_processes(tmp_path: Path) -> None:
    for errors in run("replace", tmp_path, 2):
        assert any("TypeError" in error and "use_distributed_sampler=False" in error for error in errors)


@installed("lightning")
@pytest.mark.parametrize("has_rank", [False, True])
def test_lightning_deals_the_batches_of_pairs_without_a_batch_sampler(has_rank: bool, tmp_path: Path) -> None:
    told = run("pairs_of_rank" if has_rank else "pairs", tmp_path, 2)
    for rank in range(2):
        given = {"num_replicas": 2, **({"rank": rank} if has_rank else {})}
        dealt = pairs_of(lightning_deals(pair_loader("sampler", **given), 2, rank))
        first = [list(map(tuple, batch)) for batch in told[rank][0]]
        assert first == dealt and len(told[rank]) == EPOCHS
