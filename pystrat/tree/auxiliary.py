"""Auxiliary values: functions of a specification, of which every drawn row has one value each."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.messages import as_double, is_number, refused_type, show

OF_USER = "function"  # the name in recipes of a function defined by the user
_NAMES = {"true": True, "false": False}
_OF_VALUES, _OF_LIST, _NO_CALL, _NO_TEXT, _ITERATOR = range(5)  # how arguments are written, as in tree_values.h


@dataclass(frozen=True)
class Auxiliary:
    """An auxiliary value as it is written: its name, its function and the function's arguments.

    A function of the user is the only argument.
    """

    name: str
    given: Any
    written: int
    function: str
    arguments: tuple[Any, ...]

    @property
    def is_of_user(self) -> bool:
        """Whether the values come from a user's function, for `values_of_user`, and not from random numbers."""
        return self.function == OF_USER

    @property
    def kind(self) -> str:
        """The kind of all arguments, empty if they are of several kinds or of others than functions take."""
        kinds = {_kind_of(argument) for argument in self.arguments} or {"number"}
        return kinds.pop() if len(kinds) == 1 else "number" if kinds == {"number", "whole"} else ""

    def values_of_user(self, epoch: int, begin: int, count: int) -> NDArray[Any]:
        """Return the values of the user's function for the draws begin .. begin + count - 1 of an epoch, as objects."""
        values = np.empty(count, dtype=object)
        for place in range(count):
            values[place] = self.given(epoch, begin + place)
        return values

    def values(self, drawn: NDArray[np.float64]) -> NDArray[Any]:
        """Return the values for the numbers that were drawn for them: places, for a function of a list."""
        if self.written == _OF_LIST:
            items = np.array(self.arguments, dtype=object if isinstance(self.arguments[0], str) else None)
            return np.asarray(items[drawn.astype(np.int64)])
        return drawn if self.function in ("uniform", "normal") else drawn.astype(np.int64)


def _kind_of(value: Any) -> str:
    if isinstance(value, (str, bool)):
        return "text" if isinstance(value, str) else "logical"
    return "whole" if isinstance(value, int) else "number" if is_number(value) else ""


class DrawnRow(int):
    """A row position with the auxiliary values of its draw.

    Attributes
    ----------
    aux : dict
        The values by name.
    """

    aux: dict[str, Any]

    def __new__(cls, row: int, aux: Optional[dict[str, Any]] = None) -> "DrawnRow":
        """Return the position `row` with the values `aux`."""
        made = super().__new__(cls, row)
        made.aux = {} if aux is None else aux
        return made


def drawn_rows(rows: NDArray[Any], values: Mapping[str, NDArray[Any]]) -> list[int]:
    """Return the rows as `DrawnRow`, each with its values."""
    columns = [column.tolist() for column in values.values()]
    return [DrawnRow(row, dict(zip(values, items))) for row, *items in zip(rows.tolist(), *columns)]


def parse_auxiliary(given: Any) -> tuple[Auxiliary, ...]:
    """Read the mapping of names to functions, such as ``{"angle": "uniform(-10, 10)"}``; nothing is evaluated."""
    if given is None:
        return ()
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
        raise refused_type("auxiliary", "map names to functions", show(given))
    return tuple(_read(name, text) for name, text in given.items())


def _read(name: str, text: Any) -> Auxiliary:
    if callable(text):
        return Auxiliary(name, text, _OF_VALUES, OF_USER, ())
    if not isinstance(text, str):
        return Auxiliary(name, text, _ITERATOR if isinstance(text, Iterator) else _NO_TEXT, "", ())
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
            raise ValueError
        arguments = tuple(_literal(argument) for argument in call.args)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: nested deeply
        return Auxiliary(name, text, _NO_CALL, "", ())
    if len(arguments) == 1 and isinstance(arguments[0], list):
        return Auxiliary(name, text, _OF_LIST, call.func.id, tuple(arguments[0]))
    written = _NO_CALL if call.func.id == OF_USER else _OF_VALUES
    return Auxiliary(name, text, written, call.func.id, arguments)


def _literal(node: ast.expr) -> Any:
    """Return the value of a literal; true and false also as YAML writes them."""
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.List):
        return [_literal(item) for item in node.elts]
    return ast.literal_eval(node)


def auxiliary_data(auxiliary: Sequence[Auxiliary]) -> dict[str, Any]:
    """Return the functions and their arguments as the core takes them: numbers, logical values as 0 or 1, and text."""
    if not auxiliary:
        return {}
    kinds = [value.kind for value in auxiliary]
    numbers = [
        as_double(item) for value, kind in zip(auxiliary, kinds) if kind not in ("", "text") for item in value.arguments
    ]
    return {
        "auxiliary": [value.name for value in auxiliary],
        "functions": [value.function for value in auxiliary],
        "kinds": ["number" if kind in ("", "whole") else kind for kind in kinds],
        "are_whole": np.array([kind == "whole" for kind in kinds], dtype=np.uint8),
        "written": np.array([value.written if value.kind else _NO_CALL for value in auxiliary], dtype=np.uint8),
        "n_arguments": np.array(
            [len(value.arguments) if kind else 0 for value, kind in zip(auxiliary, kinds)], np.int32
        ),
        "arguments": np.array(numbers, dtype=np.float64),
        "texts": [item for value, kind in zip(auxiliary, kinds) if kind == "text" for item in value.arguments],
    }
