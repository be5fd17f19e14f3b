"""Bytes a row: held by a sampler after an epoch, at the peak of an epoch as arrays, in a pickle; without spread.

Linux counts the pages of a process. Each sampler has a process of its own, which has no free memory of others.
"""

from __future__ import annotations

import multiprocessing
import pickle
import re
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from rounds import head, show
from settings import GENERATOR, SETTINGS, described, labels_of

from pystrat import StratifiedBatchSampler

N_ROWS = 10_000_000  # with fewer, an epoch may be in memory that the process already has
EVEN = SETTINGS[-1][1]


def resident(name: str) -> int:
    """Return the bytes of this process in memory: VmRSS for those at present, VmHWM for the most since a reset."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found is not None
    return 1024 * int(found[1])


def bytes_of(labels: NDArray[Any], parameters: dict[str, Any]) -> tuple[int, int, int]:
    """Return what a sampler of these labels holds after an epoch, with an epoch at its peak, and pickled."""
    StratifiedBatchSampler([0, 1], 1).batches(0)  # imports what is not counted
    before = resident("VmRSS")
    sampler = StratifiedBatchSampler(labels, seed=1, **parameters)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets the peak
    sampler.batches(0)
    return resident("VmRSS") - before, resident("VmHWM") - before, len(pickle.dumps(sampler))


def a_row(labels: NDArray[Any], n_strata: int, parameters: dict[str, Any]) -> None:
    n_rows = len(labels)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        held, peak, pickled = (size / n_rows for size in pool.apply(bytes_of, (labels, parameters)))
    # A code has 1 or 4 bytes. There may be few rows in each of many strata, so what a stratum takes is allowed as well.
    code, strata = 1 if n_strata < 256 else 4, round(100 * n_strata / n_rows, 3)
    setting = described(n_rows, n_strata, parameters)
    show(f"bytes a row held, {setting}", (held,) * 3, code + 8.5 + strata)
    show(f"bytes a row at the peak of an epoch, held ones included, {setting}", (peak,) * 3, code + 16.5 + strata)
    show(f"bytes a row pickled, {setting}", (pickled,) * 3, round(code + 0.001 + 0.17 * strata, 3))


if __name__ == "__main__":
    head()
    for n_strata, parameters in SETTINGS:
        a_row(labels_of(N_ROWS, n_strata), n_strata, parameters)
    for n_strata in (70_000, 500_000):
        a_row(GENERATOR.integers(0, n_strata, N_ROWS), n_strata, EVEN)
