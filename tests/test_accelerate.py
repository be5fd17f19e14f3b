"""Hugging Face's accelerate and Trainer: what they do to a batch sampler, and the loaders that are right for them.

`LIBRARIES` are accelerate itself where it is installed, and replays of two versions of it everywhere. The jobs in
tests/accelerate_job.py are real runs, of one process and of two.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterable, Optional

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from pystrat import (
    Batches,
    BatchSampler,
    ResumableLoader,
    StratifiedBatchSampler,
    TensorLoader,
    prepare_for_trainer,
)
from pystrat import trainer as trainer_module
from tests import training_libraries
from tests.accelerate_job import STOP
from tests.replays.accelerate import data_loader as replay
from tests.training_libraries import (
    EPOCHS,
    LABELS,
    N_BATCHES,
    WORLDS,
    corpus_sampler,
    epoch_of,
    installed,
    is_installed,
    loader_of,
    run_job,
    run_recipes,
)


def library_of(name: str) -> Any:
    """Return `prepare_data_loader` and `skip_first_batches` of a library."""
    if name == "installed":
        return import_module("accelerate.data_loader")
    skips = {"1.14": replay.skip_first_batches, "1.15": replay.skip_first_batches_with_count}
    return SimpleNamespace(prepare_data_loader=replay.prepare_data_loader, skip_first_batches=skips[name])


LIBRARIES = pytest.mark.parametrize("library", ["1.14", "1.15", *(["installed"] if is_installed("accelerate") else [])])
PROCESSES = pytest.mark.parametrize("processes", [1, 2, 3])


def prepare(library: str, loader: Any, processes: int, process: int = 0, **options: Any) -> Any:
    return library_of(library).prepare_data_loader(loader, num_processes=processes, process_index=process, **options)


def sampler_of(processes: int = 1, **parameters: Any) -> StratifiedBatchSampler:
    return training_libraries.sampler_of(num_replicas=processes, **parameters)


# What accelerate does -------------------------------------------------------------------------------------------------


class Heard(BatchSampler):
    """A batch sampler that notes which epochs it is told and when it is iterated: 7 batches of 2 rows."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.heard: list[Any] = []

    def set_epoch(self, epoch: int, batches_done: Optional[int] = None) -> None:
        self.heard.append(epoch)

    def __iter__(self) -> Any:
        self.heard.append("iter")
        return super().__iter__()

    def _global_length(self) -> int:
        return 7

    def _epoch_batches(self, epoch: int) -> Batches:
        return Batches(np.arange(14), np.arange(0, 15, 2))


def what_is_heard(library: str, processes: int, told: Optional[int], told_skipping: Optional[int]) -> list[Any]:
    """Tell a prepared loader an epoch, skip two batches, tell the new loader an epoch, iterate both."""
    sampler = Heard()
    loader = prepare(library, loader_of(sampler), processes)
    if told is not None:
        loader.set_epoch(told)
    skipping = library_of(library).skip_first_batches(loader, 2)
    if told_skipping is not None:
        skipping.set_epoch(told_skipping)
    return [*list(skipping), *sampler.heard, *list(loader), *list(loader), *sampler.heard]


@installed("accelerate")
@pytest.mark.parametrize(("told", "told_skipping"), list(product([None, 0, 3], repeat=2)))
@PROCESSES
def test_the_replay_does_what_the_installed_accelerate_does(
    processes: int, told: Optional[int], told_skipping: Optional[int]
) -> None:
    import accelerate

    version = tuple(map(int, accelerate.__version__.split(".")[:2]))
    replayed = "1.14" if version < (1, 15) else "1.15"
    found = what_is_heard("installed", processes, told, told_skipping)
    assert found == what_is_heard(replayed, processes, told, told_skipping)


@LIBRARIES
@pytest.mark.parametrize("even_batches", [True, False])
@pytest.mark.parametrize("processes", [2, 3, 4, 10])
def test_every_batch_once_if_the_sampler_knows_the_replicas(library: str, processes: int, even_batches: bool) -> None:
    options = {"even_batches": even_batches}
    for process in range(processes):
        loader = prepare(library, loader_of(sampler_of(processes)), processes, process, **options)
        assert list(loader) == epoch_of(sampler_of(processes, rank=process), 0), "what a rank would have given"


@LIBRARIES
@pytest.mark.parametrize(("even_batches", "expected"), [(True, [3, 3, 3, 3]), (False, [3, 3, 2, 2])])
def test_batches_are_repeated_or_ranks_uneven_if_the_sampler_does_not_know_the_replicas(
    library: str, even_batches: bool, expected: list[int]
) -> None:
    options = {"even_batches": even_batches}
    loaders = [prepare(library, loader_of(sampler_of()), 4, process, **options) for process in range(4)]
    assert [len(list(loader.batch_sampler)) for loader in loaders] == expected
    assert len(sampler_of()) == N_BATCHES and N_BATCHES % 4 != 0


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
def test_a_loader_of_tensors_without_a_batch_sampler_silently_loses_its_batches() -> None:
    rows = TensorDataset(torch.arange(len(LABELS)))
    loader = DataLoader(rows, sampler=sampler_of(1), batch_size=None)  # type: ignore[arg-type]
    expected = [batch.tolist() for batch in sampler_of(1).batches(0)]
    assert [batch[0].tolist() for batch in loader] == expected
    assert [batch[0].tolist() for batch in prepare("installed", loader, 1)] != expected


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


@installed("transformers")
@WORLDS
def test_trainer_cuts_epochs_that_are_longer_than_the_first_one(world: int, tmp_path: Path) -> None:
    for rank, told in enumerate(run("trainer_lengths", world, tmp_path)):
        expected = shares(corpus_sampler(world), world, rank)
        length = len(expected[0])
        assert told == [batch for epoch in expected for batch in epoch[:length]]


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
