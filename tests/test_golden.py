"""The golden vectors: files have what plain models give, which know nothing of pystrat, and pystrat gives it too."""

from __future__ import annotations

import json
import re

import pytest

from tests.given_by_pystrat import GIVEN, SAMPLERS, training
from tests.reference import golden_specimens
from tests.reference.golden import MODELS, cases_of, completed
from tests.reference.golden_vectors import GOLDEN

# The texts and numbers of other sources, the calls that tests.specimens has, and batches whose properties are tested.
WITHOUT_MODEL = {"aum", "batch_sizes", "losses", "messages", "specimens"}
WITHOUT_MODEL |= {"groups", "mixed_groups", "no_duplicates", "per_label", "split", "subsets"}
ALMOST = {"density_weights"}  # by functions whose last digits differ between processors; its own tests compare them


@pytest.mark.parametrize("name", sorted(MODELS.keys() - ALMOST))
def test_a_file_has_what_its_model_gives(name: str) -> None:
    cases = cases_of(name)
    assert cases
    for case in cases:
        assert MODELS[name](case) == case, f"python -m tests.reference.golden {name} writes it"


def test_the_specimens_of_r_are_those_of_python() -> None:
    committed = (GOLDEN / "specimens.json").read_text(encoding="utf-8")
    assert golden_specimens.as_text() == committed, "python -m tests.reference.golden_specimens writes it"


@pytest.mark.filterwarnings("ignore:Strata that are not in every part", "ignore:Rows that share values")
@pytest.mark.parametrize("name", GIVEN)
def test_pystrat_gives_what_a_file_has(name: str) -> None:
    for case in json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        assert GIVEN[name](case["input"]) == case["expected"]


@pytest.mark.parametrize("name", SAMPLERS)
def test_pystrat_draws_the_rows_of_a_file(name: str) -> None:
    for case in json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        sampler = SAMPLERS[name](case)
        assert [sampler.batches(epoch).rows.tolist() for epoch in range(len(case["drawn"]))] == case["drawn"]


@pytest.mark.parametrize("run", ["simulated", "nsch_2017"])
def test_pystrat_gives_the_rows_of_a_training(run: str) -> None:
    expected = json.loads((GOLDEN / "training.json").read_text(encoding="utf-8"))[run]
    assert training(run, expected) == expected


def test_lines_without_what_is_expected_are_completed() -> None:
    text = (GOLDEN / "sharded.json").read_text(encoding="utf-8")
    by_hand = re.sub(', "expected": .*}(?=}(,|$))', "", text, flags=re.MULTILINE)
    assert '"expected"' not in by_hand and completed("sharded", by_hand) == text


def test_every_file_has_a_model_or_another_source() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {*MODELS} | WITHOUT_MODEL
