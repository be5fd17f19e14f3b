"""The golden vectors of declared trees, which R's tests also read."""

from __future__ import annotations

import json

from tests.reference.golden_vectors import GOLDEN

TEXT = (GOLDEN / "tree.json").read_text(encoding="utf-8")
CASES = json.loads(TEXT)["cases"]


def test_both_outcomes_occur_often() -> None:
    refused = sum("error" in case["expected"] for case in CASES)
    assert 100 < refused < len(CASES) - 100
