"""Hugging Face's accelerate and Trainer: what they do to a batch sampler, and the loaders that are right for them.

`LIBRARIES` are accelerate itself where it is installed, and a replay of it everywhere. The jobs in
tests/accelerate_job.py are real runs, of one process and of two.
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
from tests.replays.accelerate import data_loader as replay
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

LIBRARIES = pytest.mark.parametrize(
    "library", [replay.__name__, pytest.param("accelerate.data_loader", marks=installed("accelerate"))]
)
PROCESSES = pytest.mark.parametrize("processes", [1, 2, 3])


def prepare(library: str, loader: Any, processes: int, process: int) -> Any:
    prepare_data_loader = import_module(library).prepare_data_loader
    return prepare_data_loader(loader, num_processes=processes, process_index=process)


def sampler_of(processes: int = 1, **parameters: Any) -> StratifiedBatchSampler:
    return training_libraries.sampler_of(num_replicas=processes, **parameters)


# What accelerate does -------------------------------------------------------------------------------------------------


@LIBRARIES
@pytest.mark.parametrize("processes", [2, 3, 4, 10])
def test_every_batch_once_if_the_sampler_knows_the_replicas(library: str, processes: int) -> None:
    for process in range(processes):
        loader = prepare(library, loader_of(sampler_of(processes)), processes, process)
        assert list(loader) == epoch_of(sampler_of(processes, rank=process), 0), "what a rank would have given"


@LIBRARIES
@PROCESSES
def test_a_prepared_loader_goes_on_where_sampler_and_loader_are_set(library: str, processes: int) -> None:
    for process in range(processes):
        sampler = sampler_of(processes)
        loader = prepare(library, loader_of(sampler), processes, process)
        shares = [epoch_of(sampler_of(processes, rank=process), epoch) for epoch in range(6)]
        assert [list(loader), list(loader)] == shares[:2]
        next(iter(loader))  # abandoned: accelerate does not count it
        sampler.set_epoch(4, batches_done=2 * processes)
        loader.set_epoch(4)
        assert [list(loader), list(loader)] == [shares[4][2:], shares[5]]


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
    skipping = replay.SkipBatchSampler(loader.batch_sampler, done)
    assert list(DataLoader(loader.dataset, batch_sampler=skipping, collate_fn=list)) == shares[4][done:]  # type: ignore
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


@installed("transformers")
@installed("datasets")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:'pin_memory' argument")
def test_a_trainer_removes_the_columns_that_its_model_does_not_take(tmp_path: Path) -> None:
    from datasets import Dataset
    from transformers import Trainer, TrainingArguments

    from tests.accelerate_job import Model

    columns = {"row": list(range(len(LABELS))), "labels": LABELS.astype(float), "text": ["a"] * len(LABELS)}
    arguments = TrainingArguments(output_dir=str(tmp_path), use_cpu=True, report_to=[], dataloader_num_workers=2)
    trainer = Trainer(Model(), arguments, train_dataset=Dataset.from_dict(columns))
    batches = list(prepare_for_trainer(trainer.get_train_dataloader(), sampler_of(), trainer))
    assert set(batches[0]) == {"row", "labels"}
    assert [batch["row"].tolist() for batch in batches] == epoch_of(sampler_of(), 0)


@installed("transformers")
def test_trainer_that_would_dispatch(tmp_path: Path) -> None:
    for rank, told in enumerate(run("trainer_dispatch", 2, tmp_path)):
        assert told == [batch for epoch in shares(sampler_of(2), 2, rank) for batch in epoch]


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
