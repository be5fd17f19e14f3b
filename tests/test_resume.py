"""A training process is killed again and again, and trains on exactly the batches of one that was not disturbed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.training_job import EPOCHS, sampler_of

JOB = Path(__file__).parent / "training_job.py"
KILLS = 20  # over both tests


def start(checkpoint: Path, workers: int) -> subprocess.Popen:
    command = [sys.executable, str(JOB), str(checkpoint), str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=JOB.parents[1])


def trained(checkpoint: Path) -> list[Any]:
    return json.loads(checkpoint.read_text(encoding="utf-8"))["trained"] if checkpoint.exists() else []


@pytest.mark.parametrize("workers", [0, 2])
def test_killed_at_twenty_random_moments(workers: int, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.json"
    moments = random.Random(workers)
    in_the_middle = 0
    for _ in range(KILLS // 2):
        # Ends when the process does; its workers, which hold its output too, notice that five seconds later.
        with start(checkpoint, workers) as process:
            before = len(trained(checkpoint))
            while len(trained(checkpoint)) == before and process.poll() is None:
                time.sleep(0.005)
            time.sleep(moments.uniform(0, 0.15))
            process.send_signal(signal.SIGKILL)
        in_the_middle += process.returncode == -signal.SIGKILL
    last = start(checkpoint, workers)
    assert last.communicate()[0] == "done\n" and last.returncode == 0
    assert in_the_middle == KILLS // 2, "every one was killed while it trained"
    undisturbed = [batch.tolist() for epoch in range(EPOCHS) for batch in sampler_of().batches(epoch)]
    assert trained(checkpoint) == undisturbed, "none lost, none twice"
