"""Shared by batch samplers whose batches depend on feedback from training.

The random numbers follow from seed and epoch. The batches also depend on the feedback, and on how many batches were
drawn before it came. A batch is drawn when it is requested, by the training loop or, earlier, by the workers of a
DataLoader. With `num_replicas`, the batches that all ranks train on at the same time are drawn together, by every rank,
so that the ranks agree as long as they receive the same feedback at the same time.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Iterator, Mapping, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.arrays import check_same_rows, plain_array
from pystrat.limits import SAMPLE_EPOCH
from pystrat.messages import check_integer, refused_value, show
from pystrat.recipe import Recipe, make_recipe
from pystrat.row_arguments import row_positions, row_values
from pystrat._random import RandomStream, stream_at
from pystrat.base import BatchSampler, Place, epoch_seed
from pystrat.batches import Batches
from pystrat.core_sampler import CoreBatchSampler

_GENERATOR_WORDS = 625  # 624 words of state, and first the position among them
_LARGEST_WORD = 2**32 - 1
_FIRST_STATE = ("weights", "priorities", "next_position", "n_added")  # of what the core plans
_LABELS = ("beta", "normalize")


class SamplerWithFeedback(BatchSampler):
    """Base class of the samplers that receive feedback, or are queried, between batches.

    A subclass implements `_feedback_state` and `_load_feedback_state`, because its states contain more than the place.
    """

    @abstractmethod
    def _feedback_state(self, place: Place, batches: Optional[Iterator[list[int]]]) -> dict[str, Any]:
        """Return what a state contains besides its place.

        `batches` is the iterator that `_lists_from` returned, if it is an iterator whose state is requested; None if it
        is the sampler, or if nothing has been drawn since the place was set.
        """

    @abstractmethod
    def _load_feedback_state(self, state: Mapping[str, Any]) -> Any:
        """Check and load what `_feedback_state` returned; return what was drawn beyond the place."""

    def _state(self, place: Place, batches: Optional[Iterator[list[int]]] = None) -> dict[str, Any]:
        return {**super()._state(place, batches), **self._feedback_state(place, batches)}

    def _place(self, state: Mapping[str, Any]) -> Place:
        return super()._place(state)._replace(ahead=self._load_feedback_state(state))


class _Ahead(NamedTuple):
    """The batches that were drawn beyond a place, one per row, and the generator's state after them."""

    batches: NDArray[np.int32]
    generator: NDArray[np.uint32]


