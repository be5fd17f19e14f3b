"""The cases of data in shards: their rows, and what plain Python gives for them."""

from __future__ import annotations

from typing import Any

from tests.reference.naive_shards import naive_batches, naive_n_batches


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
