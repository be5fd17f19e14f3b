"""Draws the picture of the README: the positive rows of every batch, plain and stratified.

    python examples/readme_picture.py docs/readme_files
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot

from pystrat import StratifiedBatchSampler, epoch_permutation

N_POSITIVES, N_ROWS, BATCH_SIZE, MINIMUM, SEED = 600, 20_000, 100, 3, 1
BLUE, ORANGE = "#0072b2", "#d55e00"


def main(folder: Path) -> None:
    matplotlib.use("Agg")
    labels = np.repeat([1, 0], [N_POSITIVES, N_ROWS - N_POSITIVES])
    plain = labels[epoch_permutation(N_ROWS, seed=SEED)].reshape(-1, BATCH_SIZE).sum(axis=1)
    plan = StratifiedBatchSampler(labels, min_samples_per_stratum=MINIMUM, seed=SEED).plan
    stratified = plan.composition()[1].to_numpy()
    # As wide as a telephone, so that the letters are as large there as those of the text.
    figure, panels = pyplot.subplots(2, 1, figsize=(4.9, 3.9), sharex=True, sharey=True, layout="tight")
    titles = (f"plain: {(plain == 0).sum()} of {plan.n_batches} batches have none", f"stratified: {MINIMUM} in each")
    for axis, counts, title in zip(panels, (plain, stratified), titles):
        batch = np.arange(1, len(counts) + 1)
        axis.plot(batch, counts, ".", color=BLUE, markersize=4)
        axis.plot(batch[counts == 0], counts[counts == 0], "x", color=ORANGE, markersize=7, clip_on=False)
        axis.set_title(title, fontsize=13)
        axis.tick_params(labelsize=11)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set(ylim=(0, 10), yticks=range(0, 10, 3))
        axis.set_ylabel("positive rows", fontsize=12)
    panels[1].set_xlabel("batch", fontsize=12)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "positives.png", dpi=200)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
