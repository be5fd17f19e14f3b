"""What the packages say of the project's people and pages is what CITATION.cff says."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

import pystrat
from tests.test_docs import ROOT


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def test_the_citation_is_complete_and_the_packages_say_what_it_says() -> None:
    citation: dict[str, Any] = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    version = pystrat.__version__
    assert citation["version"] == version and citation["license"] == "MIT"
    assert f'version = "{version}"' in read("pyproject.toml") and f"Version: {version}" in read("rbridge/r/DESCRIPTION")
    for author in citation["authors"]:
        name = author.get("name") or f"{author['given-names']} {author['family-names']}"
        assert f'name = "{name}"' in read("pyproject.toml")
        assert name in read("rbridge/r/DESCRIPTION").replace('", "', " ")
    in_r = re.sub(r'",\n\s+"', " ", read("rbridge/r/inst/CITATION"))
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        for fact in (reference["title"], str(reference["year"]), reference["url"]):
            assert f'"{fact}"' in in_r


def test_the_links_of_the_readme_are_absolute_for_a_package_index(
    modules_of_tool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    description = modules_of_tool("..")("setup").description
    project = read("pyproject.toml").replace("[project.urls]", '[project.urls]\nSource = "https://example.org/code"')
    before, after = (
        re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", text)
        for text in (read("README.md"), description(read("README.md"), project))
    )
    assert len(before) == len(after) > 10
    for (mark, link), (_, absolute) in zip(before, after):
        place = "https://example.org/code/raw/HEAD/" if mark else "https://example.org/code/blob/HEAD/"
        assert absolute == (link if link.startswith("https:") else place + link)
    assert not re.findall(r"\]\((?!https:)", description(read("README.md"), read("pyproject.toml")))
