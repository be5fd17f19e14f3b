"""The help pages of R on the site."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.test_readme import ROOT
from tools.site.names import entries, write_names

TOOL = ROOT / "tools" / "site"


@pytest.fixture(name="pages", scope="module")
def _pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The help pages as Markdown, NAME.md, and as R's own text, NAME.txt."""
    folder = tmp_path_factory.mktemp("pages")
    write_names(entries(ROOT), folder / "names.csv")
    command = ["Rscript", str(TOOL / "rd_to_markdown.R"), str(folder / "names.csv"), str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    as_text = (
        "macros = tools::loadPkgRdMacros('rbridge/r');"
        "for (file in list.files('rbridge/r/man', '[.]Rd$', full.names = TRUE))"
        f" tools::Rd2txt(file, macros = macros, out = file.path('{folder}', sub('Rd$', 'txt', basename(file))),"
        " options = list(underline_titles = FALSE))"
    )
    subprocess.run(["Rscript", "-e", as_text], cwd=ROOT, check=True)
    return folder


def words(path: Path) -> set[str]:
    return set(re.findall(r"[^\W_]+", path.read_text(encoding="utf-8")))


def test_no_word_of_a_help_page_is_lost(pages: Path) -> None:
    of_rd2txt = {"Description", "Also", "s", "mailto"}  # of its headings, such as "See Also" and "Author(s)"
    texts = sorted(pages.glob("*.txt"))
    assert len(texts) == len(list((ROOT / "rbridge/r/man").glob("*.Rd")))
    for text in texts:
        assert words(text) - words(text.with_suffix(".md")) <= of_rd2txt, text.stem


def test_help_pages_link_to_each_other_and_to_python(pages: Path) -> None:
    stratified = (pages / "batch_sampler_stratified.md").read_text(encoding="utf-8")
    assert "In Python: {py:obj}`pystrat.StratifiedBatchSampler`" in stratified
    assert "[`stratum_codes()`](stratum_codes.md)" in stratified
    assert stratified.count("\n## Usage\n") == 1 and "```r\nbatch_sampler_stratified(\n" in stratified
    links = {link for page in pages.glob("*.md") for link in re.findall(r"\]\((\w[^)]*\.md)\)", page.read_text())}
    assert links and all((pages / link).is_file() for link in links)


def test_a_tag_that_the_script_does_not_know_is_an_error(tmp_path: Path) -> None:
    man = tmp_path / "rbridge" / "r" / "man"
    man.mkdir(parents=True)
    (man.parent / "DESCRIPTION").write_text("Package: page\nVersion: 1.0\n")
    (man / "page.Rd").write_text(r"\name{page}\title{Page}\description{\figure{a.png}.}")
    write_names([], tmp_path / "names.csv")
    command = ["Rscript", str(TOOL / "rd_to_markdown.R"), str(tmp_path / "names.csv"), str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "does not know the tag figure" in done.stderr
