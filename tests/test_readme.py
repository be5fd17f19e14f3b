"""The README and CONTRIBUTING: what they say in Python runs, and what they link to is there.

Their blocks in R, and those for the bridge and the shell, run in tests/bridge/test_readme.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import pystrat

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md")


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str, language: str) -> list[str]:
    """The code blocks of one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", read(document), flags=re.DOTALL)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_of_code_is_in_a_language_that_is_run(document: str) -> None:
    opened = re.findall(r"^```(\w*)$", read(document), flags=re.MULTILINE)
    assert set(opened[::2]) <= {"python", "r", "sh"} and set(opened[1::2]) == {""}


def test_the_python_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(blocks("README.md", "python")[0], names)
    assert capsys.readouterr().out.startswith("200 batches of 100 rows, 20000 rows in all")
    assert len(names["sampler"]) == 200


def test_the_sampler_of_contributing_keeps_the_contract() -> None:
    names: dict[str, Any] = {}
    exec(blocks("CONTRIBUTING.md", "python")[0], names)
    make = names["WindowBatchSampler"]
    ranks = [make(100, 8, seed=1, num_replicas=5, rank=rank) for rank in range(5)]
    whole = list(make(100, 8, seed=1, num_replicas=5))
    assert [batch for turn in zip(*ranks) for batch in turn] == whole and len(whole) == 10
    stopped, resumed = make(100, 8, seed=1), make(100, 8, seed=1)
    batches = iter(stopped)
    for _ in range(4):
        next(batches)
    resumed.load_state_dict(stopped.state_dict(batches_consumed=4))
    assert list(resumed) == list(batches) == list(make(100, 8, seed=1))[4:]


@pytest.mark.parametrize("document", [*DOCUMENTS, *(f"vignettes/{path.name}" for path in ROOT.glob("vignettes/*.md"))])
def test_what_is_linked_is_there(document: str) -> None:
    links = re.findall(r"\]\(([^)#\s]+)\)", read(document))
    local = [link for link in links if "://" not in link]
    assert local or document != "README.md"
    assert [link for link in local if not (ROOT / document).parent.joinpath(link).exists()] == []


def test_the_citation_has_the_version_and_what_the_format_requires() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == pystrat.__version__ and citation["license"] == "MIT"
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
