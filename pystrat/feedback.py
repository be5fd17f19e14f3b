"""Shared by batch samplers whose batches depend on feedback from training.

A batch is drawn when it is requested, by the training loop or, earlier, by the workers of a DataLoader. All ranks draw
the batches that they train on at the same time together, so they agree as long as they receive the same feedback.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Iterator, Mapping, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat._random import RandomStream, stream_at
from pystrat.arrays import check_same_rows, plain_array
from pystrat.base import BatchSampler, Place
from pystrat.seeds import epoch_seed
from pystrat.batches import Batches
from pystrat.core_sampler import KindBatchSampler
from pystrat.limits import MAX_COUNT, SAMPLE_EPOCH
from pystrat.messages import refused_value, show
from pystrat.recipe import Recipe, make_recipe
from pystrat.row_arguments import row_positions, row_values

_VALUES = ("weights", "priorities", "reported")  # of rows, in the state that the core has
_STATE = (*_VALUES, "next_position", "n_added", "largest", "started", "has_warned", "weighed")
_LABELS = ("beta", "normalize")
_ENTRIES = ("drawn", "generator", "sample_generator", "feedback")  # of a state, besides those of all samplers


class SamplerWithFeedback(BatchSampler):
    """Base class of the samplers whose states contain more than the place.

    A subclass implements `_feedback_state`, which returns the rest of a state, and `_load_feedback_state`, which checks
    and loads it, and returns what was drawn beyond the place. The former gets the iterator that `_lists_from` returned,
    if it is an iterator whose state is requested.
    """

    @abstractmethod
    def _feedback_state(self, place: Place, batches: Optional[Iterator[list[int]]]) -> dict[str, Any]:
        ...

    @abstractmethod
    def _load_feedback_state(self, state: Mapping[str, Any]) -> Any:
        ...

    def _state(self, place: Place, batches: Optional[Iterator[list[int]]] = None) -> dict[str, Any]:
        return {**super()._state(place, batches), **self._feedback_state(place, batches)}

    def _place(self, state: Mapping[str, Any]) -> Place:
        return super()._place(state)._replace(ahead=self._load_feedback_state(state))


class _Ahead(NamedTuple):
    """The batches that were drawn beyond a place, one per row, and the generator's state after them."""

    batches: NDArray[np.int32]
    generator: NDArray[np.uint32]


