"""What training libraries do to a batch sampler: real runs of installed ones, the calls of the others replayed.

Each replay does, in the order of its source, what the library does to the sampler, and nothing else; the versions read
are in docs/libraries, whose recipes run here as they stand there. Those of accelerate and Trainer are in
tests/test_accelerate.py, those of Lightning and torchdata in files of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

import numpy as np
import pytest
import torch

from pystrat import ResumableLoader, StratifiedBatchSampler, TensorLoader
from tests.training_libraries import (
    EPOCHS,
    LABELS,
    RUN,
    RUN_IF_INSTALLED,
    WORLDS,
    code_blocks,
    epoch_of,
    installed,
    loader_of,
    run_job,
    run_recipes,
    sampler_of,
    section_titles,
    shared_lines,
    undefined_names,
)


@pytest.mark.parametrize("section", section_titles())
def test_every_recipe_says_whether_it_is_run_and_defines_its_names(section: str) -> None:
    blocks = code_blocks(section)
    assert blocks and shared_lines(section) == shared_lines()
    assert section in (*RUN, *RUN_IF_INSTALLED)
    says = "**Run by the tests:**"
    if section in RUN_IF_INSTALLED:
        says = f"**Run by the tests, if {RUN_IF_INSTALLED[section]} is installed:**"
    for prose, code in blocks:
        assert undefined_names(shared_lines() + code) == set()
        assert says in prose


def test_the_recipe_for_pytorch_resumes_with_the_batches_that_would_have_come() -> None:
    names, _ = run_recipes("PyTorch")
    expected = names["resumed"].sampler.batches(0)[8:]
    assert [batch[1].tolist() for batch in names["rest"]] == [names["labels"][rows].tolist() for rows in expected]


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.thorough)])
def test_the_recipe_of_a_script_runs_whose_workers_import_it(method: str, tmp_path: Path) -> None:
    _, (_, code) = code_blocks("PyTorch")
    script = tmp_path / "script.py"
    guard = '\nif __name__ == "__main__":\n'
    chosen = f"{guard}    torch.multiprocessing.set_start_method('{method}')\n"
    script.write_text(shared_lines() + code.replace(guard, chosen), encoding="utf-8")
    root = str(Path(__file__).parents[1])
    done = subprocess.run([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": root}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_recipes_for_skorch() -> None:
    whole, factory = run_recipes("skorch")
    assert whole["sampler"].epoch == 2, "an epoch of the sampler for each epoch of the net"
    assert [len(epoch["batches"]) for epoch in whole["net"].history] == [20, 20]
    sizes = [[batch["train_batch_size"] for batch in epoch["batches"]] for epoch in whole["net"].history]
    assert sizes == [whole["sampler"].plan.sizes.tolist()] * 2
    # Of the 60 positive rows 48 are trained on: 24 batches of at least 2, or 12 of at least 4.
    best = factory["search"].best_params_["iterator_train__min_samples_per_stratum"]
    history = factory["search"].best_estimator_.history
    assert [sum("train_loss" in batch for batch in epoch["batches"]) for epoch in history] == [48 // best] * 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("form", ["batch_sampler", "sampler", "TensorLoader"])
def test_skorch_trains_on_the_rows_of_the_batches_in_their_order(form: str) -> None:
    from skorch import NeuralNet

    seen: list[list[int]] = []

    class Recorder(torch.nn.Linear):
        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            seen.append(rows[:, 0].long().tolist())
            return super().forward(rows)

    def fast_loader(dataset: Any, **parameters: Any) -> TensorLoader:
        return TensorLoader(dataset.X, dataset.y, sampler=sampler)

    sampler = sampler_of()
    given: dict[str, Any] = {
        "batch_sampler": {"iterator_train__batch_sampler": sampler, "iterator_train__batch_size": 1},
        "sampler": {"iterator_train__sampler": sampler, "iterator_train__batch_size": None},
        "TensorLoader": {"iterator_train": fast_loader},
    }[form]
    rows = np.arange(len(LABELS), dtype=np.float32)[:, np.newaxis]
    NeuralNet(Recorder(1, 1), torch.nn.MSELoss, max_epochs=2, train_split=None, verbose=0, **given).fit(rows, rows)
    assert seen == epoch_of(sampler_of(), 0) + epoch_of(sampler_of(), 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_recipe_for_imbalanced_learn() -> None:
    (names,) = run_recipes("imbalanced-learn")
    batches = [batch_labels.tolist() for _, batch_labels in names["loader"]]
    assert [batch.count(1) for batch in batches] == [3] * 20
    assert [batch.count(0) for batch in batches] == [30] * 20


# Ignite: engine/engine.py, _internal_run_as_gen and _run_once_on_dataset_as_gen ---------------------------------------


def replayed_ignite(loader: Any, epochs: Sequence[int], on_epoch_started: Any, done: int = 0) -> list[list[Any]]:
    """EPOCH_STARTED, then iter where there is no iterator yet; later ones are made when the old one is exhausted."""
    iterator: Optional[Iterator[Any]] = None
    trained: list[list[Any]] = []
    for epoch in epochs:
        on_epoch_started(epoch)
        if iterator is None:
            iterator = iter(loader)
        trained.append([])
        while len(trained[-1]) < len(loader) - done:
            try:
                trained[-1].append(next(iterator))
            except StopIteration:
                iterator = iter(loader)
        done = 0
    return trained


def installed_ignite(loader: Any, epochs: Sequence[int], on_epoch_started: Any, done: int = 0) -> list[list[Any]]:
    from ignite.engine import Engine, Events

    trained: list[list[Any]] = []
    engine = Engine(lambda engine, batch: trained[-1].append(batch))

    @engine.on(Events.EPOCH_STARTED)
    def begin(engine: Engine) -> None:
        on_epoch_started(engine.state.epoch - 1)
        trained.append([])

    place = {"epoch_length": len(loader), "max_epochs": epochs[-1] + 1, "iteration": epochs[0] * len(loader) + done}
    engine.load_state_dict(place)
    engine.run(loader)
    return trained


IGNITE = pytest.mark.parametrize("ignite", [replayed_ignite, pytest.param(installed_ignite, marks=installed("ignite"))])


@IGNITE
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("told", [True, False])
def test_ignite_trains_on_every_epoch_whether_a_handler_tells_it_or_not(ignite: Any, told: bool, workers: int) -> None:
    sampler = sampler_of()
    handler = sampler.set_epoch if told else lambda epoch: None
    assert ignite(loader_of(sampler, workers), range(3), handler) == [epoch_of(sampler, epoch) for epoch in range(3)]


@pytest.mark.parametrize("workers", [0, 2])
@IGNITE
def test_ignite_resumes_from_the_state_of_a_loader(ignite: Any, workers: int) -> None:
    """As `Checkpoint` saves it in the middle of an epoch, by a call without arguments."""
    begun, resumed = (ResumableLoader(loader_of(sampler_of(), workers)) for _ in range(2))
    for count, _ in enumerate(begun, start=1):
        if count == 7:
            state = begun.state_dict()
    resumed.load_state_dict(state)
    trained = ignite(resumed, (0, 1), lambda epoch: None, done=7)
    assert trained == [epoch_of(sampler_of(), 0)[7:], epoch_of(sampler_of(), 1)]


@installed("ignite")
def test_the_recipe_for_ignite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (names,) = run_recipes("Ignite")
    assert names["sampler"].epoch == 2 and names["trainer"].state.iteration == 2 * 20
    (checkpoint,) = Path("checkpoints").iterdir()
    names["Checkpoint"].load_objects(names["saved"], torch.load(checkpoint, weights_only=False))
    place = names["loader"].state_dict()
    assert (place["epoch"], place["batch"]) == (1, 35 - 20), "the last of 7, 14, ... 35 batches"


# Recipes of other libraries -------------------------------------------------------------------------------------------


def test_the_recipe_for_scikit_learn() -> None:
    names, _ = run_recipes("scikit-learn and numpy")
    assert names["sampler"].epoch == 5 and names["model"].t_ > 5 * 1000


def test_all_batches_of_the_recipe_for_numpy_have_one_shape() -> None:
    _, names = run_recipes("scikit-learn and numpy")
    batches = [names["labels"][batch] for epoch in range(3) for batch in names["sampler"].batches(epoch)]
    assert {batch.shape for batch in batches} == {names["y"].shape} == {(64,)} and names["x"].shape == (64, 8)
    assert {int(batch.sum()) for batch in batches} == {3, 4}


@installed("datasets")
def test_the_recipes_for_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where the files of the stream are
    names, of_stream = run_recipes("Hugging Face datasets")
    names["sampler"].set_epoch(0)
    delivered = [batch["inputs"].tolist() for batch in names["loader"]]
    assert delivered == [names["inputs"][rows].tolist() for rows in epoch_of(names["sampler"], 0)]
    assert [*names["by_site"].plan.strata] == [(1, "a"), (1, "b"), (0, "a"), (0, "b")]
    options: dict[str, Any] = {"num_workers": 2, "multiprocessing_context": "fork", "collate_fn": list}
    for loader in (of_stream["loader"], torch.utils.data.DataLoader(of_stream["stream"], batch_size=None, **options)):
        assert sorted(row["row"] for batch in loader for row in batch) == sorted([*range(500)] * 2)


@installed("keras")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_recipe_for_keras() -> None:
    (names,) = run_recipes("Keras")
    assert names["sampler"].epoch == 2
    seen: list[list[float]] = []

    class Recorder(names["keras"].Sequential):  # type: ignore[misc]
        def train_step(self, data: Any) -> Any:
            seen.append(data[0][:, 0].tolist())
            return super().train_step(data)

    def trained(**options: Any) -> list[list[float]]:
        seen.clear()
        model = Recorder([names["keras"].layers.Dense(1, activation="sigmoid")])
        model.compile("sgd", "binary_crossentropy")
        names["sampler"].set_epoch(0)
        loader = torch.utils.data.DataLoader(names["dataset"], batch_sampler=names["sampler"])
        model.fit(loader, epochs=3, shuffle=False, verbose=0, **options)
        return list(seen)

    epochs = [[names["inputs"][rows, 0].tolist() for rows in epoch_of(names["sampler"], epoch)] for epoch in range(4)]
    given = {"callbacks": [names["set_epoch"]]}
    assert trained(**given) == epochs[0] + epochs[1] + epochs[2]
    assert trained(initial_epoch=1, **given) == epochs[1] + epochs[2]
    assert trained() == epochs[1] + epochs[2] + epochs[3], "a batch of epoch 0 builds the model"


@installed("torch_geometric")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_the_recipe_for_graphs() -> None:
    (names,) = run_recipes("PyTorch Geometric and MONAI")
    expected = [names["labels"][rows].tolist() for rows in epoch_of(names["sampler"], 0)]
    assert [batch.y.tolist() for batch in names["loader"]] == expected


@installed("monai")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_monai_yields_the_batches_of_the_sampler() -> None:
    from monai.data import DataLoader, Dataset

    rows = Dataset([{"row": row} for row in range(len(LABELS))], transform=dict)
    loader = DataLoader(rows, batch_sampler=sampler_of())
    assert [batch["row"].tolist() for batch in loader] == epoch_of(sampler_of(), 0)


@installed("sentence_transformers")
@WORLDS
def test_the_recipe_for_sentence_transformers(world: int, tmp_path: Path) -> None:
    sampler = StratifiedBatchSampler(np.repeat([1, 0], [60, 940]), 3, seed=1, num_replicas=world)
    for rank, told in enumerate(run_job("sentence_job.py", "recipe", world, tmp_path)):
        expected = [batch for epoch in range(EPOCHS) for batch in epoch_of(sampler, epoch)[rank::world]]
        assert told == {"whole": expected, "begun": expected[:25], "resumed": expected[25:]}
