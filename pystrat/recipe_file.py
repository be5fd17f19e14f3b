"""Files of recipes: plain vectors behind a header in JSON, without any code.

The layout is that of safetensors, whose library can read these files: the size of the header (8 bytes, little-endian),
the header, and the vectors without gaps, in the order of the header. A vector has a name such as ``parts.codes`` and
the type U8, I32 or F64. Text is two vectors: ``labels.names.text``, all texts in UTF-8, and ``labels.names.lengths``,
the bytes of each. The metadata has the kind, the seed and the version of the recipe. A recipe has only one form as a
file, which readers require: the header has no blanks, and its entries are in the order of the recipe.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

import numpy as np

from pystrat.recipe import RECIPE_VERSION, Recipe

_TYPES = {"uint8": ("U8", "u1"), "int32": ("I32", "<i4"), "float64": ("F64", "<f8")}


def recipe_bytes(recipe: Recipe) -> bytes:
    """Return the content of a recipe's file; the same recipe gives the same bytes in Python and R."""
    metadata = {
        "format": "pystrat.recipe",
        "version": str(RECIPE_VERSION),
        "kind": recipe.kind,
        "seed": str(recipe.seed),
    }
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
                texts = [text.encode("utf-8") for text in vector]
                yield f"{entry}.{name}.text", np.frombuffer(b"".join(texts), dtype=np.uint8)
                yield f"{entry}.{name}.lengths", np.array([len(text) for text in texts], dtype=np.int32)
            elif vector.dtype == np.float64:
                yield f"{entry}.{name}", np.where(np.isnan(vector), np.nan, vector)  # of all NaN, one
            else:
                yield f"{entry}.{name}", vector
