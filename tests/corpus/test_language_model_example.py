"""The example of a language model learns and reports losses."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="example")
def _example() -> Any:
    path = ROOT / "examples" / "character_language_model.py"
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    with torch.random.fork_rng():
        yield module


def test_characters(example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BATCH_SIZE": 4, "EPOCHS": 16}.items():
        monkeypatch.setattr(example, name, value)
    pieces, n_characters = example.read_pieces()
    assert pieces.shape[1] == 48 and pieces.max() == n_characters - 1
    # A model that knows nothing has the perplexity n_characters: any that has learned is below twice that.
    method = partial(example.METHODS["perplexity, no ceiling"], initial=2 * n_characters)
    found = example.train(method, 1, pieces[:300], n_characters)
    assert found["training_pieces"] == 270 and found["visits"] == 16 * 33
    whole, worst = found["held_out_perplexity"], found["held_out_perplexity_of_worst_tenth"]
    assert 1 < float(whole) < float(worst) and float(whole) < n_characters / 2, "it learned"
    assert found["started_in_epoch"] != "" and set(example.METHODS) > {"uniform"}
