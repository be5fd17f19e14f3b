"""The columns of a table that are used, and the values that meet a condition.

A condition is evaluated once for each distinct value of its column, not for each row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from functools import cached_property
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import Wanted, as_vector, check_same_rows
from pystrat.columns import Column, number_column, numbers_of
from pystrat.lazy_pandas import is_frame, pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refusals, refused_type, refused_value, show
from pystrat.tree.specification import Condition, Specification

_KINDS = {"boolean": "a logical value", "number": "a number", "text": "a text", "date": "a date"}


@dataclass(frozen=True, eq=False)
class TableColumns:
    """The columns of a table that a specification uses: as codes, or as numbers if they are weights."""

    n_rows: int
    coded: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64]]


def read_table(table: Any, specification: Specification) -> TableColumns:
    """Read the columns of a table that are used.

    Parameters
    ----------
    table : pandas DataFrame or mapping of names to vectors
        One row per example.
    specification : Specification

    Raises
    ------
    TypeError, ValueError
        If `table` is not a table, lacks a column, or has columns of unequal length or of mixed kinds.
    """
    if not is_frame(table) and not isinstance(table, Mapping):
        raise refused_type("table", "be a DataFrame or a mapping of columns", show(table))
    if isinstance(table, Mapping) and not table:
        raise refused_value("table", "have at least one column", "0 columns")
    names = list(table) if isinstance(table, Mapping) else list(table.columns)
    counts = Counter(names)
    for name in specification.coded_columns() + specification.number_columns():
        if counts[name] != 1:
            known = ", ".join(f"'{known}'" for known in names[:10]) + (", ..." if len(names) > 10 else "")
            got = f"no such column; it has {known}," if name not in counts else f"{counts[name]} such columns"
            raise refused_value("table", f"have one column '{name}'", got)
    if is_frame(table):
        n_rows = len(table)
    else:
        lengths = {_length_of(values, name) for name, values in table.items()}
        if len(lengths) > 1:
            shown = " and ".join(str(length) for length in sorted(lengths)[:2])
            raise refused_value("table", "have columns of equal length", f"lengths {shown}")
        check_same_rows(("table", values) for values in table.values())
        n_rows = lengths.pop()
    if not 0 < n_rows <= MAX_COUNT:
        raise refused_value("table", f"have from 1 to {MAX_COUNT} rows", count_of(n_rows, "row"))
    coded = {}
    for name in specification.coded_columns():
        vector = as_vector(table[name], _wanted(name))
        column = number_column(vector, "table", f" in column '{name}'")
        coded[name] = replace(column, codes=column.codes.astype(np.int32))
    with refusals("of the table"):
        numbers = {name: numbers_of(table[name], name) for name in specification.number_columns()}
    return TableColumns(n_rows, coded, numbers)


def _length_of(values: Any, name: Any) -> int:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise _wanted(name).refusal(show(values))
    return len(values)


def _wanted(name: Any) -> Wanted:
    """Return the requirement for a column."""
    return Wanted("table", f"hold a vector in column '{name}'")


class ColumnValues:
    """The distinct values of a column, prepared once for all conditions on it.

    They are Python's own numbers and text, whose comparison is exact.

    Parameters
    ----------
    column : Column
    """

    def __init__(self, column: Column) -> None:
        self._column = column

    @cached_property
    def _plain(self) -> list[Any]:
        return [_plain(value) for value in self._column.values]

    @cached_property
    def _codes(self) -> dict[Any, list[int]]:
        """The codes of each value."""
        codes: dict[Any, list[int]] = {}
        for code, value in enumerate(self._plain):
            codes.setdefault(value, []).append(code)
        return codes

    @cached_property
    def _sorted(self) -> tuple[list[Any], NDArray[np.int64]]:
        """The values in ascending order, and the code of each."""
        order = sorted(range(len(self._plain)), key=self._plain.__getitem__)
        return [self._plain[code] for code in order], np.array(order, dtype=np.int64)

    def taken(self, condition: Condition) -> NDArray[np.bool_]:
        """Return for each code whether its value meets the condition; the last item is for -1, the missing value."""
        taken = np.zeros(len(self._column.values) + 1, dtype=bool)
        if condition.operator == "isnull":
            taken[-1] = True
            return taken
        wanted = self._wanted(condition)
        if condition.operator in ("eq", "in", "ne", "not in"):
            taken[[code for value in set(wanted) for code in self._codes.get(value, ())]] = True
            if condition.operator in ("ne", "not in"):
                taken[:-1] = ~taken[:-1]
        else:
            taken[self._between(condition.operator, wanted)] = True
        return taken

    def unknown(self, condition: Condition) -> list[Any]:
        """Return the values that a condition tests for equality and that do not occur in the column."""
        if condition.operator not in ("eq", "ne", "in", "not in"):
            return []
        wanted = self._wanted(condition)
        return [asked for asked, value in zip(_asked(condition), wanted) if value not in self._codes]

    def _wanted(self, condition: Condition) -> list[Any]:
        return [_fitting(value, self._column, condition) for value in _asked(condition)]

    def _between(self, operator: str, wanted: list[Any]) -> NDArray[np.int64]:
        """Return the codes whose values are in the range of a condition."""
        values, order = self._sorted
        begin, end = 0, len(values)
        if operator in ("ge", "between"):
            begin = bisect_left(values, wanted[0])
        elif operator == "gt":
            begin = bisect_right(values, wanted[0])
        if operator in ("le", "between"):
            end = bisect_right(values, wanted[-1])
        elif operator == "lt":
            end = bisect_left(values, wanted[0])
        return order[begin:end]


def _asked(condition: Condition) -> list[Any]:
    """Return the values that a condition compares with."""
    return condition.value if isinstance(condition.value, list) else [condition.value]


def _fitting(value: Any, column: Column, condition: Condition) -> Any:
    """Return the value of a condition in the type of the column; refuse one of another kind."""
    kind = column.kind if column.kind in _KINDS else "date"
    fits = {
        "boolean": isinstance(value, (bool, np.bool_)),
        "number": isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "date": isinstance(value, (date, np.datetime64)),
    }.get(kind, False)
    ordered = condition.operator in ("lt", "le", "gt", "ge", "between")
    if ordered and kind == "boolean":
        required = "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values"
        raise refused_value("op", required, show(condition.operator))
    if not fits and len(column.values):
        required = f"be {_KINDS.get(kind, 'of the kind')} as column '{condition.column}' holds"
        got = f"the date {value}" if isinstance(value, (date, np.datetime64)) else show(value)
        raise refused_type("value", required, got)
    return _plain(value) if fits else value


def _plain(value: Any) -> Any:
    """Return a value in Python's own type: integers and floats compare exactly, dates as times of one calendar."""
    if isinstance(value, (date, np.datetime64)):
        return _nanoseconds(value)
    return value.item() if isinstance(value, np.generic) else value


def _nanoseconds(moment: Any) -> int:
    """Return the beginning of a day, or a time, in UTC if it has a zone, as nanoseconds since 1970, for any year."""
    if isinstance(moment, np.datetime64):
        moment = pd.Timestamp(moment)
    if not isinstance(moment, datetime):
        days: int = (moment - date(1970, 1, 1)).days
        return days * 86_400 * 10**9
    nanoseconds: int = 0
    if isinstance(moment, pd.Timestamp):
        nanoseconds = moment.nanosecond
        moment = moment.to_pydatetime(warn=False)
    moment = moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment
    since: timedelta = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (since // timedelta(microseconds=1)) * 1000 + nanoseconds
