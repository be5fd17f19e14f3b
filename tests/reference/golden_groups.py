"""The cases of groups: their rows, and what a naive sampler gives for them."""

from __future__ import annotations

from typing import Any, Type

from tests.reference.golden_vectors import sizes_and_rows
from tests.reference.naive_groups import NaiveGroups


def labels_of(rows: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the strata and the groups of a case."""
    if "groups" in rows:
        return rows["strata"], rows["groups"]
    groups = [row * rows["multiplier"] % rows["modulus"] for row in range(rows["length"])]
    by = [row // rows["divisor"] for row in range(rows["length"])] if "divisor" in rows else groups
    return [number % rows["n_strata"] for number in by], groups


def expected_of(case: dict[str, Any], kind: Type[NaiveGroups] = NaiveGroups) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    naive = kind(*labels_of(case["rows"]), case["parameters"])
    return {
        "n_batches": naive.n_batches,
        "strata": naive.names,
        **naive.table(),
        "epochs": [sizes_and_rows(naive.batches(epoch)) for epoch in case["epochs"]],
    }
