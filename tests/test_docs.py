"""The Python code of the documents and the examples of docstrings print what they show; so do errors.

What is in R, and what needs the bridge, runs in tests/bridge/test_documents.py.
"""

from __future__ import annotations

import doctest
import re
import warnings
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import pystrat
from pystrat import StratifiedBatchSampler

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# tests/test_training_libraries.py runs the examples of other libraries.
WITH_CODE = [
    page
    for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    if "\n```python\n" in page.read_text(encoding="utf-8")
]


def blocks(document: "Path | str", languages: str = "python") -> str:
    """Return the code blocks of a document in some languages, one after the other."""
    text = (DOCS / document).read_text(encoding="utf-8")
    return "\n".join(re.findall(rf"```(?:{languages})\n(.*?)```", text, flags=re.DOTALL))


def run(document: Path, capsys: pytest.CaptureFixture[str], languages: str = "python") -> dict[str, Any]:
    """Run the code of a document, compare what it prints with its comments, and return its names."""
    code = blocks(document, languages)
    names: dict[str, Any] = {"__name__": "document"}
    exec(code, names)
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]  # pandas ends lines with blanks
    comments = re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    # On one page, some comments are no output.
    assert printed == [line for line in comments if document.stem != "weighted" or line in printed]
    return names


@pytest.mark.parametrize("document", WITH_CODE, ids=lambda page: page.stem)
def test_a_document_prints_what_it_says(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(document, capsys)


def test_the_recipe_for_dask(capsys: pytest.CaptureFixture[str]) -> None:
    dask = pytest.importorskip("dask", reason="Debian and PyPI have Dask")
    pytest.importorskip(
        "dask.dataframe", reason="newer releases of Dask need pyarrow for it, which Debian does not have"
    )
    with dask.config.set(scheduler="processes", num_workers=2):
        run(DOCS / "beyond-one-machine.md", capsys, "python|py")


def test_the_reader_of_parquet_files(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow.parquet", reason="Debian 12 and 13 do not have pyarrow")
    names = run(DOCS / "streams.md", capsys, "python|py")
    rows, lines = names["read_parquet"](names["parquet_paths"][0]), names["read_json_lines"](names["paths"][0])
    assert list(rows) == list(lines)


def test_the_sampler_of_contributing_keeps_the_contract() -> None:
    names: dict[str, Any] = {}
    exec(blocks(ROOT / "CONTRIBUTING.md").split("import rbridge")[0], names)
    make = names["WindowBatchSampler"]
    ranks = [make(100, 8, seed=1, num_replicas=5, rank=rank) for rank in range(5)]
    whole = list(make(100, 8, seed=1, num_replicas=5))
    assert [batch for turn in zip(*ranks) for batch in turn] == whole and len(whole) == 10
    stopped, resumed = make(100, 8, seed=1), make(100, 8, seed=1)
    batches = iter(stopped)
    for _ in range(4):
        next(batches)
    resumed.load_state_dict(stopped.state(stopped.epoch - 1, 4))
    assert list(resumed) == list(batches) == list(make(100, 8, seed=1))[4:]


MODULES = [module.name for module in walk_packages(pystrat.__path__, "pystrat.") if module.name != "pystrat.__main__"]


def test_the_examples_of_docstrings_print_what_they_say() -> None:
    # Tables of pandas end some lines with blanks.
    found = [doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE) for name in MODULES]
    assert sum(result.attempted for result in found) > 100
    assert sum(result.failed for result in found) == 0


def test_the_page_of_errors_has_the_messages_that_are_raised() -> None:
    labels, page = [1] * 2 + [0] * 98, (DOCS / "errors.md").read_text(encoding="utf-8")
    sampler = StratifiedBatchSampler(labels, 1, seed=1)
    shorter = DataLoader(TensorDataset(torch.arange(50)), batch_sampler=sampler)
    refused: list[Callable[[], object]] = [
        lambda: StratifiedBatchSampler(labels, 3),
        lambda: StratifiedBatchSampler(labels, 3, mean_batch_size=10),
        lambda: StratifiedBatchSampler(labels, mean_batch_size=10),
        lambda: StratifiedBatchSampler([1, None, 0, 0, 1], 1),
        lambda: StratifiedBatchSampler(np.random.default_rng(1).normal(size=1000), 1),
        lambda: StratifiedBatchSampler(torch.eye(2)[labels], 1),
        lambda: StratifiedBatchSampler(labels, 1, batch_size=10),  # type: ignore[call-arg]
        lambda: StratifiedBatchSampler(labels, 1, num_replicas=2, rank=0),
        lambda: DataLoader(range(100), batch_size=10, batch_sampler=sampler),  # type: ignore[arg-type]
        lambda: next(iter(DataLoader(range(100), batch_size=10, sampler=sampler))),  # type: ignore[arg-type]
        lambda: list(shorter),
    ]
    messages = re.findall(r"^\| `(.*?)` \|", page.partition("## In R")[0], flags=re.MULTILINE)
    assert len(messages) == len(refused) + 1, "and that of multiprocessing"
    for message, call in zip(messages, refused):
        with pytest.raises((ValueError, TypeError, IndexError, UserWarning), match=re.escape(message)):
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                call()
