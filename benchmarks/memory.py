"""Bytes a row: held by a sampler, at the peak of an epoch as arrays, in a pickle. Counted, so without spread."""

from __future__ import annotations

import pickle
import tracemalloc

from rounds import head, show
from settings import SETTINGS, described, labels_of

from pystrat import StratifiedBatchSampler


def memory(n_rows: int) -> None:
    for n_strata, parameters in SETTINGS:
        labels = labels_of(n_rows, n_strata)
        few = n_strata <= 256
        tracemalloc.start()
        sampler = StratifiedBatchSampler(labels, seed=1, **parameters)
        held = tracemalloc.get_traced_memory()[0] / n_rows
        tracemalloc.reset_peak()
        sampler.batches(0)
        peak = tracemalloc.get_traced_memory()[1] / n_rows
        tracemalloc.stop()
        pickled = len(pickle.dumps(sampler)) / n_rows
        setting = described(n_rows, n_strata, parameters)
        show(f"bytes a row held, {setting}", (held,) * 3, 6 if few else 8)
        show(f"bytes a row at the peak of an epoch, held ones included, {setting}", (peak,) * 3, 17)
        show(f"bytes a row pickled, {setting}", (pickled,) * 3, 1.005 if few else 4)


if __name__ == "__main__":
    head()
    memory(1_000_000)
