"""Weighted draws of R over those of Python, in one process and in turns; batches of 256 of 10,000,000 rows."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from rounds import head, interleaved, show_ratio

from pystrat import PrioritizedBatchSampler, SumTree, WeightedBatchSampler
from rbridge.session import Session, session

N_ROWS = 10_000_000
BATCH = 256
REPEATS = 1000  # draws in a round
RANDOM = np.random.default_rng(1)

# Functions of R are called many times within R, so that the way from Python to R counts for nothing.
REPEATED = """
list(
  sample = function(tree, times) function() for (i in seq_len(times)) tree$sample(256),
  update = function(tree, rows, weights, times) function() for (i in seq_len(times)) tree$update(rows, weights),
  iterate = function(sampler, times) {
    function() {
      next_batch = sampler$.iter()
      for (i in seq_len(times)) next_batch()
    }
  }
)
"""


def repeated(run: Callable[[], Any]) -> Callable[[], None]:
    def times() -> None:
        for _ in range(REPEATS):
            run()

    return times


def iterated(sampler: Any) -> Callable[[], None]:
    def batches() -> None:
        iterator = iter(sampler)
        for _ in range(REPEATS):
            next(iterator)

    return batches


def in_r(r: Session, functions: Any, name: str, *arguments: Any) -> Callable[[], Any]:
    made = r.call_function(functions[functions.names.index(name)], *arguments, REPEATS)
    return lambda: r.call_function(made)


def main() -> None:
    r = session()
    base = r.rinterface.baseenv
    functions = base["eval"](base["parse"](text=REPEATED))
    weights = RANDOM.random(N_ROWS)
    rows = RANDOM.integers(0, N_ROWS, BATCH)
    tree, tree_in_r = SumTree(weights, seed=1), r.call("sum_tree", weights, seed=1)
    options: dict[str, Any] = {"n_batches": 2_000_000_000, "seed": 1}
    weighted = WeightedBatchSampler(weights, BATCH, **options)
    prioritized = PrioritizedBatchSampler(N_ROWS, BATCH, **options)
    weighted_in_r = r.call_function(r.call("batch_sampler_weighted", weights, BATCH, **options), None)
    prioritized_in_r = r.call_function(r.call("batch_sampler_prioritized", N_ROWS, BATCH, **options), None)
    head()
    for what, in_python, of_r in (
        ("a weighted draw by the sum tree", repeated(lambda: tree.sample(BATCH)), ("sample", tree_in_r)),
        ("a batch of the weighted sampler", iterated(weighted), ("iterate", weighted_in_r)),
        ("a batch of the prioritized sampler", iterated(prioritized), ("iterate", prioritized_in_r)),
        (
            "an update of 256 weights of the sum tree",
            repeated(lambda: tree.update(rows, weights[:BATCH])),
            ("update", tree_in_r, (rows + 1).astype(np.int32), weights[:BATCH]),
        ),
    ):
        timings = interleaved({"R": in_r(r, functions, *of_r), "Python": in_python}, rounds=21)
        reach = 1.3 if "draw" in what or "weighted sampler" in what else None
        show_ratio(f"R over Python, {what}, {N_ROWS:,} rows", timings, "R", "Python", reach)


if __name__ == "__main__":
    main()
