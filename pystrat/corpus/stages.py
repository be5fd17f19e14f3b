"""The plan of an epoch: one for all epochs, or from a table of weights or a function of the epoch."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat.epoch_table import read_epoch_table
from pystrat.messages import refused_type
from pystrat.corpus.plan import CorpusPlan, PlanSettings, Weights

WeightsOfEpochs = Union[Weights, Mapping[int, Weights], Callable[[int], Weights]]


class Planning(NamedTuple):
    """Everything except the weights that plans depend on."""

    labels: Sequence[str]
    lines: Sequence[int]
    remaining: Optional[Sequence[int]]  # lines of each file that limits do not exclude; None if there are no limits
    settings: PlanSettings

    def plan(self, weights: Any) -> CorpusPlan:
        """Make the plan for weights, and refuse an epoch that is too large."""
        return CorpusPlan.of_files(self.labels, self.lines, self.settings, weights, self.remaining)


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
        The first epochs of `plans`.
    plans : tuple of CorpusPlan
        Those of all epochs; for a function, that of epoch 0.
    function : callable or None
    """

    def __init__(self, planning: Planning, weights: Optional[WeightsOfEpochs]) -> None:
        self._planning = planning
        is_table = isinstance(weights, Mapping)
        self.function: Optional[Callable[[int], Weights]] = weights if callable(weights) and not is_table else None
        if self.function is not None:
            self._latest = (0, self._plan_by_function(0))
            self.begins: tuple[int, ...] = (0,)
            self.plans: tuple[CorpusPlan, ...] = (self._latest[1],)
            return
        table = _read_table(weights) if isinstance(weights, Mapping) else {0: weights}
        self.begins = tuple(table)
        self.plans = tuple(map(planning.plan, table.values()))

    def plan_of(self, epoch: int) -> CorpusPlan:
        """Return the plan of an epoch."""
        if self.function is None:
            return self.plans[bisect_right(self.begins, epoch) - 1]
        latest = self._latest  # which another thread may replace meanwhile
        if latest[0] != epoch:
            latest = self._latest = (epoch, self._plan_by_function(epoch))
        return latest[1]

    def _plan_by_function(self, epoch: int) -> CorpusPlan:
        assert self.function is not None
        weights = self.function(epoch)
        if weights is None:
            raise refused_type("weights", "return the weights of each epoch", f"nothing for epoch {epoch}")
        return self._planning.plan(weights)


def numbers_of(plans: Sequence[CorpusPlan]) -> dict[str, Any]:
    """Return the lines of each file in each plan, drawn and kept, as the core takes them."""
    files = [file for plan in plans for file in plan.files]
    return {
        "drawn": np.array([file.drawn for file in files], dtype=np.float64),
        "kept": np.array([file.kept for file in files], dtype=np.float64),
    }


def _read_table(weights: Mapping[Any, Any]) -> dict[int, Any]:
    """Return a table of weights by the first epoch in which they apply."""
    table = read_epoch_table(weights, "weights", noun="weights", entry="lists of weights")
    if any(given is None for given in table.values()):
        raise refused_type("weights", "have a list of weights for each epoch of the table", "nothing")
    return table
