"""The golden vectors of uniform, weighted and prioritized batches, which R's tests also read."""

from __future__ import annotations

import json

import pytest

from tests.reference.golden_vectors import GOLDEN
from tests.reference.golden_weighted import as_text, expected_of

CASES = json.loads((GOLDEN / "weighted.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[str(place) for place in range(len(CASES))])
def test_golden_vector(case: dict) -> None:
    assert expected_of(case["input"]) == case["expected"]


def test_the_file_is_what_python_writes_afresh() -> None:
    assert as_text() == (GOLDEN / "weighted.json").read_text(encoding="utf-8")
