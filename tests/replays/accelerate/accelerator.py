"""What `pystrat.prepare_for_accelerate` needs of an Accelerator, and `prepare_for_trainer` of a Trainer."""

from __future__ import annotations

from inspect import signature
from types import SimpleNamespace
from typing import Any, Callable

from torch.utils.data import DataLoader

from tests.replays.accelerate import data_loader


class Accelerator:
    """Process p of P, without the others."""

    def __init__(self, num_processes: int = 1, process_index: int = 0, **options: bool) -> None:
        self.num_processes = num_processes
        self.process_index = process_index
        self.dataloader_config = SimpleNamespace(**{"split_batches": False, "dispatch_batches": None, **options})

    def prepare(self, loader: DataLoader[Any]) -> Any:
        assert not self.dataloader_config.dispatch_batches, "no replay dispatches"
        return self.prepare_data_loader(loader, num_processes=self.num_processes, process_index=self.process_index)

    def prepare_data_loader(self, loader: DataLoader[Any], **given: int) -> Any:
        return data_loader.prepare_data_loader(loader, **given)


class Trainer:
    """A Trainer of transformers whose model takes all columns, in process 3."""

    def __init__(self, dataset: Any, collator: Callable[[Any], Any], **options: Any) -> None:
        self.train_dataset = dataset
        self.data_collator = collator
        self.accelerator = Accelerator()
        prefetch_factor = signature(DataLoader).parameters["prefetch_factor"].default  # 2 in torch 1, None in torch 2
        defaults = {"num_workers": 0, "pin_memory": False, "persistent_workers": False}
        given = {**defaults, "prefetch_factor": prefetch_factor, **options}
        self.args = SimpleNamespace(process_index=3, **{f"dataloader_{name}": given[name] for name in given})

    def _get_collator_with_removed_columns(self, collator: Any, description: str) -> Any:
        return collator
