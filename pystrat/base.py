"""Shared by all batch samplers: seed, epoch, iteration, length, division among ranks, and places to continue at.

``iter(sampler)`` draws nothing and takes no epoch. When its first batch is requested, an iterator takes the sampler's
next epoch, and the next epoch becomes one higher: an epoch that is abandoned half way is not repeated.

A subclass implements `_epoch_batches`, `_global_length`, and either `_recipe`, from which R draws the batches, or
`_fingerprint`. It overrides `_epoch_length` if epochs differ in their number of batches, `_most_batches` if that number
also depends on feedback, `_check_epoch` if there are fewer epochs, `_lists_from` if batches are drawn when they are
requested or carry other values, and `_begin_epoch` if an epoch is drawn once and kept. States of samplers with
feedback have more entries: those override `_state` and `_place`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional

from pystrat.batches import Batches
from pystrat.digest import difference, fingerprint
from pystrat.limits import MAX_EPOCH
from pystrat.messages import check_integer, refused_value, show
from pystrat.process_group import warn_of_process_group
from pystrat.recipe import Recipe
from pystrat.seeds import check_seed

STATE_VERSION = 1


def check_replicas(num_replicas: Any, rank: Any) -> tuple[Optional[int], Optional[int]]:
    """Return the number of replicas and which of them this is, if they are given."""
    if num_replicas is not None:
        num_replicas = check_integer(num_replicas, "num_replicas", minimum=1)
    if rank is not None:
        if num_replicas is None:
            raise refused_value("rank", "be given together with 'num_replicas'", show(rank))
        rank = check_integer(rank, "rank", minimum=0, maximum=num_replicas - 1)
    return num_replicas, rank


def batches_of_rank(batches: int, rank: Optional[int], stride: int) -> int:
    """Return how many of the first `batches` batches of all ranks are those of one of them."""
    return (batches - (rank or 0) + stride - 1) // stride


def check_state(state: Any, own_fingerprint: str) -> None:
    """Refuse what is no state, is one of another version, or is not from a sampler with this fingerprint."""
    if not isinstance(state, Mapping) or not {"version", "fingerprint", "epoch", "batch"} <= set(state):
        required = "have the entries 'version', 'fingerprint', 'epoch' and 'batch'"
        raise refused_value("state", required, show(state))
    if show(state["version"]) != str(STATE_VERSION):
        raise refused_value("state", f"be of version {STATE_VERSION}", f"version {show(state['version'])}")
    other = state["fingerprint"]
    if not isinstance(other, str) or other != own_fingerprint:
        differs = f" with {difference(own_fingerprint, other)}" if isinstance(other, str) else ""
        required = "come from a sampler with the same data, parameters and seed"
        advice = "Make the sampler as it was made when the state was saved."
        raise refused_value("state", required, f"that of a sampler{differs}", advice)


class Place(NamedTuple):
    """The place of an iteration: an epoch, the next of this rank's batches, and what was drawn beyond it.

    `ahead` is None, unless later batches depend on feedback.
    """

    epoch: int
    batch: int
    ahead: Any = None


class BatchSampler(ABC):
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
    * ``len`` is exact: the number of batches of the next epoch, also if that is resumed within. It is constant unless
      the sampler documents otherwise.
    * Over all ranks, every batch occurs exactly once; all ranks have the same number of batches; interleaving them
      gives the batches of ``rank=None``.
    * No global random state, of Python, numpy, torch or R, is read or changed.

    A sampler loads states; whoever counts batches has them: its iterators, `ResumableLoader` and `TensorLoader`. There
    are no attributes ``batch_size`` and ``drop_last``, on which training libraries act, unless all batches have one
    size. A sampler is for one thread at a time.
    """

    def __init__(
        self, *, seed: Optional[int] = None, num_replicas: Optional[int] = None, rank: Optional[int] = None
    ) -> None:
        self._num_replicas, self._rank = check_replicas(num_replicas, rank)
        self._seed = check_seed(seed, rank=self._rank)
        self._seed_is_drawn = seed is None  # so it differs between processes
        self._next = Place(0, 0)
        self._warned_of_process_group = False
        self._known_fingerprint: Optional[str] = None

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

    def _fingerprint(self) -> str:
        """Return text that shows everything that determines the batches, except the rank; see `pystrat.digest`."""
        recipe = self._recipe()
        if recipe is None:
            raise NotImplementedError(f"{type(self).__name__} has neither _recipe() nor _fingerprint().")
        return fingerprint(recipe.kind, seed=recipe.seed, **recipe.parts)

    def _epoch_length(self, epoch: int) -> int:
        """Return the number of batches of one epoch over all ranks."""
        return self._global_length()

    def _most_batches(self, epoch: int) -> int:
        """Return the largest batch number in a state of this epoch."""
        return self._epoch_length(epoch)

    def _check_epoch(self, epoch: Any) -> int:
        """Return the number of an epoch; refuse others."""
        return check_integer(epoch, "epoch", minimum=0, maximum=MAX_EPOCH)

    def _rows_of_data(self) -> Optional[int]:
        """Return the number of rows of the data that batches are of; None if they are of other numbers, or unknown."""
        return None

    # Public ---------------------------------------------------------------------------------------------------------

    @property
    def seed(self) -> int:
        """The seed, given or drawn."""
        return self._seed

    @property
    def num_replicas(self) -> Optional[int]:
        """The number of processes that share an epoch; None if not given."""
        return self._num_replicas

    @property
    def rank(self) -> Optional[int]:
        """The index of this process among the replicas; None for all batches."""
        return self._rank

    @property
    def epoch(self) -> int:
        """The number of the next epoch, from 0."""
        return self._next.epoch

    @property
    def sampler(self) -> "BatchSampler":
        """The sampler itself: Lightning looks here for ``set_epoch``."""
        return self

    def __len__(self) -> int:
        return self._length_of(self._next.epoch)

    def __iter__(self) -> "BatchIterator":
        self._refuse_nested(sys._getframe(1).f_locals.get("self"))
        return BatchIterator(self)

    def set_epoch(self, epoch: int, batches_done: Optional[int] = None) -> None:
        """Set the next epoch, and where in it to begin.

        Parameters
        ----------
        epoch : int
            From 0 to 6700000.
        batches_done : int, optional
            The number of this sampler's batches to leave out, from 0 to all of them, after which the next epoch comes.
            By default 0; but if the sampler is already placed within this epoch, it stays there, because training
            libraries set the epoch at the beginning of every epoch, even of a resumed one. A DataLoader with workers
            requests the first batches at ``iter(loader)``, so call this method before.
        """
        epoch = self._check_epoch(epoch)
        if batches_done is not None:
            self._go_on_at(self._place_after(epoch, batches_done))
        elif epoch != self._next.epoch:
            self._go_on_at(Place(epoch, 0))

    def batches(self, epoch: Optional[int] = None) -> Batches:
        """Return the batches of an epoch, by default the next one, for this rank, as arrays; changes nothing."""
        batches = self._epoch_batches(self._requested_epoch(epoch))
        return batches if self._rank is None else batches.part(self._rank, self._stride)

    def state(self, epoch: Optional[int] = None, batches_done: int = 0) -> dict[str, Any]:
        """Return the state after this many of this sampler's batches of an epoch, for `load_state_dict`.

        By default, it is where the next iteration begins.

        Returns
        -------
        dict
            ``version``, ``fingerprint``, ``epoch`` and ``batch``, the batch to continue with, counted over all ranks
            from the beginning of the epoch. Samplers with feedback add entries.
        """
        place = self._next if epoch is None else self._place_after(self._check_epoch(epoch), batches_done)
        return self._state(place)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state: the next iteration yields exactly the batches that would have come.

        The state of another number of ranks can be loaded if that changes no batch.
        """
        place = self._place(state)
        is_end = state["batch"] == self._epoch_length(place.epoch)  # which is the beginning of the next epoch
        self._go_on_at(Place(place.epoch + 1, 0) if is_end else place)

    # Called by iterators and loaders --------------------------------------------------------------------------------

    def _refuse_nested(self, caller: Any) -> None:
        """Refuse to be the `sampler` of a DataLoader with a `batch_size`, which would make batches of batches.

        It wraps the sampler in torch's own BatchSampler, which then iterates over it.
        """
        data = sys.modules.get("torch.utils.data")
        if data is not None and isinstance(caller, data.BatchSampler) and getattr(caller, "sampler", None) is self:
            got = f"a {type(self).__name__}, which yields batches,"
            advice = (
                "Pass it as DataLoader(dataset, batch_sampler=sampler). If the dataset takes a list of rows, "
                "DataLoader(dataset, sampler=sampler, batch_size=None) is faster."
            )
            raise refused_value("sampler", "yield single rows if 'batch_size' is given", got, advice)

    def _begin_epoch(self, place: Optional[Place] = None) -> Place:
        """Begin an iteration, at the place that the iterator has loaded or at the sampler's next epoch."""
        self._warn_of_process_group()
        if place is None:
            place = self._next
            self._check_epoch(place.epoch)
            self._go_on_at(Place(place.epoch + 1, 0))
        return place

    def _begin_arrays(self) -> Batches:
        """Begin an iteration at the sampler's next epoch; return the rest of it for this rank."""
        place = self._begin_epoch()
        batches, first = self._epoch_batches(place.epoch), (self._rank or 0) + self._stride * place.batch
        return batches if (first, self._stride) == (0, 1) else batches.part(first, self._stride)

    def _go_on_at(self, place: Place) -> None:
        """Make the next iteration begin at this place."""
        self._next = place

    @property
    def _stride(self) -> int:
        """The distance between two successive batches of this rank, in global batches."""
        return 1 if self._rank is None or self._num_replicas is None else self._num_replicas

    def _requested_epoch(self, epoch: Any) -> int:
        """Return the epoch that a method is asked for, by default the next one."""
        return self._next.epoch if epoch is None else self._check_epoch(epoch)

    def _length_of(self, epoch: int) -> int:
        """Return the number of this rank's batches in an epoch."""
        return self._epoch_length(epoch) // self._stride

    def _place_after(self, epoch: int, batches_done: Any) -> Place:
        """Return the place after this many of this rank's batches; the end of an epoch is the beginning of the next."""
        length = self._length_of(epoch)
        done = check_integer(batches_done, "batches_done", minimum=0, maximum=length)
        if (epoch, done) == self._next[:2]:
            return self._next
        return Place(epoch, done) if done < length else Place(epoch + 1, 0)

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        """Iterate over this rank's batches of an epoch, from a place on."""
        return self._epoch_batches(place.epoch).lists((self._rank or 0) + self._stride * place.batch, self._stride)

    def _state(self, place: Place, batches: Optional[Iterator[list[int]]] = None) -> dict[str, Any]:
        """Return the state at a place; for the state of an iterator, `batches` is what `_lists_from` returned to it."""
        if self._known_fingerprint is None:  # computed once, because a state may be requested after every batch
            self._known_fingerprint = self._fingerprint()
        return {
            "version": STATE_VERSION,
            "fingerprint": self._known_fingerprint,
            "epoch": place.epoch,
            "batch": place.batch * self._stride,
        }

    def _place(self, state: Mapping[str, Any]) -> Place:
        """Check a state and return its place."""
        check_state(state, BatchSampler._state(self, self._next)["fingerprint"])
        epoch = self._check_epoch(state["epoch"])
        batch = check_integer(state["batch"], "batch", minimum=0, maximum=self._most_batches(epoch))
        return Place(epoch, batches_of_rank(batch, self._rank, self._stride))

    def _warn_of_process_group(self) -> None:
        """Warn once of what was not given if a process group runs."""
        all_train = "every process trains on all batches, unless the training library shards them. Give num_replicas."
        needed = {"num_replicas": all_train if self._num_replicas is None else None}
        needed["seed"] = "each process has drawn another one. Give the same seed." if self._seed_is_drawn else None
        for parameter, advice in needed.items():
            if advice is not None and not self._warned_of_process_group:
                self._warned_of_process_group |= warn_of_process_group(parameter, advice, stacklevel=4)


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
            self._first = self._sampler._begin_epoch(self._first)
            self._batches = self._sampler._lists_from(self._first)
        rows = next(self._batches)
        self._taken += 1
        return rows

    def state_dict(self) -> dict[str, Any]:
        """Return the state after the batches that it has delivered, in the form of `BatchSampler.state`.

        That of an exhausted iterator is the end of its epoch. An iterator that loads it is exhausted too, and the
        sampler continues with the next epoch, whether the sampler or the iterator loads it.
        """
        first = self._first or self._sampler._next
        place = Place(first.epoch, first.batch + self._taken) if self._taken else first
        return self._sampler._state(place, self._batches)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state; the sampler's next epoch becomes the one after."""
        self._first = self._sampler._place(state)
        self._taken, self._batches = 0, None
        self._sampler._go_on_at(Place(self._first.epoch + 1, 0))
