"""The example that compares perplexity sampling with uniform draws: its figures, its table, and a small run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "character_language_model.py"
DOCUMENT = ROOT / "docs" / "corpus.md"


@pytest.fixture(scope="module")
def example() -> Any:
    specification = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    return pd.read_csv(EXAMPLE.with_suffix(".csv"))


def test_the_table_in_the_document_is_that_of_the_results(results: pd.DataFrame) -> None:
    lines = []
    for method, of_method in results.groupby("method", sort=False):
        cells = [method]
        for column in ("held_out_perplexity", "held_out_perplexity_of_worst_tenth"):
            found = of_method[column]
            cells.append(f"{found.mean():.2f} ({found.min():.2f} to {found.max():.2f})")
        lines.append(f"| {' | '.join(cells)} |")
    table = DOCUMENT.read_text(encoding="utf-8").split("| held-out perplexity |")[1].split("\n\n")[0]
    assert table.splitlines()[2:] == lines


def test_what_the_document_says_about_the_results(results: pd.DataFrame, example: Any) -> None:
    assert set(zip(results["method"], results["seed"])) == {
        (name, seed) for name in example.METHODS for seed in (1, 2, 3)
    }
    assert results["training_pieces"].unique().tolist() == [4450]
    assert results["visits"].unique().tolist() == [24 * (4450 // 8)]
    of = {name: frame.set_index("seed") for name, frame in results.groupby("method")}
    columns = ["held_out_perplexity", "held_out_perplexity_of_worst_tenth"]
    for name in ("perplexity, no ceiling", "perplexity, ceiling at mode + 1.5 spreads"):
        for other in ("uniform", "uniform without replacement"):
            gain = 1 - of[name][columns] / of[other][columns]
            assert (gain[columns[1]] > 0).all(), "the worst tenth gains in every seed"
            assert gain[columns[0]].mean() < 0.01, "on all of them the gain is below 1 %"
            assert of[name][columns[0]].max() > of[other][columns[0]].min(), "the ranges overlap"
        assert (1 - of[name]["seen"]).between(0.005, 0.02).all(), "1 to 2 % are left unseen"
    assert (1 - of["uniform"]["seen"]).mean().round(2) == 0.05
    assert (1 - of["uniform without replacement"]["seen"]).mean().round(2) == 0.04


@pytest.mark.parametrize("name", ["uniform", "perplexity, no ceiling"])
def test_a_small_run(name: str, example: Any, results: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "BATCH_SIZE", 8)
    pieces, n_characters = example.read_pieces()
    assert pieces.shape[1] == 48 and pieces.max() == n_characters - 1
    before = torch.random.get_rng_state()
    found = example.train(example.METHODS[name], 1, pieces[:500], n_characters)
    torch.random.set_rng_state(before)
    assert set(found) == set(results.columns) - {"method", "seed"}
    assert found["training_pieces"] == 450 and found["visits"] == 24 * 56
    assert 0.8 < float(found["seen"]) < 1
    whole, worst = (float(found[key]) for key in results.columns[-2:])
    assert 1 < whole < worst and whole < n_characters / 4, "it learned"
    assert (found["started_in_epoch"] == "") == (name == "uniform")
