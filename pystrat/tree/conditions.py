"""The columns of a table that a tree uses, and the values that meet a condition.

A condition is evaluated once for each distinct value of its column, not for each row.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted, as_vector, check_same_rows
from pystrat.core.columns import Column, check_n_rows, number_column, numbers_of
from pystrat.core.lazy_pandas import is_frame, pd
from pystrat.core.messages import is_number, refusals, refused_type, refused_value, show
from pystrat.tree.auxiliary import packed
from pystrat.tree.specification import Node

_EQUAL, _UNEQUAL = ("eq", "==", "in"), ("ne", "!=", "not in")
_ORDERED = {
    **{"lt": operator.lt, "<": operator.lt, "le": operator.le, "<=": operator.le},
    **{"gt": operator.gt, ">": operator.gt, "ge": operator.ge, ">=": operator.ge},
}
_OF_LISTS = ("in", "not in", "between")
_KINDS = {"boolean": "a logical value", "number": "a number", "text": "a text"}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?")
_MODES = ("replacement", "sequential", "shuffle")
_PRUNINGS = (None, "individual", "parent")
_MISSING = ("error", "stratum", "drop")


@dataclass(frozen=True, eq=False)
class TableColumns:
    """The columns of a table that a specification uses: as codes, or as numbers if they are weights."""

    n_rows: int
    coded: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64]]


def read_table(table: Any, nodes: Sequence[Node]) -> TableColumns:
    """Read the columns that the nodes use from a DataFrame or a mapping of names to vectors."""
    if not is_frame(table) and not isinstance(table, Mapping):
        raise refused_type("table", "be a DataFrame or a mapping of columns", show(table))
    names = list(table) if isinstance(table, Mapping) else list(table.columns)
    if not names:
        raise refused_value("table", "have at least one column", "0 columns")
    coded = dict.fromkeys(node.column for node in nodes if node.column is not None)
    named = [name for node in nodes for name in (node.summed, node.keys.get("row_weight"))]
    numbers = dict.fromkeys(str(name) for name in named if name not in (None, "count"))
    for name in [*coded, *numbers]:
        if names.count(name) != 1:
            known = ", ".join(f"'{known}'" for known in names[:10]) + (", ..." if len(names) > 10 else "")
            got = f"no such column; it has {known}," if name not in names else f"{names.count(name)} such columns"
            raise refused_value("table", f"have one column '{name}'", got)
    vectors = {name: as_vector(table[name], Wanted("table", f"hold a vector in column '{name}'")) for name in coded}
    lengths = [len(table)]
    if isinstance(table, Mapping):
        check_same_rows(("table", values) for values in table.values())
        lengths = sorted({len(values) for values in table.values()})
    if len(lengths) > 1:
        raise refused_value("table", "have columns of equal length", f"lengths {lengths[0]} and {lengths[1]}")
    check_n_rows(lengths[0], "table")
    with refusals("of the table"):
        weights = {name: numbers_of(table[name], name) for name in numbers}
    columns = {name: number_column(vector, "table", f" in column '{name}'") for name, vector in vectors.items()}
    return TableColumns(lengths[0], columns, weights)


def tree_data(nodes: Sequence[Node], table: TableColumns) -> dict[str, Any]:
    """Return the declared nodes and the columns as the core takes them."""
    coded, numbers = list(table.coded), list(table.numbers)
    taken = [_taken(node, table.coded[node.column]) for node in nodes if node.column is not None and not node.clones]
    codes = [column.codes for column in table.coded.values()]

    def numbers_of_node(node: Node) -> list[float]:
        keys, is_selected = node.keys, int(node.column is not None)
        return [
            node.parent,
            2 + _MISSING.index(keys.get("missing", "error")) if node.clones else is_selected,
            _MODES.index(keys.get("mode", "replacement")),
            _PRUNINGS.index(keys.get("prune")),
            keys.get("repeat", 1),
            -1 if node.column is None else coded.index(node.column),
            -1 if node.summed else keys.get("weight", -1),
            _place(node.summed, numbers, -2),
            _place(keys.get("row_weight"), numbers, -1),
        ]

    return {
        "nodes": np.array(list(map(numbers_of_node, nodes)), dtype=np.float64).ravel(),
        "names": packed([node.name for node in nodes]),
        "n_rows": table.n_rows,
        "n_values": np.array([len(column.values) for column in table.coded.values()], dtype=np.int32),
        "column_codes": np.concatenate([np.empty(0, np.int32), *codes], dtype=np.int32, casting="same_kind"),
        "taken": np.concatenate([np.empty(0, np.bool_), *taken], dtype=np.uint8),
        "numbers": np.concatenate([np.empty(0), *table.numbers.values()]),
    }


def _place(name: Any, numbers: list[str], none: int) -> int:
    return numbers.index(name) if name in numbers else -1 if name == "count" else none


def _taken(node: Node, column: Column) -> NDArray[np.bool_]:
    """Return whether missing values, and then those of each code, meet the condition of a node."""
    op = node.keys.get("op", "eq")
    if op == "isnull":
        return np.asarray(np.arange(len(column.values) + 1) == 0)
    with refusals(f"of node '{node.path}'"):
        wanted, values = _wanted(node, column), _comparable(column)
    if op in _ORDERED:
        met = _ORDERED[op](values, wanted[0])
    elif op == "between":
        met = (values >= wanted[0]) & (values <= wanted[1])
    else:
        met = values.isin(wanted) ^ (op in _UNEQUAL)
    flags: NDArray[np.bool_] = np.concatenate([np.zeros(1, np.bool_), met])
    return flags


def unknown_values(node: Node, column: Column) -> list[str]:
    """Return the values that a condition tests for equality and that do not occur in the column, as text."""
    if node.keys.get("op", "eq") not in (*_EQUAL, *_UNEQUAL):
        return []
    known = _comparable(column)
    return [show(asked) for asked, value in zip(_asked(node), _wanted(node, column)) if value not in known]


def _asked(node: Node) -> Sequence[Any]:
    """Return the values that a condition compares with."""
    value, op = node.keys["value"], node.keys.get("op", "eq")
    if op not in _OF_LISTS:
        return [value]
    required = "be a list of two values, both included" if op == "between" else "be a list of values"
    if not isinstance(value, (list, tuple)) or not value or (op == "between" and len(value) != 2):
        raise refused_type("value", required, show(value))
    return value


def _comparable(column: Column) -> Any:
    """Return the distinct values as an index that compares: days and times as times in UTC."""
    values = np.asarray(column.values)
    is_date = column.kind not in _KINDS and len(values) > 0
    return pd.to_datetime(values, utc=True) if is_date else pd.Index(values)


def _wanted(node: Node, column: Column) -> list[Any]:
    """Return the values of a condition in the type of the column; refuse those of another kind."""
    asked, op = _asked(node), node.keys.get("op", "eq")
    if not len(column.values):
        return list(asked)
    if column.kind == "boolean" and op not in (*_EQUAL, *_UNEQUAL):
        required = "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values"
        raise refused_value("op", required, show(op))
    return [_fitting(value, column, node) for value in asked]


def _fitting(value: Any, column: Column, node: Node) -> Any:
    is_flag, is_moment = isinstance(value, (bool, np.bool_)), isinstance(value, (date, np.datetime64))
    if column.kind in _KINDS:
        fits = {"boolean": is_flag, "number": is_number(value) and value == value, "text": isinstance(value, str)}
        if fits[column.kind]:
            return float(value) if column.kind == "number" else value
    elif is_moment or (isinstance(value, str) and _MOMENT.fullmatch(value)):
        moment = pd.Timestamp(value)
        return moment.tz_localize("UTC") if moment.tzinfo is None else moment.tz_convert("UTC")
    required = f"be {_KINDS.get(column.kind, 'a date')} as column '{node.column}' holds"
    raise refused_type("value", required, f"the date {value}" if is_moment else show(value))
