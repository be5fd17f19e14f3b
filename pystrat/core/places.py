"""Epochs, their division among ranks, and places to continue at: what samplers and streams have in common."""

from __future__ import annotations

import warnings
from typing import Any, Mapping, NamedTuple, Optional

from pystrat import _core
from pystrat.core.limits import MAX_EPOCH
from pystrat.core.messages import check_integer, refused_value, show
from pystrat.core.process_group import running_group
from pystrat.core.seeds import check_seed

STATE_VERSION = 1
_ENTRIES = ("version", "fingerprint", "epoch", "batch")


class Place(NamedTuple):
    """The place of an iteration: an epoch, the next of this rank's batches, and, with feedback, what is drawn of it."""

    epoch: int
    batch: int
    drawn: Any = None


class Placed:
    """Base class of samplers and streams: they begin at `_next`, have epochs that ranks may divide, and load states."""

    _next: Place

    def __init__(self, seed: Any, num_replicas: Any, rank: Any) -> None:
        if num_replicas is not None:
            num_replicas = check_integer(num_replicas, "num_replicas", minimum=1)
        if rank is not None:
            if num_replicas is None:
                raise refused_value("rank", "be given together with 'num_replicas'", show(rank))
            rank = check_integer(rank, "rank", minimum=0, maximum=num_replicas - 1)
        self._num_replicas: Optional[int] = num_replicas
        self._rank: Optional[int] = rank
        self._seed = check_seed(seed, rank=rank)
        self._seed_is_drawn = seed is None  # so it differs between processes
        self._warned_of_process_group = False
        self._known_fingerprint: Optional[str] = None

    # Implemented or overridden by subclasses ------------------------------------------------------------------------

    def _fingerprint(self) -> str:
        """Return text that shows everything that determines the batches, except the rank; see `pystrat.core.digest`."""
        raise NotImplementedError

    def _epoch_length(self, epoch: int) -> int:
        """Return the number of batches of one epoch over all ranks."""
        raise NotImplementedError

    def _check_epoch(self, epoch: Any) -> int:
        """Return the number of an epoch; refuse others."""
        return check_integer(epoch, "epoch", minimum=0, maximum=MAX_EPOCH)

    def _go_on_at(self, place: Place) -> None:
        """Make the next iteration begin at this place."""
        self._next = place

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

    def set_epoch(self, epoch: int, batches_done: Optional[int] = None) -> None:
        """Set the next epoch, and where in it to begin.

        Parameters
        ----------
        epoch : int
            From 0 to 6700000.
        batches_done : int, optional
            The number of this process's batches to leave out, up to all of them. By default 0; but a sampler that is
            placed within this epoch stays there, because training libraries set the epoch even of a resumed one. A
            DataLoader with workers requests batches at ``iter(loader)``, so call this method before.
        """
        epoch = self._check_epoch(epoch)
        if batches_done is None:
            self._go_on_at(self._next if epoch == self._next.epoch else Place(epoch, 0))
        else:
            self._go_on_at(self._place_after(epoch, batches_done))

    def state(self, epoch: Optional[int] = None, batches_done: int = 0) -> dict[str, Any]:
        """Return the state after this many of this process's batches of an epoch, for `load_state_dict`.

        By default, it is where the next iteration begins. It has ``version``, ``fingerprint``, ``epoch`` and ``batch``,
        the batch to continue with, counted over all ranks. Samplers with feedback add entries.
        """
        return self._state(self._next if epoch is None else self._place_after(self._check_epoch(epoch), batches_done))

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state: the next iteration yields exactly the batches that would have come.

        The state of another number of ranks can be loaded if that changes no batch.
        """
        place = self._place(state)
        is_end = state["batch"] == self._epoch_length(place.epoch)  # which is the beginning of the next epoch
        self._go_on_at(Place(place.epoch + 1, 0) if is_end else place)

    # Called by iterators and loaders --------------------------------------------------------------------------------

    @property
    def _stride(self) -> int:
        """The distance between two successive batches of this rank, in global batches."""
        return 1 if self._rank is None or self._num_replicas is None else self._num_replicas

    def _length_of(self, epoch: int) -> int:
        """Return the number of this rank's batches in an epoch."""
        return self._epoch_length(epoch) // self._stride

    def _place_after(self, epoch: int, batches_done: Any) -> Place:
        """Return the place after this many of this rank's batches; the end of an epoch is the beginning of the next."""
        length = self._length_of(epoch)
        done = check_integer(batches_done, "batches_done", minimum=0, maximum=length)
        return Place(epoch, done) if done < length else Place(epoch + 1, 0)

    def _state(self, place: Place) -> dict[str, Any]:
        """Return the state at a place."""
        if self._known_fingerprint is None:  # computed once, because a state may be requested after every batch
            self._known_fingerprint = self._fingerprint()
        values = (STATE_VERSION, self._known_fingerprint, place.epoch, place.batch * self._stride)
        return dict(zip(_ENTRIES, values))

    def _check_state(self, state: Any) -> None:
        """Refuse what is no state of a sampler with the same batches."""
        if not isinstance(state, Mapping) or not set(_ENTRIES) <= set(state):
            required = "have the entries 'version', 'fingerprint', 'epoch' and 'batch'"
            raise refused_value("state", required, show(state))
        own = Placed._state(self, self._next)["fingerprint"]
        _core.call("state", {"version": state["version"]}, {"own": own, "fingerprint": state["fingerprint"]})

    def _place(self, state: Any) -> Place:
        """Check a state and return its place."""
        self._check_state(state)
        epoch = self._check_epoch(state["epoch"])
        batch = check_integer(state["batch"], "batch", minimum=0, maximum=self._epoch_length(epoch))
        # How many of the first batches of all ranks are those of this one.
        return Place(epoch, (batch - (self._rank or 0) + self._stride - 1) // self._stride)

    def _warn_of_process_group(self, stacklevel: int) -> None:
        """Warn once of what was not given if a process group runs."""
        distributed = running_group()
        size = 1 if distributed is None else distributed.get_world_size()
        needed, advice = "seed", "each process has drawn another one. Give the same seed."
        if self._num_replicas is None:
            needed = "num_replicas"
            advice = "every process trains on all batches, unless the training library shards them. Give num_replicas."
        if size > 1 and not self._warned_of_process_group and (self._num_replicas is None or self._seed_is_drawn):
            self._warned_of_process_group = True
            text = f"A process group of {size} processes runs, but the '{needed}' parameter was not given: {advice}"
            warnings.warn(text, stacklevel=stacklevel + 1)
