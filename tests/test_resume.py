"""A training process is killed repeatedly, and still trains on exactly the batches of an undisturbed one."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.training_job import EPOCHS, KINDS, LABELS, train

JOB = Path(__file__).parent / "training_job.py"
KILLS = 8  # of each of the three jobs


def start(checkpoint: Path, workers: int, kind: str) -> subprocess.Popen:
    """Start a job in a group of processes that its workers belong to, however they are started."""
    command = [sys.executable, str(JOB), str(checkpoint), str(workers), kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=JOB.parents[1], start_new_session=True)


def kill(process: subprocess.Popen) -> None:
    """Kill the job, then its workers: those of a fork server would live on, and keep its output open."""
    process.kill()
    process.wait()
    with suppress(ProcessLookupError):  # no workers, or they are gone already
        os.killpg(process.pid, signal.SIGKILL)


def trained(checkpoint: Path) -> list[Any]:
    return pickle.loads(checkpoint.read_bytes())["trained"] if checkpoint.exists() else []


def undisturbed(kind: str) -> list[list[int]]:
    batches: list[list[int]] = []
    train(KINDS[kind](), 0, batches, lambda trained, state: None)
    return batches


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "workers"), [("stratified", 0), ("stratified", 2), ("weighted", 0)])
def test_killed_at_random_moments(kind: str, workers: int, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    moments = random.Random(workers)
    in_the_middle = 0
    for _ in range(KILLS):
        with start(checkpoint, workers, kind) as process:
            before = len(trained(checkpoint))
            while len(trained(checkpoint)) == before and process.poll() is None:
                time.sleep(0.005)
            time.sleep(moments.uniform(0, 0.15))
            kill(process)
        in_the_middle += process.returncode == -signal.SIGKILL
    last = start(checkpoint, workers, kind)
    assert last.communicate()[0] == "done\n" and last.returncode == 0
    assert in_the_middle == KILLS, "every one was killed while it trained"
    found = trained(checkpoint)
    assert found == undisturbed(kind), "none lost, none twice"
    if kind == "stratified":
        n_batches = len(found) // EPOCHS
        for epoch in range(EPOCHS):
            rows = [row for batch in found[epoch * n_batches : (epoch + 1) * n_batches] for row in batch]
            assert sorted(rows) == list(range(len(LABELS))), "every row once"
