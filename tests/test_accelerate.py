"""Hugging Face's accelerate and Trainer: what they do to a batch sampler, and the loader that is prepared for them.

`LIBRARIES` are accelerate itself where it is installed, and replays of two versions of it everywhere. The jobs in
tests/accelerate_job.py are real runs, of one process and of two.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Optional

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from pystrat import (
    Batches,
    BatchSampler,
    NegativePairBatchSampler,
    PairDataset,
    ResumableLoader,
    ShardedStratifiedBatchSampler,
    StratifiedBatchSampler,
    TensorLoader,
    UniformBatchSampler,
    WeightedBatchSampler,
    prepare_for_accelerate,
    prepare_for_trainer,
    shard_counts,
)
from pystrat.stream import StratifiedStream, count_sources
from tests.replays.accelerate import data_loader as replay
from tests.replays.accelerate import trainer_utils
from tests.replays.accelerate.accelerator import Accelerator, Trainer
from tests import training_libraries
from tests.accelerate_job import STOP
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

UNKNOWN_EPOCH = "nobody set the epoch of StratifiedBatchSampler"

Skip = Callable[[Any, int], Any]


def library_of(name: str) -> Any:
    """Return `prepare_data_loader` and `skip_first_batches` of a library."""
    if name == "installed":
        return import_module("accelerate.data_loader")
    skips = {"1.14": replay.skip_first_batches, "1.15": replay.skip_first_batches_with_count}
    return SimpleNamespace(prepare_data_loader=replay.prepare_data_loader, skip_first_batches=skips[name])


LIBRARIES = pytest.mark.parametrize("library", ["1.14", "1.15", *(["installed"] if is_installed("accelerate") else [])])
PROCESSES = pytest.mark.parametrize("processes", [1, 2, 3])


class Process(Accelerator):
    """Process p of P, without the others, whose loaders a library makes."""

    def __init__(self, library: str, num_processes: int, process_index: int = 0, **options: bool) -> None:
        super().__init__(num_processes, process_index, **options)
        self.library = library_of(library)

    def prepare_data_loader(self, loader: DataLoader[Any], **given: int) -> Any:
        return self.library.prepare_data_loader(loader, **given)

    def skip_first_batches(self, loader: Any, count: int) -> Any:
        return self.library.skip_first_batches(loader, count)


def sampler_of(processes: int = 1, **parameters: Any) -> StratifiedBatchSampler:
    return training_libraries.sampler_of(num_replicas=processes, **parameters)


def share_of(epoch: int, process: Process) -> list[list[int]]:
    return epoch_of(sampler_of(process.num_processes), epoch)[process.process_index :: process.num_processes]


# What accelerate does -------------------------------------------------------------------------------------------------


class Heard(BatchSampler):
    """A batch sampler that notes which epochs it is told and when it is iterated: 7 batches of 2 rows."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.heard: list[Any] = []

    def set_epoch(self, epoch: int) -> None:
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
    process, sampler = Process(library, processes), Heard()
    loader = process.prepare(loader_of(sampler))
    if told is not None:
        loader.set_epoch(told)
    skipping = process.skip_first_batches(loader, 2)
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


class EqualBatches(BatchSampler):
    """A batch sampler that may say its batch_size, since all its batches have it: 12 batches of 10 rows."""

    batch_size = 10

    def _global_length(self) -> int:
        return 12

    def _fingerprint(self) -> str:
        return "EqualBatches"

    def _epoch_batches(self, epoch: int) -> Batches:
        return Batches(np.arange(120), np.arange(0, 121, 10))


def shards_of(library: str, sampler: BatchSampler, processes: int, **options: Any) -> list[list[list[int]]]:
    """Return what each process gets of the next epoch."""
    shards = []
    for process in range(processes):
        given = {"num_processes": processes, "process_index": process, **options}
        prepared = library_of(library).prepare_data_loader(loader_of(sampler), **given)
        shards.append(list(prepared.batch_sampler))
        sampler.set_epoch(0)
    return shards


@LIBRARIES
@pytest.mark.parametrize("even_batches", [True, False])
@pytest.mark.parametrize("processes", [2, 3, 4, 10])
def test_every_batch_once_if_the_sampler_knows_the_replicas(library: str, processes: int, even_batches: bool) -> None:
    shards = shards_of(library, sampler_of(processes), processes, even_batches=even_batches)
    assert len({len(shard) for shard in shards}) == 1, "equal numbers of batches"
    assert [batch for together in zip(*shards) for batch in together] == epoch_of(sampler_of(processes), 0)
    for process, shard in enumerate(shards):
        assert shard == epoch_of(sampler_of(processes, rank=process), 0), "what a rank would have given"


