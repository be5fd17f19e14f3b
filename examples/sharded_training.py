"""Train on files that are divided among processes, and resume with a different number of processes.

    python -m torch.distributed.run --standalone --nproc_per_node 4 examples/sharded_training.py FOLDER CHECKPOINT

FOLDER contains CSV files with the columns ``x1``, ``x2`` and ``label``. Each process reads consecutive files, and gets
only the number of rows of each label from the others. After each step, the model, the optimizer and the place in the
epoch are saved to CHECKPOINT. ``--stop-after 5`` ends the process after 5 steps, as if it had been killed.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.distributed as distributed
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from pystrat import ShardedStratifiedBatchSampler, check_ranks, gather_counts

EPOCHS = 3


def main() -> None:
    """Train for all epochs."""
    arguments = parsed_arguments()
    distributed.init_process_group("gloo")
    rank, world = distributed.get_rank(), distributed.get_world_size()
    files = sorted(Path(arguments.folder).glob("*.csv"))
    own = {files[place].name: pd.read_csv(files[place]) for place in np.array_split(np.arange(len(files)), world)[rank]}
    rows = pd.concat(own.values())
    sampler = ShardedStratifiedBatchSampler(
        rows["label"],
        5,
        counts=gather_counts({name: table["label"] for name, table in own.items()}),
        shards=list(own),
        seed=1,
    )
    dataset = TensorDataset(
        torch.tensor(rows[["x1", "x2"]].to_numpy(dtype=np.float32)),
        torch.tensor(rows["label"].to_numpy(dtype=np.float32)),
    )
    train(sampler, dataset, world, arguments)
    distributed.barrier()
    distributed.destroy_process_group()


def train(
    sampler: ShardedStratifiedBatchSampler, dataset: TensorDataset, world: int, arguments: argparse.Namespace
) -> None:
    """Train from the checkpoint, if there is one. Rank 0 writes it after each step."""
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    checkpoint = Path(arguments.checkpoint)
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        sampler.load_state_dict(saved["sampler"])
    check_ranks(sampler)
    loader = DataLoader(dataset, batch_sampler=sampler)  # type: ignore[arg-type]
    sizes = sampler.plan.sizes()
    steps = 0
    while sampler.epoch < EPOCHS:
        epoch, first = sampler.epoch, sampler.state()["batch"]
        if distributed.get_rank() == 0:
            print(f"epoch {epoch}, from batch {first}", flush=True)
        for consumed, (inputs, labels) in enumerate(loader, start=1):
            loss = binary_cross_entropy_with_logits(model(inputs).squeeze(1), labels)
            # DDP averages the gradients of the processes; with this factor, that is the gradient over all rows.
            loss = loss * world * len(labels) / sizes[first + consumed - 1]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if distributed.get_rank() == 0:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                aside = checkpoint.with_suffix(".new")
                torch.save({**state, "sampler": sampler.state(epoch, first + consumed)}, aside)
                os.replace(aside, checkpoint)
            distributed.barrier()
            steps += 1
            if steps == arguments.stop_after:
                os._exit(1)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train on files that are divided among processes.")
    parser.add_argument("folder")
    parser.add_argument("checkpoint")
    parser.add_argument("--stop-after", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    main()
