"""In R too, long work shows a progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from rbridge._install import find_r
from tests.test_readme import ROOT

SCRIPTS = {
    "collecting batches": """
options(cli.progress_show_after = 0)
generator = rbridge::batch_sampler_stratified(1, strata = rep(1:2, 1000), seed = 1)
cat(length(rbridge::collect_rows(generator, 2000)$rows), "\\n")
""",
    "training": """
options(cli.progress_show_after = 0)
suppressMessages(source("vignettes/autism_training.R"))
results = for_each_run(2000, function(run) {
  Sys.sleep(0.0005)
  data.frame(run)
})
cat(nrow(results), "\\n")
""",
}


def run(script: str, folder: Path, stderr: int) -> "subprocess.CompletedProcess[bytes]":
    (folder / "run.R").write_text(script, encoding="ascii")
    command = [find_r("Rscript") or "Rscript", str(folder / "run.R")]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, check=True, timeout=60)


@pytest.mark.parametrize("described", SCRIPTS)
def test_on_a_terminal_there_is_a_bar(described: str, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = run(SCRIPTS[described], tmp_path, theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode(errors="replace")
    os.close(ours)
    assert described in shown
    assert done.stdout.split() == [b"2000"]


@pytest.mark.parametrize("described", SCRIPTS)
def test_elsewhere_there_is_nothing(described: str, tmp_path: Path) -> None:
    done = run(SCRIPTS[described], tmp_path, subprocess.PIPE)
    assert done.stdout.split() == [b"2000"] and done.stderr == b""
