"""The README, CONTRIBUTING and docs/install.md: their Python code runs. The links of all documents resolve.

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
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/install.md")
PAGES = [path for pattern in ("docs/**/*.md", "vignettes/*.md") for path in sorted(ROOT.glob(pattern))]
LINKING = [*DOCUMENTS[:2], *(path.relative_to(ROOT).as_posix() for path in PAGES)]


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
    (code,) = blocks("README.md", "python")
    exec(code, names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    assert len(names["sampler"]) == 200


def test_the_guides_of_the_overview_are_all_pages() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", read("docs/README.md"))
    linked = {(ROOT / "docs" / link).resolve() for link in links}
    assert set(PAGES) - linked == {ROOT / "docs" / "README.md"}


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/design.md"])
def test_source_files_that_a_document_names_exist(document: str) -> None:
    """A document may leave out the first folders of a path, such as rbridge/r/src/ of core/kinds.h."""
    named = set(re.findall(r"`([\w./]+\.(?:c|h|py|pyx|R|sh))`", read(document)))
    folders = [ROOT / folder for folder in ("benchmarks", "pystrat", "rbridge", "tests", "tools")]
    paths = [path.as_posix() for folder in folders for path in folder.rglob("*.*")]
    assert named and not [name for name in named if not any(path.endswith(f"/{name}") for path in paths)]


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


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them: lower case, hyphens for blanks, no punctuation."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", LINKING)
def test_links_resolve(document: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", read(document))
    local = [link.partition("#") for link in links if "://" not in link]
    assert local or document != "README.md"
    for path, _, anchor in local:
        target = (ROOT / document).parent / path if path else ROOT / document
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_the_citation_has_the_version_and_what_the_format_requires() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == pystrat.__version__ and citation["license"] == "MIT"
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
