"""Calls of the core with one part edited, as a file may be: each succeeds, or says what is wrong.

replay.c changes several parts at once, under sanitizers.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest

from tests.core.core_calls import Call, recorded_calls
from tests.hostile import GRAMMAR
from tests.inside import core, is_in_cpp, kinds

CALLS = [call for call in recorded_calls() if call.method in ("plan", "prepare", "function")]
WITH_FEEDBACK = {call.kind for call in recorded_calls() if call.method == "begin"}


def edits_of(value: Any) -> Iterator[Any]:
    """Yield other values: of vectors, fewer or more numbers, of other types, and wrong ones."""
    if isinstance(value, (list, tuple)):
        yield from ([*value, "another"], value[1:])
    elif not isinstance(value, np.ndarray):
        yield from (None, "another", True, -1, 0.5, 1e300, float("nan"))
    else:
        yield from (value[:-1], value[:0], np.repeat(value, 2))
        with np.errstate(invalid="ignore"):
            yield from [value.astype(dtype) for dtype in (np.uint8, np.int32, np.float64) if dtype != value.dtype]
        for wrong in (np.nan, -1, 0.5, 1e10) if value.dtype == np.float64 else (255, 0):
            yield np.concatenate([value[:-1], np.full(min(1, len(value)), wrong, value.dtype)])


def edited(call: Call) -> Iterator[list[dict[str, Any]]]:
    """Yield arguments and data with one part left out or edited."""
    values = call.values()
    given = [{name: part[name] for name in part if name in values} for part in (call.arguments, call.data)]
    for name in list(values)[: call.n_mutable()]:
        yield [{other: part[other] for other in part if other != name} for part in given]
        for value in edits_of(values[name]):
            yield [{**part, name: value} if name in part else part for part in given]


def use(call: Call, arguments: dict[str, Any], data: dict[str, Any]) -> None:
    """Make a call; draw from the recipe that it has."""

    def name_of(*_: Any) -> str:
        return "name"

    if call.method == "function":
        core.call(call.name, arguments, data, name_of)
    elif call.method == "plan":
        core.plan(call.kind, arguments, data, name_of)
    else:
        instance = (kinds if is_in_cpp(call.kind) else core).Instance(call.kind, data, 1)
        instance.identify()
        if call.kind not in WITH_FEEDBACK:
            instance.draw(0)


@pytest.mark.parametrize("kind", sorted({call.kind or call.name for call in CALLS}))
def test_an_edited_part_is_refused_or_accepted(kind: str) -> None:
    n_refused = 0
    for call in [call for call in CALLS if kind in (call.kind, call.name)]:
        for arguments, data in edited(call):
            try:
                use(call, arguments, data)
            except (TypeError, ValueError) as error:
                assert GRAMMAR.fullmatch(str(error)), error
                n_refused += 1
    assert n_refused > 0
