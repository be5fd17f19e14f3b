"""One process of a real run of accelerate or Trainer; its arguments are the job, a folder, its rank, how many run.

The processes meet in a file of the folder, as those of tests/distributed_job.py. Each job returns the rows of the
batches that this process trained on, which `main` writes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch
import torch.distributed as distributed
from torch.utils.data import DataLoader

from pystrat import ResumableLoader, StratifiedBatchSampler, prepare_for_trainer
from tests.training_libraries import EPOCHS, LABELS

STOP = (1, 2)  # the epoch, and the batches of one process in it, after which a run ends


def sampler_for(processes: int, **parameters: Any) -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 3, seed=1, num_replicas=processes, **parameters)


def job_loop(processes: int, folder: Path) -> Any:
    """Three epochs, with a checkpoint in the middle of the second one; then the same from the checkpoint on."""
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    sampler = sampler_for(processes, rank=accelerator.process_index)
    rows: Any = range(len(LABELS))
    loader = ResumableLoader(DataLoader(rows, batch_sampler=sampler, collate_fn=list))  # type: ignore[arg-type]
    accelerator.register_for_checkpointing(loader)
    whole, stop = [], STOP[0] * len(sampler) + STOP[1]
    for _ in range(EPOCHS):
        for batch in loader:
            whole.append(batch)
            if len(whole) == stop:
                accelerator.save_state(str(folder))
    accelerator.load_state(str(folder))
    resumed = list(loader)
    while sampler.epoch < EPOCHS:
        resumed += list(loader)
    return {"whole": whole, "resumed": resumed, "stop": stop}


class Rows(torch.utils.data.Dataset[Any]):
    def __len__(self) -> int:
        return len(LABELS)

    def __getitem__(self, row: int) -> Any:
        return {"row": row, "labels": float(LABELS[row])}


class Model(torch.nn.Module):
    """Notes the rows that it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(1, 1)
        self.seen: list[list[int]] = []

    def forward(self, row: torch.Tensor, labels: torch.Tensor) -> Any:
        self.seen.append(row.tolist())
        loss = (self.linear(row[:, None].float() / 127)[:, 0] - labels).square().mean()
        return {"loss": loss}


def trained(folder: Path, resume: bool, stop: int = 0) -> Any:
    """Train with Trainer, from its last checkpoint if `resume`, to the end or until it has done `stop` steps."""
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class SamplingTrainer(Trainer):  # type: ignore[misc]
        def get_train_dataloader(self) -> Any:
            sampler = sampler_for(self.args.world_size, rank=self.args.process_index)
            return prepare_for_trainer(super().get_train_dataloader(), sampler, self)

    class Stop(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, arguments: Any, state: Any, control: Any, **_: Any) -> Any:
            control.should_training_stop = state.global_step == stop
            return control

    arguments = TrainingArguments(
        output_dir=str(folder / "checkpoints"),
        num_train_epochs=EPOCHS,
        save_strategy="steps",
        save_steps=stop or 1000,
        save_only_model=True,  # torch loads no optimizer onto "cpu:0", the device of a rank
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
    )
    model = Model()
    trainer = SamplingTrainer(model, arguments, train_dataset=Rows(), callbacks=[Stop()])
    trainer.train(resume_from_checkpoint=resume)
    return model.seen


def job_trainer(processes: int, folder: Path) -> Any:
    """Three epochs; the beginning of them with a checkpoint in the second one; and what follows from there."""
    length = len(sampler_for(processes)) // processes
    stop = STOP[0] * length + STOP[1]
    return {
        "whole": trained(folder / "whole", False),
        "begun": trained(folder / "parts", False, stop),
        "resumed": trained(folder / "parts", True),
    }


def main() -> None:
    job, folder, rank, world = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    if world > 1:
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world))
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="1")  # asked for, though nobody meets there
        distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=world)
    found = globals()[f"job_{job}"](world, folder / "work")
    (folder / f"{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    if world > 1:
        distributed.barrier()
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
