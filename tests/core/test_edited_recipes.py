"""Recipes with one part edited, as a file may be: each draws, or says what is wrong.

replay.cpp changes several parts at once, under sanitizers.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest

from tests.core.recipes import recipes
from tests.hostile import GRAMMAR
from tests.inside import kinds

KINDS = sorted({recipe.kind for recipe in recipes()})
WITH_FEEDBACK = {recipe.kind for recipe in recipes() if recipe.state}


def edits_of(value: Any) -> Iterator[Any]:
    """Yield other values: fewer or more numbers, of other types, and wrong ones."""
    if not isinstance(value, np.ndarray):
        yield from (["another"], np.array([1.0]))
        return
    yield from (value[:-1], value[:0], np.repeat(value, 2))
    with np.errstate(invalid="ignore"):
        yield from [value.astype(dtype) for dtype in (np.uint8, np.int32, np.float64) if dtype != value.dtype]
    for wrong in (np.nan, -1, 0.5, 1e10) if value.dtype == np.float64 else (255, 0):
        yield np.concatenate([value[:-1], np.full(min(1, len(value)), wrong, value.dtype)])


def edited(parts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield parts with one of them left out or edited."""
    for name in parts:
        yield {other: parts[other] for other in parts if other != name}
        yield from ({**parts, name: value} for value in edits_of(parts[name]))


@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_part_is_refused_or_accepted(kind: str) -> None:
    n_refused = 0
    for recipe in [recipe for recipe in recipes() if recipe.kind == kind]:
        for parts in edited(dict(recipe.parts)):
            try:
                instance = kinds.Instance(kind, parts, 1)
                instance.identify()
                if kind not in WITH_FEEDBACK:
                    instance.draw(0)
            except (TypeError, ValueError) as error:
                assert GRAMMAR.fullmatch(str(error)), error
                n_refused += 1
    assert n_refused > 0
