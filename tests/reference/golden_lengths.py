"""The golden vectors of batches by length, in JSON that every language reads.

``python -m tests.reference.golden_lengths`` writes ``tests/golden/lengths.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN, cut
from tests.reference.naive_lengths import batches_by_length
from tests.reference.naive_random import NaiveStream, epoch_seed

ABOUT = (
    "'sample' of 'n' rows, counted from 0, are drawn as R's sample.int(n, sample, replace = TRUE) after set.seed() of "
    "the epoch's seed. Length i, from 1, is i * multiplier mod modulus. Rows are sorted by length in windows, where "
    "there is no 'window' all together, and cut into batches of at most 'batch_size' rows, and at most 'max_tokens' "
    "rows times the longest of them, an empty one counted as 1. The number of batches is then rounded up to a multiple "
    "of 'num_replicas' by splitting: batches have at most k rows, the least k for which that gives no more parts; what "
    "is missing comes from the first batches that have more parts with k - 1. The batches are in the order of "
    "sample.int(number of batches), which continues the draws. With 'balance_replicas', they are instead sorted by "
    "their rows times the longest of them, an empty one counted as 1, ties in order; each 'num_replicas' of them are a "
    "step; the steps are in the order of sample.int(number of steps), and then the batches of one step after the "
    "other in that of sample.int(num_replicas). Long lists are cut as in batches.json. Written by "
    "tests/reference/golden_lengths.py."
)

LIMITS = ("batch_size", "max_tokens", "window", "num_replicas", "balance_replicas")


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    limits: list[dict[str, Any]] = [
        {"batch_size": 7, "window": 120},
        {"max_tokens": 400},
        {"batch_size": 9, "max_tokens": 250},
        {"batch_size": 4, "window": 10},
        {"max_tokens": 300, "window": 50},
        {"max_tokens": 300, "window": 1},
        {"max_tokens": 300, "num_replicas": 4},
        {"max_tokens": 1000, "num_replicas": 7, "window": 60},
        {"batch_size": 64, "window": 1000, "num_replicas": 40},
        {"batch_size": 7, "window": 50, "num_replicas": 3, "balance_replicas": True},
        {"max_tokens": 400, "num_replicas": 4, "balance_replicas": True},
        {"batch_size": 5, "window": 5, "num_replicas": 1, "balance_replicas": True},
    ]
    for seed, limit in enumerate(limits):
        yield {"n": 150, "sample": 120, "lengths": {"multiplier": 37, "modulus": 211}, **limit, **place(seed)}
    yield {"n": 1, "sample": 1, "lengths": {"multiplier": 0, "modulus": 1}, "max_tokens": 1, **place(0)}
    yield {"n": 3, "sample": 9, "lengths": {"multiplier": 0, "modulus": 1}, "max_tokens": 4, **place(2**31 - 2)}
    yield {
        "n": 5,
        "sample": 9,
        "lengths": {"multiplier": 1, "modulus": 3},
        "num_replicas": 9,
        "max_tokens": 9,
        **place(1),
    }
    # Lengths of four bytes, and more rows than lists are whole.
    yield {
        "n": 4000,
        "sample": 3000,
        "lengths": {"multiplier": 123457, "modulus": 2**31 - 1},
        "max_tokens": 2**34,
        "window": 700,
        "num_replicas": 3,
        **place(5),
    }
    # Batches of more tokens than 32 bits hold.
    yield {
        "n": 4000,
        "sample": 3000,
        "lengths": {"multiplier": 123457, "modulus": 2**31 - 1},
        "batch_size": 8,
        "window": 800,
        "num_replicas": 8,
        "balance_replicas": True,
        **place(6),
    }


def place(seed: int) -> dict[str, int]:
    return {"seed": seed, "epoch": 6_700_000 if seed == 2**31 - 2 else seed}


def lengths_of(case: dict[str, Any]) -> list[int]:
    """Return the lengths of all rows of a case."""
    made = case["lengths"]
    return [i * made["multiplier"] % made["modulus"] for i in range(1, case["n"] + 1)]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch, batch after batch, and the sizes of the batches."""
    stream = NaiveStream(epoch_seed(case["seed"], case["epoch"]))
    rows = stream.indices(case["n"], case["sample"]).tolist()
    limits = {name: case[name] for name in LIMITS if name in case}
    batches = batches_by_length(rows, lengths_of(case), **limits, shuffled=stream.permutation)
    assert batches is not None
    return {"rows": cut([row for batch in batches for row in batch]), "sizes": cut([len(batch) for batch in batches])}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "lengths.json").write_text(as_text(), encoding="utf-8")
