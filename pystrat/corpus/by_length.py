"""Batches of rows of similar length, of the rows that any sampler draws."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.base import BatchSampler
from pystrat.core.batches import Batches
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import count_of, refused_type, refused_value, show
from pystrat.core.places import Place
from pystrat.core.recipe import Recipe, make_recipe
from pystrat.core.row_arguments import row_positions, row_values


class _Cut(NamedTuple):
    """The rows of an epoch in drawn order, and its batches, which others must not modify."""

    epoch: int
    drawn: NDArray[np.int32]
    batches: Batches


class BatchesByLength(KindBatchSampler):
    """Batch sampler that cuts the rows of another sampler into batches of similar length, with little padding.

    The rows of an epoch of the other sampler are sorted by length within windows, ties in drawn order, and cut into
    batches that are as large as the limits allow. The R function is ``rbridge::batch_sampler_by_length()``.
    docs/corpus.md is a guide.

    Parameters
    ----------
    sampler : BatchSampler
        A sampler of rows whose epochs end, with its seed, `num_replicas` and `rank`. Its own batches do not matter.
    lengths : array_like of int, shape (number of rows of the dataset,)
        The length of each row in tokens, from 0 to 2147483647.
    max_tokens : int, optional
        The largest number of tokens in a batch, including padding: its rows times its longest row, an empty one counted
        as 1. At least the longest of `lengths`. Required without `batch_size`.
    batch_size : int, optional
        The largest number of rows in a batch.
    window : int, optional
        The number of consecutive drawn rows that are sorted together; no batch has rows of two windows. By default all
        of an epoch, which gives the least padding; with smaller windows, the rows in a batch vary more from epoch to
        epoch.
    balance_replicas : bool, default False
        Whether the batches of each step, one for each process, have similar numbers of tokens, so that no process waits
        for another. Requires `num_replicas` of the sampler.
    shuffle : bool, default True
        If False, the batches come in the order of the windows, the shortest of a window first.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * ``len`` is that of the next epoch: the number of batches depends on the rows that are drawn.
    * If `num_replicas` requires more batches, the one with the most rows is split, again and again.
    * The order of the batches is R's ``sample.int(number of batches)`` after ``set.seed()`` of the epoch's seed plus 1.
      With `balance_replicas`, batches are sorted by tokens, and each `num_replicas` consecutive ones are a step; the
      order of the steps is ``sample.int(number of steps)``, and that in each step ``sample.int(num_replicas)``.
    * Feedback to the other sampler takes effect when the next epoch begins; states contain it, and the running epoch.

    Examples
    --------
    >>> from pystrat import BatchesByLength, UniformBatchSampler
    >>> sampler = UniformBatchSampler(8, 8, seed=1)
    >>> lengths = [3, 9, 2, 4, 8, 3, 7, 2]
    >>> [[lengths[row] for row in batch] for batch in BatchesByLength(sampler, lengths, max_tokens=16)]
    [[2, 2, 3, 3], [8], [4, 7], [9]]
    """

    _kind = "by_length"

    # An epoch, because the number of its batches requires the draw; with feedback, the running one, which cannot be
    # drawn again.
    _latest: Optional[_Cut] = None

    def __init__(
        self,
        sampler: BatchSampler,
        lengths: Any,
        *,
        max_tokens: Optional[int] = None,
        batch_size: Optional[int] = None,
        window: Optional[int] = None,
        balance_replicas: bool = False,
        shuffle: bool = True,
    ) -> None:
        limits = arguments_of(locals(), without=("sampler", "lengths"))
        if not isinstance(sampler, BatchSampler):
            raise refused_type("sampler", "be a batch sampler of this package", show(sampler), "Use distribute().")
        shared = {"seed": sampler.seed, "num_replicas": sampler.num_replicas, "rank": sampler.rank}
        self._check({**limits, **shared})
        self._seed_is_drawn = sampler._seed_is_drawn
        self._of = sampler
        self._has_feedback = sampler._has_feedback
        values, n_rows = row_values(lengths, "lengths"), sampler._rows_of_data()
        if n_rows is not None and len(values) != n_rows:
            required = f"have one value for each row of the sampler, {n_rows}"
            raise refused_value("lengths", required, count_of(len(values), "value"))
        self._begin({"lengths": values})

    def _new_instance(self, names: Any = ()) -> Any:
        instance = super()._new_instance(names)
        instance.begin({})
        return instance

    def _rows_of_data(self) -> int:
        return len(self._parts["lengths"])

    def _recipe(self) -> Optional[Recipe]:
        """Return the recipe: that of the other sampler in it, with names that begin with ``sampler_``."""
        inside = self._of._recipe_to_export()
        if inside is None:
            return None
        parts, state, labels = (
            {f"sampler_{name}": vector for name, vector in vectors.items()}
            for vectors in (inside.parts, inside.state, inside.labels)
        )
        own = {**self._parts, "sampler": inside.kind}
        return make_recipe(self._kind, seed=self.seed, parts={**own, **parts}, state=state, labels=labels)

    def _functions(self) -> dict[str, Callable[[float], float]]:
        return self._of._functions()

    def _fingerprint(self) -> str:
        of_sampler = " ".join(f"sampler_{entry}" for entry in self._of._fingerprint().split(" "))
        replicas = "" if self.num_replicas is None else f" num_replicas={self.num_replicas}"
        return f"{self._instance.identify()}{replicas} {of_sampler}"

    def _epoch_length(self, epoch: int) -> int:
        return len(self._cut(epoch).batches)

    def _epoch_batches(self, epoch: int) -> Batches:
        batches = self._cut(epoch).batches
        return Batches(batches.rows.copy(), batches.offsets)

    def _cut(self, epoch: int) -> _Cut:
        cut = self._known(epoch) or self._cut_rows(epoch, self._of._epoch_batches(epoch).rows)
        self._latest = self._latest if self._has_feedback else cut
        return cut

    def _cut_rows(self, epoch: int, rows: NDArray[Any]) -> _Cut:
        drawn = rows.clip(-1, MAX_COUNT).astype(np.int32, copy=False)
        found = self._instance.ask("batches", {"rows": drawn, "epoch": epoch})
        return _Cut(epoch, drawn, Batches(found["rows"], found["offsets"]))

    def _known(self, epoch: int) -> Optional[_Cut]:
        latest = self._latest  # which another thread may replace meanwhile
        return latest if latest is not None and latest.epoch == epoch else None

    # Of a sampler with feedback, the place of an iteration has its epoch.

    def _begin_epoch(self, place: Place) -> Place:
        if not self._has_feedback:
            return place
        if self._known(place.epoch) is None:
            self._latest = None
            self._of.set_epoch(place.epoch)
            self._of._begin_iteration()
            self._latest = self._cut(place.epoch)
        return place._replace(drawn=self._known(place.epoch))

    def _state(self, place: Place) -> dict[str, Any]:
        state = super()._state(place)
        if not self._has_feedback:
            return state
        cut = place.drawn or self._known(place.epoch)
        return {**state, "sampler": self._of.state(), "drawn": None if cut is None else cut.drawn.copy()}

    def _place(self, state: Any) -> Place:
        if not self._has_feedback:
            return super()._place(state)
        self._check_state(state)
        if not {"sampler", "drawn"} <= set(state):
            raise refused_value("state", "have the entries 'sampler' and 'drawn' too", show(state))
        cut = None
        if state["drawn"] is not None:
            cut = self._cut_rows(self._check_epoch(state["epoch"]), row_positions(state["drawn"], "state"))
        self._of.load_state_dict(state["sampler"])
        self._latest = cut
        return super()._place(state)._replace(drawn=cut)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_latest": self._latest if self._has_feedback else None}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._parameters.items() if name != "num_replicas")
        return f"{type(self).__name__}({self._of!r}, {shown}, epoch={self.epoch})"
