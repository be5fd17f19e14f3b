"""The constructor over pandas.factorize of the same labels, of which it can hardly do with less."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from rounds import head, interleaved, show_ratio
from settings import GENERATOR, SETTINGS, described, labels_of

from pystrat import StratifiedBatchSampler

ROUNDS = {20_000: 101, 1_000_000: 15, 10_000_000: 3}


def constructor(n_rows: int) -> None:
    for n_strata, parameters in SETTINGS[1:]:
        integers = labels_of(n_rows, n_strata)
        texts = np.array([f"stratum {number}" for number in range(n_strata)], dtype=object)[integers]
        # Identifiers, too far apart for a table with a place for each, and with more digits than a double shows.
        identifiers = GENERATOR.integers(0, 2**52, n_strata)[integers]
        for form, labels in (("int64", integers), ("wide int64", identifiers), ("text", texts)):
            timings = interleaved(
                {
                    "ours": lambda: StratifiedBatchSampler(labels, seed=1, **parameters),
                    "factorize": lambda: pd.factorize(labels),
                },
                rounds=ROUNDS[n_rows],
            )
            claim = f"constructor over pandas.factorize, {form} labels, {described(n_rows, n_strata, parameters)}"
            show_ratio(claim, timings, "ours", "factorize", 2)


if __name__ == "__main__":
    head()
    for size in sys.argv[1:] or ROUNDS:
        constructor(int(size))
