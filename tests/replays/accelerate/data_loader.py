"""The loaders of accelerate, as its module of the same name has them: what they do to a batch sampler."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from torch.utils.data import DataLoader


class BatchSamplerShard:
    """The batches of one of several processes, which all iterate the whole sampler."""

    def __init__(self, batch_sampler: Any, num_processes: int, process_index: int, even_batches: bool = True) -> None:
        self.batch_sampler = batch_sampler
        self.num_processes = num_processes
        self.process_index = process_index
        self.even_batches = even_batches
        self.batch_size = getattr(batch_sampler, "batch_size", None)
        self.drop_last = getattr(batch_sampler, "drop_last", False)

    def __len__(self) -> int:
        length, rest = divmod(len(self.batch_sampler), self.num_processes)
        if rest == 0 or self.drop_last:
            return length
        return length + 1 if self.even_batches or self.process_index < rest else length

    def __iter__(self) -> Iterator[list[int]]:
        first: list[list[int]] = []
        mine: Optional[list[int]] = None
        count = 0
        for count, batch in enumerate(self.batch_sampler, start=1):
            if count <= self.num_processes:
                first.append(batch)
            if (count - 1) % self.num_processes == self.process_index:
                mine = batch
            if count % self.num_processes == 0 and self.batch_size in (None, len(batch)):
                assert mine is not None
                yield mine
                mine = None
        if self.drop_last:
            return
        if mine is not None:
            yield mine
        elif self.even_batches and count % self.num_processes:
            yield first[self.process_index - count % self.num_processes]


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

    def __init__(self, loader: DataLoader[Any], batch_sampler: Any, iteration: int = 0) -> None:
        self.base_dataloader = DataLoader(
            loader.dataset, batch_sampler=batch_sampler, num_workers=loader.num_workers, collate_fn=loader.collate_fn
        )
        self.batch_sampler = batch_sampler
        self.iteration = iteration

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


def prepare_data_loader(
    dataloader: DataLoader[Any], *, num_processes: int, process_index: int, **options: Any
) -> DataLoaderShard:
    """Wrap the batch sampler if there are several processes; one gets it as it is."""
    shard = BatchSamplerShard(dataloader.batch_sampler, num_processes, process_index, **options)
    return DataLoaderShard(dataloader, dataloader.batch_sampler if num_processes == 1 else shard)


def skip_first_batches(dataloader: DataLoaderShard, num_batches: int) -> DataLoaderShard:
    """Return a loader without the first batches, as accelerate 1.14 does: its count begins at 0."""
    return DataLoaderShard(dataloader.base_dataloader, SkipBatchSampler(dataloader.batch_sampler, num_batches))


def skip_first_batches_with_count(dataloader: DataLoaderShard, num_batches: int) -> DataLoaderShard:
    """The same, as accelerate 1.15 does: the count goes on."""
    skipping = skip_first_batches(dataloader, num_batches)
    skipping.iteration = dataloader.iteration
    return skipping
