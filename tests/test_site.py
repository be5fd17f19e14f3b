"""The tools of the site: what `make site` must refuse, and what it collects. That it builds, it finds out itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import ROOT


@pytest.fixture(name="load")
def _load(modules_of_tool: Any) -> Any:
    """Import a module of tools/site by its name."""
    return modules_of_tool("site")


def test_every_public_name_of_both_languages_has_one_line(load: Any) -> None:
    names = load("names")
    exported = set(re.findall(r"^export\((.*)\)$", (ROOT / "rbridge/r/NAMESPACE").read_text(), flags=re.MULTILINE))
    help_pages = set(names.r_files(ROOT))
    assert exported < help_pages
    listed = names.entries(ROOT)
    assert sorted(entry.python for entry in listed if entry.python) == sorted(names.python_names())
    assert sorted(entry.r for entry in listed if entry.r) == sorted(help_pages)
    assert names.r_name("StrataSubsetBatchSampler") == "batch_sampler_strata_subset"
    with pytest.raises(SystemExit, match="no group of names.py fits folder_file"):
        names.group_of("folder_file")


def test_links_that_lead_nowhere_are_found(load: Any, tmp_path: Path) -> None:
    files = {
        "index.html": '<a href="a/b.html#there"></a><a href="a/b.html#gone"></a><a href="#"></a><a href="#own"></a>'
        '<img src="picture.png"><a href="https://example.org/none"></a><a href="mailto:a@example.org"></a>',
        "a/b.html": '<h1 id="there"></h1><a href="../index.html"></a><a href="../a%20b.txt"></a><a href=".."></a>',
        "a b.txt": "",
    }
    (tmp_path / "a").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    gone = [("index.html", target) for target in ("a/b.html#gone", "#own", "picture.png")]
    assert load("links").broken_links(tmp_path) == [("a/b.html", ".."), *gone]
