"""Bytes a row: held by a sampler, at the peak of an epoch as arrays, in a pickle. Counted, so without spread.
"""

from __future__ import annotations

import pickle
import tracemalloc
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rounds import head, show
from settings import GENERATOR, SETTINGS, described, labels_of

from pystrat import StratifiedBatchSampler

EVEN = SETTINGS[-1][1]


def bytes_of(labels: NDArray[Any], parameters: dict[str, Any]) -> tuple[int, int, int]:
    """Return what a sampler of these labels holds, with an epoch at its peak, and pickled."""
    tracemalloc.start()
    sampler = StratifiedBatchSampler(labels, seed=1, **parameters)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    sampler.batches(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held, peak, len(pickle.dumps(sampler))


def a_row(labels: NDArray[Any], n_strata: int, parameters: dict[str, Any]) -> None:
    n_rows = len(labels)
    held, peak, pickled = (size / n_rows for size in bytes_of(labels, parameters))
    limits = allowed(n_rows, len(np.unique(labels)))
    setting = described(n_rows, n_strata, parameters)
    show(f"bytes a row held, {setting}", (held,) * 3, limits[0])
    show(f"bytes a row at the peak of an epoch, held ones included, {setting}", (peak,) * 3, limits[1])
    show(f"bytes a row pickled, {setting}", (pickled,) * 3, limits[2])


def allowed(n_rows: int, n_strata: int) -> tuple[float, float, float]:
    """Return the limits of what is held, of the peak, and of a pickle, in bytes a row.

    A code has 1, 2 or 4 bytes. A pickle has up to 1,000 bytes whatever the rows. From 65,537 strata on there may be few
    rows in each, so what a stratum takes is allowed as well.
    """
    fixed, strata = 1000 / n_rows, n_strata / n_rows
    if n_strata <= 256:
        return 6, 17, round(1.005 + fixed, 3)
    if n_strata <= 65_536:
        return 8, 17, 4
    return round(8.1 + 16 * strata, 3), round(17 + 24 * strata, 3), round(4.005 + fixed + 16 * strata, 3)


if __name__ == "__main__":
    head()
    for size in (20_000, 1_000_000, 10_000_000):
        for n_strata, parameters in SETTINGS:
            a_row(labels_of(size, n_strata), n_strata, parameters)
    for n_strata in (30_000, 70_000, 500_000):
        a_row(GENERATOR.integers(0, n_strata, 1_000_000), n_strata, EVEN)
