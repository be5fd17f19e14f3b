"""What it would bring to compute the next epoch in a background thread while this one is consumed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from rounds import head, interleaved, show_ratio
from settings import sampler_of

from pystrat import StratifiedBatchSampler

EPOCHS = 4


def epochs(sampler: StratifiedBatchSampler, work: float, ahead: bool) -> None:
    """Consume some epochs, with so many seconds of computing for each batch."""
    array = np.ones(2**14)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(sampler.batches, 0)
        for epoch in range(EPOCHS):
            batches = coming.result() if ahead else sampler.batches(epoch)
            if ahead:
                coming = pool.submit(sampler.batches, epoch + 1)
            for _ in batches.lists(0, 1):
                until = time.perf_counter() + work
                while work and time.perf_counter() < until:
                    np.sqrt(array, out=array)


if __name__ == "__main__":
    head()
    for n_rows, work in ((1_000_000, 0), (1_000_000, 5e-5), (1_000_000, 2e-4), (10_000_000, 0)):
        sampler = sampler_of(n_rows)
        timings = interleaved(
            {"ahead": lambda: epochs(sampler, work, True), "plain": lambda: epochs(sampler, work, False)},
            rounds=7 if n_rows == 1_000_000 else 3,
        )
        claim = f"epochs computed ahead in a thread over plain, {n_rows:,} rows, {work * 1e6:.0f} us of work a batch"
        show_ratio(claim, timings, "ahead", "plain")
