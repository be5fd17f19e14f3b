"""Recipes: what a sampler draws, as plain vectors, the same in Python and R; and their files, without any code.

The layout of a file is that of safetensors, whose library can read it: the size of the header (8 bytes, little-endian),
the header in JSON, and the vectors without gaps, in the order of the header. A vector has a name such as
``parts.codes`` and the type U8, I32 or F64. Text is bytes, as in ``labels.names.text``: each text in UTF-8, and a zero
byte after it. Readers require the only form of a file: without blanks, the entries in the order of the recipe.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence, Union

import numpy as np
from numpy.typing import NDArray

Vector = Union[NDArray[Any], Sequence[str]]

RECIPE_VERSION = "1"
_TYPES = {"uint8": ("U8", "u1"), "int32": ("I32", "<i4"), "float64": ("F64", "<f8")}


@dataclass(frozen=True)
class Recipe:
    """Everything that a sampler needs to draw its batches: arrays of uint8, int32 and float64, and lists of text."""

    kind: str  # such as "stratified"
    seed: int
    parts: Mapping[str, Vector]  # which, together with the seed, determine the batches of all epochs
    state: Mapping[str, Vector] = field(default_factory=dict)  # what feedback has changed so far
    labels: Mapping[str, Vector] = field(default_factory=dict)  # what is only shown, such as the names of strata


def make_recipe(kind: str, *, seed: int, **entries: Mapping[str, Any]) -> Recipe:
    """Return a recipe with the entries `parts`, `state` and `labels`; None is left out.

    A value is an array of uint8, int32 or float64; a sequence of text; a flag, which becomes an int32; a number, which
    becomes a double; or text.
    """
    vectors = {
        entry: {name: _vector(value) for name, value in values.items() if value is not None}
        for entry, values in entries.items()
    }
    return Recipe(kind, seed, **vectors)


def _vector(value: Any) -> Vector:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bool, np.bool_)):
        return np.array([value], dtype=np.int32)
    if isinstance(value, (int, float, np.integer, np.floating)):
        return np.array([value], dtype=np.float64)
    vector: Vector = value
    return vector


def compact(codes: NDArray[Any], n_codes: int) -> NDArray[Any]:
    """Return codes as uint8 up to 255 strata, else int32; one more is reserved for rows that are in no batch."""
    return codes.astype(np.uint8 if n_codes < 2**8 else np.int32, copy=False)


def recipe_bytes(recipe: Recipe) -> bytes:
    """Return the content of a recipe's file; the same recipe gives the same bytes in Python and R."""
    metadata = {"format": "pystrat.recipe", "version": RECIPE_VERSION, "kind": recipe.kind, "seed": str(recipe.seed)}
    header: dict[str, Any] = {"__metadata__": metadata}
    content: list[bytes] = []
    end = 0
    for name, vector in _arrays(recipe):
        dtype, stored = _TYPES[vector.dtype.name]
        content.append(vector.astype(stored).tobytes())
        begin, end = end, end + len(content[-1])
        header[name] = {"dtype": dtype, "shape": [len(vector)], "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    return b"".join([len(text).to_bytes(8, "little"), text, *content])


def _arrays(recipe: Recipe) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a file, with their names."""
    for entry in ("parts", "state", "labels"):
        for name, vector in getattr(recipe, entry).items():
            if not isinstance(vector, np.ndarray):
                texts = b"".join(text.encode("utf-8") + b"\0" for text in vector)
                yield f"{entry}.{name}.text", np.frombuffer(texts, dtype=np.uint8)
            elif vector.dtype == np.float64:
                yield f"{entry}.{name}", np.where(np.isnan(vector), np.nan, vector)  # of all NaN, one
            else:
                yield f"{entry}.{name}", vector
