"""The golden vectors of parts of rows, in JSON that every language reads.

``python -m tests.reference.golden_split`` writes ``tests/golden/split.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_groups import labels_of
from tests.reference.golden_vectors import GOLDEN, cut
from tests.reference.naive_split import naive_split

ABOUT = (
    "The rows of parts, each with its share of every stratum. 'rows' are those of groups.json, whose groups count only "
    "if 'grouped'. 'sizes' are a list, or an object of names. Rows are counted from 0, and long lists are cut as in "
    "batches.json. Written by tests/reference/golden_split.py."
)
FEW: dict[str, list[Any]] = {
    "strata": ["b", "a", "a", "b", "b", "a", "b", "a", "b", "b", "a", "b"],
    "groups": [7, 3, 3, 7, 5, 4, 5, 6, 8, 1, 3, 2],
}
MISSING: dict[str, list[Any]] = {
    "strata": ["x", None, "y", "x", "y", None, "x"],
    "groups": ["p", "q", "r", "p", "s", "r", "t"],
}


def expected_of(case: dict[str, Any]) -> list[Any]:
    """Return the parts of a case, in order."""
    strata, groups = (list(labels) for labels in labels_of(case["rows"]))
    parameters = case["parameters"]
    sizes = parameters["sizes"]
    given = list(sizes.values()) if isinstance(sizes, dict) else sizes
    missing = parameters.get("missing", "error")
    parts = naive_split(strata, groups if case["grouped"] else None, given, parameters["seed"], missing)
    return [cut(rows) for rows in parts]


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    many = {"length": 50_000, "multiplier": 7919, "modulus": 9001, "n_strata": 7}
    crossing = {"length": 20_000, "multiplier": 7919, "modulus": 3001, "n_strata": 3, "divisor": 5}
    thirds = [1 / 3, 1 / 3, 1 / 3]
    for grouped in (False, True):
        yield _case("few rows", FEW, [0.5, 0.25, 0.25], grouped)
        yield _case("names", FEW, {"train": 7, "test": 3}, grouped, seed=2**31 - 2)
        yield _case("missing values dropped", MISSING, [3, 2], grouped, missing="drop")
        yield _case("missing values as a stratum", MISSING, thirds, grouped, missing="stratum")
        yield _case("many rows", many, {"train": 0.7, "valid": 0.15, "test": 0.15}, grouped)
        yield _case("many rows, some in no part", many, [1000, 333, 20_001], grouped, seed=7)
        yield _case("crossing groups", crossing, [0.9, 0.07, 0.03], grouped, seed=3)


def _case(name: str, rows: dict[str, Any], sizes: Any, grouped: bool, **parameters: Any) -> dict[str, Any]:
    shown = f"{name}, in groups" if grouped else name
    return {"name": shown, "rows": rows, "grouped": grouped, "parameters": {"sizes": sizes, "seed": 1, **parameters}}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "split.json").write_text(as_text(), encoding="utf-8")
