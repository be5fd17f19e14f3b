"""Samplers of every kind, called in both languages with the same arguments: the same recipe, and the same batches."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import rbridge
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
from tests.reference.golden_vectors import GOLDEN
from tests.specimens import OF_PAIRS, Specimen, specimens

EPOCHS = (0, 1, 6_700_000)
WEIGHTS = {"weights", "class_weights", "importance_weights"}
HELPERS = Path(__file__).parents[2] / "rbridge" / "r" / "tests" / "testthat" / "helper-specimens.R"
CALLS = [call["name"] for call in json.loads((GOLDEN / "specimens.json").read_text(encoding="utf-8"))["calls"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specimens")


@pytest.fixture(scope="module")
def generators(r: Session, folder: Path) -> dict[str, Any]:
    """Return the generators that R makes of the golden file, as its own tests do; their files are in the folder."""
    base = r.rinterface.baseenv
    helpers = base["new.env"]()
    base["sys.source"](str(HELPERS), helpers)
    made = r.call_function(helpers["generators_of_all_kinds"], str(folder), str(GOLDEN / "specimens.json"))
    return dict(zip(made.names, made))


def epochs_of(specimen: Specimen, sampler: Any) -> tuple[int, ...]:
    """Return the epochs to compare: with feedback, later ones depend on it, and a persistent tree draws all before."""
    if hasattr(sampler, "report"):
        return EPOCHS[:1]
    return EPOCHS[:2] if "persistent" in specimen.arguments else EPOCHS


def pairs_of_batches(r: Session, specimen: Specimen, sampler: Any, instance: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the batches of a sampler and of an instance in R, as arrays."""
    first = 0 if specimen.kind in OF_PAIRS else 1
    if specimen.is_endless:
        following = r.call_function(instance[".iter"])
        for batch in islice(sampler, 3):
            yield np.array(batch), as_array(r.call_function(following)) - first
        return
    for epoch in epochs_of(specimen, sampler):
        rows, offsets = list(r.call_function(instance["batches"], epoch))[:2]
        expected = sampler.batches(epoch)
        yield expected.offsets, as_array(offsets)
        yield expected.rows, as_array(rows) - first


@pytest.mark.parametrize("name", CALLS)
def test_both_languages_make_one_recipe_and_draw_the_same(
    name: str, r: Session, folder: Path, generators: dict[str, Any]
) -> None:
    specimen = specimens(folder)[name]
    sampler: Any = specimen.make()
    for made in (generators[name], rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        instance = r.call_function(made, None)
        assert WEIGHTS & set(r.rinterface.baseenv["names"](instance)) == WEIGHTS & set(dir(sampler))
        for expected, found in pairs_of_batches(r, specimen, sampler, instance):
            assert np.array_equal(expected, found)
