"""The golden vectors of declared trees, which R's tests also read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reference.golden_tree import as_text, expected_of
from tests.reference.golden_vectors import GOLDEN

TEXT = (GOLDEN / "tree.json").read_text(encoding="utf-8")
CASES = json.loads(TEXT)["cases"]


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(len(CASES))])
def test_golden_vector(case: dict[str, Any]) -> None:
    assert json.loads(json.dumps(expected_of(case["input"]))) == case["expected"]


def test_the_file_is_what_its_script_writes() -> None:
    assert as_text() == TEXT


def test_both_outcomes_occur_often() -> None:
    refused = sum("error" in case["expected"] for case in CASES)
    assert 100 < refused < len(CASES) - 100
