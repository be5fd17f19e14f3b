"""Loaders for Hugging Face's accelerate and Trainer, in which the sampler decides which epoch comes next.

A loader that accelerate prepared reaches the sampler through wrappers. Which of its calls arrive depends on the number
of processes, on whether batches are skipped, and on the version of accelerate. The two classes of this module are what
accelerate wraps instead of the sampler, so that the same calls arrive in every case.
"""

from __future__ import annotations

import copy
import sys
from functools import partial
from inspect import signature
from typing import Any, Callable, Iterator, Optional

from torch.utils.data import DataLoader

from pystrat.base import BatchSampler
from pystrat.callers import is_count_of_loader
from pystrat.messages import refused_type, refused_value, show
from pystrat.ranks import check_ranks
from pystrat.resumable import check_rows, length_of


def prepare_for_accelerate(loader: DataLoader[Any], accelerator: Any) -> Any:
    """Prepare a DataLoader for accelerate or for the Trainer of transformers, so that it resumes where it should.

    Use it in place of ``accelerator.prepare(loader)``. Prepare the model and the optimizer with `accelerator.prepare`.

    Parameters
    ----------
    loader : torch.utils.data.DataLoader
        Its ``batch_sampler`` is a sampler of this package without a `rank`. If several processes train, the sampler's
        `num_replicas` is their number, or a multiple of it, and its `seed` was given.
    accelerator : accelerate.Accelerator
        Its option `split_batches` must be off: a piece of a batch does not keep the minimum of the batch. So must
        `use_stateful_dataloader`: it starts an iteration when the loader is prepared.

    Returns
    -------
    accelerate.data_loader.DataLoaderShard
        Process p of P gets the batches p, p + P, ... of each epoch.

    Raises
    ------
    TypeError, ValueError
        If the loader has another kind of batch sampler or a stream, the sampler has a `rank` or rows of its own, its
        `num_replicas` does not fit the number of processes, or several processes train and the sampler has no `seed`.
        If `accelerator` is no accelerator, splits batches, or keeps states of loaders.

    Notes
    -----
    * The sampler counts the epochs. ``loader.set_epoch(e)`` and ``sampler.load_state_dict(state)`` say which one comes
      next, in every process. The loader's own count of its iterations has no influence.
    * All of this also holds for a loader of ``accelerator.skip_first_batches``: set the epoch of the loader before, or
      of the returned loader after. Trainer does the latter if it resumes.
    * Each process reads its own batches, even if the accelerator's option `dispatch_batches` is on. Dispatching joins
      batches and cuts them into equal parts, which would mix batches of different sizes.
    * ``accelerator.gather_for_metrics`` returns every row of an epoch. For a sampler with a ``batch_size``,
      `accelerator.prepare` makes it cut the last batch.

    Examples
    --------
    A training loop that resumes in epoch 3, after 5 batches of each process::

        accelerator = Accelerator()
        sampler = StratifiedBatchSampler(labels, 3, seed=1, num_replicas=accelerator.num_processes)
        loader = prepare_for_accelerate(DataLoader(dataset, batch_sampler=sampler), accelerator)
        loader.set_epoch(3)
        for batch in accelerator.skip_first_batches(loader, 5):
            ...
        for epoch in range(4, 10):
            for batch in loader:
                ...
    """
    sampler = _sampler_of(loader)
    check_rows(sampler, length_of(loader.dataset), "loader", "have a dataset of")
    _check_accelerator(accelerator)
    _check_replicas(sampler, accelerator.num_processes)
    batches = _WholeBatches(sampler)
    given = copy.copy(loader)
    vars(given)["batch_sampler"] = batches  # a DataLoader refuses an assignment
    prepared = _prepare_without_dispatching(given, accelerator)
    if prepared.batch_sampler is not batches:  # the share of one of several processes
        prepared.batch_sampler.sampler = batches.sampler
    return prepared


def prepare_for_trainer(sampler: BatchSampler, trainer: Any) -> Any:
    """Return the training loader of a Trainer of transformers, with the batches of a sampler.

    Return it from ``get_train_dataloader``. Training then resumes where it should: you need not save the sampler.

    Parameters
    ----------
    sampler : BatchSampler
        Its `num_replicas` is ``trainer.args.world_size``; it has no `rank`. It is checked with `check_ranks`.
    trainer : transformers.Trainer
        Its dataset, collator, and arguments for workers and memory are those of the loader. As in Trainer, columns that
        the model does not take are removed, unless ``remove_unused_columns=False``.

    Returns
    -------
    accelerate.data_loader.DataLoaderShard
        As `prepare_for_accelerate` returns it.

    Raises
    ------
    TypeError, ValueError
        If `trainer` is no Trainer or has no training dataset; and as `prepare_for_accelerate` and `check_ranks` do.

    Notes
    -----
    It was run with transformers 5.12.1. For transformers 4, the tests only replay how workers are seeded.

    Examples
    --------
    A Trainer whose batches have at least 3 rows of each class::

        class StratifiedTrainer(Trainer):
            def get_train_dataloader(self):
                world_size = self.args.world_size
                sampler = StratifiedBatchSampler(labels, 3, seed=self.args.seed, num_replicas=world_size)
                return prepare_for_trainer(sampler, self)
    """
    if not all(hasattr(trainer, name) for name in ("accelerator", "args", "data_collator")):
        raise refused_type("trainer", "be a Trainer of transformers", show(trainer))
    if trainer.train_dataset is None:
        raise refused_value("trainer", "have a train_dataset", "none")
    if not isinstance(sampler, BatchSampler):
        raise refused_type("sampler", "be a batch sampler of pystrat", show(sampler))
    check_ranks(sampler)
    return prepare_for_accelerate(_loader_of_trainer(sampler, trainer), trainer.accelerator)


