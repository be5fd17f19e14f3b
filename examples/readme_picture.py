"""Draws the picture of the README: the positive rows of every batch, plain and stratified.

    python examples/readme_picture.py docs/readme_files
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import torch

from pystrat import StratifiedBatchSampler, plot_batch_counts

N_POSITIVES, N_ROWS, BATCH_SIZE, MINIMUM, SEED = 600, 20_000, 100, 3, 1


def main(folder: Path) -> None:
    matplotlib.use("Agg")
    labels = np.repeat([1, 0], [N_POSITIVES, N_ROWS - N_POSITIVES])
    shuffled = torch.randperm(N_ROWS, generator=torch.Generator().manual_seed(SEED)).numpy()
    plain = labels[shuffled].reshape(-1, BATCH_SIZE).sum(axis=1)
    plan = StratifiedBatchSampler(labels, min_samples_per_stratum=MINIMUM, seed=SEED).plan
    tables = {"plain": plain, "stratified": plan.composition()[1].to_numpy()}
    axes = plot_batch_counts({name: pd.DataFrame({"positive": counts}) for name, counts in tables.items()}, "positive")
    figure = axes[0, 0].figure
    for axis in axes[1]:
        axis.remove()
    figure.set_size_inches(9.2, 3)
    figure.subplots_adjust(bottom=-0.64, top=0.84, hspace=0.2)  # the upper row fills the picture
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "positives.png", dpi=144)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
