"""The golden batches of mixtures whose every batch has the mix, in JSON that every language reads.

``python -m tests.reference.golden_mixtures`` writes ``tests/golden/mixtures.json`` afresh, in plain Python.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream, epoch_seed

ABOUT = (
    "Recipes of the kind 'mixture' with the flag 'even': lines of files, counted from 0 over all files, of which an "
    "epoch takes 'drawn' and 'kept' ones, in batches of at most 'batch_size'. Written by "
    "tests/reference/golden_mixtures.py."
)


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


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    for seed, shuffle in ((1, True), (2**31 - 2, True), (5, False)):
        for drawn, kept, batch_size in (
            ([20, 20, 0, 0], [0, 0, 0, 0], 10),
            ([25, 2, 0, 3], [0, 0, 0, 0], 5),
            ([0, 9, 0, 40], [12, 0, 0, 0], 6),
        ):
            yield {
                "lines": [12, 30, 0, 7],
                "drawn": drawn,
                "kept": kept,
                "batch_size": batch_size,
                "shuffle": shuffle,
                "seed": seed,
                "epochs": [0, 1, 6_700_000],
            }


def expected_of(case: dict[str, Any]) -> list[list[list[int]]]:
    """Return the batches of each epoch."""
    taken = [drawn + kept for drawn, kept in zip(case["drawn"], case["kept"])]
    n_batches = -(-sum(taken) // case["batch_size"])
    how = {"seed": case["seed"], "shuffle": case["shuffle"]}
    return [mixed_epoch(case["lines"], taken, n_batches, epoch=epoch, **how) for epoch in case["epochs"]]


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "mixtures.json").write_text(as_text(), encoding="utf-8")
