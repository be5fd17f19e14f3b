"""Samplers with feedback, and the same training loop with them in both languages."""

from __future__ import annotations

from typing import Any

from pystrat import PrioritizedBatchSampler, WeightedBatchSampler

WEIGHTS = [1.0, 2.0, 0.0, 4.0, 0.5, 3.0, 1.0, 1.0]

# The rows of all batches, each of which is followed by an update of its rows.
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
      sampler$update(rows, (rows * 7 + length(trained)) %% 5 + 0.1)
    }
    stopifnot(coro::is_exhausted(next_batch()))
  }
  unlist(trained)
}
"""


def trained_in_python(sampler: Any, n_epochs: int) -> list[int]:
    trained: list[list[int]] = []
    for _ in range(n_epochs):
        for rows in sampler:
            trained.append(rows)
            sampler.update(rows, [((row + 1) * 7 + len(trained)) % 5 + 0.1 for row in rows])
    return [row for rows in trained for row in rows]


def weighted(**parameters: Any) -> WeightedBatchSampler:
    return WeightedBatchSampler(WEIGHTS, 3, **{"n_batches": 7, "seed": 5, **parameters})


def prioritized(**parameters: Any) -> PrioritizedBatchSampler:
    return PrioritizedBatchSampler(8, 3, **{"n_batches": 7, "seed": 5, "stratified": True, **parameters})


def evaluated(base: Any, text: str) -> Any:
    """Return the value of R code."""
    return base["eval"](base["parse"](text=text))
