"""What a recipe says of the values of strata beside their names, so that tables in R have columns of their types."""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np

from pystrat.strata import Column
from pystrat.stratum_values import ColumnOfStrata, StratumNames, with_values

_TYPES = {"boolean": "boolean", "day": "day", "time": "time", "time with a zone": "time"}
_EXACT = 10**15  # integers below it have up to 15 digits
_SMALL = 2**31  # and those below it are integers in R


def value_labels(names: Sequence[str]) -> dict[str, Any]:
    """Return the labels of a recipe for the values of strata; nothing for one column of text.

    * ``kinds``: what each column of strata holds; "ordered 3" is that of three ordered categories;
    * ``levels``: those categories, in order of the columns;
    * ``columns``: the names of the columns, if there are several.

    A column whose names do not give its values exactly is text.
    """
    strata = with_values(names)
    levels = [_levels_of(column) for column in strata.columns]
    kinds = [f"ordered {len(of)}" if of else _kind_of(column) for column, of in zip(strata.columns, levels)]
    if kinds == ["text"]:
        return {}
    found = {"kinds": tuple(kinds)}
    if any(levels):
        found["levels"] = tuple(level for of_column in levels for level in of_column)
    if len(kinds) > 1:
        found["columns"] = _titles_of(strata)
    return found


def _titles_of(strata: StratumNames) -> tuple[str, ...]:
    """Return the names of columns; one that is no Unicode text is replaced by the number of its column."""
    titles = [str(place if column.name is None else column.name) for place, column in enumerate(strata.columns, 1)]
    return tuple(title if _is_unicode(title) else str(place) for place, title in enumerate(titles, 1))


def _is_unicode(text: str) -> bool:
    return "\0" not in text and text.encode("utf-8", "replace") == text.encode("utf-8", "surrogatepass")


def _held(column: ColumnOfStrata) -> Column:
    return Column(np.empty(0, dtype=np.int64), column.values, column.kind)


def _levels_of(column: ColumnOfStrata) -> list[str]:
    """Return ordered categories of text or of bins, as R's levels; none of other columns."""
    if column.ranks is None or column.kind not in ("text", "bin"):
        return []
    names = _held(column).names()
    return [names[place] for place in np.argsort(column.ranks)] if len(set(names)) == len(names) else []


def _kind_of(column: ColumnOfStrata) -> str:
    if column.kind == "number":
        return _kind_of_numbers(column)
    kind = _TYPES.get(_held(column).exact_kind(), "text")
    if kind not in ("day", "time"):
        return kind
    names = _held(column).exact_names()
    are_whole = all(re.fullmatch(r"[0-9]{4}-[^.]*", name) for name in names)
    return kind if are_whole else "text"


def _kind_of_numbers(column: ColumnOfStrata) -> str:
    values = np.asarray(column.values)
    numbers: list[Any] = values.tolist()
    if values.dtype.kind in "iuO" and all(isinstance(number, (int, np.integer)) for number in numbers):
        largest = max((abs(int(number)) for number in numbers), default=0)
        if largest < _EXACT:
            return "integer" if largest < _SMALL else "double"
    held = _held(column)
    return "double" if list(held.names()) == list(held.exact_names()) else "text"
