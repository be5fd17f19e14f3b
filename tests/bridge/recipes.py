"""Comparison of the recipes and the batches of both languages."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Iterable

import numpy as np

import rbridge
from pystrat import BatchSampler
from pystrat.recipe_file import recipe_bytes
from rbridge.session import Session, as_array
from tests.inside import recipe_of


def vectors_of(r: Session, part: Any) -> dict[str, Any]:
    """Return the vectors of a part of a recipe in R: arrays, and lists of text."""

    def plain(vector: Any) -> Any:
        if isinstance(vector, r.rinterface.StrSexpVector):
            return list(vector)
        if isinstance(vector, r.rinterface.ByteSexpVector):
            return np.frombuffer(bytes(vector), dtype=np.uint8)
        if not len(vector):  # of which rpy2 has no view
            return np.empty(0, dtype=np.int32 if isinstance(vector, r.rinterface.IntSexpVector) else np.float64)
        return as_array(vector)

    return {name: plain(vector) for name, vector in zip(part.names, part)} if len(part) else {}


def recipe_in_r(r: Session, generator: Any) -> dict[str, Any]:
    """Return the recipe of a generator in R, as plain values."""
    base = r.rinterface.baseenv
    settings = base["attr"](generator, "settings")
    recipe = base["get"]("recipe", envir=settings)
    found = dict(zip(recipe.names, recipe))
    parts = {name: vectors_of(r, found[name]) for name in ("parts", "state", "labels")}
    return {"kind": found["kind"][0], "seed": found["seed"][0], **parts}


def assert_same_recipe(r: Session, sampler: BatchSampler, generator: Any) -> None:
    """Assert that a sampler in Python and a generator that R made itself have one recipe, and one file of it.

    Only R keeps the levels of a factor. Such a recipe differs in nothing else.
    """
    recipe = recipe_of(sampler)
    assert recipe is not None
    found = recipe_in_r(r, generator)
    assert (found["kind"], found["seed"]) == (recipe.kind, recipe.seed)
    is_factor = found["labels"].get("kinds", [""])[0].startswith("factor") and "kinds" not in recipe.labels
    if is_factor:
        del found["labels"]["kinds"], found["labels"]["levels"]
    for name in ("parts", "state", "labels"):
        expected = getattr(recipe, name)
        assert list(found[name]) == list(expected), f"the vectors of '{name}', in their order"
        for key, vector in expected.items():
            other = found[name][key]
            if isinstance(vector, np.ndarray):
                assert other.dtype == vector.dtype and np.array_equal(other, vector, equal_nan=True), key
            else:
                assert other == list(vector), key
    if is_factor:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sampler.recipe"
        r.call("write_batch_sampler", generator, str(file))
        assert file.read_bytes() == recipe_bytes(recipe)


def assert_same_sampler(
    r: Session, sampler: BatchSampler, generator: Any, epochs: Iterable[int] = (0, 3, 6_700_000), *, first_row: int = 1
) -> list[Any]:
    """Assert that a generator that R made, and the sampler as the bridge passes it to R, have its recipe and batches.

    Returns an instance of each.
    """
    instances = []
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        instances.append(r.call_function(made, None))
        for epoch in epochs:
            rows, offsets = (as_array(part) for part in list(r.call_function(instances[-1]["batches"], epoch))[:2])
            expected = sampler.batches(epoch)
            assert np.array_equal(rows - first_row, expected.rows), f"the rows of epoch {epoch}"
            assert np.array_equal(offsets, expected.offsets), f"the offsets of epoch {epoch}"
    return instances