@LIBRARIES
@pytest.mark.parametrize(("even_batches", "expected"), [(True, [3, 3, 3, 3]), (False, [3, 3, 2, 2])])
def test_batches_are_repeated_or_ranks_uneven_if_the_sampler_does_not_know_the_replicas(
    library: str, even_batches: bool, expected: list[int]
) -> None:
    shards = shards_of(library, sampler_of(), 4, even_batches=even_batches)
    assert [len(shard) for shard in shards] == expected
    assert len(sampler_of()) == N_BATCHES and N_BATCHES % 4 != 0


def of_shards(shard: str) -> ShardedStratifiedBatchSampler:
    counts = shard_counts({name: LABELS for name in "ab"})
    return ShardedStratifiedBatchSampler(LABELS, 2, counts=counts, shards=[shard], seed=1)


SOURCES = {name: [[name, row, row % 5 == 0] for row in range(20)] for name in "abcd"}


def stream_of(**options: Any) -> StratifiedStream:
    counts = count_sources(SOURCES, read=iter, stratum=2)
    return StratifiedStream(SOURCES, 1, counts=counts, read=iter, stratum=2, lanes=2, seed=1, **options)


def stream_loader(**options: Any) -> DataLoader[Any]:
    return DataLoader(stream_of(**options), batch_size=None, collate_fn=list)


def test_a_stream_is_divided_by_its_own_ranks() -> None:
    shares = [list(ResumableLoader(stream_loader(num_replicas=2, rank=rank))) for rank in range(2)]
    assert [batch for turn in zip(*shares) for batch in turn] == list(stream_loader())


@LIBRARIES
def test_rows_of_a_sampler_with_a_batch_size_that_its_batches_do_not_have_are_lost(library: str) -> None:
    sampler = sampler_of(2)
    sampler.batch_size = 13  # type: ignore[attr-defined]
    assert {12, 13} == set(map(len, epoch_of(sampler, 0)))
    delivered = {row for shard in shards_of(library, sampler, 2) for batch in shard for row in batch}
    assert len(delivered) < len(LABELS), "why a sampler has none"


@LIBRARIES
@pytest.mark.parametrize("processes", [2, 4])
def test_all_of_a_sampler_whose_batches_all_have_its_batch_size(library: str, processes: int) -> None:
    shards = shards_of(library, EqualBatches(num_replicas=processes), processes)
    assert [row for together in zip(*shards) for batch in together for row in batch] == list(range(120))


@LIBRARIES
@PROCESSES
def test_a_loader_tells_the_sampler_its_count(library: str, processes: int) -> None:
    process = Process(library, processes)
    loader = process.prepare(loader_of(sampler_of(processes)))
    for epoch in range(3):
        assert list(loader) == share_of(epoch, process)
    next(iter(loader))  # abandoned: accelerate does not count it
    assert list(loader) == share_of(3, process)


def pair_sampler(**parameters: Any) -> NegativePairBatchSampler:
    return NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 3, n_users=3, n_items=4, seed=1, **parameters)


@installed("accelerate")
def test_a_loader_of_pairs_without_a_batch_sampler_fails() -> None:
    for processes, error in ((1, "has no len"), (2, "iterable")):
        loader = DataLoader(PairDataset(3, 4), sampler=pair_sampler(num_replicas=processes), batch_size=None)
        with pytest.raises(TypeError, match=error):
            list(Process("installed", processes).prepare(loader))


@installed("accelerate")
def test_a_loader_of_tensors_without_a_batch_sampler_silently_loses_its_batches() -> None:
    rows = TensorDataset(torch.arange(len(LABELS)))
    loader = DataLoader(rows, sampler=sampler_of(1), batch_size=None)  # type: ignore[arg-type]
    expected = [batch.tolist() for batch in sampler_of(1).batches(0)]
    assert [batch[0].tolist() for batch in loader] == expected
    assert [batch[0].tolist() for batch in Process("installed", 1).prepare(loader)] != expected


@installed("accelerate")
def test_a_tensor_loader_stays_as_it_is() -> None:
    loader = TensorLoader(torch.arange(len(LABELS)), sampler=sampler_of(1))
    accelerate = import_module("accelerate")
    assert accelerate.Accelerator(cpu=True).prepare(loader) is loader
    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)  # shared by all accelerators of a process


