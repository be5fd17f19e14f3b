"""Shared by batch samplers whose batches depend on feedback from training, and are drawn when they are requested."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat._core import RandomStream, stream_at
from pystrat.core.arrays import check_same_rows
from pystrat.core.batches import Batches
from pystrat.core.core_sampler import KindBatchSampler
from pystrat.core.limits import SAMPLE_EPOCH
from pystrat.core.messages import is_number, refused_value, show
from pystrat.core.places import Place
from pystrat.core.recipe import Recipe, make_recipe
from pystrat.core.row_arguments import row_positions, row_values
from pystrat.core.seeds import epoch_seed

_LABELS = ("beta", "normalize")
_CHECKED = ("version", "fingerprint")  # entries of a state that the core does not see


class FeedbackBatchSampler(KindBatchSampler):
    """Base class of the samplers that draw batches of one size, each according to the feedback so far.

    The batches of the running epoch are kept until it ends, 4 bytes per row, for a state after any of them.
    """

    batch_size: int  #: The number of rows of every batch.
    _has_feedback = True
    _running: Optional[Place] = None  # where the newest iteration began, with what it draws
    _sample_stream: Optional[RandomStream] = None  # once `sample` has drawn

    def _begin_state(self, data: Mapping[str, Any], first: Mapping[str, Any] = {}) -> None:
        """Plan, and begin with the weights that a user gives, if there are any."""
        labels = {name: self._parts.pop(name) for name in _LABELS if name in self._parts}
        self._begin(data, labels=labels)
        self._instance.begin(dict(first))
        self.batch_size = int(self._parts["batch_size"])

    def _tell(self, method: str, rows: Any, values: Any, name: str, **others: Any) -> None:
        check_same_rows([("rows", rows), (name, values)])
        positions = row_positions(rows, "rows")
        numbers = row_values(values, name, single=len(positions) == 1)
        self._instance.tell(method, {**others, "rows": positions, name: numbers})

    def sample(self, k: int) -> NDArray[np.int32]:
        """Draw `k` rows like a batch according to the feedback so far, for training loops without epochs.

        The random numbers follow from the seed and the previous calls, and are part of the state. With a rank, a call
        returns the part of this rank: those of all ranks, one after the other, are the rows of ``rank=None``.

        Parameters
        ----------
        k : int
            From 0 to 2147483647; without replacement, at most the number of positive weights.
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
        return make_recipe(
            self._kind, seed=self.seed, parts=self._parts, state=self._kept(self._next), labels=self._labels
        )

    def _epoch_batches(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self.seed, epoch))
        n_batches = self._global_length()
        rows = self._instance.draw_more(stream, {"count": n_batches, "epoch": epoch})
        return Batches(rows, np.arange(n_batches + 1, dtype=np.int64) * self.batch_size)

    def _begin_epoch(self, place: Place) -> Place:
        drawn = _Drawn(0, [], RandomStream(epoch_seed(self.seed, place.epoch)))
        if place.drawn is not None:  # resumed within the epoch
            drawn = _Drawn(place.drawn.first, list(place.drawn.batches), stream_at(place.drawn.stream.state()))
        self._running = place._replace(drawn=drawn)
        return self._running

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        drawn, count = place.drawn, self.num_replicas or 1
        for batch in range(place.batch * self._stride + (self.rank or 0), self._global_length(), self._stride):
            while batch - drawn.first >= len(drawn.batches):
                rows = self._instance.draw_more(drawn.stream, {"count": count, "epoch": place.epoch})
                drawn.batches.extend(rows.reshape(count, -1))
            yield drawn.batches[batch - drawn.first].tolist()

    def _place_after(self, epoch: int, batches_done: Any) -> Place:
        place = super()._place_after(epoch, batches_done)
        known = [one.drawn for one in (self._next, self._running) if one is not None and one.epoch == place.epoch]
        return place._replace(drawn=known[0] if known else None)

    def _kept(self, place: Place) -> dict[str, Any]:
        """Return what recipes and states at a place have in common: the feedback, and what is drawn of the epoch."""
        kept: dict[str, Any] = self._instance.ask("state")
        if self._sample_stream is not None:
            kept["sample_generator"] = self._sample_stream.state()
        if place.drawn is not None:
            drawn, batch = place.drawn, place.batch * self._stride  # counted over all ranks
            last = drawn.first + len(drawn.batches)
            if not drawn.first <= batch <= last:
                required = f"be from {drawn.first // self._stride} to {last // self._stride}, where draws are known"
                raise refused_value("batches_done", required, show(place.batch))
            rows = np.concatenate([np.empty(0, dtype=np.int32), *drawn.batches[batch - drawn.first :]])
            kept.update(epoch=place.epoch, batch=batch, drawn=rows, generator=drawn.stream.state())
        return kept

    def _state(self, place: Place) -> dict[str, Any]:
        return {**super()._state(place), **self._kept(place)}

    def _place(self, state: Any) -> Place:
        place = super()._place(state)
        if "next_position" not in state:
            raise refused_value("state", "have the entries of a sampler with feedback too", show(state))
        if self.rank is not None and state["batch"] % self._stride:
            required = f"be at a multiple of the number of replicas, {self._stride}, to be continued by one rank"
            raise refused_value("state", required, f"batch {show(state['batch'])}")
        given = {name: part for name, part in state.items() if part is not None and name not in _CHECKED}
        kept = {name: part if is_number(part) else row_values(part, name) for name, part in given.items()}
        self._instance.begin(kept)
        self._sample_stream = stream_at(kept["sample_generator"]) if "sample_generator" in kept else None
        if "generator" not in kept:
            return place
        batches = list(kept["drawn"].astype(np.int32).reshape(-1, self.batch_size))
        return place._replace(drawn=_Drawn(int(state["batch"]), batches, stream_at(kept["generator"])))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "feedback": self._instance.ask("state")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        feedback = state.pop("feedback")
        super().__setstate__(state)
        self._instance.begin(feedback)


class _Drawn(NamedTuple):
    """What is drawn of an epoch: batches, of which the first has the number `first` over all ranks, and the stream."""

    first: int
    batches: list[NDArray[np.int32]]
    stream: RandomStream
