"""The golden vectors of sharded batches, by plain Python, in JSON that every language reads.

``python -m tests.reference.golden_sharded`` writes ``tests/golden/sharded.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_shards import naive_batches, naive_n_batches

ABOUT = (
    "Row i, from 0, of a shard of 'sizes' is of the stratum (i * multiplier mod modulus) mod n_strata, with the "
    "multiplier of the shard. Strata are named 's0', 's1', ..., in this order in the table, and shards 'r0', 'r1', ... "
    "A process holds 'shards', in this order. 'batches' are its rows in each batch of an epoch, counted from 0 over "
    "its shards. Written by tests/reference/golden_sharded.py."
)


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    for sizes, multipliers, modulus, n_strata, shards, minimum, scope in (
        ([12], [5], 7, 3, [0], 1, "global"),
        ([10, 3, 21], [5, 1, 4], 7, 3, [0, 2], 2, "global"),
        ([10, 3, 21], [5, 1, 4], 7, 3, [1, 0, 2], 2, "global"),
        ([10, 0, 21, 8], [5, 1, 4, 0], 5, 2, [3, 1, 2], 3, "global"),
        ([10, 13, 21, 8], [5, 1, 4, 3], 11, 2, [3, 0], 2, "local"),
        ([10, 13, 21, 8], [5, 1, 4, 3], 11, 2, [1], 1, "local"),
    ):
        for seed, epoch, shuffle in ((0, 0, True), (2**31 - 2, 6_700_000 // len(sizes), True), (7, 3, False)):
            yield {
                "sizes": sizes,
                "multipliers": multipliers,
                "modulus": modulus,
                "n_strata": n_strata,
                "shards": shards,
                "min_samples_per_stratum": minimum,
                "scope": scope,
                "seed": seed,
                "epoch": epoch,
                "shuffle": shuffle,
            }


def strata_of(case: dict[str, Any]) -> list[list[int]]:
    """Return the strata of the rows of each shard."""
    return [
        [row * multiplier % case["modulus"] % case["n_strata"] for row in range(size)]
        for size, multiplier in zip(case["sizes"], case["multipliers"])
    ]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what a case gives, by plain Python."""
    strata = strata_of(case)
    table = [[own.count(stratum) for stratum in range(case["n_strata"])] for own in strata]
    n_batches = naive_n_batches(table, case["min_samples_per_stratum"], case["scope"])
    assert n_batches is not None
    batches = naive_batches(
        strata,
        case["n_strata"],
        n_batches,
        case["shards"],
        scope=case["scope"],
        seed=case["seed"] if case["shuffle"] else None,
        epoch=case["epoch"],
    )
    return {"table": table, "batches": batches}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "sharded.json").write_text(as_text(), encoding="utf-8")
