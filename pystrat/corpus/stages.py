"""The plan of an epoch: one for all epochs, or from a table of weights or a function of the epoch."""

from __future__ import annotations

import numbers
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat.limits import MAX_COUNT, MAX_EPOCH
from pystrat.messages import is_number, refused_type, refused_value, show
from pystrat.corpus.batching import BatchCut, Cutting
from pystrat.corpus.division import Weights, divide
from pystrat.corpus.files import ParallelFile
from pystrat.corpus.plan import CorpusPlan
from pystrat.corpus.rules import Rule, encoded

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

WeightsOfEpochs = Union[Weights, Mapping[int, Weights], Callable[[int], Weights]]


class Stage(NamedTuple):
    """What several epochs share: a plan, and the way to cut them into batches."""

    plan: CorpusPlan
    drawn: NDArray[np.int64]  # lines of each file
    kept: NDArray[np.int64]
    cut: BatchCut


class Planning(NamedTuple):
    """Everything except the weights that plans depend on, from the parameters of a mixture."""

    files: Sequence[ParallelFile]
    remaining: Sequence[int]  # lines of each file that limits do not exclude
    has_limits: bool
    rules: Optional[Sequence[Rule]]
    temperature: Any
    sample: Any
    epoch_end: Any
    cutting: Cutting

    def stage(self, weights: Any) -> Stage:
        """Make the plan for weights, and refuse an epoch that is too large."""
        names = [encoded(file.name, "source") for file in self.files]
        division = divide(names, self.remaining, rules=self.rules, weights=weights, temperature=self.temperature)
        remaining = self.remaining if self.has_limits else None
        plan = CorpusPlan.of_files(self.files, division, self.sample, self.epoch_end, remaining)
        if plan.total > MAX_COUNT:
            required = f"give an epoch at most {MAX_COUNT} lines"
            name, given = ("epoch_end", self.epoch_end) if self.sample is None else ("sample", self.sample)
            raise refused_value(name, required, f"{show(given)}, for {plan.total}")
        drawn = np.array([file.drawn for file in plan.files], dtype=np.int64)
        kept = np.array([file.kept for file in plan.files], dtype=np.int64)
        return Stage(plan, drawn, kept, self.cutting.cut(plan.total))


class Stages:
    """The plans of all epochs.

    Parameters
    ----------
    planning : Planning
    weights : weights of the files, mapping from int to weights, callable, or None
        A mapping has the weights by first epoch. A function is called with the number of an epoch when its plan is
        requested, and immediately with 0.

    Attributes
    ----------
    begins : tuple of int
        The first epochs of `stages`.
    stages : tuple of Stage
        Those of all epochs; for a function, that of epoch 0.
    function : callable or None
    """

    def __init__(self, planning: Planning, weights: Optional[WeightsOfEpochs]) -> None:
        self._planning = planning
        is_table = isinstance(weights, Mapping)
        self.function: Optional[Callable[[int], Weights]] = weights if callable(weights) and not is_table else None
        if self.function is not None:
            self._latest = (0, self._stage_by_function(0))
            self.begins: tuple[int, ...] = (0,)
            self.stages: tuple[Stage, ...] = (self._latest[1],)
            return
        table = _read_table(weights) if is_table else {0: weights}
        self.begins = tuple(sorted(table))
        self.stages = tuple(planning.stage(table[begin]) for begin in self.begins)

    def of(self, epoch: int) -> Stage:
        """Return the stage of an epoch."""
        if self.function is None:
            return self.stages[bisect_right(self.begins, epoch) - 1]
        latest = self._latest  # which another thread may replace meanwhile
        if latest[0] != epoch:
            latest = self._latest = (epoch, self._stage_by_function(epoch))
        return latest[1]

    def _stage_by_function(self, epoch: int) -> Stage:
        assert self.function is not None
        weights = self.function(epoch)
        if weights is None:
            raise refused_type("weights", "return the weights of each epoch", f"nothing for epoch {epoch}")
        return self._planning.stage(weights)


def _read_table(weights: Any) -> dict[int, Any]:
    """Return a table of weights by the first epoch in which they apply."""
    table = {}
    for epoch, given in weights.items():
        is_integer = is_number(epoch) and isinstance(epoch, numbers.Integral)
        if not is_integer or not 0 <= epoch <= MAX_EPOCH:
            required = f"be a table from epochs, integers from 0 to {MAX_EPOCH}, to lists of weights"
            raise refused_type("weights", required, f"the epoch {show(epoch)}")
        if given is None:
            raise refused_type("weights", "have a list of weights for each epoch of the table", "nothing")
        table[int(epoch)] = given
    if 0 not in table:
        got = f"a table from epoch {min(table)} on" if table else "an empty table"
        raise refused_value("weights", "have weights from epoch 0 on", got)
    return table
