"""Shared by all batch samplers: seed, epoch, iteration, length, sharding and resuming.

A batch sampler is iterated once per epoch and yields the batches as lists of row positions. That is all that a PyTorch
DataLoader, accelerate, Lightning or a plain loop uses. This is how an epoch is made:

* ``iter(sampler)`` makes a `BatchIterator`. It draws nothing and takes no epoch, since a DataLoader with workers calls
  it twice.
* When its first batch is requested, the iterator takes the sampler's next epoch number, and the sampler's next epoch
  becomes one higher. So an epoch that is abandoned half way is not repeated.
* ``set_epoch(e)`` sets the next epoch.

A subclass implements three methods:

* `_epoch_batches` returns the batches of an epoch;
* `_global_length` returns their number;
* `_recipe` returns everything that determines the batches, so that R can draw them. If R has no such sampler,
  `_fingerprint` returns a digest of it instead.

It may override others, each for one reason:

===================  ===============================================================================
`_fingerprint`       a part of the recipe, such as a seed that is not used, does not affect the batches
`_rows_of_data`      batches hold positions of rows, of a known number
`_recipe_to_export`  batches cannot be drawn elsewhere
`_functions`         values that come with rows are those of functions of the user
`_epoch_length`      epochs differ in their number of batches
`_most_batches`      that number also depends on feedback
`_check_epoch`       there are fewer epochs than usual
`_lists_from`        batches are drawn when they are requested, or carry other values with their rows
`_begin_epoch`       an epoch is drawn once, when it begins, and kept
`_is_part`           a process has batches of its own without a rank
`_go_on_at`          batches that were drawn ahead are forgotten when the sampler is placed elsewhere
===================  ===============================================================================

`_state` and `_place` are overridden by `pystrat.feedback.SamplerWithFeedback` only, whose subclasses implement
`_feedback_state` and `_load_feedback_state`. This module knows nothing about strata.
"""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Union,
    overload,
)

import numpy as np

from pystrat._batches import BatchLists, gather_part
from pystrat.arrays import plain_array
from pystrat.callers import Requests, is_count_of_loader, is_divided, saves_iterator_too, skips_batches
from pystrat.digest import difference, fingerprint
from pystrat.keywords import AnswersKeywords
from pystrat.limits import MAX_COUNT, MAX_EPOCH, MAX_SEED, SEED_MODULUS
from pystrat.locks import OwnLock
from pystrat.messages import check_integer, check_iterable, count_of, is_number, refused_type, refused_value, show
from pystrat.process_group import warn_of_process_group
from pystrat.recipe import Recipe
from pystrat.seeds import check_seed
from pystrat._random import RandomStream

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

STATE_VERSION = 1
_STATE_ENTRIES = {"version", "fingerprint", "epoch", "batch"}
_ROWS = "hold row positions"
_EPOCH_STEP = 1_327_217_885


def epoch_seed(seed: int, epoch: int) -> int:
    """Return the seed of an epoch's permutation: ``(seed + 1327217885 * epoch) mod (2^31 - 1)``.

    The sequences of two seeds overlap only after millions of epochs; with ``seed + epoch``, seeds 1 and 2 would share
    nine of ten epochs. Epoch 0 is R's ``set.seed(seed)``.
    """
    return (seed + _EPOCH_STEP * epoch) % SEED_MODULUS


def epoch_permutation(n_rows: int, *, seed: int, epoch: int = 0) -> NDArray[np.int32]:
    """Return the epoch order of `n_rows` rows: R's ``set.seed(s); sample.int(n_rows) - 1``.

    Parameters
    ----------
    n_rows : int
        From 0 to 2^31 - 1.
    seed : int
        From 0 to 2147483646.
    epoch : int, default 0
        From 0 to 6700000.

    Returns
    -------
    numpy.ndarray of int32, shape (n_rows,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is not an integer within its limits.
    """
    n_rows = check_integer(n_rows, "n_rows", minimum=0, maximum=MAX_COUNT)
    seed = check_integer(seed, "seed", minimum=0, maximum=MAX_SEED)
    epoch = check_integer(epoch, "epoch", minimum=0, maximum=MAX_EPOCH)
    return RandomStream(epoch_seed(seed, epoch)).permutation(n_rows)


