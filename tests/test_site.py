"""The site: its names, documents, front page, search and links. That it builds, `make site` finds out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.test_readme import ROOT


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


def test_names_of_samplers_follow_one_convention(load: Any) -> None:
    names = load("names")
    assert names.r_name("StrataSubsetBatchSampler") == "batch_sampler_strata_subset"
    assert names.r_name("SumTree") == "sum_tree"
    assert names.r_name("bin_target") == "bin_target"
    assert names.r_name("TripleBatchSampler") == "batch_sampler_triples"
    assert names.group_of("stratified_sharded_plan") == "Shards" and names.group_of("stratified_split") == "Strata"
    with pytest.raises(SystemExit, match="no group of names.py fits folder_file"):
        names.group_of("folder_file")


@pytest.mark.parametrize(
    ("python", "r", "message"),
    [
        ({"NewBatchSampler"}, set(), "IN_PYTHON or RENAMED lacks NewBatchSampler"),
        (set(), {"batch_sampler_new"}, "IN_R or RENAMED lacks batch_sampler_new"),
        ({"NewBatchSampler"}, {"batch_sampler_new"}, ""),
        (set(), {"labels_of"}, "IN_R or RENAMED lacks labels_of"),
        ({"stratum_codes"}, set(), "IN_R has, but Python has stratum_codes"),
    ],
)
def test_a_name_without_counterpart_must_be_listed(load: Any, python: set[str], r: set[str], message: str) -> None:
    names = load("names")
    both = {names.short(name) for name in names.python_names()} | python, set(names.r_files(ROOT)) | r
    if not message:
        names.check_names(*both)
        return
    with pytest.raises(SystemExit, match=message):
        names.check_names(*both)


@pytest.mark.parametrize("name", ["labels_of", "BatchSampler"])
def test_lists_of_names_that_are_not_up_to_date_are_refused(load: Any, name: str) -> None:
    names = load("names")
    python, r = {names.short(name) for name in names.python_names()}, set(names.r_files(ROOT))
    with pytest.raises(SystemExit, match=f"has, but the package has no {name}"):
        names.check_names(python - {name}, r - {names.r_name(name)})
    with pytest.raises(SystemExit, match="IN_R has, but the package has no nsch_2017"):
        names.check_names(python, r - {"nsch_2017"})


def test_a_name_and_its_counterpart_link_to_each_other(load: Any) -> None:
    reference, entry = load("reference"), load("names").Entry
    page = reference.python_page("pystrat.StratifiedBatchSampler", "batch_sampler_stratified")
    assert "In R: :doc:`batch_sampler_stratified </r/batch_sampler_stratified>`" in page
    assert ".. autoclass:: StratifiedBatchSampler\n   :members:" in page
    listed = [entry("Strata", "pystrat.bin_target", "bin_target"), entry("Strata", "", "only_r")]
    index = reference.index_page("r", listed, {"bin_target": "Bins", "only_r": "Else"})
    assert (
        ":doc:`bin_target </r/bin_target>` : in Python :doc:`bin_target </python/pystrat.bin_target>`\n   Bins" in index
    )
    assert ":doc:`only_r </r/only_r>`\n   Else" in index


def test_names_in_text_lead_to_their_pages(load: Any) -> None:
    reference, entry = load("reference"), load("names").Entry
    listed = [
        entry("Strata", "pystrat.StratifiedBatchSampler", "batch_sampler_stratified"),
        entry("Strata", "pystrat.corpus.CorpusPlan", "corpus_plan"),
        entry("Strata", "pystrat.bin_target", "bin_target"),
    ]
    assert (
        reference.pages_of_names(listed).items()
        >= {
            "StratifiedBatchSampler": "python/pystrat.StratifiedBatchSampler",
            "pystrat.StratifiedBatchSampler": "python/pystrat.StratifiedBatchSampler",
            "batch_sampler_stratified()": "r/batch_sampler_stratified",
            "corpus.CorpusPlan": "python/pystrat.corpus.CorpusPlan",
            "CorpusPlan": "python/pystrat.corpus.CorpusPlan",
            "bin_target()": "python/pystrat.bin_target",
            "rbridge::bin_target()": "r/bin_target",
        }.items()
    )
    assert "batch_sampler_stratified" not in reference.pages_of_names(
        listed
    ), "without parentheses it may be a parameter"


# Documents ------------------------------------------------------------------------------------------------------------


def test_documents_come_with_what_they_link_to(load: Any, tmp_path: Path) -> None:
    root, sources = tmp_path / "root", tmp_path / "sources"
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
    assert (sources / "data/README.md").read_text(encoding="utf-8").startswith("---\norphan: true\n---\n")


def test_python_and_r_side_by_side_become_tabs(load: Any) -> None:
    with_tabs = load("documents").with_language_tabs
    python = "``` python\nprint(1)\n\nprint(2)\n```\n\n    #> 1\n    #> 2\n\n"
    in_r = "``` r\n1\n```\n\n    #> [1] 1\n\n"
    assert with_tabs(f"Text\n\n{python}Text\n\n{in_r}") == f"Text\n\n{python}Text\n\n{in_r}"
    tabs = (
        f"Text\n\n`````{{tab}} Python\n\n{python.strip()}\n\n`````\n\n"
        f"`````{{tab}} R\n\n{in_r.strip()}\n\n`````\n\nText\n"
    )
    assert with_tabs(f"Text\n\n{python}{in_r}Text\n") == tabs
    assert with_tabs(f"Text\n\n{in_r}{python}Text\n") == tabs, "Python first"


@pytest.mark.parametrize("printed", ["```text\n1\n```\n\n", "![](plot.png)<!-- -->\n\n"])
def test_printed_blocks_and_pictures_stay_in_the_tab_of_their_code(load: Any, printed: str) -> None:
    with_tabs = load("documents").with_language_tabs
    first, second = f"```python\n1\n```\n\n{printed}", f"```r\n2\n```\n\n{printed}"
    assert with_tabs(f"{first}{second}") == (
        f"`````{{tab}} Python\n\n{first.strip()}\n\n`````\n\n`````{{tab}} R\n\n{second.strip()}\n\n`````\n\n"
    )


# The front page and the search ----------------------------------------------------------------------------------------

OVERVIEW = """# Guides

