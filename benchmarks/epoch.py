"""An epoch of the Python sampler as arrays, over the fastest permutations and the limits of the machine."""

from __future__ import annotations

import sys

import numpy as np
import torch
from rounds import head, interleaved, show_ratio
from settings import GENERATOR, SETTINGS, WANTED, described, sampler_of

ROUNDS = {20_000: 201, 1_000_000: 15, 10_000_000: 5, 50_000_000: 3}
REACH = {1_000_000: 1.15, 10_000_000: 0.9}


def as_arrays(n_rows: int) -> None:
    # The scatter at the speed of C that any stratified epoch needs besides its order.
    places = GENERATOR.permutation(n_rows)
    rows = np.arange(n_rows, dtype=np.int32)
    out = np.empty(n_rows, dtype=np.int32)

    def scatter() -> None:
        out[places] = rows

    settings = SETTINGS if n_rows <= 10_000_000 else SETTINGS[1:2]
    for n_strata, parameters in settings:
        sampler = sampler_of(n_rows, n_strata, **parameters)
        timings = interleaved(
            {
                "ours": lambda: sampler.batches(0),
                "numpy": lambda: GENERATOR.permutation(n_rows),
                "torch": lambda: torch.randperm(n_rows),
                "scatter": scatter,
            },
            rounds=ROUNDS[n_rows],
        )
        setting = described(n_rows, n_strata, parameters)
        show_ratio(f"as arrays over numpy's permutation, {setting}", timings, "ours", "numpy", REACH.get(n_rows))
        show_ratio(f"as arrays over torch.randperm, {setting}", timings, "ours", "torch")
        show_ratio(f"as arrays over numpy's scatter alone, {setting}", timings, "ours", "scatter")


def wanted(n_rows: int) -> None:
    """An epoch that takes rows less or more often than once, over a permutation of as many numbers as it has rows."""
    for name, parameters in WANTED.items():
        sampler = sampler_of(n_rows, **parameters)
        n_taken = sampler.plan.n_rows
        timings = interleaved(
            {"ours": lambda: sampler.batches(1), "numpy": lambda: GENERATOR.permutation(n_taken)}, rounds=ROUNDS[n_rows]
        )
        setting = f"{n_taken:,} of {n_rows:,} rows, {name}"
        show_ratio(f"as arrays over numpy's permutation, {setting}", timings, "ours", "numpy", REACH[n_rows])


if __name__ == "__main__":
    head()
    for size in sys.argv[1:] or ROUNDS:
        as_arrays(int(size))
        if int(size) in REACH:
            wanted(int(size))
