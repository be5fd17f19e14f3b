"""Loaders whose state counts the batches that the training loop has taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Optional, Protocol, runtime_checkable

from pystrat.base import BatchSampler
from pystrat.keywords import AnswersKeywords
from pystrat.messages import count_of, refused_type, refused_value, show


@dataclass
class Run:
    """An iteration over a loader: how many of its batches were taken."""

    taken: int = 0


@runtime_checkable
class Counting(Protocol):
    """What a sampler and a stream have in common."""

    def set_epoch(self, epoch: int) -> None:
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        ...

    def _state_after(self, taken: int) -> dict[str, Any]:
        """Return the state after the batches that a loader has taken in its newest iteration."""


class LoaderWithState(AnswersKeywords):
    """Base class of the loaders whose state is that of their sampler after the batches that the loop has taken.

    A subclass implements `_batches`, whose first item begins the sampler's next epoch: not before, since Lightning sets
    the epoch of an iterator that it has made.
    """

    def __init__(self, sampler: Any) -> None:
        self._sampler = sampler
        self._run = Run()

    def _batches(self) -> Iterable[Any]:
        """Begin the sampler's next epoch and return its batches."""
        raise NotImplementedError

    @property
    def sampler(self) -> Any:
        """The sampler, whose epoch Lightning sets."""
        return self._sampler

    def __len__(self) -> int:
        return len(self._sampler)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._sampler, BatchSampler):
            self._sampler._has_new_iterator = True
        self._run = run = Run()
        return self._iterate(run)

    def _iterate(self, run: Run) -> Iterator[Any]:
        self._run = run
        for batch in self._batches():
            run.taken += 1
            yield batch

    def set_epoch(self, epoch: int) -> None:
        """Set the next epoch, as `BatchSampler.set_epoch` does."""
        self._sampler.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return the state after the batches that were taken: that of the sampler, for `load_state_dict` of either."""
        state: dict[str, Any] = self._sampler._state_after(self._run.taken)
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state: the next iteration yields exactly the batches that would have come."""
        self._sampler.load_state_dict(state)


class ResumableLoader(LoaderWithState):
    """Loader whose state counts the batches that the training loop has taken, around a DataLoader.

    A sampler knows which batches were requested, but not which of them were trained on: a DataLoader with workers
    requests batches ahead. Iterate over this loader in place of the DataLoader, and save its state. Libraries that save
    the states of loaders, such as Lightning, and those that save the state of an object that you name, such as Ignite
    and accelerate, then resume with exactly the batches that would have come.

    Parameters
    ----------
    loader : torch.utils.data.DataLoader
        With ``batch_sampler=sampler``, or with ``sampler=sampler, batch_size=None``, for a sampler of this package; or
        with a `StratifiedStream` with counts and ``batch_size=None``. In place of a loader, a sampler or a stream
        itself, for the nodes of torchdata.

    Attributes
    ----------
    sampler : BatchSampler or StratifiedStream

    Raises
    ------
    TypeError, ValueError
        If `loader` has no sampler and no stream of this package, has a state of its own, delivers batches out of order,
        or has a dataset of another number of rows than the sampler.

    Notes
    -----
    The state is that of the sampler, and each can load the state of the other. A state saved after the last batch
    continues with the next epoch.

    An iteration begins, and its workers start, when its first batch is requested. So a training library may set the
    epoch after ``iter(loader)``, as Lightning does.

    Libraries that divide the batches of a DataLoader among processes leave this loader as it is: give the sampler
    `num_replicas` and `rank`.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from pystrat import ResumableLoader, StratifiedBatchSampler
    >>> labels = [0, 1, 1, 0, 1, 1]
    >>> sampler = StratifiedBatchSampler(labels, min_samples_per_stratum=1, seed=1)
    >>> loader = DataLoader(range(6), batch_sampler=sampler, collate_fn=list)
    >>> loader = ResumableLoader(loader)
    >>> for batch in loader:
    ...     print(batch, loader.state_dict()["epoch"], loader.state_dict()["batch"])
    [0, 2, 5] 0 1
    [3, 1, 4] 1 0
    """

    def __init__(self, loader: Any) -> None:
        super().__init__(_counting_part(loader))
        self._loader = loader

    def _batches(self) -> Iterator[Any]:
        return iter(self._loader)

    def __len__(self) -> int:
        return len(self._loader)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sampler!r})"


def length_of(dataset: Any) -> Optional[int]:
    """Return the number of rows of a dataset, None if it has none."""
    try:
        return len(dataset)
    except (TypeError, NotImplementedError):
        return None


def check_rows(sampler: Any, n_rows: Optional[int], name: str, have: str) -> None:
    """Refuse data with another number of rows than those of the sampler, if both are known."""
    expected = sampler._rows_of_data() if isinstance(sampler, BatchSampler) else None
    if expected is not None and n_rows is not None and n_rows != expected:
        advice = "Of more rows, give only those of the sampler." if n_rows > expected else None
        required = f"{have} as many rows as the sampler was made for, {expected}"
        raise refused_value(name, required, count_of(n_rows, "row"), advice)


def _counting_part(loader: Any) -> Any:
    """Return the sampler or the stream of a loader; refuse loaders whose batches are not those of one."""
    required = "be a DataLoader with a batch sampler or a stream of pystrat"
    batched = getattr(loader, "batch_sampler", None)
    given = getattr(loader, "sampler", None), getattr(loader, "dataset", None)
    found = [part for part in (loader, batched, *given) if isinstance(part, Counting)]
    if not found:
        got = show(loader) if batched is None else f"one with a batch sampler of class '{type(batched).__name__}'"
        raise refused_type("loader", required, got)
    if found[0] is not loader and hasattr(loader, "state_dict"):
        advice = "Iterate over it itself, and save its state."
        raise refused_type("loader", "have no state of its own", f"one of class '{type(loader).__name__}'", advice)
    if found[0] not in (loader, batched) and getattr(loader, "batch_size", None) is not None:
        raise refused_value(
            "loader", "have batch_size=None, because the items are whole batches", show(loader.batch_size)
        )
    if not getattr(loader, "in_order", True):
        raise refused_value("loader", "deliver batches in order, which is in_order=True", "in_order=False")
    if getattr(found[0], "buffer_needed", 0) is None:
        raise refused_value("loader", "have a stream with 'counts'", "one without")
    if found[0] is not loader:
        check_rows(found[0], length_of(getattr(loader, "dataset", None)), "loader", "have a dataset of")
    return found[0]
