"""Set-up: where it gets each R package, and that it does not touch what is installed."""

from __future__ import annotations

import json
from typing import Callable

from tests.test_set_up import ROOT, set_up

CHOOSE = """
source("tools/r_packages.R")
entry = function(package, imports) {
  c(Package = package, Version = "9.0", Depends = NA, Imports = imports, LinkingTo = NA)
}
available = rbind(
  entry("learner", "network (>= 2.0),\\n sampler, stats"),
  entry("network", "R6 (>= 2.6.0), cli (>=\\n3.0.0)"),
  entry("sampler", "cli (>= 3.5.0), R6"),
  entry("cli", "utils"),
  entry("R6", NA)
)
rownames(available) = available[, "Package"]
chosen = function(wanted, ...) as.list(choose_sources(wanted, list(...), available))
cat(jsonlite::toJSON(auto_unbox = TRUE, list(
  nothing = chosen(c(learner = "1.0")),
  installed = chosen(c(learner = "1.0"), installed = c(learner = "1.0", R6 = "2.0")),
  too_old = chosen(c(cli = "3.1"), installed = c(cli = "3.0.9"), debian = c(cli = "3.0")),
  raised = chosen(c(cli = "1.0", learner = "1.0"), debian = c(cli = "3.4.0", R6 = "2.6.1")),
  one_digit = chosen(c(cli = "3.9"), installed = c(cli = "3.10"))
)))
"""


def test_the_first_source_with_a_version_that_is_high_enough(rscript: Callable[..., str]) -> None:
    chosen = json.loads(rscript(CHOOSE, folder=ROOT))
    every = dict.fromkeys(("learner", "network", "sampler", "cli", "R6"), "cran")
    assert chosen["nothing"] == every, "with the packages that they need, without those of R itself"
    assert chosen["installed"] == {"learner": "installed"}, "what it needs came with it"
    assert chosen["too_old"] == {"cli": "cran"}
    assert chosen["raised"] == {**every, "R6": "debian"}, "sampler, met last, needs a newer cli than Debian has"
    assert chosen["one_digit"] == {"cli": "installed"}, "3.10 is above 3.9"


def test_with_nothing_to_do_it_says_nothing() -> None:
    done = set_up("test-r")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_script_may_loop_over_batches_outside_of_functions(rscript: Callable[..., str]) -> None:
    """R 4.2 crashes at this if rlang is not compiled, and if R compiles loops, which it does by default."""
    printed = rscript("coro::loop(for (row in coro::as_iterator(1:3)) cat(row))", R_ENABLE_JIT="3")
    assert printed == "123"
