"""The batches of a sampler in the Trainer of transformers, which resumes by skipping batches of some epoch."""

from __future__ import annotations

from typing import Any, Iterator

from torch.utils.data import DataLoader

from pystrat.core.base import BatchSampler
from pystrat.core.messages import refused_type, refused_value, show
from pystrat.core.ranks import check_ranks
from pystrat.training.resumable import check_rows

_OPTIONS = (
    *("collate_fn", "num_workers", "pin_memory", "persistent_workers", "prefetch_factor", "worker_init_fn"),
    *("timeout", "generator", "multiprocessing_context"),
)


def prepare_for_trainer(loader: DataLoader[Any], sampler: BatchSampler, trainer: Any) -> DataLoader[Any]:
    """Return the training loader of a Trainer of transformers with the batches of a sampler.

    Training then resumes where it should; there is nothing to save. docs/libraries/trainer.md has the whole form.

    Parameters
    ----------
    loader : torch.utils.data.DataLoader
        What ``get_train_dataloader`` of the Trainer itself returns: its dataset, collator and options are taken over.
    sampler : BatchSampler
        Its `num_replicas` is ``trainer.args.world_size``, its `rank` is ``trainer.args.process_index``. It is checked
        with `check_ranks`.
    trainer : transformers.Trainer
    """
    if not isinstance(sampler, BatchSampler):
        raise refused_type("sampler", "be a batch sampler of pystrat", show(sampler))
    share, expected = (sampler.num_replicas, sampler.rank), (trainer.args.world_size, trainer.args.process_index)
    if not hasattr(sampler, "shards") and share != expected and (expected[0] > 1 or share != (None, None)):
        advice = "Give it num_replicas=trainer.args.world_size and rank=trainer.args.process_index."
        required = "be that of this process, {} of {}".format(*reversed(expected))
        raise refused_value("sampler", required, "one of rank {1} of {0}".format(*share), advice)
    check_rows(sampler, loader.dataset, "loader", "have a dataset of")
    check_ranks(sampler)
    batches: Any = _Resumed(sampler, trainer)
    return DataLoader(loader.dataset, batch_sampler=batches, **{name: getattr(loader, name) for name in _OPTIONS})


class _Resumed:
    """The batches of a sampler from the epoch of the trainer's state on, which is loaded after the loader is made."""

    def __init__(self, sampler: BatchSampler, trainer: Any) -> None:
        self._sampler, self._trainer, self._has_begun = sampler, trainer, False

    def __len__(self) -> int:
        return len(self._sampler)

    def __iter__(self) -> Iterator[list[int]]:
        if not self._has_begun:
            self._sampler.set_epoch(int(self._trainer.state.epoch or 0))
            self._has_begun = True
        return iter(self._sampler)
