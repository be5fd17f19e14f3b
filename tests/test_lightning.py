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
from typing import Any, Iterable, Iterator, Optional

import numpy as np
import pytest

from pystrat import BatchesByLength, EpochSubsetBatchSampler, ResumableLoader, StratifiedBatchSampler
from tests.example_processes import environment
from tests.training_libraries import (
    EPOCHS,
    LABELS,
    epoch_of,
    installed,
    loader_of,
    sampler_of,
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
def test_lightning_trains_on_every_epoch_whenever_it_sets_it(workers: int, fits: Any) -> None:
    sampler = sampler_of(num_replicas=2, rank=1)
    fitted = list(fits(loader_of(sampler, workers), range(EPOCHS)))
    assert fitted == [epoch_of(sampler, epoch) for epoch in range(EPOCHS)]


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
def test_epochs_of_different_lengths_have_loaders_that_are_reloaded() -> None:
    def by_length() -> BatchesByLength:
        tokens = 1 + np.arange(len(LABELS)) ** 2 % 23
        return BatchesByLength(EpochSubsetBatchSampler(len(LABELS), 60, 6, seed=11), tokens, max_tokens=40)

    loader = loader_of(by_length())
    fitted = installed_fits(lambda: loader, range(EPOCHS), reload_dataloaders_every_n_epochs=1)
    assert fitted == [epoch_of(by_length(), epoch) for epoch in range(EPOCHS)]


@pytest.mark.thorough
@installed("lightning")
def test_overfit_batches_trains_on_the_first_batches_of_each_epoch() -> None:
    for loader in (loader_of(sampler_of()), ResumableLoader(loader_of(sampler_of()))):
        fitted = installed_fits(loader, range(EPOCHS), overfit_batches=LIMIT)
        assert fitted == [epoch_of(sampler_of(), epoch)[:LIMIT] for epoch in range(EPOCHS)]
