"""Hugging Face's accelerate and Trainer: the loaders that are right for them.

The jobs in tests/accelerate_job.py are real runs, of one process and of two, where the libraries are installed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterable

import pytest
import torch
from torch.utils.data import DataLoader

from pystrat import BatchSampler, ResumableLoader, StratifiedBatchSampler, TensorLoader, prepare_for_trainer
from pystrat.training import trainer as trainer_module
from tests import training_libraries
from tests.accelerate_job import STOP
from tests.training_libraries import (
    EPOCHS,
    LABELS,
    WORLDS,
    epoch_of,
    installed,
    loader_of,
    run_job,
    run_recipes,
)

PROCESSES = pytest.mark.parametrize("processes", [1, 2, 3])


def sampler_of(processes: int = 1, **parameters: Any) -> StratifiedBatchSampler:
    return training_libraries.sampler_of(num_replicas=processes, **parameters)


@installed("accelerate")
def test_loaders_of_this_package_stay_as_they_are() -> None:
    accelerate = import_module("accelerate")
    for loader in (TensorLoader(torch.arange(len(LABELS)), sampler=sampler_of()), ResumableLoader(sampler_of())):
        assert accelerate.Accelerator(cpu=True).prepare(loader) is loader
    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)  # shared by all accelerators of a process


# The loader for Trainer -----------------------------------------------------------------------------------------------


def trainer_of(processes: int = 1, process: int = 0) -> Any:
    """What is read of a Trainer, which loads the state of a checkpoint after it has got its loader."""
    arguments = SimpleNamespace(world_size=processes, process_index=process)
    return SimpleNamespace(args=arguments, state=SimpleNamespace(epoch=None))


@PROCESSES
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", [0, 2])
def test_trainer_resumes_by_skipping_batches(processes: int, workers: int, done: int) -> None:
    process = processes - 1
    shares = [epoch_of(sampler_of(processes, rank=process), epoch) for epoch in range(6)]
    trainer = trainer_of(processes, process)
    options: dict[str, Any] = {"num_workers": workers, "collate_fn": list, "generator": torch.Generator()}
    if workers:
        options.update(timeout=60, multiprocessing_context="fork", prefetch_factor=3, persistent_workers=True)
    given: DataLoader[Any] = DataLoader(range(len(LABELS)), batch_size=9, **options)  # type: ignore[arg-type]
    loader = prepare_for_trainer(given, sampler_of(processes, rank=process), trainer)
    assert len(loader) == len(shares[0])
    assert [getattr(loader, name) for name in trainer_module._OPTIONS] == [
        getattr(given, name) for name in trainer_module._OPTIONS
    ]
    trainer.state.epoch = 4 + done / len(shares[4])
    assert list(loader.batch_sampler)[done:] == shares[4][done:], "accelerate skips the first batches"
    trainer.state.epoch = 4.9  # of epochs that it has cut short
    assert list(loader) == shares[5]
    begun = prepare_for_trainer(loader, sampler_of(processes, rank=process), trainer_of(processes, process))
    assert [list(begun), list(begun)] == shares[:2]


def test_what_is_refused_of_trainer() -> None:
    def refused(error: type[Exception], message: str, sampler: Any, trainer: Any) -> None:
        with pytest.raises(error, match=message):
            prepare_for_trainer(loader_of(sampler_of()), sampler, trainer)

    refused(TypeError, "The 'sampler' parameter must be a batch sampler of pystrat. Got 1 value", [1], trainer_of())
    of_process = (
        "The 'sampler' parameter must be that of this process, 1 of 2. Got one of rank {} instead. Give it num_"
    )
    refused(ValueError, of_process.format("None of 2"), sampler_of(2), trainer_of(2, 1))
    refused(ValueError, of_process.format("0 of 2"), sampler_of(2, rank=0), trainer_of(2, 1))
    refused(ValueError, of_process.format("None of None"), StratifiedBatchSampler(LABELS, 3, seed=1), trainer_of(2, 1))
    other = StratifiedBatchSampler(LABELS[1:], 3, seed=1)
    refused(ValueError, "The 'loader' parameter must have a dataset of as many rows", other, trainer_of())


# Real runs ------------------------------------------------------------------------------------------------------------


def run(job: str, world: int, folder: Path) -> list[Any]:
    return run_job("accelerate_job.py", job, world, folder)


def shares(sampler: BatchSampler, world: int, rank: int, epochs: Iterable[int] = range(EPOCHS)) -> list[Any]:
    return [epoch_of(sampler, epoch)[rank::world] for epoch in epochs]


@installed("accelerate")
@WORLDS
def test_a_loop_of_accelerate(world: int, tmp_path: Path) -> None:
    for rank, told in enumerate(run("loop", world, tmp_path)):
        expected = [batch for epoch in shares(sampler_of(world), world, rank) for batch in epoch]
        assert told["whole"] == expected
        assert told["resumed"] == expected[told["stop"] :]


@installed("transformers")
@WORLDS
def test_trainer_resumes_in_the_epoch_of_its_checkpoint(world: int, tmp_path: Path) -> None:
    for rank, told in enumerate(run("trainer", world, tmp_path)):
        expected = [batch for epoch in shares(sampler_of(world), world, rank) for batch in epoch]
        assert told["whole"] == expected
        assert told["begun"] + told["resumed"] == expected
        assert len(told["begun"]) == STOP[0] * len(expected) // EPOCHS + STOP[1]


@installed("accelerate")
def test_the_recipe_for_accelerate(tmp_path: Path) -> None:
    (names,) = run_recipes("accelerate")
    accelerator, loader = names["accelerator"], names["loader"]
    assert loader.sampler.epoch == 2
    loader.set_epoch(1)
    whole = [labels.tolist() for _, labels in loader]
    loader.set_epoch(1)
    for count, _ in enumerate(loader, start=1):
        if count == 2:
            accelerator.save_state(tmp_path)
    accelerator.load_state(tmp_path)
    assert [labels.tolist() for _, labels in loader] == whole[2:]


@installed("transformers")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:'pin_memory' argument")
def test_the_recipe_for_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where it saves checkpoints
    (names,) = run_recipes("Hugging Face Trainer")
    assert names["trainer"].state.global_step == 2 * 20, "two epochs of 60 // 3 batches"
