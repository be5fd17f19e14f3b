"""Long work shows a progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

# The clock of the bars goes on by half a second with each question: work shows its bar after the first second.
WORK = """
import io, itertools, tqdm.std
from pystrat import batch_counts
from pystrat.corpus import CorpusDataset, line_table

clock = itertools.count(0, 0.5)
tqdm.std.time = lambda: next(clock)
print(len(batch_counts(([0, 1] for _ in range(16)), ["a", "b"])))

line_table.BLOCK = 10
with open("text", "wb") as file:
    file.write(b"a line\\n" * 10)
print(len(CorpusDataset(["text"], [""])))
"""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_long_work_shows_bars_that_vanish_on_a_terminal_alone(is_terminal: bool, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # a bar has no room in 0 columns
    errors = theirs if is_terminal else subprocess.PIPE
    command = [sys.executable, "-c", WORK]
    with os.fdopen(ours, "rb", buffering=0) as screen:
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=errors, check=True, timeout=300)
        assert done.stdout == b"16\n10\n"
        if is_terminal:
            shown = screen.read(100_000).decode()
            assert "counting batches" in shown and "finding lines of text" in shown and shown.rstrip(" ").endswith("\r")
        else:
            assert done.stderr == b""
        os.close(theirs)
