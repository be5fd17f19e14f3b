"""Loaders whose state counts the batches that the training loop has taken."""

from __future__ import annotations

import operator
from typing import Any, Iterator, Mapping, Optional

from pystrat.core.base import BatchSampler
from pystrat.core.messages import count_of, refused_type, refused_value, show
from pystrat.core.places import Placed


class ResumableLoader:
    """Loader whose state counts the batches that the training loop has taken, around a DataLoader.

    A DataLoader requests batches ahead, so its sampler does not know which were trained on: iterate over this loader in
    its place, and save its state. The epoch may be set until the first batch is requested. Libraries that divide the
    batches of a DataLoader leave this loader as it is: give the sampler `num_replicas` and `rank`.

    Parameters
    ----------
    loader : torch.utils.data.DataLoader
        With ``batch_sampler=sampler``, or with ``sampler=sampler, batch_size=None``, for a sampler of this package; or
        with a `StratifiedStream` with counts and ``batch_size=None``. For torchdata's nodes, a sampler or stream alone.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from pystrat import ResumableLoader, StratifiedBatchSampler
    >>> sampler = StratifiedBatchSampler([0, 1, 1, 0, 1, 1], 1, seed=1)
    >>> loader = ResumableLoader(DataLoader(range(6), batch_sampler=sampler, collate_fn=list))
    >>> for batch in loader:
    ...     print(batch, loader.state_dict()["epoch"], loader.state_dict()["batch"])
    [0, 2, 5] 0 1
    [3, 1, 4] 1 0
    """

    sampler: Any  # whose epoch Lightning sets
    _run: Optional[list[int]] = None  # the epoch of the newest iteration, and its batches that are done, until it ends

    def __init__(self, loader: Any) -> None:
        batched, dataset = getattr(loader, "batch_sampler", None), getattr(loader, "dataset", None)
        parts = loader, batched, getattr(loader, "sampler", None), dataset
        part: Any = next((part for part in parts if isinstance(part, Placed)), None)
        if part is None:
            got = f"one of class '{type(loader if batched is None else batched).__name__}'"
            raise refused_type("loader", "be a DataLoader with a batch sampler or a stream of pystrat", got)
        if not getattr(part, "_is_counted", True):
            raise refused_value("loader", "have a stream with 'counts'", "one without")
        if part not in (loader, batched) and getattr(loader, "batch_size", None) is not None:
            required = "have batch_size=None, because the items are whole batches"
            raise refused_value("loader", required, show(loader.batch_size))
        if not getattr(loader, "in_order", True):
            raise refused_value("loader", "deliver batches in order, which is in_order=True", "in_order=False")
        check_rows(part, dataset, "loader", "have a dataset of")
        self.sampler, self._loader = part, loader

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Any]:
        self._run = run = list(self.sampler._next[:2])
        for batch in self._batches():
            run[1] += 1
            yield batch
        if self._run is run:
            self._run = None

    def _batches(self) -> Iterator[Any]:
        """Begin the sampler's next epoch."""
        return iter(self._loader)

    def set_epoch(self, epoch: int, batches_done: Optional[int] = None) -> None:
        """Set the next epoch, as `BatchSampler.set_epoch` does."""
        self.sampler.set_epoch(epoch, batches_done)
        self._run = None

    def state_dict(self) -> Any:
        """Return the state after the batches that were taken, in the form of `BatchSampler.state`."""
        return self.sampler.state(*self._run or ())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state: the next iteration yields exactly the batches that would have come."""
        self.sampler.load_state_dict(state)
        self._run = None


def check_rows(sampler: Any, data: Any, name: str, have: str) -> None:
    """Refuse data with another number of rows than those of the sampler, if both are known."""
    expected = sampler._rows_of_data() if isinstance(sampler, BatchSampler) else None
    n_rows = operator.length_hint(data, expected or 0)
    if expected is not None and n_rows != expected:
        advice = "Of more rows, give only those of the sampler." if n_rows > expected else None
        required = f"{have} as many rows as the sampler was made for, {expected}"
        raise refused_value(name, required, count_of(n_rows, "row"), advice)
