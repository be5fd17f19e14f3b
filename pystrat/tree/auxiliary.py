"""Named iterators that advance by one value per drawn row, so that augmentation does not depend on the workers."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.limits import MAX_EXACT
from pystrat.messages import refused_type, refused_value, show
from pystrat._random import RandomStream
from pystrat.tree._drawing import make_normal

OF_USER = "function"  # the name in recipes of a function defined by the user
FUNCTIONS = ("uniform", "normal", "integers", "choice", "cycle", "counter")
_NAMES = {"true": True, "false": False}
_MOST = 1e300  # of a number, so that differences and quantiles are finite


@dataclass(frozen=True)
class Auxiliary:
    """An auxiliary value: its name, its function and the function's arguments; a user's function is an argument."""

    name: str
    function: str
    arguments: tuple[Any, ...]

    @property
    def is_of_user(self) -> bool:
        """Whether the values come from a user's function, for `values_of_user`, and not from random numbers."""
        return self.function == OF_USER

    def values_of_user(self, epoch: int, begin: int, count: int) -> NDArray[Any]:
        """Return the values of the user's function for the draws begin .. begin + count - 1 of an epoch, as objects."""
        values = np.empty(count, dtype=object)
        for place in range(count):
            values[place] = self.arguments[0](epoch, begin + place)
        return values

    def values(self, stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
        """Return the values of the draws begin .. begin + count - 1, where `stream` has returned the values before."""
        return _VALUES[self.function](self.arguments, stream, begin, count)


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


def _uniform(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    low, high = map(float, arguments)
    return np.asarray(low + (high - low) * stream.uniforms(count))


def _normal(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    numbers = stream.uniforms(count)
    make_normal(numbers, *map(float, arguments))
    return numbers


def _integers(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    low, high = arguments
    return np.asarray(stream.indices(high - low + 1, count) + low)


def _choice(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    items = _as_items(arguments[0])
    return np.asarray(items[stream.indices(len(items), count)])


def _cycle(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    items = _as_items(arguments[0])
    return np.asarray(items[np.arange(begin, begin + count) % len(items)])


def _counter(arguments: tuple[Any, ...], stream: RandomStream, begin: int, count: int) -> NDArray[Any]:
    return np.arange(begin, begin + count, dtype=np.int64)


_Values = Callable[[tuple[Any, ...], RandomStream, int, int], NDArray[Any]]
_VALUES: dict[str, _Values] = {
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "choice": _choice,
    "cycle": _cycle,
    "counter": _counter,
}


def _as_items(items: list[Any]) -> NDArray[Any]:
    return np.array(items, dtype=object if isinstance(items[0], str) else None)


def parse_auxiliary(given: Any) -> tuple[Auxiliary, ...]:
    """Read the mapping of names to functions, such as ``{"angle": "uniform(-10, 10)"}``; nothing is evaluated."""
    if given is None:
        return ()
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
        raise refused_type("auxiliary", "map names to functions", show(given))
    return tuple(_read(name, text) for name, text in given.items())


def _read(name: str, text: Any) -> Auxiliary:
    if callable(text):
        return Auxiliary(name, OF_USER, (text,))
    if not isinstance(text, str):
        raise _refused(refused_type, name, text)
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
            raise ValueError
        arguments = tuple(_literal(argument) for argument in call.args)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: nested deeply
        raise _refused(refused_value, name, text) from None
    function = call.func.id
    if function not in FUNCTIONS or not _fits(function, arguments):
        raise _refused(refused_value, name, text)
    return Auxiliary(name, function, arguments)


def _refused(error: Callable[..., Exception], name: str, text: Any) -> Exception:
    forms = "uniform(a, b), normal(m, s), integers(a, b), choice([...]), cycle([...]) or counter()"
    required = f"be {forms}, with a < b, s > 0, values of one kind and no number beyond {_MOST:g}"
    advice = "A function of the epoch and the draw can be resumed, an iterator cannot."
    return error(name, required, show(text), advice if isinstance(text, Iterator) else None, where="of 'auxiliary'")


def _literal(node: ast.expr) -> Any:
    """Return the value of a literal; true and false also as YAML writes them."""
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.List):
        return [_literal(item) for item in node.elts]
    return ast.literal_eval(node)


def _fits(function: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether a function accepts these arguments."""
    if function == "counter":
        return not arguments
    if function in ("choice", "cycle"):
        return len(arguments) == 1 and _is_list_of_one_kind(arguments[0])
    if len(arguments) != 2 or not all(_is_number(argument) for argument in arguments):
        return False
    first, second = arguments
    if function == "normal":
        return bool(second > 0)
    if function == "integers":
        whole = isinstance(first, int) and isinstance(second, int)
        return whole and -MAX_EXACT < first <= second < MAX_EXACT and second - first < MAX_EXACT
    return bool(first < second)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _MOST


def _is_list_of_one_kind(items: Any) -> bool:
    if not isinstance(items, list) or not items:
        return False
    return (
        all(isinstance(item, bool) for item in items)
        or all(isinstance(item, str) for item in items)
        or all(_is_number(item) and abs(item) <= MAX_EXACT for item in items)
    )