## Start

- [One](one.md): first
  words, *second* words

## Reference

- [Two](../vignettes/two.md), and [three](three.md#part)
"""


def test_the_navigation_has_the_groups_of_the_overview(load: Any, tmp_path: Path) -> None:
    code = "```{}\n1\n```"
    cells = "</td><td>".join(f"\n\n{code.format(language)}\n\n" for language in ("python", "r"))
    table = f"<table>\n<tr><th>Python</th><th>R</th></tr>\n<tr><td>{cells}</td></tr>\n</table>"
    write(tmp_path, {"README.md": f"# Title\n\n{table}\n", "docs/README.md": OVERVIEW})
    guides = load("guides")
    assert guides.guides(tmp_path) == [
        guides.Guide("Start", "docs/one", "One: first words, *second* words"),
        guides.Guide("Reference", "vignettes/two", "Two, and three"),
        guides.Guide("Reference", "docs/three", "Two, and three"),
    ]
    page = guides.front_page(tmp_path)
    assert re.findall(r":caption: (.*)\n\n((?:\w.*\n)+)", page) == [
        ("Start", "docs/README\ndocs/one\n"),
        ("Reference", "vignettes/two\ndocs/three\n"),
        ("Names", "Python <python/index>\nR <r/index>\n"),
    ]
    assert re.findall(r"{tab} (\w+)\n\n```(\w+)\n1\n```", page) == [("Python", "python"), ("R", "r")]
    assert "<table>" not in page


def test_the_words_of_a_guide_follow_its_title(load: Any) -> None:
    page = load("search").with_words("<h1>A<a>#</a></h1><p>b</p><h1>c</h1>", "x & y")
    assert page.startswith("<h1>A<a>#</a></h1>\n<p hidden") and page.count("x &amp; y") == 1


# Links and the theme --------------------------------------------------------------------------------------------------


def test_links_that_lead_nowhere_are_found(load: Any, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "index.html": '<a href="a/b.html#there"></a><a href="a/b.html#gone"></a><a href="#"></a><a href="#own"></a>'
            '<img src="picture.png"><a href="https://example.org/none"></a><a href="mailto:a@example.org"></a>',
            "a/b.html": '<h1 id="there"></h1><a href="../index.html"></a><a href="../a%20file.txt"></a>'
            '<a href=".."></a>',
            "a file.txt": "",
        },
    )
    assert load("links").broken_links(tmp_path) == [
        ("a/b.html", ".."),
        ("index.html", "a/b.html#gone"),
        ("index.html", "#own"),
        ("index.html", "picture.png"),
    ]


def test_what_debian_left_out_of_the_theme_is_added(load: Any, tmp_path: Path) -> None:
    theme = load("theme")
    write(tmp_path, {"other.js": "window.Other = 1;"})
    assert (
        theme.with_import('import Other from "./other.js";\nuse(Other);', tmp_path) == "window.Other = 1;\nuse(Other);"
    )
    style = (
        '@import url(/javascript/normalize.css/normalize.css);\nbody[data-theme="dark"] {\n  --color-one: black; }\n'
    )
    mended = theme.with_dark_colors(style)
    assert "@import" not in mended and "body { margin: 0; }" in mended
    assert '@media (prefers-color-scheme: dark) { body[data-theme="auto"] {\n  --color-one: black; } }' in mended


def test_a_theme_that_lacks_nothing_stays_as_it_is(load: Any, tmp_path: Path) -> None:
    theme = load("theme")
    assert theme.with_import("(()=>{var t={}})();", tmp_path) == "(()=>{var t={}})();"
    style = '@media (prefers-color-scheme:dark){body:not([data-theme="light"]){--color-one:black}}'
    assert theme.with_dark_colors(style) == style