# The prepared loader --------------------------------------------------------------------------------------------------


def each_process(library: str, processes: int, **options: bool) -> Iterator[Process]:
    return (Process(library, processes, process, **options) for process in range(processes))


def prepared_for(process: Process, workers: int = 0) -> tuple[Any, StratifiedBatchSampler]:
    sampler = sampler_of(process.num_processes)
    return prepare_for_accelerate(loader_of(sampler, workers), process), sampler


@LIBRARIES
@pytest.mark.parametrize(("processes", "workers"), [(1, 2), (2, 0), (3, 0)])
def test_epochs_come_in_turn_and_an_abandoned_one_is_not_repeated(library: str, processes: int, workers: int) -> None:
    for process in each_process(library, processes):
        loader, _ = prepared_for(process, workers)
        assert len(loader) == len(share_of(0, process))
        for epoch in range(2):
            assert list(loader) == share_of(epoch, process)
        next(iter(loader))
        assert list(loader) == share_of(3, process)
        loader.set_epoch(0)
        assert list(loader) == share_of(0, process), "told again"
        assert list(loader) == share_of(1, process)


@LIBRARIES
@PROCESSES
@pytest.mark.parametrize("done", [0, 1, 2])
@pytest.mark.parametrize("epoch", [0, 5])
@pytest.mark.parametrize("told", ["loader", "skipping loader", "sampler"])
@pytest.mark.parametrize("count", [0, 2])
def test_an_epoch_that_is_told_is_resumed_whoever_is_told(
    library: str, processes: int, done: int, epoch: int, told: str, count: int
) -> None:
    """Trainer tells the loader that skips, also in epoch 0; a loop of accelerate the one that it prepared."""
    for process in each_process(library, processes):
        loader, sampler = prepared_for(process)
        for _ in range(count):  # the same process has trained before
            list(loader)
        if told == "loader":
            loader.set_epoch(epoch)
        if told == "sampler":
            sampler.set_epoch(epoch)
        if library == "1.15" and told == "sampler":
            loader.iteration = epoch + 1  # the loader's own count is passed on, and must not matter
        active = process.skip_first_batches(loader, done)
        if told == "skipping loader":
            active.set_epoch(epoch)
        assert list(active) == share_of(epoch, process)[done:]
        for following in (epoch + 1, epoch + 2):
            assert list(loader) == share_of(following, process)


@LIBRARIES
@PROCESSES
def test_a_state_is_resumed(library: str, processes: int) -> None:
    for process in each_process(library, processes):
        loader, sampler = prepared_for(process)
        sampler.load_state_dict({**sampler.state(), "epoch": 5, "batch": processes})
        assert list(loader) == share_of(5, process)[1:]
        assert list(loader) == share_of(6, process)


@LIBRARIES
@PROCESSES
def test_dispatching_is_left_out_and_stays_set(library: str, processes: int) -> None:
    for process in each_process(library, processes, dispatch_batches=True):
        loader, _ = prepared_for(process)
        assert list(loader) == share_of(0, process)
        assert process.dataloader_config.dispatch_batches


@LIBRARIES
@PROCESSES
def test_a_batch_size_is_not_seen(library: str, processes: int) -> None:
    for process in each_process(library, processes):
        sampler = UniformBatchSampler(127, 10, seed=1, num_replicas=processes)
        loader = prepare_for_accelerate(loader_of(sampler), process)
        assert getattr(loader.batch_sampler, "batch_size", None) is None
        expected = epoch_of(sampler, 0)[process.process_index :: processes]
        assert list(loader) == expected


@LIBRARIES
@pytest.mark.parametrize("processes", [1, 2])
def test_weights_show_one_batch_after_the_next(library: str, processes: int) -> None:
    """The loader has asked for the next batch when it hands one out."""
    for process in each_process(library, processes):
        sampler = WeightedBatchSampler(np.ones(127), 4, n_batches=8 * processes, seed=1, num_replicas=processes)
        whole = WeightedBatchSampler(np.ones(127), 4, n_batches=8 * processes, seed=1, num_replicas=processes)
        loader = prepare_for_accelerate(loader_of(sampler), process)
        iterator, ahead = iter(whole), []
        for place, batch in enumerate(loader):
            while len(ahead) < min((place + 2) * processes, 8 * processes):
                ahead.append(next(iterator))
            assert batch == ahead[place * processes + process.process_index]
            for told in (sampler, whole):
                told.update(batch, np.full(4, 1.0 + place))


