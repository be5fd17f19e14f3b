"""The tool that chooses sources of packages of R.

Long work in R shows a progress bar on a terminal, and nothing elsewhere.
"""

from __future__ import annotations

import os
import pty
import subprocess
from typing import Any, Callable

import pytest

from rbridge._install import find_r
from tests.test_docs import ROOT

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
