"""The cases of rows divided into parts."""

from __future__ import annotations

from typing import Any

from tests.reference.golden_groups import labels_of
from tests.reference.golden_vectors import cut
from tests.reference.naive_split import naive_split


def expected_of(case: dict[str, Any]) -> list[Any]:
    """Return the parts of a case, in order."""
    strata, groups = (list(labels) for labels in labels_of(case["rows"]))
    parameters = case["parameters"]
    sizes = parameters["sizes"]
    given = list(sizes.values()) if isinstance(sizes, dict) else sizes
    missing = parameters.get("missing", "error")
    parts = naive_split(strata, groups if case["grouped"] else None, given, parameters["seed"], missing)
    return [cut(rows) for rows in parts]
