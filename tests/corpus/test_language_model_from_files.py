"""The example from files to a trained model, in a short form."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from pystrat import PerplexityBatchSampler
from pystrat.corpus import CorpusDataset

EXAMPLE = Path(__file__).parents[2] / "examples" / "language_model_from_files.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    specification = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for name, value in {"SAMPLE": 300, "MIXED_EPOCHS": 2, "PERPLEXITY_EPOCHS": 2, "WIDTH": 16}.items():
        monkeypatch.setattr(module, name, value)
    return module


def test_it_learns_and_says_what_it_does(example: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = torch.random.get_rng_state()
    found = example.train(tmp_path)
    torch.random.set_rng_state(before)
    assert len(found) == 5 and found == sorted(found, reverse=True), "each epoch helps"
    assert found[-1] < found[0] - 0.2
    printed = capsys.readouterr().out.splitlines()
    head = next(line for line in printed if line.startswith("file "))
    assert head.split() == ["file", "lines", "excluded", "rule", "uniform", "share", "drawn", "kept"]
    total = next(line for line in printed if line.startswith("total ")).split()
    assert all(int(number) > 0 for number in total[1:]), "lines are excluded, drawn and kept"
    epochs = [re.fullmatch(r"epoch (\d), (.+), (\d+) batches: (\d+\.\d\d)", line) for line in printed[-4:]]
    assert [match and match[2] for match in epochs] == ["mixture by rules"] * 2 + ["by perplexity"] * 2
    assert [match and match[4] for match in epochs] == [f"{loss:.2f}" for loss in found[1:]]


def test_batches_keep_the_limit_and_losses_are_reported(example: Any, tmp_path: Path) -> None:
    example.write_corpus(tmp_path)
    words = example.Words(CorpusDataset(tmp_path, suffixes=[".txt"]))
    (mixture, mixed, _), (hardest, whole, _) = example.samplers_of(tmp_path, words, 1)
    for sampler, dataset in ((mixture, mixed), (hardest, whole)):
        for batch in sampler.batches():
            lengths = [len(line) - 2 for _, line in dataset.__getitems__(batch.tolist())]
            assert len(batch) * max(lengths) <= example.MAX_TOKENS and max(lengths) <= example.MAX_LENGTH
    assert isinstance(hardest, PerplexityBatchSampler)
    model = example.WordModel(len(words))
    visited = sorted(set(hardest.batches().rows.tolist()))
    example.train_epoch(model, torch.optim.Adam(model.parameters()), whole, hardest, sampled=False)
    assert (hardest.perplexities() != 15).nonzero()[0].tolist() == visited
