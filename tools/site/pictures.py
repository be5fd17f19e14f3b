"""Draws the pictures of the pages of plots, one for each function that draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import matplotlib
import numpy as np
import pandas as pd

from pystrat import (
    StratifiedBatchSampler,
    epoch_permutation,
    plot_batch_counts,
    plot_plan,
)

LABELS = np.repeat(["yes", "no"], [60, 1940])


def batch_counts() -> Any:
    plain = (LABELS[epoch_permutation(len(LABELS), seed=1)] == "yes").reshape(-1, 100).sum(axis=1)
    stratified = StratifiedBatchSampler(LABELS, min_samples_per_stratum=3, seed=1).plan.composition()
    return plot_batch_counts({"plain": pd.DataFrame({"yes": plain}), "stratified": stratified}, "yes")[0, 0]


def plan() -> Any:
    return plot_plan(StratifiedBatchSampler(np.repeat(["a", "b", "c"], [12, 50, 200]), 2, seed=1).plan)


DRAWN: dict[str, Callable[[], Any]] = {
    "pystrat.plot_batch_counts": batch_counts,
    "pystrat.plot_plan": plan,
}


def write_pictures(folder: Path) -> None:
    matplotlib.use("Agg")
    for name, draw in DRAWN.items():
        draw().figure.savefig(folder / f"{name}.png", dpi=110)