class Batches(Sequence["NDArray[Any]"]):
    """The batches of an epoch: one flat array of rows, and the position at which each batch begins.

    A sequence of arrays, each a view of `rows`.

    Attributes
    ----------
    rows : numpy.ndarray, shape (number of rows,)
        Row positions, from 0, batch after batch. A sampler returns an array of its own each time, which may be
        overwritten.
    offsets : numpy.ndarray of int64, shape (number of batches + 1,)
        Batch b is ``rows[offsets[b]:offsets[b + 1]]``. Read-only.

    Raises
    ------
    TypeError, ValueError
        If `rows` is not a vector of integers, or `offsets` do not run from its beginning to its end.
    """

    __slots__ = ("rows", "offsets")

    def __init__(self, rows: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        _check_batches(rows, offsets)
        self.rows = rows
        self.offsets = offsets.view()  # a sampler may use them for all of its epochs
        self.offsets.setflags(write=False)

    @classmethod
    def gather(cls, batches: Iterable[NDArray[Any]]) -> "Batches":
        """Copy the arrays of an iterable into one; raise TypeError if they hold anything but integers."""
        arrays = [_vector_of_batch(batch) for batch in check_iterable(batches, "batches", required=_ROWS)]
        offsets = np.cumsum([0] + [len(array) for array in arrays], dtype=np.int64)
        arrays = [array for array in arrays if len(array)]
        rows = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int32)
        if rows.dtype.kind not in "iu":
            raise refused_type("batches", _ROWS, f"{rows.dtype} values")
        return cls(rows, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, batch: int) -> NDArray[Any]:
        ...

    @overload
    def __getitem__(self, batch: slice) -> Sequence[NDArray[Any]]:
        ...

    def __getitem__(self, batch: Union[int, slice]) -> Union[NDArray[Any], Sequence[NDArray[Any]]]:
        if isinstance(batch, slice):
            return [self[place] for place in range(*batch.indices(len(self)))]
        place = range(len(self))[batch]  # raises IndexError, and counts from the end if negative
        return self.rows[self.offsets[place] : self.offsets[place + 1]]

    def part(self, first: int, step: int) -> "Batches":
        """Return the batches first, first + step, ..., in arrays of their own."""
        first, step = _check_steps(first, step)
        rows = np.ascontiguousarray(self.rows)
        part, offsets = gather_part(rows.view(np.uint8), rows.itemsize, self._offsets_in_c(), first, step)
        return Batches(part.view(rows.dtype), offsets)

    def lists(self, first: int, step: int) -> Iterator[list[int]]:
        """Iterate over the batches first, first + step, ... as lists of ints, each made when it is requested."""
        first, step = _check_steps(first, step)
        if self.rows.dtype == np.int32 and self.rows.flags.c_contiguous:
            return BatchLists(self.rows, self._offsets_in_c(), first, step)
        return (self[batch].tolist() for batch in range(first, len(self), step))

    def _offsets_in_c(self) -> NDArray[np.int64]:
        """Return the offsets as the compiled loops take them."""
        return np.ascontiguousarray(self.offsets, dtype=np.int64)

    def __repr__(self) -> str:
        return f"Batches(n_batches={len(self)}, n_rows={len(self.rows)})"


def _vector_of_batch(batch: Any) -> NDArray[Any]:
    array = plain_array(batch, "batches")
    if array.ndim != 1:  # before the next one is requested: the iterable may be endless
        raise refused_type("batches", _ROWS, f"a batch of {count_of(array.ndim, 'dimension')}")
    return array


def _check_batches(rows: Any, offsets: Any) -> None:
    """Refuse anything but a flat array of rows that is cut into batches."""
    for values, name in ((rows, "rows"), (offsets, "offsets")):
        required = "be a vector of integers, as an array of numpy"
        if not isinstance(values, np.ndarray) or isinstance(values, np.ma.MaskedArray):
            raise refused_type(name, required, show(values))
        if values.dtype.kind not in "iu":
            raise refused_type(name, required, f"{values.dtype} values")
        if values.ndim != 1:
            raise refused_value(name, required, count_of(values.ndim, "dimension"))
    if (
        not 0 < len(offsets) <= MAX_COUNT + 1
        or offsets[0] != 0
        or offsets[-1] != len(rows)
        or (offsets[1:] < offsets[:-1]).any()
    ):
        required = f"lead from 0 to {len(rows)}, the number of rows, and never back"
        raise refused_value("offsets", required, "others")