def _loader_of_trainer(sampler: BatchSampler, trainer: Any) -> DataLoader[Any]:
    """Return a loader with the options that Trainer gives its own; the libraries of its parts are imported already."""
    options, dataset, collator = trainer.args, trainer.train_dataset, trainer.data_collator
    # A folder of the user may have the name `datasets`, too, and a `Dataset` in it is often torch's.
    if isinstance(dataset, getattr(sys.modules.get("datasets.arrow_dataset"), "Dataset", ())):
        dataset = trainer._remove_unused_columns(dataset, description="training")
    else:
        collator = trainer._get_collator_with_removed_columns(collator, description="training")
    return DataLoader(
        dataset,
        batch_sampler=sampler,
        collate_fn=collator,
        num_workers=options.dataloader_num_workers,
        pin_memory=options.dataloader_pin_memory,
        persistent_workers=options.dataloader_persistent_workers,
        prefetch_factor=options.dataloader_prefetch_factor,
        worker_init_fn=_seed_worker_of(options),
    )


def _seed_worker_of(options: Any) -> Optional[Callable[[int], None]]:
    """Return the function that seeds a worker of Trainer; in older versions, it takes only the number of the worker."""
    seed_worker = getattr(sys.modules.get("transformers.trainer_utils"), "seed_worker", None)
    if seed_worker is None:
        return None
    given = {"num_workers": options.dataloader_num_workers, "rank": options.process_index}
    taken = signature(seed_worker).parameters
    return partial(seed_worker, **{name: value for name, value in given.items() if name in taken})


class _EpochSetter:
    """What accelerate's loaders find as ``.sampler`` and tell the epoch."""

    def __init__(self, sampler: BatchSampler) -> None:
        self._sampler = sampler

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes next, unless it is only a loader's own count of its iterations."""
        if not is_count_of_loader():
            self._sampler.set_epoch(epoch)


class _WholeBatches:
    """The batches of a sampler without its ``batch_size``, by which accelerate would cut the last batch."""

    def __init__(self, sampler: BatchSampler) -> None:
        self._sampler = sampler
        self.sampler = _EpochSetter(sampler)

    def __len__(self) -> int:
        return len(self._sampler)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self._sampler)


def _sampler_of(loader: Any) -> BatchSampler:
    required = "be a DataLoader with a batch sampler of pystrat"
    if not isinstance(loader, DataLoader):
        raise refused_type("loader", required, show(loader))
    sampler: Any = loader.batch_sampler
    if isinstance(sampler, BatchSampler):
        return sampler
    if isinstance(loader.sampler, BatchSampler):
        advice = "Give the loader batch_sampler=sampler: accelerate keeps no sampler of a loader without one."
        raise refused_type("loader", required, "one with sampler=sampler", advice)
    if hasattr(loader.dataset, "load_state_dict"):
        advice = (
            "Give the stream num_replicas=accelerator.num_processes and rank=accelerator.process_index, and iterate "
            "over the loader itself, or over ResumableLoader(loader)."
        )
        raise refused_type("loader", required, "one of a stream", advice)
    raise refused_type("loader", required, f"one with a batch sampler of class '{type(sampler).__name__}'")


def _check_accelerator(accelerator: Any) -> None:
    if not all(hasattr(accelerator, name) for name in ("prepare", "num_processes", "dataloader_config")):
        raise refused_type("accelerator", "be an Accelerator of accelerate", show(accelerator))
    if accelerator.dataloader_config.split_batches:
        required = "keep batches whole, which is DataLoaderConfiguration(split_batches=False)"
        raise refused_value("accelerator", required, "one that splits batches")
    if getattr(accelerator.dataloader_config, "use_stateful_dataloader", False):
        required = "keep no states of loaders, which is DataLoaderConfiguration(use_stateful_dataloader=False)"
        advice = "Set the epoch and skip batches, or iterate over ResumableLoader(loader) and save its state."
        raise refused_value("accelerator", required, "one with use_stateful_dataloader=True", advice)


def _check_replicas(sampler: BatchSampler, n_processes: int) -> None:
    if sampler.rank is not None:
        advice = "Leave out 'rank': accelerate gives each process its share."
        raise refused_value("loader", "have a sampler of all batches", f"one of rank {sampler.rank}", advice)
    if hasattr(sampler, "shards"):
        advice = "Each process has batches of its own: iterate over the loader itself, or over ResumableLoader(loader)."
        raise refused_value("loader", "have a sampler of all batches", f"a {type(sampler).__name__}", advice)
    if (sampler.num_replicas or 1) % n_processes:
        required = f"have a sampler for {n_processes} processes"
        got = "one for one process" if sampler.num_replicas is None else f"one for {sampler.num_replicas}"
        advice = "Give the sampler num_replicas=accelerator.num_processes."
        raise refused_value("loader", required, got, advice)
    if n_processes > 1 and sampler._seed_is_drawn:
        advice = "Give the sampler the same seed in all processes."
        raise refused_value("loader", "have a sampler with a seed", "one that has drawn its own", advice)


def _prepare_without_dispatching(loader: DataLoader[Any], accelerator: Any) -> Any:
    options = accelerator.dataloader_config
    dispatches = options.dispatch_batches
    options.dispatch_batches = False
    try:
        return accelerator.prepare(loader)
    finally:
        options.dispatch_batches = dispatches
