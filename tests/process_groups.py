"""Process groups of 2, 3 and 4 processes, joined by gloo: each is started once and does all of its jobs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

JOB = Path(__file__).parent / "distributed_job.py"
ALL_JOBS = {
    2: (
        ("batches", "proportional"),
        ("feedback", "-"),
        ("vocabulary", "-"),
        ("wrapped", "-"),
        ("hostile", "-"),
        ("warned", "-"),
        ("ray", "-"),
    ),
    3: (("batches", "proportional"), ("ranks", "-")),
    4: (("batches", "proportional"), ("sharded", "-")),
}


def run(job: str, parameter: str, world: int) -> list[Any]:
    """Return what each rank of a group of `world` processes tells of a job."""
    return [told[f"{job} {parameter}"] for told in _told(world)]


@lru_cache
def _told(world: int) -> list[dict[str, Any]]:
    jobs = [f"{job} {parameter}" for job, parameter in ALL_JOBS[world]]
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            subprocess.Popen(
                [sys.executable, str(JOB), folder, str(rank), str(world), *jobs],
                stderr=subprocess.PIPE,
                text=True,
                cwd=JOB.parents[1],
                env={**os.environ, "PYTHONPATH": str(JOB.parents[1])},
            )
            for rank in range(world)
        ]
        try:
            errors = [rank.communicate(timeout=300)[1] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        assert [rank.returncode for rank in ranks] == [0] * world, "\n".join(errors)
        return [json.loads(Path(folder, f"{rank}.json").read_text(encoding="utf-8")) for rank in range(world)]