# The warning ----------------------------------------------------------------------------------------------------------


# Real runs ------------------------------------------------------------------------------------------------------------


def run(job: str, world: int, folder: Path) -> list[Any]:
    return run_job("accelerate_job.py", job, world, folder)


def shares(sampler: BatchSampler, world: int, rank: int, epochs: Iterable[int] = range(EPOCHS)) -> list[Any]:
    return [epoch_of(sampler, epoch)[rank::world] for epoch in epochs]


@installed("accelerate")
@WORLDS
def test_a_loop_of_accelerate(world: int, tmp_path: Path) -> None:
    first, done = STOP
    for rank, told in enumerate(run("loop", world, tmp_path)):
        expected = shares(sampler_of(world), world, rank)
        assert told["whole"] == expected
        assert told["resumed"] == [expected[first][done:], *expected[first + 1 :]]


@installed("accelerate")
def test_a_loop_of_accelerate_that_would_dispatch(tmp_path: Path) -> None:
    for rank, told in enumerate(run("dispatch", 2, tmp_path)):
        assert told == shares(sampler_of(2), 2, rank)


@installed("accelerate")
@WORLDS
def test_metrics_are_gathered_of_all_rows(world: int, tmp_path: Path) -> None:
    expected = epoch_of(UniformBatchSampler(127, 10, n_batches=12, seed=1, num_replicas=world), 0)
    steps = [[row for batch in expected[step : step + world] for row in batch] for step in range(0, 12, world)]
    for ours, theirs in run("gather", world, tmp_path):
        assert ours == steps
        assert theirs == [*steps[:-1], steps[-1][: 127 % (10 * world)]], "what accelerate makes of a batch_size"


@installed("accelerate")
@WORLDS
def test_epochs_of_different_lengths_in_accelerate(world: int, tmp_path: Path) -> None:
    for rank, told in enumerate(run("lengths", world, tmp_path)):
        expected = shares(corpus_sampler(world), world, rank)
        assert [batches for _, batches in told] == expected
        assert [length for length, _ in told] == list(map(len, expected))
        assert len(set(map(len, expected))) > 1


@installed("transformers")
@WORLDS
def test_trainer_resumes_in_the_epoch_of_its_checkpoint(world: int, tmp_path: Path) -> None:
    for rank, told in enumerate(run("trainer", world, tmp_path)):
        expected = [batch for epoch in shares(sampler_of(world), world, rank) for batch in epoch]
        assert told["whole"] == expected
        assert told["begun"] + told["resumed"] == expected
        assert len(told["begun"]) == STOP[0] * len(expected) // EPOCHS + STOP[1]


