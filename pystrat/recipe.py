"""Recipes: what a sampler draws, as plain vectors, the same in Python and R."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence, Union

import numpy as np
from numpy.typing import NDArray

Vector = Union[NDArray[Any], Sequence[str]]

RECIPE_VERSION = 1


@dataclass(frozen=True)
class Recipe:
    """Everything that a sampler needs to draw its batches, in any process and in either language.

    A vector is an array of uint8, int32 or float64, or a sequence of text: raw, integer, double and character in R.

    Attributes
    ----------
    kind : str
        The kind of sampler, such as ``"stratified"``.
    seed : int
    parts : mapping from str to vector
        The data and the parameters that, together with the seed, determine the batches of all epochs.
    state : mapping from str to vector
        What feedback has changed so far; empty for samplers without feedback.
    labels : mapping from str to vector
        What is only shown, such as the names of strata; labels do not affect the batches.
    """

    kind: str
    seed: int
    parts: Mapping[str, Vector]
    state: Mapping[str, Vector] = field(default_factory=dict)
    labels: Mapping[str, Vector] = field(default_factory=dict)


def make_recipe(
    kind: str,
    *,
    seed: int,
    parts: Mapping[str, Any],
    state: Mapping[str, Any] = {},
    labels: Mapping[str, Any] = {},
) -> Recipe:
    """Return a recipe; None is left out.

    A value is an array of uint8, int32, float64, or uint32, which becomes float64; a sequence of text; a flag, which
    becomes an int32; a number, which becomes a double; or text.
    """
    return Recipe(kind, seed, _vectors(parts), _vectors(state), _vectors(labels))


def _vectors(values: Mapping[str, Any]) -> dict[str, Vector]:
    return {name: _vector(value) for name, value in values.items() if value is not None}


def _vector(value: Any) -> Vector:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bool, np.bool_)):
        return np.array([value], dtype=np.int32)
    if isinstance(value, (int, float, np.integer, np.floating)):
        return np.array([value], dtype=np.float64)
    if isinstance(value, np.ndarray) and value.dtype == np.uint32:  # the words of a generator
        return value.astype(np.float64)
    vector: Vector = value
    return vector


def compact(codes: NDArray[Any], n_codes: int) -> NDArray[Any]:
    """Return codes of strata in the form of a recipe: uint8 up to 255 strata, else int32.

    One more code than there are strata is reserved for rows that are in no batch.
    """
    return codes.astype(np.uint8 if n_codes < 2**8 else np.int32, copy=False)
