"""The golden vectors of downsampling, which R's tests also read."""

from __future__ import annotations

import json

import pytest

from tests.reference.golden_downsampling import as_text, expected_of
from tests.reference.golden_vectors import GOLDEN

CASES = json.loads((GOLDEN / "downsampling.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[str(place) for place in range(len(CASES))])
def test_golden_vector(case: dict) -> None:
    assert expected_of(case["input"]) == case["expected"]


def test_the_file_is_what_python_writes_afresh() -> None:
    assert as_text() == (GOLDEN / "downsampling.json").read_text(encoding="utf-8")
