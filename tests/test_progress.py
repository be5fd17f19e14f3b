"""Long work shows a bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

SCRIPT = """
import time
from pystrat import batch_counts

def slowly():
    for _ in range(16):
        time.sleep(0.1)
        yield [0, 1]

print(len(batch_counts(slowly(), ["a", "b"])))
"""


def run(stderr: int) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, check=True, timeout=60)


def test_on_a_terminal_there_is_a_bar_that_vanishes() -> None:
    ours, theirs = pty.openpty()
    done = run(theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "counting batches" in shown and shown.rstrip(" ").endswith("\r")
    assert done.stdout == b"16\n"


def test_elsewhere_there_is_nothing() -> None:
    done = run(subprocess.PIPE)
    assert done.stdout == b"16\n" and done.stderr == b""