def _check_steps(first: Any, step: Any) -> tuple[int, int]:
    """Return the first batch and the step to the next one, as the compiled loops take them."""
    first = check_integer(first, "first", minimum=0, maximum=MAX_COUNT)
    return first, check_integer(step, "step", minimum=1, maximum=MAX_COUNT)


def check_replicas(num_replicas: Any, rank: Any) -> tuple[Optional[int], Optional[int]]:
    """Return the number of replicas and which of them this is, if they are given."""
    if num_replicas is not None:
        num_replicas = check_integer(num_replicas, "num_replicas", minimum=1)
    if rank is not None:
        if num_replicas is None:
            raise refused_value("rank", "be given together with 'num_replicas'", show(rank))
        rank = check_integer(rank, "rank", minimum=0, maximum=num_replicas - 1)
    return num_replicas, rank


def check_state(state: Any, own_fingerprint: str) -> None:
    """Refuse what is no state, is one of another version, or is not from a sampler with this fingerprint."""
    if not isinstance(state, Mapping) or not _STATE_ENTRIES <= set(state):
        required = "have the entries 'version', 'fingerprint', 'epoch' and 'batch'"
        raise refused_value("state", required, show(state))
    if not is_number(state["version"]) or state["version"] != STATE_VERSION:
        required = f"be of version {STATE_VERSION}"
        raise refused_value("state", required, f"version {show(state['version'])}")
    if not isinstance(state["fingerprint"], str) or state["fingerprint"] != own_fingerprint:
        required = "come from a sampler with the same data, parameters and seed"
        other = state["fingerprint"]
        differs = f" with {difference(own_fingerprint, other)}" if isinstance(other, str) else ""
        advice = "Make the sampler as it was made when the state was saved."
        raise refused_value("state", required, f"that of a sampler{differs}", advice)


class Place(NamedTuple):
    """The place of an iteration: an epoch, the next of this rank's batches, and what was drawn beyond it.

    `ahead` is None, unless later batches depend on feedback.
    """

    epoch: int
    batch: int
    ahead: Any = None


