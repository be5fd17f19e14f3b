"""The golden vectors of groups with rows of several strata, together, in JSON that every language reads, computed
without pystrat.

``python -m tests.reference.golden_mixed_groups`` writes ``tests/golden/mixed_groups.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference import golden_groups
from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_mixed_groups import NaiveMixedGroups

ABOUT = (
    "Batches of groups that are together and have rows of several strata. Cases are as in groups.json. Written by "
    "tests/reference/golden_mixed_groups.py."
)


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    few: dict[str, list[Any]] = {
        "strata": ["b", "a", "a", "b", "b", "a", "b", "a", "b", "b", "a", "b"],
        "groups": [7, 3, 7, 3, 5, 4, 5, 6, 8, 1, 3, 2],
    }
    missing: dict[str, list[Any]] = {
        "strata": ["x", None, "y", "x", "y", None, "x", "y"],
        "groups": ["p", "q", "p", "p", "s", "p", "t", "t"],
    }
    some, many = (
        {"length": length, "multiplier": 7919, "modulus": modulus, "n_strata": 3, "divisor": 5}
        for length, modulus in ((900, 101), (20_000, 3001))
    )
    yield _case("few rows", few, (0, 1, 6_700_000), min_samples_per_stratum=1)
    yield _case("few rows, replicas", few, (5,), min_samples_per_stratum=1, num_replicas=2, seed=2**31 - 2)
    yield _case("a rare stratum", few, (0,), min_samples_per_stratum=9, rare="allow")
    yield _case("missing values dropped", missing, (0, 2), min_samples_per_stratum=1, missing="drop")
    yield _case("some groups", some, (0, 3), min_samples_per_stratum=6)
    yield _case("some groups, as many batches as a search finds", some, (0, 3), min_samples_per_stratum=2)
    yield _case("many groups", many, (1,), min_samples_per_stratum=12)
    yield _case("batches of 6 rows", few, (0, 3), mean_batch_size=6)
    yield _case("batches of 2 rows", few, (1,), mean_batch_size=2, rare="allow")
    yield _case("some groups, batches of 50 rows", some, (2,), mean_batch_size=50, num_replicas=3)


def _case(name: str, rows: dict[str, Any], epochs: tuple[int, ...], **parameters: Any) -> dict[str, Any]:
    return {"name": name, "rows": rows, "parameters": {"seed": 1, **parameters}, "epochs": list(epochs)}


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    return golden_groups.expected_of(case, NaiveMixedGroups)


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "mixed_groups.json").write_text(as_text(), encoding="utf-8")
