"""Auxiliary values: functions of a specification, of which every drawn row has one value each."""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.messages import is_number, refused_type, show
from pystrat.tree.specification import load_yaml

_FUNCTIONS = ["function", "uniform", "normal", "integers", "choice", "cycle", "counter", ""]  # the first is a user's
_OF_LISTS = ("choice", "cycle")
_OF_NUMBERS = ("uniform", "normal", "integers")
_CALL = re.compile(r"\s*(\w+)\((.*)\)\s*", re.DOTALL)


class Auxiliary(NamedTuple):
    """An auxiliary value: its name, what was given, its function ("" if it is none), and the arguments or items."""

    name: str
    given: Any
    function: str
    arguments: Sequence[Any]

    def values(self, drawn: Iterator[NDArray[np.float64]], part: slice, epoch: int, begin: int) -> list[Any]:
        """Return the values of a part of the draws; draw 0 has the number `begin` in its epoch.

        `drawn` yields the numbers that were drawn for the next function; they are places, for a function of a list.
        """
        if callable(self.given):
            return [self.given(epoch, begin + place) for place in range(part.start, part.stop)]
        dtype = np.float64 if self.function in ("uniform", "normal") else np.int64
        numbers: list[Any] = next(drawn)[part].astype(dtype).tolist()
        return [self.arguments[place] for place in numbers] if self.function in _OF_LISTS else numbers


class DrawnRow(int):
    """A row position with the auxiliary values of its draw, `aux`, by name."""

    aux: dict[str, Any]

    def __new__(cls, row: int, aux: Optional[dict[str, Any]] = None) -> "DrawnRow":
        made = super().__new__(cls, row)
        made.aux = aux or {}
        return made


def read_auxiliary(given: Any) -> list[Auxiliary]:
    """Read the mapping of names to functions, such as ``{"angle": "uniform(-10, 10)"}``; nothing is evaluated."""
    if given is None:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
        raise refused_type("auxiliary", "map names to functions", show(given))
    return [Auxiliary(name, function, *_read_call(function)) for name, function in given.items()]


def _read_call(given: Any) -> tuple[str, Sequence[Any]]:
    """Return the name of a function and its arguments, which are those of a YAML list; no name if they do not fit."""
    if callable(given):
        return "function", []
    found = _CALL.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        return "", []
    function = found[1]
    try:
        arguments = load_yaml(f"[{found[2]}]", "auxiliary")
        if function == "counter" and not arguments:
            return function, []
        if function in _OF_LISTS and len(arguments) == 1 and isinstance(arguments[0], list):
            kinds = {"number" if is_number(item) else type(item) for item in arguments[0]}
            if len(kinds) == 1 and kinds <= {bool, "number", str}:
                return function, arguments[0]
        if function in _OF_NUMBERS and len(arguments) == 2 and bool not in map(type, arguments):
            return function, [float(number) for number in arguments]  # 1e-3 is text in YAML
    except (OverflowError, TypeError, ValueError):
        pass
    return "", []


def auxiliary_data(auxiliary: Sequence[Auxiliary]) -> dict[str, NDArray[Any]]:
    """Return the functions as the core takes them, and their text, from which R reads items."""
    if not auxiliary:
        return {}
    functions: list[float] = []
    texts: list[str] = []
    for value in auxiliary:
        ends = [0, len(value.arguments)] if value.function in _OF_LISTS else [*value.arguments, 0, 0][:2]
        functions += [_FUNCTIONS.index(value.function), *ends]
        texts += [value.name, "function" if callable(value.given) else str(value.given)]
    return {"auxiliary": packed(texts), "functions": np.array(functions, dtype=np.float64)}


def packed(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return texts as bytes, with a separator between them."""
    return np.frombuffer("\x1f".join(texts).encode("utf-8"), dtype=np.uint8)
