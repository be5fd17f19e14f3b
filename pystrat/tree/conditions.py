"""The used columns of a table, and which of their values fulfil a condition.

A condition is decided once for each distinct value of its column, not for each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.arrays import Wanted, as_vector
from pystrat.limits import MAX_COUNT
from pystrat.messages import RefusedType, RefusedValue, count_of, refusals_of_part, show
from pystrat.strata import Column, number_column, numbers_of
from pystrat.tree.specification import Condition, Specification

_KINDS = {"boolean": "a logical value", "number": "a number", "text": "a text", "bytes": "a text", "date": "a date"}


@dataclass(frozen=True, eq=False)
class TableColumns:
    """The columns of a table that a specification uses: as codes, or as numbers where they are weights."""

    n_rows: int
    coded: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64]]


def read_table(table: Any, specification: Specification) -> TableColumns:
    """Take the used columns out of a table.

    Parameters
    ----------
    table : pandas DataFrame or mapping of names to vectors
        One row an example.
    specification : Specification

    Raises
    ------
    TypeError, ValueError
        Where it is no table, lacks a column, has columns of unequal length, or one of mixed kinds.
    """
    if not isinstance(table, (pd.DataFrame, Mapping)):
        raise RefusedType("table", "be a DataFrame or a mapping of columns", show(table))
    if isinstance(table, Mapping) and not table:
        raise RefusedValue("table", "have at least one column", "0 columns")
    names = list(table.columns) if isinstance(table, pd.DataFrame) else list(table)
    for name in specification.coded_columns() + specification.number_columns():
        if names.count(name) != 1:
            known = ", ".join(f"'{known}'" for known in names[:10]) + (", ..." if len(names) > 10 else "")
            got = f"no such column; it has {known}," if name not in names else f"{names.count(name)} such columns"
            raise RefusedValue("table", f"have one column '{name}'", got)
    if isinstance(table, pd.DataFrame):
        n_rows = len(table)
    else:
        lengths = {_length_of(values, name) for name, values in table.items()}
        if len(lengths) > 1:
            shown = " and ".join(str(length) for length in sorted(lengths)[:2])
            raise RefusedValue("table", "have columns of equal length", f"lengths {shown}")
        n_rows = lengths.pop()
    if not 0 < n_rows <= MAX_COUNT:
        raise RefusedValue("table", f"have from 1 to {MAX_COUNT} rows", count_of(n_rows, "row"))
    coded = {}
    for name in specification.coded_columns():
        vector = as_vector(table[name], _wanted(name))
        column = number_column(vector, "table", f" in column '{name}'")
        coded[name] = Column(column.codes.astype(np.int32), column.values, column.kind)
    with refusals_of_part("the table"):
        numbers = {name: numbers_of(table[name], name) for name in specification.number_columns()}
    return TableColumns(n_rows, coded, numbers)


def _length_of(values: Any, name: Any) -> int:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise _wanted(name).refusal(show(values))
    return len(values)


def _wanted(name: Any) -> Wanted:
    """Return what a column must be."""
    return Wanted("table", f"hold a vector in column '{name}'")


def taken_codes(condition: Condition, column: Column) -> NDArray[np.bool_]:
    """Return for each code of a column whether its value fulfils the condition; last, for -1, the missing one."""
    taken = np.zeros(len(column.values) + 1, dtype=bool)
    if condition.operator == "isnull":
        taken[-1] = True
        return taken
    values = [_plain(value, column.kind) for value in column.values]
    several = condition.operator in ("in", "not in", "between")
    wanted = [_fitting(value, column, condition) for value in (condition.value if several else [condition.value])]
    taken[:-1] = _compare(condition.operator, values, wanted)
    return taken


def unknown_values(condition: Condition, column: Column) -> list[Any]:
    """Return the values that a condition asks for by equality and that occur nowhere in its column."""
    if condition.operator not in ("eq", "ne", "in", "not in"):
        return []
    values = {_plain(value, column.kind) for value in column.values}
    asked = condition.value if isinstance(condition.value, list) else [condition.value]
    return [value for value in asked if _fitting(value, column, condition) not in values]


def _compare(operator: str, values: list[Any], wanted: list[Any]) -> NDArray[np.bool_]:
    """Compare plain values, for which Python's own comparison is exact."""
    first = wanted[0]
    sought = set(wanted)
    if operator in ("eq", "in"):
        found = [value in sought for value in values]
    elif operator in ("ne", "not in"):
        found = [value not in sought for value in values]
    elif operator == "lt":
        found = [value < first for value in values]
    elif operator == "le":
        found = [value <= first for value in values]
    elif operator == "gt":
        found = [value > first for value in values]
    elif operator == "ge":
        found = [value >= first for value in values]
    else:
        found = [first <= value <= wanted[1] for value in values]
    return np.array(found, dtype=bool)


def _fitting(value: Any, column: Column, condition: Condition) -> Any:
    """Return the value of a condition in the form of the column's; refuse one of another kind."""
    kind = column.kind
    fits = {
        "boolean": isinstance(value, (bool, np.bool_)),
        "number": isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "bytes": isinstance(value, str),
        "date": isinstance(value, (date, np.datetime64)),
    }.get(kind, False)
    ordered = condition.operator in ("lt", "le", "gt", "ge", "between")
    if ordered and kind == "boolean":
        required = "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values"
        raise RefusedValue("op", required, show(condition.operator))
    if not fits and len(column.values):
        required = f"be {_KINDS.get(kind, 'of the kind')} as column '{condition.column}' holds"
        got = f"the date {value}" if isinstance(value, (date, np.datetime64)) else show(value)
        raise RefusedType("value", required, got)
    return _plain(value, kind) if fits else value


def _plain(value: Any, kind: str) -> Any:
    """Return a value as Python's own type: integers and floats compare exactly, dates as times of one calendar."""
    if kind == "date":
        return _nanoseconds(value)
    return value.item() if isinstance(value, np.generic) else value


def _nanoseconds(moment: Any) -> int:
    """Return a day's beginning, or a time, in UTC where it has a zone, as nanoseconds since 1970, whatever the year."""
    if isinstance(moment, np.datetime64):
        seconds = moment.astype("datetime64[s]")
        rest = (moment - seconds).astype("timedelta64[ns]")
        return int(seconds.astype(np.int64)) * 10**9 + int(rest.astype(np.int64))
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
