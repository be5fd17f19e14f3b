"""What Python asks of the core for samplers of every kind: the numbers that test_kinds.c reads and mutates.

A sampler that is in `tests/specimens.py` is fuzzed. Nothing here names a kind.
"""

from __future__ import annotations

import inspect
import tempfile
import warnings
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping
from unittest import mock

import numpy as np

from pystrat import BatchSampler
from tests.inside import core, recipe_of
from tests.specimens import samplers, varied

# PartType in host.h
BYTES, INTEGERS, DOUBLES, TEXT, TEXTS, LONGS, LARGE, FLAG, FRACTION, NOTHING, OTHER = range(11)
TYPES = {np.dtype(name): kind for name, kind in zip(("u1", "i4", "f8", "i8"), (BYTES, INTEGERS, DOUBLES, LONGS))}
# Values for the parameters of methods that tell or ask something.
TOLD: dict[str, Any] = {
    **dict.fromkeys(("rows", "indices"), [0, 1]),
    **dict.fromkeys(("weights", "priorities", "nll", "values"), [0.5, 2.0]),
    **dict.fromkeys(("k", "count"), 2),
}
# Requests with one of these parts have data that the host has checked and the core does not check again.
CHECKED_BY_HOST = {"auxiliary", "drawn", "labels", "parents"}
METHODS = ("plan", "prepare", "begin", "draw_more", "tell", "ask", "apply")
MOST_VALUES = 120  # of a part; mutations of few are more likely to matter


class Calls:
    """The calls so far, each as integers."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, ...], None] = {}

    def add(self, method: str, kind: str, name: str, arguments: Mapping[str, Any], data: Mapping[str, Any]) -> None:
        # The core counts codes by itself if the host has not done it.
        values = {name: value for name, value in {**arguments, **data}.items() if name != "counts"}
        parts = [number for part in values.items() for number in _part(*part)]
        if max(map(np.size, values.values()), default=0) > MOST_VALUES:
            return
        n_mutable = len(arguments) if method == "plan" and CHECKED_BY_HOST & set(data) else len(values)
        self.made[(METHODS.index(method), *_text(kind), *_text(name), len(values), n_mutable, *parts)] = None


def _text(text: str) -> list[int]:
    encoded = text.encode("utf-8")
    return [len(encoded), *encoded]


def _doubles(values: Any) -> list[int]:
    """Return the integers with the same bits."""
    return np.asarray(values, dtype=np.float64).view(np.int64).tolist()


def _part(name: str, value: Any) -> list[int]:
    """Return a part: its name, its type, whether it is single, whether its values have names, and these."""
    kind, is_single, is_named, values = OTHER, False, False, [0]
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if value is None:
        kind = NOTHING
    elif isinstance(value, (bool, np.bool_)):
        kind, values = FLAG, [1, int(value)]
    elif isinstance(value, str):
        kind, values = TEXT, _text(value)
    elif isinstance(value, (int, float, np.number)):
        kind, is_single, values = DOUBLES, True, [1, *_doubles([value])]
    elif isinstance(value, Fraction):
        kind, is_single, values = FRACTION, True, [1, *_doubles([float(value)])]
    elif isinstance(value, Mapping):
        is_named = all(isinstance(item, (int, float)) for item in value.values())
        kind, values = (DOUBLES, [len(value), *_doubles(list(value.values()))]) if is_named else (OTHER, [0])
    elif isinstance(value, np.ndarray):
        kind = TYPES[value.dtype]
        values = [value.size, *(_doubles(value.ravel()) if kind == DOUBLES else value.ravel().tolist())]
    elif isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value):
        kind, values = TEXTS, [len(value), *(number for text in value for number in _text(text))]
    return [*_text(name), kind, int(is_single), int(is_named), *values]


def _recording(calls: Calls) -> type[core.Instance]:
    class Recorded(core.Instance):
        def __init__(self, kind: str, parts: Mapping[str, Any], seed: int) -> None:
            calls.add("prepare", kind, "", {}, parts)
            self._name = kind
            super().__init__(kind, parts, seed)

        def begin(self, given: dict[str, Any]) -> None:
            calls.add("begin", self._name, "", {}, given)
            super().begin(given)

        def draw_more(self, stream: Any, wanted: dict[str, Any]) -> Any:
            calls.add("draw_more", self._name, "", wanted, {})
            return super().draw_more(stream, wanted)

        def tell(self, method: str, arguments: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
            calls.add("tell", self._name, method, arguments, data)
            return super().tell(method, arguments, data)

        def ask(self, name: str, arguments: dict[str, Any] = {}, data: dict[str, Any] = {}) -> dict[str, Any]:
            calls.add("ask", self._name, name, arguments, data)
            return super().ask(name, arguments, data)

    return Recorded


def _use(sampler: Any, calls: Calls) -> None:
    """Draw, call each method whose parameters have known values, and save and load it in the middle of an epoch."""
    iterator = iter(sampler) if hasattr(sampler, "__iter__") else None
    if iterator is not None:
        next(iterator)
    for name, method in inspect.getmembers(sampler, callable):
        if name.startswith("_"):
            continue
        wanted = inspect.signature(method).parameters.values()
        needed = [each.name for each in wanted if each.default is each.empty]
        if wanted and set(needed) <= set(TOLD) and {each.name for each in wanted} & set(TOLD):
            for names in (needed, [each.name for each in wanted if each.name in TOLD]):
                with suppress(ValueError):  # some have nothing to tell
                    method(**{name: TOLD[name] for name in names})
    state = sampler.state_dict() if iterator is None else iterator.state_dict()
    sampler.load_state_dict(state)
    if isinstance(sampler, BatchSampler):
        next(iter(sampler))
        recipe = recipe_of(sampler)
        values = {**recipe.parts, **recipe.state}
        values.pop("sample_generator", None)  # is Python's
        calls.add("prepare", recipe.kind, "", {}, values)


@lru_cache
def core_calls() -> tuple[int, ...]:
    """Return how many calls there are, then the calls."""
    calls = Calls()

    def plan(kind: str, arguments: dict[str, Any], data: dict[str, Any], names: Any) -> Any:
        calls.add("plan", kind, "", arguments, data)
        return made(kind, arguments, data, names)

    def call(name: str, arguments: dict[str, Any], data: dict[str, Any] = {}, names: Any = ()) -> Any:
        if data and not arguments and list(data) == list(getattr(sampler, "_parts", ())):
            calls.add("apply", sampler._kind, name, {}, {})  # a function of recipes
        return called(name, arguments, data, names)

    made, called, sampler = core.plan, core.call, None
    recorded = mock.patch.multiple(core, plan=plan, call=call, Instance=_recording(calls))
    with tempfile.TemporaryDirectory() as folder, recorded, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sampler in [*samplers(Path(folder)), *varied(Path(folder))]:
            _use(sampler, calls)
    return (len(calls.made), *(number for call in calls.made for number in call))
