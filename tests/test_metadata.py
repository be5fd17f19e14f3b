"""What the packages say of the project's people and pages is what CITATION.cff says."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

import pystrat
from tests.test_docs import ROOT

FILLED_IN: dict[str, Any] = {
    "authors": [
        {"given-names": "Ada", "family-names": "Lovelace", "orcid": "https://orcid.org/0000-0000-0000-0001"},
        {"name": "The authors"},
    ],
    "contact": [{"given-names": "Ada", "family-names": "Lovelace", "email": "ada@example.org"}],
    "repository-code": "https://example.org/code/",
    "url": "https://example.org/site",
}


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


CITATION: dict[str, Any] = yaml.safe_load(read("CITATION.cff"))


@pytest.fixture(name="metadata")
def _metadata(modules_of_tool: Any) -> Any:
    return modules_of_tool(".")("metadata")


def test_the_citation_is_complete_and_the_packages_say_what_it_says(metadata: Any) -> None:
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert CITATION["version"] == pystrat.__version__ and CITATION["license"] == "MIT"
    for name, update in metadata.UPDATES.items():
        assert update(read(name), CITATION) == read(name)
    in_r = re.sub(r'",\n\s+"', " ", read("rbridge/r/inst/CITATION"))
    for reference in CITATION["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        for fact in (reference["title"], str(reference["year"]), reference["url"]):
            assert f'"{fact}"' in in_r


def test_a_maintainer_and_a_repository_are_filled_in_at_one_place_and_taken_out_again(metadata: Any) -> None:
    updated = {name: update(read(name), FILLED_IN) for name, update in metadata.UPDATES.items()}
    for name, update in metadata.UPDATES.items():
        assert update(updated[name], FILLED_IN) == updated[name] and update(updated[name], CITATION) == read(name)
    text = "".join(updated.values())
    for written in (
        'Authors@R: c(\n    person("Ada", "Lovelace", role = c("aut", "cre"), email = "ada@example.org", '
        'comment = c(ORCID = "0000-0000-0000-0001")),\n    person("The authors", role = "aut"))\n',
        "URL: https://example.org/site, https://example.org/code\n",
        "BugReports: https://example.org/code/issues\n",
        'authors = [{ name = "Ada Lovelace", email = "ada@example.org" }, { name = "The authors" }]\n',
        'maintainers = [{ name = "Ada Lovelace", email = "ada@example.org" }]\n',
        'Homepage = "https://example.org/site"\nSource = "https://example.org/code"\nIssues = ',
        r"{\href{https://example.org/code/blob/HEAD/docs/#1.md}{\code{docs/#1.md}}}",
    ):
        assert written in text
    other = {**FILLED_IN, "contact": [{"name": "A group", "email": "group@example.org"}]}
    description = metadata.update_description(read("rbridge/r/DESCRIPTION"), other)
    assert 'person("A group", role = "cre", email = "group@example.org"))\n' in description


def test_the_links_of_the_readme_are_absolute_for_a_package_index(
    metadata: Any, modules_of_tool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    description = modules_of_tool("..")("setup").description
    project = metadata.update_pyproject(read("pyproject.toml"), FILLED_IN)
    before, after = (
        re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", text)
        for text in (read("README.md"), description(read("README.md"), project))
    )
    assert len(before) == len(after) > 10
    for (mark, link), (_, absolute) in zip(before, after):
        place = "https://example.org/code/raw/HEAD/" if mark else "https://example.org/code/blob/HEAD/"
        assert absolute == (link if link.startswith("https:") else place + link)
    assert not re.findall(r"\]\((?!https:)", description(read("README.md"), read("pyproject.toml")))
