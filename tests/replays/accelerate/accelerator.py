"""What `pystrat.prepare_for_accelerate` needs of an Accelerator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

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
