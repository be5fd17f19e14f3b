"""What epochs of batches of a few strata take of each stratum, without the sampler: all rows, or rows in turn."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator


def turns_of_strata(parameters: dict[str, Any], expected: dict[str, Any], epoch: int) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks of each stratum in an epoch, their rows, and the rows that all earlier epochs have taken.

    With `exact`, the blocks of all strata form a line, and each epoch leaves out the next blocks of it, cyclically.
    """
    blocks, rows = expected["batches"], expected["rows"]
    if not parameters.get("exact"):
        yield from ((n_blocks, n_rows, epoch * n_rows) for n_blocks, n_rows in zip(blocks, rows))
        return
    minimum = parameters["min_samples_per_stratum"]
    line = [stratum for stratum, n_blocks in enumerate(blocks) for _ in range(n_blocks)]
    n_over = len(line) - parameters["strata_per_batch"] * expected["n_batches"]
    rounds, place = divmod(epoch * n_over, len(line))
    passed = Counter(line[:place])
    left_out = Counter(line[(place + i) % len(line)] for i in range(n_over))
    for stratum, n_blocks in enumerate(blocks):
        n_before = (epoch - rounds) * n_blocks - passed[stratum]
        n_taken = n_blocks - left_out[stratum]
        yield n_taken, n_taken * minimum, n_before * minimum
