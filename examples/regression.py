"""Draw which targets an epoch takes with each of the samplers for imbalanced regression.

Usage: python examples/regression.py FOLDER

The target is simulated: log-normal, as prices and durations often are. The folder gets targets.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from pystrat import (
    StratifiedBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    bin_target,
    density_weights,
    inverse_density_weights,
)
from pystrat.reports.batch_counts import COLORS

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  after the backend was chosen

N_ROWS, BATCH_SIZE, N_BINS = 20_000, 100, 10


def main(folder: Path) -> None:
    """Draw an epoch of each sampler, and the picture."""
    target = np.random.default_rng(1).lognormal(sigma=0.7, size=N_ROWS)
    weights = {
        "density weights": density_weights(target),
        "inverse density, power 0.5": inverse_density_weights(target, power=0.5),
        "inverse density": inverse_density_weights(target),
    }
    samplers = {"all rows": UniformBatchSampler(N_ROWS, BATCH_SIZE, seed=1)}
    samplers |= {name: WeightedBatchSampler(each, BATCH_SIZE, seed=1) for name, each in weights.items()}
    bins = StratifiedBatchSampler(bin_target(target, N_BINS), BATCH_SIZE // N_BINS - 1, seed=1)

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    edges = np.linspace(0, 10, 41)
    for place, (name, sampler) in enumerate(samplers.items()):
        drawn = target[sampler.batches(0).rows]
        color, line = COLORS[place], ("-", "--")[place % 2]
        left.hist(
            drawn, edges, histtype="step", color=color, linestyle=line, label=name, weights=drawn * 0 + 1 / len(drawn)
        )
    left.set(xlabel="target", ylabel="share of the rows of an epoch", title="Weights: which targets are drawn")
    left.legend(frameon=False)

    rare = target > np.quantile(target, 1 - 1 / N_BINS)
    counts = {
        name: [rare[rows].sum() for rows in sampler.batches(0)]
        for name, sampler in [("plain batches", samplers["all rows"]), ("a minimum of every bin", bins)]
    }
    for (name, values), color in zip(counts.items(), COLORS):
        right.hist(values, np.arange(-0.5, 25), alpha=0.6, color=color, label=name)
    right.set(xlabel="rows of the highest tenth in a batch", ylabel="batches", title="Bins: how many in each batch")
    right.legend(frameon=False)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "targets.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
