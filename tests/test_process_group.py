"""Real process groups: a sampler without num_replicas or without a seed warns once, and does not use the group."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch.distributed as distributed
import torch.multiprocessing as multiprocessing

from pystrat import StratifiedBatchSampler

LABELS = [0, 1] * 20
WORLD = 2


def iterate_in_a_group(rank: int, folder: str, out: Any) -> None:
    distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=WORLD)
    told: dict[str, Any] = {}
    cases: dict[str, dict[str, Any]] = {
        "alone": {"seed": 1},
        "sharded": {"seed": 1, "num_replicas": WORLD, "rank": rank},
        "seedless": {"num_replicas": WORLD},
    }
    for name, parameters in cases.items():
        sampler = StratifiedBatchSampler(LABELS, 2, **parameters)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            iterator = iter(sampler)
            before = len(caught)
            batches = list(iterator) + list(sampler)
        told[name] = (before, [str(warning.message) for warning in caught], batches)
    out.put((rank, told))
    distributed.destroy_process_group()


def test_a_warning_at_the_first_batch_if_a_process_group_runs_and_num_replicas_or_the_seed_was_not_given(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("spawn")
    out = context.SimpleQueue()
    processes = multiprocessing.spawn(iterate_in_a_group, (str(tmp_path), out), nprocs=WORLD, join=False)
    told = dict(out.get() for _ in range(WORLD))
    processes.join()
    expected = StratifiedBatchSampler(LABELS, 2, seed=1)
    for rank in range(WORLD):
        before, messages, batches = told[rank]["alone"]
        assert before == 0 and len(messages) == 1, "at the first batch, and once"
        assert "A process group of 2 processes runs, but the 'num_replicas' parameter" in messages[0]
        assert batches == [batch.tolist() for epoch in range(2) for batch in expected.batches(epoch)]
        assert told[rank]["sharded"][1] == []
        before, messages, _ = told[rank]["seedless"]
        assert before == 0 and len(messages) == 1, "at the first batch, and once"
        assert "A process group of 2 processes runs, but the 'seed' parameter" in messages[0]
    sharded = [told[rank]["sharded"][2] for rank in range(WORLD)]
    assert sorted(row for rank in sharded for batch in rank[:5] for row in batch) == list(range(40))