class FeedbackBatchSampler(SamplerWithFeedback, CoreBatchSampler):
    """Base class of the samplers that draw batches of one size, each according to the feedback so far.

    The constructor of a subclass gives what the core has planned to `_begin`. The state is in the core.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * The batches of an epoch are a function of the seed, the epoch, the feedback before and during it, and how many
      batches were drawn before each piece of feedback. Feedback affects the batches that are not yet drawn.
    * `batches` returns the epoch as it would be without further feedback, and changes nothing.
    * A state contains the feedback, the state of the generator, and the batches that were drawn but not trained on,
      which come first after the state is loaded.
    * If all ranks receive the same feedback between the same batches, interleaving them gives the batches of
      ``rank=None``.
    * `sample` and the iteration have separate random numbers: neither changes what the other draws.

    The batches of the running epoch are kept until it ends, 4 bytes per row, because a state may be requested after any
    of them.
    """

    _draws: Optional["_Draws"] = None  # those of the running iteration
    _sample_stream: Optional[RandomStream] = None  # once `sample` has drawn
    _entry: str = "weights"  # of a state: what it has for each row

    def _begin(
        self, planned: Mapping[str, Any], *, seed: Optional[int], num_replicas: Optional[int], rank: Optional[int]
    ) -> None:
        """Take the parts of the recipe, its labels, and the first state."""
        parts = {name: part for name, part in planned.items() if name not in _FIRST_STATE + _LABELS}
        labels = {name: planned[name] for name in _LABELS if name in planned}
        self._adopt(parts, labels, seed=seed, num_replicas=num_replicas, rank=rank)
        self._instance = self._new_instance()
        self._instance.begin(dict(planned))

    def _new_instance(self) -> _core.Instance:
        parts = {
            name: part if isinstance(part, (str, np.ndarray)) else float(part) for name, part in self._parts.items()
        }
        return _core.Instance(self._kind, parts, self.seed)

    @property
    def batch_size(self) -> int:
        """The number of rows of every batch."""
        return int(self._parts["batch_size"])

    def _update(self, rows: Any, values: Any, name: str, **others: Any) -> None:
        check_same_rows([("rows", rows), (name, values)])
        positions = row_positions(rows, "rows")
        numbers = row_values(values, name, single=len(positions) == 1)
        self._instance.tell("update", others, {"rows": positions, name: numbers})

    def _feedback(self) -> dict[str, Any]:
        """Return everything that feedback changes."""
        return self._instance.ask("state")

    def _load_feedback(self, feedback: Any, drawn: NDArray[Any]) -> None:
        """Check what `_feedback` returned, and that the rows in `drawn` exist; then load it."""
        entry = self._entry
        if not isinstance(feedback, Mapping) or not {entry, "next_position"} <= set(feedback):
            raise refused_value("state", f"hold the {entry} of the rows", show(feedback))
        values = row_values(feedback[entry], "state")
        length = len(values) // self._n_stages
        outside = drawn[(drawn < 0) | (drawn >= length)]
        if len(outside):
            required = f"hold drawn rows from 0 to {length - 1}" if length else "hold no drawn rows: it has no row"
            raise refused_value("state", required, show(outside[0]))
        counts = {name: feedback.get(name) for name in ("largest", "n_added")}
        counts["next_position"] = check_integer(feedback["next_position"], "next_position", minimum=0)
        self._instance.begin({entry: values, **counts})

    @property
    def _n_stages(self) -> int:
        """The number of values that a state has for each row."""
        return 1

    @abstractmethod
    def _state_vectors(self) -> dict[str, Any]:
        """Return what `_feedback` returns, in the form of a recipe."""

    def sample(self, k: int) -> NDArray[np.int32]:
        """Draw `k` rows according to the feedback so far, outside of epochs, for training loops without epochs.

        The random numbers follow from the seed and the previous calls of `sample`, and are not those of any epoch: the
        iteration is the same with and without such calls. They are part of the sampler's state.

        Parameters
        ----------
        k : int
            From 0 to 2147483647; without replacement, at most the number of positive weights.

        Returns
        -------
        numpy.ndarray of int32, shape (k,)
            Drawn like the rows of a batch of `k` rows. With `num_replicas` and a rank, each call draws the rows of all
            ranks and returns those of this rank. So the calls of all ranks, one after the other, give the rows of
            ``rank=None``, as long as all ranks receive the same feedback between the same calls.

        Raises
        ------
        TypeError, ValueError
            If `k` is invalid, or no row can be drawn.
        """
        stream = self._sample_stream or RandomStream(epoch_seed(self.seed, SAMPLE_EPOCH))
        drawn = self._instance.draw_more(stream, {"k": k, "count": self._stride, "epoch": self.epoch})
        self._sample_stream = stream  # only now: a refused call changes nothing
        if self._stride == 1:
            return drawn
        size, rank = len(drawn) // self._stride, self.rank or 0
        return drawn[rank * size : (rank + 1) * size].copy()

    def _recipe(self) -> Recipe:
        return make_recipe(
            self._kind,
            seed=self.seed,
            parts=self._parts,
            state={**self._state_vectors(), **self._place_vectors(), "sample_generator": self._sample_words(np.int32)},
            labels=self._labels,
        )

    def _fingerprint(self) -> str:
        return self._instance.identify()

    def _place_vectors(self) -> dict[str, Any]:
        """Return the place of a sampler that was resumed within an epoch; nothing if it is at the beginning of one."""
        place = self._next
        ahead: Optional[_Ahead] = place.ahead
        if ahead is None:
            return {}
        return {
            "epoch": place.epoch,
            "batch": place.batch * self._stride,
            "drawn": ahead.batches.reshape(-1),
            "generator": ahead.generator.view(np.int32),
        }

    def _sample_words(self, dtype: type = np.uint32) -> Optional[NDArray[Any]]:
        """Return the generator's state after the last `sample`; None before the first one."""
        return None if self._sample_stream is None else self._sample_stream.state().view(dtype)

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
        if not {"drawn", "generator", "sample_generator", "feedback"} <= set(state):
            required = "have the entries 'drawn', 'generator', 'sample_generator' and 'feedback' too"
            raise refused_value("state", required, show(state))
        if self.rank is not None and state["batch"] % self._stride:
            required = f"be at a multiple of the number of replicas, {self._stride}, to be continued by one rank"
            raise refused_value("state", required, f"batch {show(state['batch'])}")
        drawn, words, sampled = plain_array(state["drawn"], "state"), state["generator"], state["sample_generator"]
        if drawn.size and (drawn.dtype.kind not in "iu" or drawn.shape[1:] != (self.batch_size,)):
            required = f"hold drawn batches of {self.batch_size} rows"
            raise refused_value("state", required, f"an array of shape {drawn.shape}")
        if words is None and (drawn.size or state["batch"]):
            raise refused_value("state", "hold the state of the generator", "nothing")
        generator = None if words is None else generator_words(words)
        sample_generator = None if sampled is None else generator_words(sampled)
        self._load_feedback(state["feedback"], drawn.reshape(-1))
        self._sample_stream = None if sample_generator is None else stream_at(sample_generator)
        if generator is None:
            return None
        return _Ahead(drawn.astype(np.int32).reshape(-1, self.batch_size), generator)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_instance": self._feedback()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._instance = self._new_instance()
        self._instance.begin(state["_instance"])


def generator_words(words: Any) -> NDArray[np.uint32]:
    """Return the words of the generator in a state; refuse invalid ones."""
    given = plain_array(words, "state")
    if given.shape != (_GENERATOR_WORDS,):
        required = f"hold {_GENERATOR_WORDS} words of the generator"
        raise refused_value("state", required, show(words))
    required = f"hold words of the generator, integers from 0 to {_LARGEST_WORD}"
    if given.dtype.kind not in "iu":
        raise refused_value("state", required, f"{given.dtype} values")
    outside = given[(given < 0) | (given > _LARGEST_WORD)]
    if len(outside):
        raise refused_value("state", required, show(outside[0]))
    if given[0] >= _GENERATOR_WORDS:
        required = f"hold a place of the generator from 0 to {_GENERATOR_WORDS - 1}"
        raise refused_value("state", required, show(given[0]))
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
