"""What the tests of training libraries share: a sampler, its loaders, and the recipes of their document."""

from __future__ import annotations

import builtins
import importlib.util
import json
import re
import subprocess
import symtable
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

RUN = ("PyTorch", "skorch", "imbalanced-learn", "scikit-learn and numpy")
RUN_IF_INSTALLED = {
    "Lightning": "lightning",
    "accelerate": "accelerate",
    "Hugging Face Trainer": "transformers",
    "torchdata": "torchdata",
    "Ignite": "ignite",
    "Hugging Face datasets": "datasets",
    "sentence-transformers": "sentence_transformers",
    "Keras": "keras",
    "PyTorch Geometric and MONAI": "torch_geometric",
}


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def installed(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not is_installed(module), reason=f"{module} is not installed")


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


def section_titles() -> list[str]:
    shared = text_of(PAGES[0].with_name("others.md"))
    pages = [text_of(page).splitlines()[0].removeprefix("# ") for page in PAGES]
    return [title for title in pages if title != "Other libraries"] + re.findall(r"^## (.*)$", shared, re.MULTILINE)


def shared_lines(section: str = "PyTorch") -> str:
    """The lines that the examples of a page begin with, the same on all pages."""
    return re.findall(r"```python\n(.*?)```", page_of(section), flags=re.DOTALL)[0]


def undefined_names(code: str) -> set[str]:
    """Return the names that code uses and does not define."""
    scopes = [symtable.symtable(code, "recipe", "exec")]
    for scope in scopes:
        scopes.extend(scope.get_children())
    names = scopes[0].get_symbols()
    defined = {name.get_name() for name in names if name.is_assigned() or name.is_imported() or name.is_namespace()}
    inside = {name.get_name() for scope in scopes[1:] for name in scope.get_symbols() if name.is_global()}
    used = inside | {name.get_name() for name in names if name.is_referenced()}
    return used - defined - set(dir(builtins))


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
