"""The golden vectors: files are what their scripts write, and pystrat gives what a script wrote without it."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Callable

import pytest

from tests.given_by_pystrat import GIVEN, SAMPLERS, training
from tests.reference import golden_vectors
from tests.reference.golden_vectors import GOLDEN

OF_THEIR_SCRIPTS = """
    advice class_weights downsampling groups lengths mixed_groups mixtures no_duplicates per_label replay rows_by_epoch
    sharded specimens split stream subsets tree vocabulary weighted weights_by_epoch
""".split()
WRITERS: dict[str, Callable[[], str]] = {
    "batches": golden_vectors.as_text,
    "bins": golden_vectors.bins_as_text,
    "training": golden_vectors.training_as_text,
    "wanted": golden_vectors.wanted_as_text,
    **{name: import_module(f"tests.reference.golden_{name}").as_text for name in OF_THEIR_SCRIPTS},
}
# Those of functions whose last digits differ between processors, and the texts and numbers of other sources.
OF_OTHER_TESTS = {"aum", "batch_sizes", "density_weights", "losses", "messages"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_what_its_script_writes(name: str) -> None:
    committed, write = (GOLDEN / f"{name}.json").read_text(encoding="utf-8"), WRITERS[name]
    assert write().splitlines() == committed.splitlines(), f"python -m {write.__module__} writes it"


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


def test_every_file_has_a_test() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {*WRITERS} | OF_OTHER_TESTS
