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

COUNTING = """
import time
from pystrat import batch_counts

def slowly():
    for _ in range(16):
        time.sleep(0.1)
        yield [0, 1]

print(len(batch_counts(slowly(), ["a", "b"])))
"""


# Finding the lines of a text takes a second from some gigabytes on; the blocks that it reads come slowly here.
FINDING_LINES = """
import io, time
from pystrat.corpus import line_index

class SlowText(io.FileIO):
    def read(self, size):
        time.sleep(0.3)
        return super().read(size)

line_index._BLOCK = 10
with open("text", "wb") as file:
    file.write(b"a line\\n" * 10)
with SlowText("text") as text:
    print(sum(len(block) for block in line_index._blocks_of_offsets(text)))
"""


def run(script: str, folder: Path, stderr: int) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, check=True, timeout=60)


WORK = pytest.mark.parametrize(
    "script, description, printed",
    [(COUNTING, "counting batches", b"16\n"), (FINDING_LINES, "finding lines of text", b"11\n")],
    ids=["counting batches", "finding lines"],
)


@WORK
def test_on_a_terminal_there_is_a_bar_that_vanishes(
    script: str, description: str, printed: bytes, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))  # a bar has no room in 0 columns
    done = run(script, tmp_path, theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert description in shown and shown.rstrip(" ").endswith("\r")
    assert done.stdout == printed


@WORK
def test_elsewhere_there_is_nothing(script: str, description: str, printed: bytes, tmp_path: Path) -> None:
    done = run(script, tmp_path, subprocess.PIPE)
    assert done.stdout == printed and done.stderr == b""
