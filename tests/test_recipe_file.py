"""Files of recipes, read as anyone can: with json and numpy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pystrat import StratifiedBatchSampler
from pystrat.core.recipe import make_recipe, recipe_bytes
from tests.inside import recipe_of

DTYPES = {"U8": "u1", "I32": "<i4", "F64": "<f8"}


def read(content: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the metadata and the vectors of a file in the layout of safetensors."""
    size = int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    data = content[8 + size :]
    metadata = header.pop("__metadata__")
    vectors, end = {}, 0
    for name, vector in header.items():
        begin, end_before = vector["data_offsets"][0], end
        end = vector["data_offsets"][1]
        assert begin == end_before, "without gaps, in the order of the header"
        vectors[name] = np.frombuffer(data[begin:end], dtype=DTYPES[vector["dtype"]])
        assert vector["shape"] == [len(vectors[name])]
    assert end == len(data)
    return metadata, vectors


def texts(vectors: dict[str, np.ndarray], name: str) -> list[str]:
    *parts, rest = vectors[f"{name}.text"].tobytes().split(b"\0")
    assert rest == b""
    return [part.decode("utf-8") for part in parts]


def test_a_file_holds_the_vectors_of_the_recipe() -> None:
    sampler = StratifiedBatchSampler(["b", "é", "b", "", "日本"], 1, seed=7)
    recipe = recipe_of(sampler)
    assert recipe is not None
    metadata, vectors = read(recipe_bytes(recipe))
    assert metadata == {"format": "pystrat.recipe", "version": "1", "kind": "stratified", "seed": "7"}
    for entry in ("parts", "labels"):
        for name, part in getattr(recipe, entry).items():
            if not isinstance(part, np.ndarray):
                assert texts(vectors, f"{entry}.{name}") == list(part)
                continue
            found = vectors[f"{entry}.{name}"]
            assert found.dtype == part.dtype and found.tolist() == part.tolist()
    assert len(vectors) == len(recipe.parts) + len(recipe.labels)


def test_vectors_of_any_length_and_missing_numbers_have_one_form() -> None:
    negative = -np.array([np.nan])
    labels = {"none": [], "empty": ["", ""], "numbers": np.array([np.nan, -0.0, 1e300])}
    recipe = make_recipe("any", seed=0, parts={"none": np.zeros(0), "bytes": np.zeros(3, np.uint8)}, labels=labels)
    content = recipe_bytes(recipe)
    _, vectors = read(content)
    assert list(vectors) == ["parts.none", "parts.bytes", "labels.none.text", "labels.empty.text", "labels.numbers"]
    assert texts(vectors, "labels.empty") == ["", ""] and texts(vectors, "labels.none") == []
    assert vectors["labels.numbers"].tobytes() == bytes.fromhex("000000000000f87f 0000000000000080 9c7500883ce4377e")
    other = make_recipe("any", seed=0, parts={}, labels={"number": negative})
    same = make_recipe("any", seed=0, parts={}, labels={"number": np.array([np.nan])})
    assert recipe_bytes(other) == recipe_bytes(same)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float64])
def test_arrays_of_any_byte_order_and_stride_give_the_same_bytes(dtype: Any) -> None:
    numbers = np.arange(10, dtype=dtype)
    plain = recipe_bytes(make_recipe("any", seed=0, parts={"x": numbers[::2].copy()}))
    for other in (numbers[::2], numbers[::2].astype(np.dtype(dtype).newbyteorder(">"))):
        assert recipe_bytes(make_recipe("any", seed=0, parts={"x": other})) == plain
