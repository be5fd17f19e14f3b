"""The plans of all epochs: one for all, or from a table of weights."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat.epoch_table import read_epoch_table
from pystrat.messages import refused_type
from pystrat.corpus.plan import CorpusPlan, PlanSettings, Weights

WeightsOfEpochs = Union[Weights, Mapping[int, Weights]]


class Stages(NamedTuple):
    """Plans, and the first epochs in which they apply."""

    begins: tuple[int, ...]
    plans: tuple[CorpusPlan, ...]

    def plan_of(self, epoch: int) -> CorpusPlan:
        """Return the plan of an epoch."""
        return self.plans[bisect_right(self.begins, epoch) - 1]

    def numbers(self) -> dict[str, Any]:
        """Return the lines of each file in each plan, drawn and kept, as the core takes them."""
        files = [file for plan in self.plans for file in plan.files]
        return {
            "drawn": np.array([file.drawn for file in files], dtype=np.float64),
            "kept": np.array([file.kept for file in files], dtype=np.float64),
        }


def plan_stages(
    labels: Sequence[str],
    lines: Sequence[int],
    settings: PlanSettings,
    weights: Optional[WeightsOfEpochs],
    remaining: Optional[Sequence[int]],
) -> Stages:
    """Plan each entry of a table of weights by the first epoch, or one for all epochs.

    `remaining` is the number of lines of each file that limits do not exclude; None if there are no limits.
    """
    table = {0: weights}
    if isinstance(weights, Mapping):
        table = read_epoch_table(weights, "weights", noun="weights", entry="lists of weights")
        if any(given is None for given in table.values()):
            raise refused_type("weights", "have a list of weights for each epoch of the table", "nothing")
    plans = tuple(CorpusPlan.of_files(labels, lines, settings, given, remaining) for given in table.values())
    return Stages(tuple(table), plans)
