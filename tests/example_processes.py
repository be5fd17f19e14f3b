"""Examples that train in several processes, on files of unequal size.

torch's launcher starts them, or `begin` does with the variables that the launcher sets.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

EXAMPLES = Path(__file__).parents[1] / "examples"
# Rows of each file, and their share of positives.
ROWS = [(30, 0.2), (80, 0.0), (200, 0.1), (41, 0.3), (60, 0.2), (33, 0.5), (90, 0.1), (55, 0.0)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(**variables: str) -> dict[str, str]:
    """Return the variables of a process that imports the package and meets others through a store of torch."""
    paths = [str(EXAMPLES.parent), *filter(None, [os.environ.get("PYTHONPATH")])]  # libraries may be on the path, too
    # Newer releases of torch use libuv by default. Some builds lack it.
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "USE_LIBUV": "0", **variables}


def begin(script: str, world: int, folder: Path, *options: str) -> list[Any]:
    """Start an example in `world` processes, with the variables that the launcher of torch sets."""
    variables = {"WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    arguments = [str(EXAMPLES / script), str(folder), str(folder / "checkpoint"), *options]
    context = multiprocessing.get_context("forkserver")  # which has imported torch
    processes = [
        context.Process(target=run_example, args=(arguments, {**variables, "USE_LIBUV": "0", "RANK": str(rank)}))
        for rank in range(world)
    ]
    for process in processes:
        process.start()
    return processes


def run_example(arguments: list[str], variables: dict[str, str]) -> None:
    os.environ.update(variables)
    sys.argv[:] = arguments
    runpy.run_path(arguments[0], run_name="__main__")


def launched(script: str, world: int, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run an example in `world` processes with torch's launcher."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "1", "--nproc_per_node", str(world)]
    # The launcher meets in a temporary file: it needs no port, and no libuv.
    command += ["--rdzv_backend", "c10d", "--rdzv_conf", "store_type=file"]
    # torch 1.13 cannot read the default of these two, 0, with Python 3.11.
    command += ["--redirects", "1", "--tee", "1", "--log_dir", str(folder / "logs")]
    command += [str(EXAMPLES / script), str(folder), str(folder / "checkpoint"), *options]
    variables = environment(TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1")  # otherwise newer releases open a store with libuv
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)


def ended(processes: list[Any]) -> list[int]:
    """Wait for processes and return their exit codes."""
    for process in processes:
        process.join(timeout=300)
    for process in processes:
        process.kill()
    return [process.exitcode for process in processes]


def kill_at_checkpoint(processes: list[Any], folder: Path) -> None:
    """Kill processes as soon as there is a checkpoint."""
    while not (folder / "checkpoint").exists() and all(process.is_alive() for process in processes):
        time.sleep(0.01)
    for process in processes:
        process.kill()
    ended(processes)


def write_files(folder: Path) -> None:
    """Write the files of a training."""
    generator = np.random.default_rng(0)
    for place, (n_rows, share) in enumerate(ROWS):
        labels = (generator.random(n_rows) < share).astype(int)
        columns = {"x1": generator.normal(size=n_rows) + labels, "x2": generator.normal(size=n_rows), "label": labels}
        pd.DataFrame(columns).to_csv(folder / f"part-{place}.csv", index=False)


def trained(folder: Path) -> tuple[dict[str, Any], list[float]]:
    """Return the sampler's place and the parameters of the checkpoint."""
    saved = torch.load(folder / "checkpoint")
    return saved["sampler"], [number for value in saved["model"].values() for number in value.reshape(-1).tolist()]
