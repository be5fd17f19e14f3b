"""An epoch's work on one of 4 ranks over that of a single process."""

from __future__ import annotations

from rounds import head, interleaved, show_ratio
from settings import consume, labels_of

from pystrat import StratifiedBatchSampler

if __name__ == "__main__":
    head()
    for n_rows, rounds in ((20_000, 101), (1_000_000, 15), (10_000_000, 3)):
        labels = labels_of(n_rows, 2)
        single = StratifiedBatchSampler(labels, mean_batch_size=256, seed=1)
        rank = StratifiedBatchSampler(labels, mean_batch_size=256, seed=1, num_replicas=4, rank=1)
        timings = interleaved(
            {
                "rank as lists": lambda: consume(rank),
                "single as lists": lambda: consume(single),
                "rank as arrays": lambda: rank.batches(0),
                "single as arrays": lambda: single.batches(0),
            },
            rounds=rounds,
        )
        for form in ("as lists", "as arrays"):
            claim = f"one rank of 4 over a single process, {form}, {n_rows:,} rows"
            show_ratio(claim, timings, f"rank {form}", f"single {form}", 1.1)
