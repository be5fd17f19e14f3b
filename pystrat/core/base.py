"""Shared by all batch samplers: iteration over epochs, and length."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import Any, Callable, Iterator, Mapping, Optional

from pystrat.core.batches import Batches
from pystrat.core.messages import refused_value
from pystrat.core.places import Place, Placed
from pystrat.core.recipe import Recipe


class BatchSampler(Placed, ABC):
    """Base class of the batch samplers.

    Parameters
    ----------
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from `seed`. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is then a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0: it gets the batches rank, rank + num_replicas, ... If
        None, the sampler yields all batches in global order, for libraries that shard them.

    Notes
    -----
    Guarantees of every sampler:

    * It is a pure function of its data, parameters, seed and epoch, and of the feedback that it has received, if any.
    * ``len`` is exact, even of an epoch that is resumed, and constant unless the sampler documents otherwise.
    * All ranks have the same number of batches; interleaving them gives the batches of ``rank=None``, each once.
    * No global random state, of Python, numpy, torch or R, is read or changed.

    A sampler loads states; whoever counts batches has them: its iterators, `ResumableLoader` and `TensorLoader`. There
    are no attributes ``batch_size`` and ``drop_last``, on which training libraries act, unless all batches have one
    size. A sampler is for one thread at a time.
    """

    def __init__(
        self, *, seed: Optional[int] = None, num_replicas: Optional[int] = None, rank: Optional[int] = None
    ) -> None:
        super().__init__(seed, num_replicas, rank)
        self._next = Place(0, 0)

    _has_feedback = False  # whether batches depend on what a training reports

    # Implemented or overridden by subclasses ------------------------------------------------------------------------

    @abstractmethod
    def _epoch_batches(self, epoch: int) -> Batches:
        """Return the batches of an epoch in global order, whatever the rank."""

    @abstractmethod
    def _global_length(self) -> int:
        """Return the number of batches of an epoch over all ranks, of the next one if they differ."""

    def _recipe(self) -> Optional[Recipe]:
        """Return everything that determines the batches, so that R can draw them; None if R has no such sampler."""
        return None

    def _recipe_to_export(self) -> Optional[Recipe]:
        """Return the recipe, from which R draws the batches itself; refuse a sampler that needs functions of Python."""
        return self._recipe()

    def _functions(self) -> dict[str, Callable[[float], float]]:
        """Return the functions, by name, that R calls although it has the recipe; no batch depends on them."""
        return {}

    def _epoch_length(self, epoch: int) -> int:
        return self._global_length()

    def _rows_of_data(self) -> Optional[int]:
        """Return the number of rows of the data that batches are of; None if they are of other numbers, or unknown."""
        return None

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        """Iterate over this rank's batches of an epoch, from a place on; overridden if they are drawn one by one."""
        return self._epoch_batches(place.epoch).lists((self._rank or 0) + self._stride * place.batch, self._stride)

    def _begin_epoch(self, place: Place) -> Place:
        """Note that an iteration begins; return its place with what is drawn of the epoch, if that is kept."""
        return place

    # Public ---------------------------------------------------------------------------------------------------------

    @property
    def sampler(self) -> "BatchSampler":
        """The sampler itself: Lightning looks here for ``set_epoch``."""
        return self

    def __len__(self) -> int:
        return self._length_of(self._next.epoch)

    def __iter__(self) -> "BatchIterator":
        # The BatchSampler of a DataLoader with a `batch_size` iterates over its `sampler`, for single rows.
        data, caller = sys.modules.get("torch.utils.data"), sys._getframe(1).f_locals.get("self")
        if data is not None and isinstance(caller, data.BatchSampler) and getattr(caller, "sampler", None) is self:
            got = f"a {type(self).__name__}, which yields batches,"
            advice = (
                "Pass it as DataLoader(dataset, batch_sampler=sampler). If the dataset takes a list of rows, "
                "DataLoader(dataset, sampler=sampler, batch_size=None) is faster."
            )
            raise refused_value("sampler", "yield single rows if 'batch_size' is given", got, advice)
        return BatchIterator(self)

    def batches(self, epoch: Optional[int] = None) -> Batches:
        """Return the batches of an epoch, by default the next one, for this rank, as arrays; changes nothing."""
        batches = self._epoch_batches(self._requested_epoch(epoch))
        return batches if self._rank is None else batches.part(self._rank, self._stride)

    # Called by iterators and loaders --------------------------------------------------------------------------------

    def _begin_iteration(self, place: Optional[Place] = None) -> Place:
        """Begin an iteration, at the place that the iterator has loaded or at the sampler's next epoch."""
        self._warn_of_process_group(stacklevel=4)
        if place is None:
            place = self._next
            self._check_epoch(place.epoch)
            self._go_on_at(Place(place.epoch + 1, 0))
        return self._begin_epoch(place)

    def _begin_arrays(self) -> Batches:
        """Begin an iteration at the sampler's next epoch; return the rest of it for this rank."""
        place = self._begin_iteration()
        batches, first = self._epoch_batches(place.epoch), (self._rank or 0) + self._stride * place.batch
        return batches if (first, self._stride) == (0, 1) else batches.part(first, self._stride)

    def _requested_epoch(self, epoch: Any) -> int:
        """Return the epoch that a method is asked for, by default the next one."""
        return self._next.epoch if epoch is None else self._check_epoch(epoch)


class BatchIterator(Iterator[list[int]]):
    """One iteration over the batches of a sampler, as lists of row positions; it counts them and has a state.

    It takes its epoch when its first batch is requested.
    """

    def __init__(self, sampler: BatchSampler) -> None:
        self._sampler = sampler
        self._first: Optional[Place] = None  # where it begins, once known
        self._taken = 0  # batches since
        self._batches: Optional[Iterator[list[int]]] = None

    def __next__(self) -> list[int]:
        if self._batches is None:
            self._first = self._sampler._begin_iteration(self._first)
            self._batches = self._sampler._lists_from(self._first)
        rows = next(self._batches)
        self._taken += 1
        return rows

    def state_dict(self) -> dict[str, Any]:
        """Return the state after the batches that it has delivered, in the form of `BatchSampler.state`.

        An iterator that loads the state of an exhausted one is exhausted too; the sampler goes on with the next epoch.
        """
        first = self._first or self._sampler._next
        return self._sampler._state(first._replace(batch=first.batch + self._taken))

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state; the sampler's next epoch becomes the one after."""
        self._first = self._sampler._place(state)
        self._taken, self._batches = 0, None
        self._sampler._go_on_at(Place(self._first.epoch + 1, 0))
