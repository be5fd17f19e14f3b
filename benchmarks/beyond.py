"""Sharded batches: an epoch over one without shards, gathering over all_reduce, growth by shards, strata and ranks."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import torch.distributed as distributed
from rounds import Timing, head, interleaved, show_ratio
from settings import labels_of

from pystrat import ShardedStratifiedBatchSampler, StratifiedBatchSampler, gather_counts, shard_counts, sharded_plan
from pystrat.counts_by_shard import ShardCounts

EPOCH_REACH = 1.2
GROWTH_REACH = 2.8  # room for logarithms, and for memory that no longer fits a cache
WORLD = 4
SHARDS_OF_A_RANK = 10_000


def epochs(n_rows: int) -> None:
    """An epoch of rows in shards, all held by one process, over one of the same rows without shards."""
    for n_strata in (2, 10):
        labels = labels_of(n_rows, n_strata)
        whole = StratifiedBatchSampler(labels, 100, assign="even", seed=1)
        contestants: dict[str, Any] = {"whole": lambda: whole.batches(0)}
        for n_shards in (1, 10, 1000):
            names = [f"{shard:04}" for shard in range(n_shards)]
            counts = shard_counts(dict(zip(names, np.array_split(labels, n_shards))))
            sampler = ShardedStratifiedBatchSampler(labels, 100, counts=counts, shards=names, seed=1)
            contestants[f"{n_shards}"] = lambda sampler=sampler: sampler.batches(0)
        timings = interleaved(contestants, rounds=15)
        for n_shards in (1, 10, 1000):
            claim = f"an epoch of {n_rows:,} rows in {n_shards:,} shards, {n_strata} strata, over one without shards"
            show_ratio(claim, timings, f"{n_shards}", "whole", EPOCH_REACH)


def plans() -> None:
    """A plan, and the fewest rows of a process, at twice the size over the size itself."""

    def of(n_shards: int, n_strata: int) -> Any:
        names, counts = table_of(n_shards, n_strata)
        return lambda: sharded_plan(counts, 1000).fewest_rows(names[: n_shards // 10])

    timings = interleaved({"size": of(50_000, 10), "shards": of(100_000, 10), "strata": of(50_000, 20)}, rounds=7)
    for what in ("shards", "strata"):
        show_ratio(f"a plan at twice the {what}, over 50,000 shards of 10 strata", timings, what, "size", GROWTH_REACH)


def table_of(n_shards: int, n_strata: int) -> tuple[list[str], pd.DataFrame]:
    """Return the names of shards, and a table of their counts."""
    table = 10**6 + np.arange(n_shards * n_strata).reshape(n_shards, n_strata) % 97
    names = [f"{shard:06}" for shard in range(n_shards)]
    return names, ShardCounts(table, names, pd.Index([f"{stratum}" for stratum in range(n_strata)])).to_frame()


def ranks() -> None:
    """What each rank does before its first batch, with 2, 4 and 8 ranks that hold equally many shards each."""

    def of(n_ranks: int) -> Any:
        names, counts = table_of(SHARDS_OF_A_RANK * n_ranks, 10)
        return lambda: sharded_plan(counts, 1000).fewest_rows(names[-SHARDS_OF_A_RANK:])

    timings = interleaved({str(n_ranks): of(n_ranks) for n_ranks in (2, 4, 8)}, rounds=7)
    for n_ranks in (4, 8):
        claim = f"the plan of a rank, {SHARDS_OF_A_RANK:,} shards a rank, with {n_ranks} ranks over {n_ranks // 2}"
        show_ratio(claim, timings, str(n_ranks), str(n_ranks // 2), GROWTH_REACH)


def gathering() -> None:
    """Gather the counts of 4 processes, over one all_reduce of a table of the same bytes."""
    for n_shards in (100, 1000):
        with tempfile.TemporaryDirectory() as folder:
            ranks = [
                subprocess.Popen([sys.executable, __file__, "rank", str(rank), str(n_shards), folder])
                for rank in range(WORLD)
            ]
            if any([rank.wait() for rank in ranks]):
                sys.exit("a process failed")
            seconds = json.loads((Path(folder) / "seconds.json").read_text(encoding="utf-8"))
        timings = {name: Timing(values) for name, values in seconds.items()}
        claim = f"gathering {n_shards:,} shards of 10 strata in {WORLD} processes"
        show_ratio(f"{claim}, counting included, over one all_reduce of the same bytes", timings, "gather", "reduce")
        show_ratio(f"{claim}, counting included, over the counting alone", timings, "gather", "count")


def run_rank(rank: int, n_shards: int, folder: str) -> None:
    """Take part in a process group; rank 0 writes the seconds of each round."""
    distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=WORLD)
    labels = [f"{stratum}" for stratum in range(10)] * 10
    own = {f"{shard:06}": labels for shard in range(rank, n_shards, WORLD)}
    table = torch.zeros(n_shards, 10, dtype=torch.int64)

    def timed(run: Any) -> float:
        distributed.barrier()
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    def reduce() -> pd.DataFrame:
        distributed.all_reduce(table)
        return pd.DataFrame(table.numpy())

    runs = {
        "gather": lambda: gather_counts(own),
        "reduce": reduce,
        "count": lambda: shard_counts(own),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for place in range(11):
        for name, run in runs.items():
            spent = timed(run)
            if place > 0:
                seconds[name].append(spent)
    if rank == 0:
        (Path(folder) / "seconds.json").write_text(json.dumps(seconds), encoding="utf-8")
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == ["rank"]:
        run_rank(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        head()
        epochs(1_000_000)
        gathering()
        plans()
        ranks()
