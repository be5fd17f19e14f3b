"""The loader that Ray prepares, as its module of the same name has it, and what a worker is given before it trains.

Ray joins each worker in the process group with its rank, sets RANK and WORLD_SIZE, and calls the training function:
`_setup_torch_process_group()` and `_set_torch_distributed_env_vars()` of `ray/train/torch/config.py`.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Iterator

import torch.distributed as distributed
from torch.utils.data import DataLoader


class WrappedLoader:
    """Ray's `_WrappedDataLoader` on a processor: it has the next batch before it gives one away."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader

    def __iter__(self) -> Iterator[Any]:
        iterator = iter(self._loader)
        following = next(iterator, None)
        while following is not None:
            batch, following = following, next(iterator, None)
            yield batch


def prepare_data_loader(loader: DataLoader[Any], add_dist_sampler: bool = True) -> WrappedLoader:
    """Wrap the loader; without the option, Ray would put a DistributedSampler in place of the batch sampler."""
    assert not add_dist_sampler
    return WrappedLoader(loader)


class TorchTrainer:
    """In this process, which is one of the workers and has joined the process group, `fit` calls the function."""

    def __init__(
        self, train: Callable[[Any], None], *, train_loop_config: dict[str, Any], scaling_config: SimpleNamespace
    ) -> None:
        self._train, self._config, self._n_workers = train, train_loop_config, scaling_config.num_workers

    def fit(self) -> None:
        assert self._n_workers == distributed.get_world_size()
        os.environ["RANK"] = str(distributed.get_rank())
        os.environ["WORLD_SIZE"] = str(distributed.get_world_size())
        self._train(self._config)


def install(report: Callable[[Any], None]) -> None:
    """Let `import ray.train.torch` find these calls; `report` gets what is reported."""
    context = SimpleNamespace(get_world_rank=distributed.get_rank, get_world_size=distributed.get_world_size)
    ray, train, torch_part = ModuleType("ray"), ModuleType("ray.train"), ModuleType("ray.train.torch")
    vars(ray).update(train=train)
    vars(train).update(torch=torch_part, get_context=lambda: context, report=report, ScalingConfig=SimpleNamespace)
    vars(torch_part).update(TorchTrainer=TorchTrainer, prepare_data_loader=prepare_data_loader)
    sys.modules.update({"ray": ray, "ray.train": train, "ray.train.torch": torch_part})