class FeedbackBatchSampler(SamplerWithFeedback, KindBatchSampler):
    """Base class of the samplers that draw batches of one size, each according to the feedback so far.

    The constructor of a subclass calls `_check`, then `_begin_state`. The core has the state, and checks one that is
    loaded. The batches of the running epoch are kept until it ends, 4 bytes per row, because a state may be
    requested after any of them.

    Notes
    -----
    * The batches of an epoch are a function of the seed, the epoch, the feedback before and during it, and how many
      batches were drawn before each piece of feedback. Feedback affects the batches that are not yet drawn.
    * `batches` returns the epoch as it would be without further feedback, and changes nothing.
    * A state contains the feedback, the state of the generator, and the batches that were drawn but not trained on,
      which come first after the state is loaded.
    * If all ranks receive the same feedback between the same batches, interleaving them gives the batches of
      ``rank=None``.
    """

    _draws: Optional["_Draws"] = None  # those of the running iteration
    _sample_stream: Optional[RandomStream] = None  # once `sample` has drawn

    def _begin_state(self, data: Mapping[str, Any], first: Mapping[str, Any] = {}) -> None:
        """Plan, and begin with the weights that a user gives, if there are any."""
        labels = {name: self._parts.pop(name) for name in _LABELS if name in self._parts}
        self._begin(data, labels=labels)
        self._instance = self._idle.pop()
        self._instance.begin(dict(first))

    @property
    def batch_size(self) -> int:
        """The number of rows of every batch."""
        return int(self._parts["batch_size"])

    def _update(self, rows: Any, values: Any, name: str, **others: Any) -> None:
        self._tell("update", rows, values, name, **others)

    def _tell(self, method: str, rows: Any, values: Any, name: str, **others: Any) -> None:
        check_same_rows([("rows", rows), (name, values)])
        positions = row_positions(rows, "rows")
        numbers = row_values(values, name, single=len(positions) == 1)
        self._instance.tell(method, {**others, "rows": positions, name: numbers})

    def _feedback(self) -> dict[str, Any]:
        """Return everything that feedback changes."""
        state: dict[str, Any] = self._instance.ask("state")
        return state

    def sample(self, k: int) -> NDArray[np.int32]:
        """Draw `k` rows according to the feedback so far, outside of epochs, for training loops without epochs.

        The random numbers follow from the seed and the previous calls of `sample`, and are not those of any epoch. They
        are part of the sampler's state.

        Parameters
        ----------
        k : int
            From 0 to 2147483647; without replacement, at most the number of positive weights.

        Returns
        -------
        numpy.ndarray of int32, shape (k,)
            Drawn like the rows of a batch of `k` rows. With a rank, each call draws the rows of all ranks and returns
            those of this one: the calls of all ranks, one after the other, give the rows of ``rank=None``.
        """
        stream = self._sample_stream or RandomStream(epoch_seed(self.seed, SAMPLE_EPOCH))
        wanted = {"k": k, "count": self._stride, "epoch": self.epoch}
        drawn: NDArray[np.int32] = self._instance.draw_more(stream, wanted)
        self._sample_stream = stream  # only now: a refused call changes nothing
        if self._stride == 1:
            return drawn
        size, rank = len(drawn) // self._stride, self.rank or 0
        return drawn[rank * size : (rank + 1) * size].copy()

    def _recipe(self) -> Recipe:
        place, sampled = self._next, self._sample_words()
        state = {**self._feedback(), "sample_generator": None if sampled is None else sampled.view(np.int32)}
        if place.ahead is not None:  # resumed within an epoch
            state.update(_vectors_of(place.epoch, place.batch * self._stride, place.ahead))
        return make_recipe(self._kind, seed=self.seed, parts=self._parts, state=state, labels=self._labels)

    def _fingerprint(self) -> str:
        return str(self._instance.identify())

    def _sample_words(self) -> Optional[NDArray[np.uint32]]:
        """Return the generator's state after the last `sample`; None before the first one."""
        return None if self._sample_stream is None else self._sample_stream.state()

    def _epoch_batches(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self.seed, epoch))
        n_batches = self._global_length()
        rows = self._instance.draw_more(stream, {"count": n_batches, "epoch": epoch})
        return Batches(rows, np.arange(n_batches + 1, dtype=np.int64) * self.batch_size)

    def _lists_from(self, place: Place) -> "_Draws":
        self._draws = _Draws(self, place)
        return self._draws

    def _go_on_at(self, place: Place) -> None:
        super()._go_on_at(place)
        self._draws = None

    def _feedback_state(self, place: Place, batches: Optional[Iterator[list[int]]]) -> dict[str, Any]:
        draws = self._draws if batches is None else batches
        ahead: Optional[_Ahead] = place.ahead
        if isinstance(draws, _Draws) and draws.epoch == place.epoch:
            ahead = draws.beyond(place.batch * self._stride)
        return {
            "drawn": np.empty((0, self.batch_size), dtype=np.int32) if ahead is None else ahead.batches.copy(),
            "generator": None if ahead is None else ahead.generator.copy(),
            "sample_generator": self._sample_words(),
            "feedback": self._feedback(),
        }

    def _load_feedback_state(self, state: Mapping[str, Any]) -> Optional[_Ahead]:
        if not set(_ENTRIES) <= set(state) or not isinstance(state["feedback"], Mapping):
            required = f"have the entries {', '.join(map(repr, _ENTRIES[:3]))} and 'feedback' too"
            raise refused_value("state", required, show(state))
        if self.rank is not None and state["batch"] % self._stride:
            required = f"be at a multiple of the number of replicas, {self._stride}, to be continued by one rank"
            raise refused_value("state", required, f"batch {show(state['batch'])}")
        drawn = plain_array(state["drawn"], "state")
        if drawn.size and (drawn.dtype.kind not in "iu" or drawn.shape[1:] != (self.batch_size,)):
            required = f"hold drawn batches of {self.batch_size} rows"
            raise refused_value("state", required, f"an array of shape {drawn.shape}")
        generator, sampled = words_of(state["generator"]), words_of(state["sample_generator"])
        if generator is None and (drawn.size or state["batch"]):
            raise refused_value("state", "hold the state of the generator", "nothing")
        given = {name: state["feedback"].get(name) for name in _STATE}
        given.update((name, row_values(given[name], "state")) for name in _VALUES if given[name] is not None)
        ahead = None
        if generator is not None:
            batches = drawn.clip(-1, MAX_COUNT).astype(np.int32).reshape(-1, self.batch_size)
            ahead = _Ahead(batches, generator)
            given.update(_vectors_of(int(state["epoch"]), int(state["batch"]), ahead))
        self._instance.begin({name: part for name, part in given.items() if part is not None})
        self._sample_stream = None if sampled is None else stream_at(sampled)
        return ahead

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_instance": self._feedback()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._instance = self._new_instance()
        self._instance.begin(state["_instance"])


