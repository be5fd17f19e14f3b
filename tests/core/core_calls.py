"""What Python asks of the core for samplers of every kind, and of its functions: what tests of the core change.

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
from typing import Any, Mapping, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd

from pystrat import BatchSampler
from pystrat.stream import StratifiedStream
from tests.inside import core, is_in_cpp, recipe_of
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
CHECKED_BY_HOST = {"auxiliary", "drawn", "parents"}
METHODS = ("plan", "prepare", "begin", "draw_more", "tell", "ask", "apply", "function")
MOST_VALUES = 120  # of a part; changes of few are more likely to matter


class Call(NamedTuple):
    """A call of the core: of a kind, or of a function that has this name."""

    method: str
    kind: str
    name: str
    arguments: Mapping[str, Any]
    data: Mapping[str, Any]

    def values(self) -> dict[str, Any]:
        values = {**self.arguments, **self.data}
        if {"codes", "n_strata"} <= set(values):
            values.pop("counts", None)  # the core counts codes by itself if the host has not done it
        return values

    def n_mutable(self) -> int:
        """Return how many of the values may be changed, the first ones."""
        is_checked = self.method in ("plan", "function") and CHECKED_BY_HOST & set(self.data)
        return len(self.arguments) if is_checked else len(self.values())

    def numbers(self) -> tuple[int, ...]:
        """Return the call as the numbers that replay.c reads."""
        parts = [number for part in self.values().items() for number in _part(*part)]
        head = (METHODS.index(self.method), *_text(self.kind), *_text(self.name))
        return (*head, len(self.values()), self.n_mutable(), *parts)


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


def _recording(made: list[Call]) -> type[core.Instance]:
    class Recorded(core.Instance):
        def __init__(self, kind: str, parts: Mapping[str, Any], seed: int) -> None:
            made.append(Call("prepare", kind, "", {}, parts))
            self._name = kind
            super().__init__(kind, parts, seed)

        def begin(self, given: dict[str, Any]) -> None:
            made.append(Call("begin", self._name, "", {}, given))
            super().begin(given)

        def draw_more(self, stream: Any, wanted: dict[str, Any]) -> Any:
            made.append(Call("draw_more", self._name, "", wanted, {}))
            return super().draw_more(stream, wanted)

        def tell(self, method: str, arguments: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
            made.append(Call("tell", self._name, method, arguments, data))
            return super().tell(method, arguments, data)

        def ask(self, name: str, arguments: dict[str, Any] = {}, data: dict[str, Any] = {}) -> dict[str, Any]:
            made.append(Call("ask", self._name, name, arguments, data))
            return super().ask(name, arguments, data)

    return Recorded


def _use(sampler: Any, made: list[Call]) -> None:
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
    state = (sampler if iterator is None else iterator).state_dict()
    sampler.load_state_dict(state)
    if isinstance(sampler, BatchSampler):
        next(iter(sampler))
        recipe = recipe_of(sampler)
        values = dict(recipe.parts)
        if not is_in_cpp(recipe.kind):
            values |= {name: value for name, value in recipe.state.items() if name != "sample_generator"}
        made.append(Call("prepare", recipe.kind, "", {}, values))


def _use_functions() -> None:
    """Ask for what samplers of Python do not ask."""
    strata = [0, 1, 0, 0, 1, 0, 0, 0] * 3
    sources = [strata[:5], strata[5:12], strata[12:], [1, 0, 0]]
    counts = pd.DataFrame([[own.count(stratum) for stratum in (0, 1)] for own in sources], columns=[0, 1])
    for how in (
        {"min_samples_per_stratum": 2, "counts": counts, "lanes": 2},
        {"min_samples_per_stratum": 1, "strata": [0, 1], "min_batch_size": 5},
        {"mean_batch_size": 6, "counts": counts, "balance": "over"},
        {"mean_batch_size": 5, "counts": counts, "shares": {0: 1, 1: 2}, "shuffle_sources": 2},
    ):
        list(StratifiedStream(range(4), read=sources.__getitem__, stratum=int, seed=1, **how))


@lru_cache
def recorded_calls() -> list[Call]:
    """Return the calls of the core by all specimens and functions, except those with many values."""
    made: list[Call] = []

    def plan(kind: str, arguments: dict[str, Any], data: dict[str, Any], names: Any) -> Any:
        made.append(Call("plan", kind, "", arguments, data))
        return core_plan(kind, arguments, data, names)

    def call(name: str, arguments: dict[str, Any], data: dict[str, Any] = {}, names: Any = ()) -> Any:
        if data and not arguments and list(data) == list(getattr(sampler, "_parts", ())):
            made.append(Call("apply", sampler._kind, name, {}, {}))  # a function of recipes
        made.append(Call("function", "", name, arguments, data))
        return core_call(name, arguments, data, names)

    core_plan, core_call, sampler = core.plan, core.call, None
    recorded = mock.patch.multiple(core, plan=plan, call=call, Instance=_recording(made))
    with tempfile.TemporaryDirectory() as folder, recorded, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sampler in [*samplers(Path(folder)), *varied(Path(folder))]:
            _use(sampler, made)
        sampler = None
        _use_functions()
    few = (call for call in made if max(map(np.size, call.values().values()), default=0) <= MOST_VALUES)
    return list({call.numbers(): call for call in few}.values())


def numbers_of_calls(*, in_cpp: bool) -> list[int]:
    """Return how many calls of the core in C++, or in C, there are, then the calls, as the program reads them.

    Those of kinds in C++ are recipes.
    """
    calls = [call for call in recorded_calls() if is_in_cpp(call.kind) == in_cpp]
    calls = [call for call in calls if not in_cpp or call.method == "prepare"]
    return [len(calls), *(number for call in calls for number in call.numbers())]
