"""The cases of batches by length: their rows, and what plain Python gives for them."""

from __future__ import annotations

from typing import Any

from tests.reference.golden_vectors import cut, joined
from tests.reference.naive_lengths import batches_by_length
from tests.reference.naive_random import NaiveStream, epoch_seed

LIMITS = ("batch_size", "max_tokens", "window", "num_replicas", "balance_replicas")


def lengths_of(case: dict[str, Any]) -> list[int]:
    """Return the lengths of all rows of a case."""
    made = case["lengths"]
    return [i * made["multiplier"] % made["modulus"] for i in range(1, case["n"] + 1)]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch, batch after batch, and the sizes of the batches."""
    rows = NaiveStream(epoch_seed(case["seed"], case["epoch"])).indices(case["n"], case["sample"]).tolist()
    given = {name: case[name] for name in (*LIMITS, "seed", "epoch") if name in case}
    batches = batches_by_length(rows, lengths_of(case), **given)
    assert batches is not None
    return {"rows": cut(joined(batches)), "sizes": cut(list(map(len, batches)))}
