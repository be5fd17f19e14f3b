"""The golden vectors, which R's tests also read."""

from __future__ import annotations

import json

from tests.reference.golden_vectors import GOLDEN

CASES = json.loads((GOLDEN / "batches.json").read_text(encoding="utf-8"))["cases"]


def test_the_vectors_cover_what_they_should() -> None:
    inputs = [case["input"] for case in CASES]
    strata = [len(case["expected"]["strata"]) for case in CASES]
    sizes = {size for case in CASES for size in case["expected"]["counts"]}
    assert set(range(1, 51)) <= set(strata)
    assert {1, 10**5} <= sizes
    assert {case["parameters"]["seed"] for case in inputs} == {0, 1, 2**31 - 2}
    assert {epoch for case in inputs for epoch in case["epochs"]} == {0, 1, 2, 3, 6_700_000}
    assert {case["parameters"].get("assign", "proportional") for case in inputs} == {"proportional", "even"}
    assert {case["parameters"].get("missing", "error") for case in inputs} == {"error", "stratum", "drop"}
    assert any(case["parameters"].get("rare") == "allow" for case in inputs)
    assert any(len(case["strata"].get("columns", {})) > 1 for case in inputs)
