"""Weighted draws over uniform ones, over numpy's and torch's, and updates over draws; batches of 256."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch
from numpy.typing import NDArray
from rounds import head, interleaved, ratio, show
from torch.utils.data import WeightedRandomSampler

from pystrat import SumTree, UniformBatchSampler

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


def repeated(draw: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(REPEATS):
            draw()

    return run


def contestants(n: int) -> dict[str, Callable[[], Any]]:
    """Return what is measured of n rows, each a round of draws or updates of batches."""
    weights = RANDOM.random(n)
    tree, binary = SumTree(weights, seed=1), BinaryTree(weights)
    uniform = UniformBatchSampler(n, BATCH, n_batches=REPEATS, seed=1)
    updates = iter([(RANDOM.integers(0, n, BATCH), RANDOM.random(BATCH)) for _ in range(50)] * 100_000)
    return {
        "uniform, without replacement": lambda: uniform.batches(0),
        "weighted, with replacement": repeated(lambda: tree.sample(BATCH)),
        "weighted, without replacement": repeated(lambda: tree.sample(BATCH, replacement=False)),
        "update": repeated(lambda: tree.update(*next(updates))),
        "binary tree in numpy, with replacement": repeated(lambda: binary.sample(BATCH)),
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


if __name__ == "__main__":
    head()
    claims()
    print("\n| beside others | ratio | quartiles |\n| --- | --- | --- |")
    beside_others()
