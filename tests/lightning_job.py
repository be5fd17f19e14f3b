"""One process of a real run of Lightning.

Arguments: the job, a folder, the number of processes, and a number of steps. Lightning starts the other processes
itself, by the same command. Each writes what its job returns into the folder, by its rank.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import TensorDataset

from tests.training_libraries import EPOCHS, code_blocks, shared_lines

N_ROWS = 1000
COMMON: dict[str, Any] = {
    "accelerator": "cpu",
    "max_epochs": EPOCHS,
    "logger": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
}


class Recorder(lightning.LightningModule):
    """Notes the batches of each epoch."""

    def __init__(self, loader: Any) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.loader = loader
        self.seen: dict[int, list[Any]] = {}

    def train_dataloader(self) -> Any:
        return self.loader() if callable(self.loader) else self.loader

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.seen.setdefault(self.current_epoch, []).append(batch)
        return self.layer(torch.ones(1, 1)).sum()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def recorder_of_recipe() -> Any:
    """Return the module of the recipe, whose inputs name their rows, and which notes the rows of each epoch."""
    ((_, code),) = code_blocks("Lightning")
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(shared_lines() + code.split("\ntrainer = ")[0], names)
    inputs = torch.zeros(N_ROWS, 8)
    inputs[:, 0] = torch.arange(N_ROWS) / N_ROWS
    names["dataset"] = TensorDataset(inputs, torch.tensor(names["labels"]))

    class RecipeRecorder(names["Module"]):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[Any] = []

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            rows = (batch[0][:, 0] * N_ROWS).round().long().tolist()
            self.seen.append([self.current_epoch, rows])
            return super().training_step(batch, batch_idx)

    return RecipeRecorder()


def trainer_of(processes: int, **options: Any) -> Any:
    return lightning.Trainer(devices=processes, **{**COMMON, **options})


def job_begin(folder: Path, processes: int, steps: int) -> Any:
    """The recipe, until so many steps are done."""
    saving = ModelCheckpoint(dirpath=folder, filename="stopped", every_n_train_steps=steps)
    module = recorder_of_recipe()
    trainer_of(processes, max_steps=steps, callbacks=[saving]).fit(module)
    return module.seen


def job_resume(folder: Path, processes: int, steps: int) -> Any:
    """Resume the recipe from its checkpoint, to the end."""
    module = recorder_of_recipe()
    trainer = trainer_of(processes, enable_checkpointing=False)
    trainer.fit(module, ckpt_path=folder / "stopped.ckpt")
    return module.seen


def main(job: str, folder: Path, processes: int, steps: int) -> None:
    result = globals()[f"job_{job}"](folder, processes, steps)
    rank = lightning.fabric.utilities.rank_zero.rank_zero_only.rank
    (folder / f"{job}-{rank}.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
