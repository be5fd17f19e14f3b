"""What the packages say of the project's people and pages is what CITATION.cff says."""

from __future__ import annotations

import re
from typing import Any

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
