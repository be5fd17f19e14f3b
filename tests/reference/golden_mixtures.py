"""Mixtures whose every batch has the mix, in plain Python."""

from __future__ import annotations

from typing import Any

from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream, epoch_seed


def mixed_epoch(
    lines: list[int], taken: list[int], n_batches: int, *, seed: int, epoch: int, shuffle: bool = True
) -> list[list[int]]:
    """Return the batches of an epoch of files of so many lines."""
    used = [file for file, count in enumerate(taken) if count > 0]
    strata = {file: stratum for stratum, file in enumerate(used)}
    codes = [strata.get(file, len(used)) for file, size in enumerate(lines) for _ in range(size)]
    counts = [taken[file] for file in used]
    batches = naive_epoch(codes, counts, n_batches, seed=seed if shuffle else None, epoch=epoch)
    if not shuffle or min(counts) >= n_batches:
        return batches
    reference = NaiveStream(epoch_seed(seed, epoch))
    reference.permutation(len(codes) + sum(max(0, taken[file] - lines[file]) for file in used))
    return [batches[place] for place in reference.permutation(n_batches)]


def expected_of(case: dict[str, Any]) -> list[list[list[int]]]:
    """Return the batches of each epoch."""
    taken = [drawn + kept for drawn, kept in zip(case["drawn"], case["kept"])]
    n_batches = -(-sum(taken) // case["batch_size"])
    how = {"seed": case["seed"], "shuffle": case["shuffle"]}
    return [mixed_epoch(case["lines"], taken, n_batches, epoch=epoch, **how) for epoch in case["epochs"]]
