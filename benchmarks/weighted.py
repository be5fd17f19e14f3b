"""Weighted draws over uniform ones, over numpy's and torch's, and updates over draws; batches of 256.

With a folder as its argument it only draws the plots of time against n and k into it, such as docs/weighted_files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import torch
from numpy.typing import NDArray
from rounds import head, interleaved, ratio, show
from torch.utils.data import WeightedRandomSampler

from pystrat import SumTree, UniformBatchSampler
from pystrat._style import COLORS, SMALL

BATCH = 256
REPEATS = 20  # draws in a round
RANDOM = np.random.default_rng(1)


class BinaryTree:
    """The published tree: two children to a node; all draws of a batch go down together, in numpy."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.leaves = 1 << (len(weights) - 1).bit_length()
        self.sums = np.zeros(2 * self.leaves)
        self.sums[self.leaves : self.leaves + len(weights)] = weights
        first = self.leaves
        while first > 1:
            self.sums[first // 2 : first] = self.sums[first : 2 * first].reshape(-1, 2).sum(axis=1)
            first //= 2

    def sample(self, k: int) -> NDArray[np.int64]:
        values = RANDOM.random(k) * self.sums[1]
        places = np.ones(k, dtype=np.int64)
        while places[0] < self.leaves:
            places *= 2
            left = self.sums[places]
            right = values >= left
            values -= np.where(right, left, 0)
            places += right
        return places - self.leaves


def repeated(draw: Callable[[], Any], repeats: int = REPEATS) -> Callable[[], None]:
    def run() -> None:
        for _ in range(repeats):
            draw()

    return run


def contestants(n: int, k: int = BATCH) -> dict[str, Callable[[], Any]]:
    """Return what is measured of n rows, each a round of draws or updates of k rows."""
    weights = RANDOM.random(n)
    tree, binary = SumTree(weights, seed=1), BinaryTree(weights)
    uniform = UniformBatchSampler(n, k, n_batches=REPEATS, seed=1)
    updates = iter([(RANDOM.integers(0, n, k), RANDOM.random(k)) for _ in range(50)] * 100_000)
    return {
        "uniform, without replacement": lambda: uniform.batches(0),
        "weighted, with replacement": repeated(lambda: tree.sample(k)),
        "weighted, without replacement": repeated(lambda: tree.sample(k, replacement=False)),
        "update": repeated(lambda: tree.update(*next(updates))),
        "binary tree in numpy, with replacement": repeated(lambda: binary.sample(k)),
    }


def claims() -> None:
    timings = interleaved(contestants(10_000_000), rounds=31)
    ours = "weighted, with replacement"
    binary = ratio(timings, ours, "binary tree in numpy, with replacement")
    show("weighted with replacement over a binary tree in numpy, n = 10,000,000", binary, 0.2)
    show("update over weighted with replacement, n = 10,000,000", ratio(timings, "update", ours), 1)
    timings = interleaved(contestants(65_536), rounds=101)
    uniform = "uniform, without replacement"
    show("weighted with replacement over uniform without, n = 65,536", ratio(timings, ours, uniform), 5)
    without = ratio(timings, "weighted, without replacement", uniform)
    show("weighted without replacement over uniform without, n = 65,536", without, 6)
    show("update over weighted with replacement, n = 65,536", ratio(timings, "update", ours), 1)


def beside_others() -> None:
    """Print ratios to what others have, where they can do it; they prepare all n weights anew for every batch."""
    for n, rounds in ((65_536, 15), (1_000_000, 5)):
        weights = RANDOM.random(n)
        shares = weights / weights.sum()
        tensor = torch.from_numpy(weights)
        tree = SumTree(weights, seed=1)
        generator = np.random.default_rng(1)
        for replacement in (True, False):
            timings = interleaved(
                {
                    "ours": repeated(lambda: tree.sample(BATCH, replacement=replacement)),
                    "torch.multinomial": lambda: torch.multinomial(tensor, BATCH, replacement=replacement),
                    "numpy choice(p=)": lambda: generator.choice(n, BATCH, replace=replacement, p=shares),
                    "WeightedRandomSampler": lambda: list(
                        WeightedRandomSampler(tensor, BATCH, replacement=replacement)  # type: ignore[arg-type]
                    ),
                },
                rounds=rounds,
            )
            how = "with" if replacement else "without"
            for other in ("torch.multinomial", "numpy choice(p=)", "WeightedRandomSampler"):
                middle, low, high = (value / REPEATS for value in ratio(timings, "ours", other))
                print(f"| {how} replacement, n = {n:,}, over {other} | {middle:.4f} | {low:.4f} to {high:.4f} |")


def plot(folder: Path) -> None:
    """Draw the time of a batch and its ratio to a uniform one, against n with 256 rows and k of 1,000,000 rows."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    uniform = "uniform, without replacement"
    against = {
        "n": ("rows of the dataset", [10**power for power in range(3, 8)], contestants),
        "k": ("rows of a batch", [4**power for power in range(1, 8)], lambda k: contestants(1_000_000, k)),
    }
    for name, (label, values, contestants_of) in against.items():
        timings = [interleaved(contestants_of(value), rounds=15) for value in values]
        figure = Figure(figsize=(9, 4), dpi=96)
        times, ratios = figure.subplots(1, 2)
        for color, contestant in enumerate(timings[0]):
            medians = [1e6 * timing[contestant].median / REPEATS for timing in timings]
            over = [ratio(timing, contestant, uniform)[0] for timing in timings]
            times.loglog(values, medians, marker="o", color=COLORS[color], label=contestant)
            ratios.loglog(values, over, marker="o", color=COLORS[color])
            print(f"{contestant}, over uniform, against {name}: {', '.join(f'{number:.1f}' for number in over)}")
        times.set(xlabel=label, ylabel="microseconds a batch")
        ratios.set(xlabel=label, ylabel="times as long as uniform", yticks=[0.5, 1, 2, 5, 10, 20, 50])
        ratios.yaxis.set_major_formatter("{x:g}")
        ratios.minorticks_off()
        figure.legend(*times.get_legend_handles_labels(), loc="upper center", ncol=3, fontsize=SMALL, frameon=False)
        figure.tight_layout(rect=(0, 0, 1, 0.88))
        figure.savefig(folder / f"against-{name}.png")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        plot(Path(sys.argv[1]))
    else:
        head()
        claims()
        print("\n| beside others | ratio | quartiles |\n| --- | --- | --- |")
        beside_others()
