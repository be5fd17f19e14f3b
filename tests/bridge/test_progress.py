"""In R too, long work shows a bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from rbridge._install import find_r

SCRIPT = """
options(cli.progress_show_after = 0)
generator = rbridge::batch_sampler_stratified(1, strata = rep(1:2, 1000), seed = 1)
cat(length(rbridge::collect_rows(generator, 2000)$rows), "\\n")
"""


def run(script: Path, stderr: int) -> "subprocess.CompletedProcess[bytes]":
    script.write_text(SCRIPT, encoding="ascii")
    command = [find_r("Rscript") or "Rscript", str(script)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, check=True, timeout=60)


def test_on_a_terminal_there_is_a_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = run(tmp_path / "run.R", theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode(errors="replace")
    os.close(ours)
    assert "collecting batches" in shown
    assert done.stdout.split() == [b"2000"]


def test_elsewhere_there_is_nothing(tmp_path: Path) -> None:
    done = run(tmp_path / "run.R", subprocess.PIPE)
    assert done.stdout.split() == [b"2000"] and done.stderr == b""
