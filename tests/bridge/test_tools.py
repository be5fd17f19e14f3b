"""The tools that work in R: the sources of packages, and help pages for the site.

Long work in R shows a progress bar on a terminal, and nothing elsewhere.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

from rbridge._install import find_r
from tests.levels import some_of
from tests.test_docs import ROOT
from tools.site.names import entries, write_names

# Sources of packages -------------------------------------------------------------------------------------------------

CHOOSE = """
source("tools/r_packages.R")
imports = c(learner = "network (>= 2.0),\n sampler, stats", network = "R6 (>= 2.6.0), cli (>=\n3.0.0)",
  sampler = "cli (>= 3.5.0), R6", cli = "utils", R6 = NA)
available = cbind(Package = names(imports), Version = "9.0", Depends = NA, Imports = imports, LinkingTo = NA)
chosen = function(wanted, ...) as.list(choose_sources(wanted, list(...), available))
cat(jsonlite::toJSON(auto_unbox = TRUE, list(
  nothing = chosen(c(learner = "1.0")),
  installed = chosen(c(learner = "1.0"), installed = c(learner = "1.0", R6 = "2.0")),
  too_old = chosen(c(cli = "3.1"), installed = c(cli = "3.0.9"), debian = c(cli = "3.0")),
  raised = chosen(c(cli = "1.0", learner = "1.0"), debian = c(cli = "3.4.0", R6 = "2.6.1")),
  one_digit = chosen(c(cli = "3.9"), installed = c(cli = "3.10"))
)))
"""


def test_set_up_takes_a_package_from_the_first_source_with_a_high_enough_version(rscript: Callable[..., Any]) -> None:
    """What a package needs comes with it, except what is R's own; 3.10 is above 3.9."""
    every = dict.fromkeys(("learner", "network", "sampler", "cli", "R6"), "cran")
    assert rscript(CHOOSE, cwd=ROOT) == {
        "nothing": every,
        "installed": {"learner": "installed"},
        "too_old": {"cli": "cran"},
        "raised": {**every, "R6": "debian"},  # sampler, met last, needs a newer cli than Debian has
        "one_digit": {"cli": "installed"},
    }


# Help pages ----------------------------------------------------------------------------------------------------------

CONVERT = """
tool = file.path("{root}", "tools/site/rd_to_markdown.R")
macros = tools::loadPkgRdMacros("rbridge/r")
for (file in list.files("rbridge/r/man", "[.]Rd$", full.names = TRUE)) {{
  tools::Rd2txt(file, macros = macros, out = file.path("{pages}", sub("Rd$", "txt", basename(file))),
    options = list(underline_titles = FALSE))
}}
here = getwd()
sys.source(tool, new.env())
setwd(file.path(here, "unknown"))
cat(tryCatch(sys.source(tool, new.env()), error = conditionMessage))
"""


def test_a_help_page_on_the_site_has_all_words_and_links(tmp_path: Path, rscript: Callable[..., Any]) -> None:
    """Compared with R's own text, and with a tag that is not known."""
    package, unknown, pages = tmp_path / "rbridge/r", tmp_path / "unknown/rbridge/r", tmp_path / "pages"
    for folder in (package / "man/macros", unknown / "man/macros", pages):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "rbridge/r/man/macros/guides.Rd", unknown / "man/macros")
    every = sorted(path.name for path in (ROOT / "rbridge/r/man").glob("*.Rd"))
    for name in {"batch_sampler_stratified.Rd", "macros/guides.Rd", *(f"{name}" for name in some_of(every, 5))}:
        shutil.copy(ROOT / "rbridge/r/man" / name, package / "man" / name)
    shutil.copy(ROOT / "rbridge/r/DESCRIPTION", package)
    (unknown / "DESCRIPTION").write_text("Package: page\nVersion: 1.0\n")
    (unknown / "man/page.Rd").write_text(r"\name{page}\title{Page}\description{\figure{a.png}.}")
    write_names(entries(ROOT), pages / "names.csv")
    code = CONVERT.format(root=ROOT, pages=pages)
    assert "does not know the tag figure" in rscript(code, pages / "names.csv", pages, cwd=tmp_path)
    # Of its headings, such as "See Also" and "Author(s)", and of guides, where the site has a link.
    of_rd2txt = {"Description", "Also", "s", "mailto", "project", "repository"}
    texts = {path: set(re.findall(r"[^\W_]+", path.read_text("utf-8"))) for path in pages.iterdir() if path.is_file()}
    assert sum(path.suffix == ".md" for path in texts) >= 6
    for path in texts:
        assert path.suffix != ".txt" or texts[path] - texts[path.with_suffix(".md")] <= of_rd2txt, path.stem
    stratified = (pages / "batch_sampler_stratified.md").read_text(encoding="utf-8")
    assert "In Python: {py:obj}`pystrat.StratifiedBatchSampler`" in stratified
    assert "[`stratum_codes()`](stratum_codes.md)" in stratified
    assert stratified.count("\n## Usage\n") == 1 and "```r\nbatch_sampler_stratified(\n" in stratified


# Progress ------------------------------------------------------------------------------------------------------------

COLLECT = """
options(cli.progress_show_after = 0)
generator = rbridge::batch_sampler_stratified(1, strata = rep(1:2, 1000), seed = 1)
cat(length(rbridge::collect_rows(generator, 2000)$rows))
"""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_long_work_shows_a_bar_on_a_terminal_alone(is_terminal: bool) -> None:
    ours, theirs = pty.openpty()
    command = [find_r("Rscript") or "Rscript", "-e", COLLECT]
    with os.fdopen(ours, "rb", buffering=0) as shown:
        errors = theirs if is_terminal else subprocess.PIPE
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, check=True, timeout=300)
        assert done.stdout == b"2000"
        if is_terminal:
            assert b"collecting batches" in shown.read(100_000)
        else:
            assert done.stderr == b""
        os.close(theirs)
