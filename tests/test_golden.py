"""The golden vectors: pystrat gives what a file has, and so does R, which reads the same files."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.given_by_pystrat import GIVEN, GOLDEN, completed
from tests.reference import golden_specimens

# The texts and numbers of other sources, and the calls that tests.specimens has.
OF_OTHERS = {"batch_sizes", "losses", "messages", "specimens"}
# The last digits of exp(), log() and pow() differ between C libraries; all other numbers are equal.
TOLERANCES = {"advice": 1e-9, "class_weights": 4e-16, "density_weights": 1e-12, "replay": 1e-14}


def assert_alike(found: Any, expected: Any, tolerance: float) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        assert_alike([found[name] for name in expected], list(expected.values()), tolerance)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_alike(one, other, tolerance)
    else:
        is_close = tolerance and isinstance(expected, float)
        assert found == (pytest.approx(expected, rel=tolerance, abs=1e-300) if is_close else expected)


@pytest.mark.filterwarnings("ignore:Strata that are not in every part", "ignore:Rows that share values")
@pytest.mark.parametrize("name", GIVEN)
def test_pystrat_gives_what_a_file_has(name: str) -> None:
    for case in json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        found = GIVEN[name](case)
        if name in TOLERANCES:
            assert_alike(found, case, TOLERANCES[name])
        else:
            assert found == case


def test_the_specimens_of_r_are_those_of_python() -> None:
    committed = (GOLDEN / "specimens.json").read_text(encoding="utf-8")
    assert golden_specimens.as_text() == committed, "python -m tests.reference.golden_specimens writes it"


def test_lines_without_what_is_expected_are_completed() -> None:
    text = (GOLDEN / "sharded.json").read_text(encoding="utf-8")
    by_hand = re.sub(', "expected": .*}(?=}(,|$))', "", text, flags=re.MULTILINE)
    assert '"expected"' not in by_hand and completed("sharded", by_hand) == text


def test_every_file_is_tested() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {*GIVEN} | OF_OTHERS
