"""Process groups of 2, 3 and 4 processes, joined by gloo: each is started once and does all of its jobs."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests import distributed_job

ALL_JOBS = {
    2: ("batches", "feedback", "vocabulary", "wrapped", "warned", "ray"),
    3: ("batches", "ranks"),
    4: ("batches", "sharded"),
}


def run(job: str, world: int) -> list[Any]:
    """Return what each rank of a group of `world` processes tells of a job."""
    return [told[job] for told in _told(world)]


@lru_cache
def _told(world: int) -> list[dict[str, Any]]:
    context = multiprocessing.get_context("forkserver")  # which has imported torch
    with tempfile.TemporaryDirectory() as folder:
        given = (folder, world, ALL_JOBS[world])
        ranks = [context.Process(target=distributed_job.work, args=(rank, *given)) for rank in range(world)]
        try:
            for process in ranks:
                process.start()
            for process in ranks:
                process.join(timeout=300)
                assert process.exitcode == 0, "standard error has the traceback"
        finally:
            for process in ranks:
                process.kill()
        return [json.loads(Path(folder, f"{rank}.json").read_text(encoding="utf-8")) for rank in range(world)]