class BatchSampler(AnswersKeywords, ABC):
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
    * ``len`` is exact: the number of batches of the next epoch. It is constant unless the sampler documents otherwise.
    * Over all ranks, every batch occurs exactly once; all ranks have the same number of batches; interleaving them
      gives the batches of ``rank=None``.
    * No global random state, of Python, numpy, torch or R, is read or changed.
    * After `load_state_dict`, the sampler continues with exactly the batches that would have followed `state_dict`.
    * Threads may share a sampler or an iterator: no two of them take the same epoch or the same batch. Reports and new
      weights are for one thread at a time.

    A subclass implements `_epoch_batches`, `_global_length` and either `_fingerprint` or `_recipe`; the module
    `pystrat.base` lists what it may override. There are no attributes ``batch_size`` and ``drop_last``, because
    training libraries act on them; a subclass whose batches all have one size may add ``batch_size``. If later batches
    depend on feedback, inherit from `pystrat.feedback.SamplerWithFeedback`.
    """

    def __init__(
        self,
        *,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._num_replicas, self._rank = check_replicas(num_replicas, rank)
        self._seed = check_seed(seed, rank=self._rank)
        self._seed_is_drawn = seed is None  # so it differs between processes
        self._next = Place(0, 0)  # within an epoch only after load_state_dict
        self._begun: Optional[Place] = None  # where the running iteration began
        self._has_new_iterator = False  # one was made since, and has taken nothing
        self._requests = Requests()  # for the batches of the running iteration
        self._epoch_is_known = False  # set by somebody, or next in turn
        self._warned_of_process_group = False
        self._known_fingerprint: Optional[str] = None
        self._lock = OwnLock()  # held while an epoch or a batch is taken, and while a place is read or set

    # Implemented by subclasses --------------------------------------------------------------------------------------

    @abstractmethod
    def _epoch_batches(self, epoch: int) -> Iterable[NDArray[Any]]:
        """Return the batches of an epoch in global order, whatever the rank: `Batches`, or an iterable of arrays."""

    @abstractmethod
    def _global_length(self) -> int:
        """Return the number of batches of an epoch over all ranks."""

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
        """Return what shows everything that determines the batches, except the rank; see `pystrat.digest.fingerprint`.

        A subclass with a recipe need not implement it.
        """
        recipe = self._recipe()
        if recipe is None:
            raise NotImplementedError(f"{type(self).__name__} has neither _recipe() nor _fingerprint().")
        return fingerprint(recipe.kind, seed=recipe.seed, **recipe.parts)

    # Overridden by some subclasses, as are others below -------------------------------------------------------------

    def _epoch_length(self, epoch: int) -> int:
        """Return the number of batches of one epoch over all ranks.

        If epochs differ in length, `_global_length` is that of the next epoch.
        """
        return self._global_length()

    def _most_batches(self, epoch: int) -> int:
        """Return the largest batch number in a state of this epoch."""
        return self._epoch_length(epoch)

    def _check_epoch(self, epoch: Any) -> int:
        """Return the number of an epoch; refuse others."""
        return check_integer(epoch, "epoch", minimum=0, maximum=MAX_EPOCH)

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
        """The sampler itself: Lightning and accelerate look here for ``set_epoch``."""
        return self

    def __len__(self) -> int:
        return self._length_of(self._next.epoch)

    def __iter__(self) -> "BatchIterator":
        _refuse_nested(self, sys._getframe(1).f_locals.get("self"))
        return BatchIterator(self)

    def set_epoch(self, epoch: int) -> None:
        """Set the next epoch.

        The epoch begins at its first batch. The exception is an epoch within which `load_state_dict` has placed the
        sampler: it continues from there, because Lightning, accelerate and most training loops call this method at the
        beginning of every epoch, even of a resumed one. A DataLoader with workers requests the first batches at
        ``iter(loader)``, so call this method before.

        Raises
        ------
        TypeError, ValueError
            If `epoch` is not an integer from 0 to 6700000.
        """
        epoch = self._check_epoch(epoch)
        set_by_somebody = not is_count_of_loader()
        with self._lock.held:
            same = epoch == self._next.epoch
            self._go_on_at(self._next if same else Place(epoch, 0))
            self._epoch_is_known = set_by_somebody or (same and self._epoch_is_known)

    def batches(self, epoch: Optional[int] = None) -> Batches:
        """Return the batches of an epoch as arrays; changes nothing.

        Parameters
        ----------
        epoch : int, optional
            From 0 to 6700000; by default the next epoch.

        Returns
        -------
        Batches
            The batches of this rank: the arrays that iteration yields as lists.
        """
        batches = self._epoch_batches(self._requested_epoch(epoch))
        if self._rank is not None and isinstance(batches, Batches):
            batches = batches.part(self._rank, self._stride)
        elif self._rank is not None:
            batches = islice(batches, self._rank, None, self._stride)
        return batches if isinstance(batches, Batches) else Batches.gather(batches)

    def state_dict(self, batches_consumed: Optional[int] = None) -> dict[str, Any]:
        """Return the state of the sampler, for `load_state_dict`.

        Parameters
        ----------
        batches_consumed : int, optional
            The number of batches that the training loop has taken from its newest iterator, 0 as soon as it has made
            another one. Required within an epoch: the sampler knows which batches were requested, but a DataLoader with
            workers requests batches ahead of training. A `ResumableLoader` counts them. Between epochs it may be left
            out; the state is the beginning of the next epoch.

        Returns
        -------
        dict
            ``version``, ``fingerprint``, ``epoch`` and ``batch``, the batch to continue with, counted over all ranks
            from the beginning of the epoch. Samplers with feedback add entries.

        Raises
        ------
        TypeError, ValueError
            If `batches_consumed` is not an integer from 0 to the number of batches that were left, or is not given
            within an epoch. Before an iteration has begun, and again after `set_epoch` or `load_state_dict`, that
            number is 0.
        """
        with self._lock.held:
            if batches_consumed is not None:
                return self._state(self._place_after(batches_consumed))
            if not saves_iterator_too():
                self._refuse_within_epoch()
            return self._next_state()

    def _next_state(self) -> dict[str, Any]:
        """Return the state of the next iteration, unless batches are left of the running one."""
        with self._lock.held:
            return self._state(self._next)

    def _state_after(self, taken: int) -> dict[str, Any]:
        """Return the state after the batches that a loader has taken in its newest iteration."""
        return self.state_dict(batches_consumed=0 if self._begun is None else taken)

    def _refuse_within_epoch(self) -> None:
        """Refuse a state of which nobody can know whether it is that of the running epoch or of the next one."""
        if self._begun is None or self._has_new_iterator or self._requests.are_done:
            return
        running, following = self._begun.epoch, self._next.epoch
        required = f"be given within epoch {running}, which has begun and has not ended"
        advice = (
            "Pass the number of batches of this iteration that were trained on, or iterate over ResumableLoader(loader)"
            f" and save its state, which counts them. To leave out the rest of the epoch, call set_epoch({following})."
        )
        raise refused_value("batches_consumed", required, "nothing", advice)

    def _place_after(self, batches_consumed: Any) -> Place:
        """Return the place after this many batches of the newest iterator."""
        first = self._begun or self._next
        left = self._length_of(first.epoch) - first.batch
        # Before an iteration has begun, none of its batches can have been taken.
        most = 0 if self._begun is None else left
        consumed = check_integer(batches_consumed, "batches_consumed", minimum=0, maximum=most)
        if consumed == 0 and self._has_new_iterator:  # so the previous iteration is over
            return self._next
        if consumed == left:  # the end of an epoch is the beginning of the next
            return Place(first.epoch + 1, 0)
        if consumed and not self._requests.are_in_order:
            required = f"be 0 or {left} with a DataLoader that has in_order=False"
            advice = "Make the loader with in_order=True, or save the state between epochs."
            raise refused_value("batches_consumed", required, show(consumed), advice)
        return first._replace(batch=first.batch + consumed)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state: the next iteration yields exactly the batches that would have come.

        Raises
        ------
        TypeError, ValueError
            If `state` is not a state, has another version, or is that of a sampler with other data, parameters or seed.
        """
        with self._lock.held:
            place = self._place(state)
            if state["batch"] == self._epoch_length(place.epoch):  # the end of an epoch is the beginning of the next
                place = Place(place.epoch + 1, 0)
            self._go_on_at(place)
            self._epoch_is_known = True

    # Called by iterators --------------------------------------------------------------------------------------------

    def _begin_epoch(self, told: Optional[Place] = None) -> Place:
        """Begin an iteration, at the sampler's next epoch or at the place that the iterator was given."""
        self._warn_of_process_group()
        if self._is_part and is_divided():
            raise ValueError(
                f"accelerate divides the batches of {type(self).__name__} among the processes, but they are already "
                "those of one process: rows would be lost. Do not prepare the loader with accelerate. Iterate over it "
                "itself, or over ResumableLoader(loader)."
            )
        place = told or self._next
        self._check_epoch(place.epoch)
        if told is None:
            self._warn_of_unknown_epoch()
            self._go_on_at(Place(place.epoch + 1, 0))
            self._epoch_is_known = True
        self._run_from(place)
        return place

    def _run_from(self, place: Place) -> None:
        """Note where the running iteration begins."""
        self._begun = place
        self._has_new_iterator = False
        self._requests = Requests()

    def _note_end(self, place: Place) -> None:
        """Note that the last batch of the iteration that began here was requested."""
        if self._begun is place:
            self._requests.have_ended = True

    def _go_on_at(self, place: Place) -> None:
        """Make the next iteration begin at this place."""
        self._next = place
        self._begun = None

    def _rows_of_data(self) -> Optional[int]:
        """Return the number of rows of the data that batches are of; None if they are of other numbers, or unknown."""
        return None

    @property
    def _is_part(self) -> bool:
        """Whether the batches are those of one of several processes."""
        return self._rank is not None

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

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        """Iterate over this rank's batches of an epoch, from a place on."""
        batches = self._epoch_batches(place.epoch)
        first = (self._rank or 0) + self._stride * place.batch
        if isinstance(batches, Batches):
            return batches.lists(first, self._stride)
        return (rows.tolist() for rows in islice(batches, first, None, self._stride))

    def _state(self, place: Place, batches: Optional[Iterator[list[int]]] = None) -> dict[str, Any]:
        """Return the state at a place; for the state of an iterator, `batches` is what `_lists_from` returned to it."""
        return {
            "version": STATE_VERSION,
            "fingerprint": self._own_fingerprint(),
            "epoch": place.epoch,
            "batch": place.batch * self._stride,
        }

    def _own_fingerprint(self) -> str:
        """Return the fingerprint. It is computed once, because a state may be requested after every batch."""
        if self._known_fingerprint is None:
            self._known_fingerprint = self._fingerprint()
        return self._known_fingerprint

    def _place(self, state: Mapping[str, Any]) -> Place:
        """Check a state and return its place."""
        check_state(state, self._own_fingerprint())
        epoch = self._check_epoch(state["epoch"])
        batch = check_integer(state["batch"], "batch", minimum=0, maximum=self._most_batches(epoch))
        # How many of the first `batch` batches of all ranks were this rank's.
        own_batch = (batch - (self._rank or 0) + self._stride - 1) // self._stride
        return Place(epoch, own_batch)

    def _warn_of_process_group(self) -> None:
        """Warn once of what was not given if a process group runs."""
        if self._warned_of_process_group:
            return
        needed = {}
        if self._num_replicas is None:
            needed["num_replicas"] = (
                "unless the training library shards the batches, every process trains on all of them. Give "
                "num_replicas, and rank if nothing shards."
            )
        if self._seed_is_drawn:
            needed["seed"] = "each process has drawn another one. Give the same seed in all processes."
        for parameter, advice in needed.items():
            warned = warn_of_process_group(parameter, advice, stacklevel=4)
            self._warned_of_process_group |= warned

    def _warn_of_unknown_epoch(self) -> None:
        """Warn if batches are skipped, as a resumed iteration does, of an epoch that nobody set."""
        if not self._epoch_is_known and skips_batches():
            warnings.warn(
                f"The first batches of epoch {self._next.epoch} are skipped, as in a resumed iteration, but nobody set "
                f"the epoch of {type(self).__name__}: training may repeat the batches of another epoch. Prepare the "
                "loader with pystrat.prepare_for_accelerate(), and call its method set_epoch() before you skip "
                "batches.",
                stacklevel=4,
            )


