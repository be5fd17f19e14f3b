"""The recipes of docs/libraries run as they stand there, those of libraries that are installed.

Those of accelerate and Trainer are in tests/test_accelerate.py, those of Lightning and torchdata in files of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training_libraries import (
    LABELS,
    code_blocks,
    epoch_of,
    installed,
    run_recipes,
    sampler_of,
    shared_lines,
)


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
def test_the_recipe_for_imbalanced_learn() -> None:
    (names,) = run_recipes("imbalanced-learn")
    batches = [batch_labels.tolist() for _, batch_labels in names["loader"]]
    assert [batch.count(1) for batch in batches] == [3] * 20
    assert [batch.count(0) for batch in batches] == [30] * 20


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
def test_the_recipe_for_sentence_transformers() -> None:
    (names,) = run_recipes("sentence-transformers")
    assert issubclass(names["StratifiedTrainer"], names["SentenceTransformerTrainer"])
