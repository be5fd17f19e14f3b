"""The recipes of all specimens, which tests of the core change. Nothing here names a kind."""

from __future__ import annotations

import re
import tempfile
import warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pystrat.core.recipe import Recipe
from tests.inside import recipe_of
from tests.specimens import all_specimens, write_files

TYPES = {"uint8": 0, "int32": 1, "float64": 2}  # those of replay.cpp, in which a text is 3
MOST_VALUES = 120  # of a part; changes of few are more likely to matter


@lru_cache
def recipes() -> list[Recipe]:
    """Return the different recipes of specimens with few values."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_files(Path(folder))
        found = [recipe_of(specimen.make()) for specimen in all_specimens(Path(folder)).values()]
    # A sampler around another one also has the parts of that, which are no parts of its kind.
    found = [replace(recipe, parts=_without_inside(recipe.parts)) for recipe in found]
    few = (recipe for recipe in found if max(map(np.size, recipe.parts.values()), default=0) <= MOST_VALUES)
    return list({tuple(_numbers_of(recipe)): recipe for recipe in few}.values())


def _without_inside(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if not re.match("sampler(_|$)", name)}


def numbers_of_recipes() -> list[int]:
    """Return how many recipes there are, then the recipes, as replay.cpp reads them."""
    return [len(recipes()), *(number for recipe in recipes() for number in _numbers_of(recipe))]


def _numbers_of(recipe: Recipe) -> list[int]:
    parts = [number for part in recipe.parts.items() for number in _part(*part)]
    return [*_text(recipe.kind), len(recipe.parts), *parts]


def _part(name: str, vector: Any) -> list[int]:
    if not isinstance(vector, np.ndarray):
        (text,) = vector
        return [*_text(name), 3, *_text(text)]
    bits = vector.view(np.int64) if vector.dtype == np.float64 else vector
    return [*_text(name), TYPES[vector.dtype.name], vector.size, *bits.tolist()]


def _text(text: str) -> list[int]:
    encoded = text.encode("utf-8")
    return [len(encoded), *encoded]
