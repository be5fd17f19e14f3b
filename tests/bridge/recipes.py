"""Comparison of the recipes and the batches of both languages."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Iterable

import numpy as np

import rbridge
from pystrat import Batches, BatchSampler
from pystrat.core.recipe import recipe_bytes
from rbridge.session import Session, as_array
from tests.inside import recipe_of


def instance_of(r: Session, sampler: Any) -> Any:
    """Return an instance in R of a sampler in Python."""
    return r.call_function(rbridge.as_torch_sampler(sampler), None)


def from_r(rows: Any) -> np.ndarray:
    """Return rows of R counted from 0; numbers that are no rows are doubles, and the same in both languages."""
    array = as_array(rows)
    return array - 1 if array.dtype.kind == "i" else array.astype(np.int64)


def batches_in_r(r: Session, instance: Any, epoch: float) -> Batches:
    rows, offsets = list(r.call_function(instance["batches"], epoch))[:2]
    return Batches(from_r(rows), as_array(offsets))


def assert_same_batches(left: Batches, right: Batches) -> None:
    assert np.array_equal(left.rows, right.rows) and np.array_equal(left.offsets, right.offsets)


def columns_of(vectors: Any) -> dict[str, Any]:
    """Return the vectors of a list or a data frame of R: arrays, and lists of text."""

    def plain(vector: Any) -> Any:
        if vector.typeof.name == "STRSXP":
            return list(vector)
        if vector.typeof.name == "RAWSXP":
            return np.frombuffer(bytes(vector), dtype=np.uint8)
        return as_array(vector)

    return {name: plain(vector) for name, vector in zip(vectors.names, vectors)} if len(vectors) else {}


def recipe_in_r(r: Session, generator: Any) -> dict[str, Any]:
    """Return the recipe of a generator in R, as plain values."""
    base = r.rinterface.baseenv
    recipe = base["get"]("recipe", envir=base["attr"](generator, "settings"))
    found = dict(zip(recipe.names, recipe))
    parts = {name: columns_of(found[name]) for name in ("parts", "state", "labels")}
    return {"kind": found["kind"][0], "seed": found["seed"][0], **parts}


def assert_same_recipe(r: Session, sampler: BatchSampler, generator: Any) -> None:
    """Assert that a sampler in Python and a generator in R have one recipe, and one file of it."""
    recipe = recipe_of(sampler)
    found = recipe_in_r(r, generator)
    assert (found["kind"], found["seed"]) == (recipe.kind, recipe.seed)
    for name in ("parts", "state", "labels"):
        expected = getattr(recipe, name)
        assert list(found[name]) == list(expected), f"the vectors of '{name}', in their order"
        for key, vector in expected.items():
            other = found[name][key]
            if isinstance(vector, np.ndarray):
                assert other.dtype == vector.dtype and np.array_equal(other, vector, equal_nan=True), key
            else:
                assert other == list(vector), key
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sampler.recipe"
        r.call("write_batch_sampler", generator, str(file))
        assert file.read_bytes() == recipe_bytes(recipe)


def assert_same_sampler(r: Session, sampler: BatchSampler, generator: Any, epochs: Iterable[int] = (0, 3)) -> Any:
    """Assert that a generator that R made has the recipe and the batches of a sampler; return an instance of it."""
    assert_same_recipe(r, sampler, generator)
    instance = r.call_function(generator, None)
    for epoch in epochs:
        assert_same_batches(batches_in_r(r, instance, epoch), sampler.batches(epoch))
    return instance
