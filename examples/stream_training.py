"""Train on a stream of files that processes share, and resume with a different number of processes.

    python -m torch.distributed.run --standalone --nproc_per_node 2 examples/stream_training.py FOLDER CHECKPOINT

FOLDER contains CSV files with the columns ``x1``, ``x2`` and ``label``. Each process counts some of the files, and
reads the files of its lanes from beginning to end in each epoch. Whenever all lanes have delivered the same number of
batches, the model, the optimizer and the place in the epoch are saved to CHECKPOINT. Any number of processes that
divides the number of lanes can resume from it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as distributed
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from pystrat import ResumableLoader, check_ranks, gather_counts
from pystrat.stream import StratifiedStream, read_csv

EPOCHS = 3
LANES = 4


def main() -> None:
    """Train for all epochs."""
    arguments = parsed_arguments()
    distributed.init_process_group("gloo")
    rank, world = distributed.get_rank(), distributed.get_world_size()
    files = sorted(str(path) for path in Path(arguments.folder).glob("*.csv"))
    stream = StratifiedStream(
        files,
        2,
        read=read_csv,
        stratum="label",
        counts=gather_counts({file: [row["label"] for row in read_csv(file)] for file in files[rank::world]}),
        lanes=LANES,
        seed=1,
        num_replicas=world,
        rank=rank,
    )
    train(stream, Path(arguments.checkpoint))
    distributed.barrier()
    distributed.destroy_process_group()


def train(stream: StratifiedStream, checkpoint: Path) -> None:
    """Train from the checkpoint, if there is one. Rank 0 writes it."""
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        stream.load_state_dict(saved["sampler"])
    check_ranks(stream)
    loader = ResumableLoader(DataLoader(stream, batch_size=None, collate_fn=tensors_of))
    while stream.epoch < EPOCHS:
        if distributed.get_rank() == 0:
            print(f"epoch {stream.epoch}, from batch {stream.state()['batch']}", flush=True)
        for inputs, labels in loader:
            loss = binary_cross_entropy_with_logits(model(inputs).squeeze(1), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            place = loader.state_dict()
            if distributed.get_rank() == 0 and place["batch"] % LANES == 0:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "sampler": place}
                aside = checkpoint.with_suffix(".new")
                torch.save(state, aside)
                os.replace(aside, checkpoint)


def tensors_of(rows: list[dict[str, str]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the inputs and the labels of a batch."""
    inputs = torch.tensor([[float(row["x1"]), float(row["x2"])] for row in rows])
    return inputs, torch.tensor([float(row["label"]) for row in rows])


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train on a stream of files that processes share.")
    parser.add_argument("folder")
    parser.add_argument("checkpoint")
    return parser.parse_args()


if __name__ == "__main__":
    main()