def _refuse_nested(sampler: BatchSampler, caller: Any) -> None:
    """Refuse to be the `sampler` of a DataLoader with a `batch_size`, which would make batches of batches in silence.

    Such a loader wraps the sampler in torch's own BatchSampler, which is the caller that iterates over it.
    """
    data = sys.modules.get("torch.utils.data")
    if data is not None and isinstance(caller, data.BatchSampler) and getattr(caller, "sampler", None) is sampler:
        raise refused_value(
            "sampler",
            "yield single rows if 'batch_size' is given",
            f"a {type(sampler).__name__}, which yields batches,",
            "Pass it as DataLoader(dataset, batch_sampler=sampler). If the dataset takes a list of rows, "
            "DataLoader(dataset, sampler=sampler, batch_size=None) is faster.",
        )


class BatchIterator(Iterator[list[int]]):
    """One iteration over the batches of a sampler, as lists of row positions.

    It takes its epoch number when its first batch is requested. It can be saved and resumed by itself, as torchdata's
    StatefulDataLoader does.
    """

    def __init__(self, sampler: BatchSampler) -> None:
        sampler._has_new_iterator = True
        self._sampler = sampler
        self._first: Optional[Place] = None  # where it begins, once known
        self._taken = 0  # batches since
        self._batches: Optional[Iterator[list[int]]] = None

    def __iter__(self) -> "BatchIterator":
        return self

    def __next__(self) -> list[int]:
        with self._sampler._lock.held:
            if self._batches is None:
                self._first = self._sampler._begin_epoch(self._first)
                self._batches = self._sampler._lists_from(self._first)
            try:
                rows = next(self._batches)
            except StopIteration:
                if self._first is not None:
                    self._sampler._note_end(self._first)
                raise
            self._taken += 1
            return rows

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the iteration, in the form of `BatchSampler.state_dict`.

        The state of an exhausted iteration is the end of its epoch. An iterator that loads it is exhausted too, and the
        sampler continues with the next epoch, whether the sampler or the iterator loads it.
        """
        with self._sampler._lock.held:
            first = self._first or self._sampler._next
            place = Place(first.epoch, first.batch + self._taken) if self._taken else first
            return self._sampler._state(place, self._batches)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state.

        The sampler's next epoch becomes the one after, so loading a state into both the sampler and its iterator is the
        same as loading it into one of them.
        """
        with self._sampler._lock.held:
            self._first = self._sampler._place(state)
            self._taken, self._batches = 0, None
            self._sampler._go_on_at(Place(self._first.epoch + 1, 0))
            self._sampler._run_from(self._first)
