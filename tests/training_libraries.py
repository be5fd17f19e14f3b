"""What the tests of training libraries share: a sampler, its loaders, and the recipes of their document."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch.utils.data import DataLoader

from pystrat import BatchSampler, StratifiedBatchSampler
from tests.example_processes import environment

PAGES = sorted((Path(__file__).parents[1] / "docs" / "libraries").glob("*.md"))
LABELS = np.repeat([1, 0], [30, 97])
N_BATCHES = 10
EPOCHS = 3
WORLDS = pytest.mark.parametrize("world", [1, 2])


def sampler_of(**parameters: Any) -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 3, seed=1, **parameters)


def loader_of(sampler: BatchSampler, workers: int = 0) -> DataLoader:
    return DataLoader(range(len(LABELS)), batch_sampler=sampler, num_workers=workers, collate_fn=list)


def epoch_of(sampler: BatchSampler, epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch)]


# The recipes of the documents -----------------------------------------------------------------------------------------


def installed(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def page_of(section: str) -> str:
    """The page of a library, or its part of the page that several share."""
    (page,) = (text for text in map(text_of, PAGES) if re.search(rf"^##? {section}$", text, flags=re.MULTILINE))
    parts = re.split(r"^## (.*)\n", page, flags=re.MULTILINE)
    return parts[0] + parts[parts.index(section) + 1] if section in parts else page


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code_blocks(section: str) -> list[tuple[str, str]]:
    """The code blocks of a library after the first one, which all share, each after the prose before it."""
    parts = re.split(r"```python\n(.*?)```", page_of(section), flags=re.DOTALL)[2:]
    return [(" ".join(prose.split()), code) for prose, code in zip(parts[0::2], parts[1::2])]


def shared_lines() -> str:
    """The lines that the examples of a page begin with, the same on all pages."""
    (lines,) = {re.findall(r"```python\n(.*?)```", text_of(page), flags=re.DOTALL)[0] for page in PAGES}
    return lines


def run_recipes(section: str) -> list[dict[str, Any]]:
    """Run the recipes of a section, each after the lines that all share, and return their names."""
    namespaces: list[dict[str, Any]] = []
    for _, code in code_blocks(section):
        namespaces.append({"__name__": "recipe"})
        exec(shared_lines() + code, namespaces[-1])
    return namespaces


# Real runs in several processes ---------------------------------------------------------------------------------------


def run_job(script: str, job: str, world: int, folder: Path) -> list[Any]:
    """Start a job of a script of the tests in `world` processes and return what each wrote."""
    command = [sys.executable, str(Path(__file__).parent / script), job, str(folder)]
    variables = environment(CUDA_VISIBLE_DEVICES="")
    ranks = [
        subprocess.Popen(
            [*command, str(rank), str(world)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=variables,
        )
        for rank in range(world)
    ]
    try:
        errors = [rank.communicate(timeout=600)[1] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0] * world, "\n".join(errors)
    return [json.loads((folder / f"{rank}.json").read_text(encoding="utf-8")) for rank in range(world)]