def _vectors_of(epoch: int, batch: int, ahead: _Ahead) -> dict[str, Any]:
    """Return a place as a recipe and the core have it; `batch` is counted over all ranks."""
    words = ahead.generator.view(np.int32)
    return {"epoch": epoch, "batch": batch, "drawn": ahead.batches.reshape(-1), "generator": words}


def words_of(words: Any) -> Optional[NDArray[np.uint32]]:
    """Return the words of a generator in a state, None if there are none; refuse what is no vector of such words."""
    if words is None:
        return None
    given = plain_array(words, "state")
    if (
        given.shape != (625,)
        or given.dtype.kind not in "iu"
        or given.min() < 0
        or given.max() >= 2**32
        or given[0] > 624
    ):
        raise refused_value("state", "hold 625 words of the generator", "others")
    return given.astype(np.uint32)


class _Draws(Iterator[list[int]]):
    """The batches of an epoch for one rank, drawn when they are requested, from a given place on."""

    def __init__(self, sampler: FeedbackBatchSampler, place: Place) -> None:
        self.epoch = place.epoch
        self._sampler = sampler
        self._wanted = {"count": sampler.num_replicas or 1, "epoch": place.epoch}
        ahead: Optional[_Ahead] = place.ahead
        batch = place.batch * sampler._stride  # counted over all ranks, like all others here
        self._first = 0 if ahead is None else batch
        self._next = batch + (sampler.rank or 0)
        if ahead is None:
            self._drawn: list[NDArray[np.int32]] = []
            self._stream = RandomStream(epoch_seed(sampler.seed, place.epoch))
        else:
            self._drawn = list(ahead.batches)
            self._stream = stream_at(ahead.generator)

    def __next__(self) -> list[int]:
        sampler = self._sampler
        if self._next >= sampler._global_length():
            raise StopIteration
        while self._next - self._first >= len(self._drawn):
            drawn = sampler._instance.draw_more(self._stream, self._wanted)
            self._drawn.extend(drawn.reshape(self._wanted["count"], -1))
        batch: list[int] = self._drawn[self._next - self._first].tolist()
        self._next += sampler._stride
        return batch

    def beyond(self, batch: int) -> _Ahead:
        """Return the batches that have been drawn, from `batch` on."""
        done, stride = batch - self._first, self._sampler._stride
        if done > len(self._drawn):
            required = f"be at most {len(self._drawn) // stride}, the number of batches that were requested"
            raise refused_value("batches_done", required, show(done // stride))
        batches = self._drawn[done:]
        shape = (len(batches), self._sampler.batch_size)
        rows = np.concatenate(batches) if batches else np.empty(0, dtype=np.int32)
        return _Ahead(rows.reshape(shape), self._stream.state())
