"""The loaders of accelerate, as its module of the same name has them: what they do to a batch sampler."""

from __future__ import annotations

from typing import Any, Iterator

from torch.utils.data import DataLoader


class BatchSamplerShard:
    """The batches of one of several processes, which all iterate the whole sampler.

    The sampler has no batch size, and a multiple of the processes as its number of batches.
    """

    def __init__(self, batch_sampler: Any, num_processes: int, process_index: int) -> None:
        self.batch_sampler = batch_sampler
        self.num_processes = num_processes
        self.process_index = process_index

    def __len__(self) -> int:
        return len(self.batch_sampler) // self.num_processes

    def __iter__(self) -> Iterator[list[int]]:
        mine: list[int] = []
        for count, batch in enumerate(self.batch_sampler):
            if count % self.num_processes == self.process_index:
                mine = batch
            if (count + 1) % self.num_processes == 0:
                yield mine


class SkipBatchSampler:
    """Leaves out the first batches. It has no `sampler`, so nothing behind a shard hears of an epoch."""

    def __init__(self, batch_sampler: Any, skip_batches: int) -> None:
        self.batch_sampler = batch_sampler
        self.skip_batches = skip_batches

    def __len__(self) -> int:
        return len(self.batch_sampler) - self.skip_batches

    def __iter__(self) -> Iterator[list[int]]:
        for index, batch in enumerate(self.batch_sampler):
            if index >= self.skip_batches:
                yield batch


class DataLoaderShard:
    """A loader that tells the sampler its count, then iterates one batch ahead of what it hands out."""

    def __init__(self, loader: DataLoader[Any], batch_sampler: Any) -> None:
        self.base_dataloader = DataLoader(
            loader.dataset, batch_sampler=batch_sampler, num_workers=loader.num_workers, collate_fn=loader.collate_fn
        )
        self.batch_sampler = batch_sampler
        self.iteration = 0

    def __len__(self) -> int:
        return len(self.batch_sampler)

    def set_epoch(self, epoch: int) -> None:
        self.iteration = epoch
        inner = getattr(self.batch_sampler, "batch_sampler", None)
        for holder, name in ((self, "batch_sampler"), (self.batch_sampler, "sampler"), (inner, "sampler")):
            sampler = getattr(holder, name, None)
            if hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[Any]:
        self.set_epoch(self.iteration)
        iterator = iter(self.base_dataloader)
        current = next(iterator)
        for following in iterator:
            yield current
            current = following
        yield current
        self.iteration += 1


def prepare_data_loader(dataloader: DataLoader[Any], *, num_processes: int, process_index: int) -> DataLoaderShard:
    """Wrap the batch sampler if there are several processes; one gets it as it is."""
    shard = BatchSamplerShard(dataloader.batch_sampler, num_processes, process_index)
    return DataLoaderShard(dataloader, dataloader.batch_sampler if num_processes == 1 else shard)
