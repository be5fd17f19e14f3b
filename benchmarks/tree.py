"""The tree sampler: draws over torch's WeightedRandomSampler, construction over pandas' groupby of the same columns."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from rounds import head, interleaved, ratio, show
from torch.utils.data import WeightedRandomSampler

from pystrat import TreeBatchSampler

EXAMPLES = Path(__file__).parents[1] / "examples" / "tree"
N_ROWS = 1_000_000
N_PROTEINS = 10_000
CASES = {  # the columns of each, and the ratio of its draws that is aimed at, where there is one
    "2-split-majority": (["label", "source"], 0.5),
    "4-equal-families": (["protein"], 0.5),
    "6-siamese-pairs": (["protein", "label"], None),
}


def table_of() -> pd.DataFrame:
    """5 % actives, half of the inactives synthetic, 10,000 proteins of unequal sizes; text, as read from CSV."""
    random = np.random.default_rng(1)
    active = random.random(N_ROWS) < 0.05
    synthetic = ~active & (random.random(N_ROWS) < 0.5)
    protein = (N_PROTEINS * random.beta(1, 2, N_ROWS)).astype(int)
    names = np.array([f"P{number:05}" for number in range(N_PROTEINS)], dtype=object)
    return pd.DataFrame(
        {
            "label": np.where(active, "active", "inactive").astype(object),
            "source": np.where(synthetic, "synthetic", "measured").astype(object),
            "protein": names[protein],
        }
    )


def sampler_of(table: pd.DataFrame, case: str) -> TreeBatchSampler:
    return TreeBatchSampler(table, EXAMPLES / f"{case}.yaml", 256, length=N_ROWS, seed=1)


def drawing(table: pd.DataFrame) -> None:
    for case, (_, reach) in CASES.items():
        sampler = sampler_of(table, case)
        weights = torch.from_numpy(sampler.describe().row_probabilities())
        theirs = WeightedRandomSampler(weights, N_ROWS, replacement=True)
        contestants: dict[str, Any] = {"ours": lambda: sampler.batches(0), "torch": lambda: list(theirs)}
        claim = f"draws as arrays over WeightedRandomSampler's list, {N_ROWS:,} rows, case {case}"
        show(claim, ratio(interleaved(contestants, rounds=7), "ours", "torch"), reach)


def construction(table: pd.DataFrame) -> None:
    for case, (columns, _) in CASES.items():
        contestants: dict[str, Any] = {
            "ours": lambda: sampler_of(table, case),
            "pandas": lambda: table.groupby(columns, sort=False).indices,
        }
        claim = f"construction over pandas groupby .indices of {' and '.join(columns)}, case {case}"
        show(claim, ratio(interleaved(contestants, rounds=7), "ours", "pandas"), 3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    head()
    data = table_of()
    drawing(data)
    construction(data)
