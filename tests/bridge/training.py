"""Samplers with feedback, and the same training loop with them in both languages."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from pystrat import PerplexityBatchSampler, PrioritizedBatchSampler, WeightedBatchSampler

WEIGHTS = [1.0, 2.0, 0.0, 4.0, 0.5, 3.0, 1.0, 1.0]


# Returns the rows of all batches, each of which is followed by feedback on its rows.
TRAIN = """
function(generator, n_epochs) {
  sampler = generator(NULL)
  trained = list()
  for (epoch in seq_len(n_epochs)) {
    next_batch = sampler$.iter()
    repeat {
      rows = next_batch()
      if (coro::is_exhausted(rows)) break
      trained[[length(trained) + 1L]] = rows
      if (is.function(sampler$report)) {
        sampler$report(rows, rows / 8)
      } else {
        sampler$update(rows, (rows * 7 + length(trained)) %% 5 + 0.1)
      }
    }
    stopifnot(coro::is_exhausted(next_batch()))
  }
  unlist(trained)
}
"""


def tell(sampler: Any, rows: list[int], n_trained: int) -> None:
    """Give a sampler the feedback on its batch that R gives it."""
    if hasattr(sampler, "report"):
        sampler.report(rows, (np.array(rows) + 1) / 8)
    else:
        sampler.update(rows, [((row + 1) * 7 + n_trained) % 5 + 0.1 for row in rows])


def trained_in_python(sampler: Any, n_epochs: int) -> list[int]:
    trained: list[list[int]] = []
    for _ in range(n_epochs):
        for rows in sampler:
            trained.append(rows)
            tell(sampler, rows, len(trained))
    return [row for rows in trained for row in rows]


def weighted(**parameters: Any) -> WeightedBatchSampler:
    return WeightedBatchSampler(WEIGHTS, 3, **{"n_batches": 7, "seed": 5, **parameters})


def prioritized(**parameters: Any) -> PrioritizedBatchSampler:
    return PrioritizedBatchSampler(8, 3, **{"n_batches": 7, "seed": 5, "stratified": True, **parameters})


def perplexity(**parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(20, 8, n_batches=4, seed=1, **parameters)


MAKERS: dict[str, Callable[[], Any]] = {
    "weighted": weighted,
    "without replacement": lambda: weighted(replacement=False),
    "weighted replicas": lambda: weighted(num_replicas=3),
    "prioritized": prioritized,
    "prioritized replicas": lambda: prioritized(stratified=False, num_replicas=2),
    "ranked": lambda: prioritized(method="rank", alpha=1.5),
    "ranked replicas": lambda: prioritized(method="rank", stratified=False, num_replicas=2),
    "perplexity": perplexity,
}
