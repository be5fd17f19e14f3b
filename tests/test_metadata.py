"""What the packages say of the project's people and pages is what CITATION.cff says; prose is found for spelling."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any, Iterator

import pytest
import yaml

from tests.test_readme import ROOT, read

FILLED_IN = {
    "authors": [
        {"given-names": "Ada", "family-names": "Lovelace", "orcid": "https://orcid.org/0000-0000-0000-0001"},
        {"name": "The authors"},
    ],
    "contact": [{"given-names": "Ada", "family-names": "Lovelace", "email": "ada@example.org"}],
    "repository-code": "https://example.org/code/",
    "url": "https://example.org/site",
}


@pytest.fixture(name="load")
def _load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import a module of tools by its name."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield importlib.import_module
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_the_packages_say_what_the_citation_says(load: Any) -> None:
    metadata = load("metadata")
    citation = yaml.safe_load(read("CITATION.cff"))
    for name, update in metadata.UPDATES.items():
        assert update(read(name), citation) == read(name)


def test_a_maintainer_and_a_repository_are_filled_in_at_one_place(load: Any) -> None:
    metadata = load("metadata")
    description = metadata.update_description(read("rbridge/r/DESCRIPTION"), FILLED_IN)
    assert (
        "Authors@R: c(\n"
        '    person("Ada", "Lovelace", role = c("aut", "cre"), email = "ada@example.org", '
        'comment = c(ORCID = "0000-0000-0000-0001")),\n'
        '    person("The authors", role = "aut"))\n'
    ) in description
    assert "URL: https://example.org/site, https://example.org/code\n" in description
    assert "BugReports: https://example.org/code/issues\n" in description
    assert metadata.update_description(description, FILLED_IN) == description
    pyproject = metadata.update_pyproject(read("pyproject.toml"), FILLED_IN)
    assert 'authors = [{ name = "Ada Lovelace", email = "ada@example.org" }, { name = "The authors" }]\n' in pyproject
    assert 'maintainers = [{ name = "Ada Lovelace", email = "ada@example.org" }]\n' in pyproject
    assert 'Homepage = "https://example.org/site"\nSource = "https://example.org/code"\nIssues = ' in pyproject
    assert metadata.update_pyproject(pyproject, FILLED_IN) == pyproject
    guides = metadata.update_guides(read("rbridge/r/man/macros/guides.Rd"), FILLED_IN)
    assert r"{\href{https://example.org/code/blob/HEAD/docs/#1.md}{\code{docs/#1.md}}}" in guides
    citation = yaml.safe_load(read("CITATION.cff"))
    assert metadata.update_description(description, citation) == read("rbridge/r/DESCRIPTION"), "and taken out again"
    assert metadata.update_pyproject(pyproject, citation) == read("pyproject.toml")
    assert metadata.update_guides(guides, citation) == read("rbridge/r/man/macros/guides.Rd")


def test_help_pages_name_guides_by_the_macro_that_links_them() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "rbridge" / "r" / "man").glob("*.Rd")]
    named = {name for page in pages for name in re.findall(r"\\guide\{([^}]*)\}", page)}
    assert len(named) > 10 and not [page for page in pages if re.search(r"docs/[\w-]+\.md", page)]


def test_the_links_of_the_readme_are_absolute_for_a_package_index(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(ROOT)
    description = load("setup").description
    project = load("metadata").update_pyproject(read("pyproject.toml"), FILLED_IN)
    links = re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", description(read("README.md"), project))
    relative = re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", read("README.md"))
    assert len(links) == len(relative) > 10
    for (mark, before), (_, after) in zip(relative, links):
        place = "https://example.org/code/raw/HEAD/" if mark else "https://example.org/code/blob/HEAD/"
        assert after == (before if before.startswith("https:") else place + before)
    without = description(read("README.md"), read("pyproject.toml"))
    assert not re.findall(r"\]\((?!https:)", without) and "Install lists the extras" in without


def test_a_contact_who_is_no_author_maintains_the_package(load: Any) -> None:
    other = {**FILLED_IN, "contact": [{"name": "A group", "email": "group@example.org"}]}
    description = load("metadata").update_description(read("rbridge/r/DESCRIPTION"), other)
    assert 'person("A group", role = "cre", email = "group@example.org"))\n' in description
    assert 'person("The authors", role = "aut"),\n' in description


def test_the_citation_of_the_r_package_has_the_sources(load: Any) -> None:
    text = re.sub(r'",\n\s+"', " ", read("rbridge/r/inst/CITATION"))
    for reference in yaml.safe_load(read("CITATION.cff"))["references"]:
        for fact in (reference["title"], str(reference["year"]), reference["url"]):
            assert f'"{fact}"' in text


def test_prose_keeps_its_lines_and_code_is_left_out(load: Any) -> None:
    docstring = '"""Rows of ``a_b``.\n\n    n : int\n        How mnay, of pandas.DataFrame.\n"""\n'
    source = f'{docstring}x = "colour"  # in_code, teh\n'
    found = [line.split() for line in load("prose").prose_of(source).split("\n")]
    assert found[:6] == [["Rows", "of", "."], [], [], ["How", "mnay,", "of"], [], ["teh"]]