@pytest.mark.parametrize(
    ("seed_worker", "seeded"),
    [(trainer_utils.seed_worker, (1, 2, 3)), (trainer_utils.seed_worker_by_number, (1,))],
    ids=["of 5.12", "of 4"],
)
def test_the_loader_of_a_trainer_has_its_options(
    seed_worker: Callable[..., None], seeded: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers.trainer_utils", SimpleNamespace(seed_worker=seed_worker))
    monkeypatch.setattr(trainer_utils, "SEEDED", [])
    trainer = Trainer(range(len(LABELS)), list, num_workers=2, prefetch_factor=3, persistent_workers=True)
    given: list[Any] = []
    prepare = trainer.accelerator.prepare
    monkeypatch.setattr(trainer.accelerator, "prepare", lambda loader: given.append(loader) or prepare(loader))
    loader = prepare_for_trainer(sampler_of(), trainer)
    assert (given[0].num_workers, given[0].prefetch_factor, given[0].persistent_workers) == (2, 3, True)
    assert list(loader) == epoch_of(sampler_of(), 0), "a worker that cannot be seeded raises an error"
    given[0].worker_init_fn(1)
    assert trainer_utils.SEEDED == [seeded]


@pytest.mark.parametrize("contents", [{}, {"Dataset": range}])
def test_a_module_of_the_name_datasets_may_be_the_users(
    contents: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("datasets")
    vars(module).update(contents)
    monkeypatch.setitem(sys.modules, "datasets", module)
    monkeypatch.delitem(sys.modules, "datasets.arrow_dataset", raising=False)
    loader = prepare_for_trainer(sampler_of(), Trainer(range(len(LABELS)), list))
    assert list(loader) == epoch_of(sampler_of(), 0)


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
    loader = prepare_for_trainer(sampler_of(), trainer)
    batches = list(loader)
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
def test_the_recipes_for_accelerate(tmp_path: Path) -> None:
    names, of_stream = run_recipes("accelerate")
    assert names["sampler"].epoch == 10 and names["first_epoch"] == 3
    accelerator, loader = of_stream["accelerator"], of_stream["loader"]
    assert loader.sampler.epoch == 1
    whole = [batch.tolist() for batch in loader]
    loader.set_epoch(1)
    for count, _ in enumerate(loader, start=1):
        if count == 2:
            accelerator.save_state(tmp_path)
    accelerator.load_state(tmp_path)
    assert [batch.tolist() for batch in loader] == whole[2:]


@installed("transformers")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:'pin_memory' argument")
def test_the_recipe_for_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where it saves checkpoints
    (names,) = run_recipes("Hugging Face Trainer")
    assert names["trainer"].state.global_step == 2 * 20, "two epochs of 60 // 3 batches"


# What is refused ------------------------------------------------------------------------------------------------------


def refused(error: type[Exception], match: str, loader: Any, accelerator: Any) -> None:
    with pytest.raises(error, match=match):
        prepare_for_accelerate(loader, accelerator)


def test_what_is_refused() -> None:
    one, two = Process("1.15", 1), Process("1.15", 2)
    required = "The 'loader' parameter must "
    batch_sampler = required + "be a DataLoader with a batch sampler of pystrat. Got "
    plain: Any = DataLoader(range(4), batch_size=2)  # type: ignore[arg-type]
    refused(TypeError, batch_sampler + "one with a batch sampler of class 'BatchSampler' instead.", plain, one)
    refused(TypeError, batch_sampler + "3 values instead.", [1, 2, 3], one)
    pairs = DataLoader(PairDataset(3, 4), sampler=pair_sampler(), batch_size=None)
    refused(TypeError, batch_sampler + "one with sampler=sampler instead. Give the loader batch_sampler", pairs, one)
    ranked = loader_of(sampler_of(2, rank=1))
    refused(ValueError, required + "have a sampler of all batches. Got one of rank 1 instead.", ranked, two)
    refused(
        ValueError,
        required + "have a sampler for 2 processes. Got one for one process instead. Give the sampler num_replicas",
        loader_of(StratifiedBatchSampler(LABELS, 3)),
        two,
    )
    refused(
        ValueError, required + "have a sampler for 2 processes. Got one for 3 instead.", loader_of(sampler_of(3)), two
    )
    prepare_for_accelerate(loader_of(sampler_of(4)), two)
    refused(
        ValueError,
        required + "have a sampler with a seed. Got one that has drawn its own instead. Give the sampler the same seed",
        loader_of(StratifiedBatchSampler(LABELS, 3, num_replicas=2)),
        two,
    )
    of_rows = required + "have a sampler of all batches. Got a ShardedStratifiedBatchSampler instead. Each process has"
    refused(ValueError, of_rows, loader_of(of_shards("a")), two)
    of_stream = batch_sampler + "one of a stream instead. Give the stream num_replicas=accelerator.num_processes"
    refused(TypeError, of_stream, stream_loader(), one)
    stateful = Process("1.15", 1, use_stateful_dataloader=True)
    refused(ValueError, "must keep no states of loaders, .* Set the epoch and skip", loader_of(sampler_of()), stateful)
    splitting = Process("1.15", 1, split_batches=True)
    refused(ValueError, "must keep batches whole, .* Got one that splits", loader_of(sampler_of()), splitting)
    refused(TypeError, "must be an Accelerator of accelerate. Got nothing instead.", loader_of(sampler_of()), None)


def test_what_is_refused_of_a_trainer() -> None:
    required = "The 'trainer' parameter must "
    with pytest.raises(TypeError, match=required + "be a Trainer of transformers. Got nothing instead."):
        prepare_for_trainer(sampler_of(), None)
    with pytest.raises(ValueError, match=required + "have a train_dataset. Got none instead."):
        prepare_for_trainer(sampler_of(), Trainer(None, list))
    with pytest.raises(TypeError, match="The 'sampler' parameter must be a batch sampler of pystrat. Got 1 value"):
        prepare_for_trainer([1], Trainer(range(6), list))  # type: ignore[arg-type]
