"""The tools of the site: what `make site` must refuse, and what it collects. That it builds, it finds out itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.test_docs import ROOT


@pytest.fixture(name="load")
def _load(modules_of_tool: Any) -> Any:
    """Import a module of tools/site by its name."""
    return modules_of_tool("site")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


# Names ----------------------------------------------------------------------------------------------------------------


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


# Documents ------------------------------------------------------------------------------------------------------------


def test_documents_come_with_what_they_link_to_and_links_that_lead_nowhere_are_found(load: Any, tmp_path: Path) -> None:
    root, sources, site = tmp_path / "root", tmp_path / "sources", tmp_path / "site"
    write(
        root,
        {
            "README.md": "[guide](docs/guide.md#part) [site](https://example.org/x.md) [none](docs/none.md)",
            "docs/guide.md": "![figure](figure.png) [results](../results) [data](../data/README.md)",
            "docs/figure.png": "figure",
            "results/runs.csv": "1,2",
            "data/README.md": "[script](../make.py)",
            "make.py": "pass",
            "unlinked.py": "pass",
        },
    )
    load("documents").collect_documents(root, sources)
    written = {path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()}
    assert written == {"docs/guide.md", "docs/figure.png", "results.zip", "data/README.md", "make.py"}
    assert "[results](../results.zip)" in (sources / "docs/guide.md").read_text(encoding="utf-8")
    assert ZipFile(sources / "results.zip").read("results/runs.csv") == b"1,2"
    write(
        site,
        {
            "index.html": '<a href="a/b.html#there"></a><a href="a/b.html#gone"></a><a href="#"></a><a href="#own"></a>'
            '<img src="picture.png"><a href="https://example.org/none"></a><a href="mailto:a@example.org"></a>',
            "a/b.html": '<h1 id="there"></h1><a href="../index.html"></a><a href="../a%20b.txt"></a><a href=".."></a>',
            "a b.txt": "",
        },
    )
    gone = [("index.html", target) for target in ("a/b.html#gone", "#own", "picture.png")]
    assert load("links").broken_links(site) == [("a/b.html", ".."), *gone]


@pytest.mark.parametrize("printed", ["    #> 1\n    #> 2", "```text\n1\n```", "![](plot.png)<!-- -->"])
def test_python_and_r_side_by_side_become_tabs_with_what_they_print(load: Any, printed: str) -> None:
    with_tabs = load("documents").with_language_tabs
    python, in_r = f"``` python\nprint(1)\n\nprint(2)\n```\n\n{printed}\n\n", f"``` r\n1\n```\n\n{printed}\n\n"
    assert with_tabs(f"Text\n\n{python}Text\n\n{in_r}") == f"Text\n\n{python}Text\n\n{in_r}"
    tabs = f"`````{{tab}} Python\n\n{python.strip()}\n\n`````\n\n`````{{tab}} R\n\n{in_r.strip()}\n\n`````\n\n"
    for both in (f"{python}{in_r}", f"{in_r}{python}"):
        assert with_tabs(f"Text\n\n{both}Text\n") == f"Text\n\n{tabs}Text\n", "Python first"
