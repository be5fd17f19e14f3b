"""The examples of language models: they learn, report losses, and keep the limit of tokens."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import torch


ROOT = Path(__file__).parents[2]


def example_of(name: str) -> Any:
    """Return the module of an example."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _random_state() -> Any:
    with torch.random.fork_rng():
        yield


def test_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    example = example_of("character_language_model")
    for name, value in {"BATCH_SIZE": 4, "EPOCHS": 16}.items():
        monkeypatch.setattr(example, name, value)
    pieces, n_characters = example.read_pieces()
    assert pieces.shape[1] == 48 and pieces.max() == n_characters - 1
    found = example.train(example.METHODS["perplexity, no ceiling"], 1, pieces[:300], n_characters)
    assert found["training_pieces"] == 270 and found["visits"] == 16 * 33
    whole, worst = found["held_out_perplexity"], found["held_out_perplexity_of_worst_tenth"]
    assert 1 < float(whole) < float(worst) and float(whole) < n_characters / 2, "it learned"
    assert found["started_in_epoch"] != "" and set(example.METHODS) > {"uniform"}


def test_words_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = example_of("language_model_from_files")
    for name, value in {"SAMPLE": 300, "MIXED_EPOCHS": 1, "PERPLEXITY_EPOCHS": 1, "WIDTH": 16}.items():
        monkeypatch.setattr(example, name, value)
    found = example.train(tmp_path)
    assert len(found) == 3 and found == sorted(found, reverse=True), "each epoch helps"
    printed = capsys.readouterr().out.splitlines()
    epochs = [re.fullmatch(r"epoch (\d), (.+), (\d+) batches: (\d+\.\d\d)", line) for line in printed[-2:]]
    assert [match and match[2] for match in epochs] == ["mixture by rules", "by perplexity"]
