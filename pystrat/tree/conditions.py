"""The columns of a table that a tree uses, and the values that meet a condition.

A condition is evaluated once for each distinct value of its column, not for each row.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted
from pystrat.core.columns import Column, check_n_rows, number_columns, numbers_of, read_columns
from pystrat.core.lazy_pandas import is_frame, pd
from pystrat.core.value_names import listed_keys
from pystrat.core.messages import is_number, refusals, refused_type, refused_value, show
from pystrat.tree.auxiliary import packed
from pystrat.tree.specification import Node

_OF_EQUALS = ("eq", "ne", "in", "not in")
_KINDS = {"boolean": "a logical value", "number": "a number", "text": "a text"}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?")


class TableColumns(NamedTuple):
    """The columns of a table that a specification uses: as codes, or as numbers if they are weights."""

    n_rows: int
    coded: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64]]


def read_table(table: Any, nodes: Sequence[Node]) -> TableColumns:
    """Read the columns that the nodes use from a DataFrame or a mapping of names to vectors."""
    if not is_frame(table) and not isinstance(table, Mapping):
        raise refused_type("table", "be a DataFrame or a mapping of columns", show(table))
    names = list(table)
    coded = dict.fromkeys(node.column for node in nodes if node.column is not None)
    named = [str(name) for node in nodes for name in (node.summed, node.keys.get("row_weight")) if name is not None]
    numbers = [name for name in dict.fromkeys(named) if name != "count"]
    for name in [*coded, *numbers]:
        if names.count(name) != 1:
            missing = f"no such column; it has {listed_keys(names)},"
            got = missing if name not in names else f"{names.count(name)} such columns"
            raise refused_value("table", f"have one column '{name}'", got)
    vectors = read_columns({name: table[name] for name in [*coded, *numbers] or names}, Wanted("table", "hold vectors"))
    n_rows = len(next(iter(vectors.values())))
    check_n_rows(n_rows, "table")
    with refusals("of the table"):
        weights = {name: numbers_of(vectors[name], name) for name in numbers}
    columns = number_columns({name: vectors[name] for name in coded}, "table")
    return TableColumns(n_rows, dict(zip(coded, columns)), weights)


def tree_data(nodes: Sequence[Node], table: TableColumns) -> dict[str, Any]:
    """Return the declared nodes and the columns as the core takes them."""
    coded, numbers = list(table.coded), list(table.numbers)
    taken = [_taken(node, table.coded[str(node.column)]) for node in nodes if node.compares]
    codes = [column.codes for column in table.coded.values()]

    def numbers_of_node(node: Node) -> list[float]:
        *of_keys, weight = node.numbers
        column, summed = _place(node.column, coded, -1), _place(node.summed, numbers, -2)
        return [node.parent, *of_keys, column, weight, summed, _place(node.keys.get("row_weight"), numbers, -1)]

    return {
        "nodes": np.array(list(map(numbers_of_node, nodes)), dtype=np.float64).ravel(),
        "names": packed([node.name for node in nodes]),
        "n_rows": table.n_rows,
        "n_values": np.array([len(column.values) for column in table.coded.values()], dtype=np.int32),
        "column_codes": np.concatenate([np.empty(0, np.int32), *codes], dtype=np.int32, casting="same_kind"),
        "taken": np.concatenate([np.empty(0, np.bool_), *taken], dtype=np.uint8),
        "numbers": np.concatenate([np.empty(0), *table.numbers.values()]),
    }


def _place(name: Optional[str], names: list[str], none: int) -> int:
    return none if name is None else names.index(name) if name in names else -1


def _taken(node: Node, column: Column) -> NDArray[np.bool_]:
    """Return whether missing values, and then those of each code, meet the condition of a node."""
    met: Any = np.zeros(len(column.values), np.bool_)
    if node.op != "isnull":
        with refusals(f"of node '{node.path}'"):
            wanted, values = _wanted(node, column), pd.Series(_comparable(column))
        if node.op in ("in", "not in"):
            met = values.isin(wanted) ^ (node.op == "not in")
        else:
            met = getattr(values, node.op)(*wanted)  # a method of this name
    flags: NDArray[np.bool_] = np.concatenate([[node.op == "isnull"], met]).astype(np.bool_)
    return flags


def unknown_values(node: Node, column: Column) -> list[str]:
    """Return the values that a condition tests for equality and that do not occur in the column, as text."""
    if node.op not in _OF_EQUALS:
        return []
    known, asked = _comparable(column), node.keys["value"]
    asked = [asked] if node.op in ("eq", "ne") else asked
    return [show(value) for value, wanted in zip(asked, _wanted(node, column)) if wanted not in known]


def _comparable(column: Column) -> Any:
    """Return the distinct values as an index that compares: days and times as times in UTC."""
    values = np.asarray(column.values)
    is_date = column.kind not in _KINDS and len(values) > 0
    return pd.to_datetime(values, utc=True) if is_date else pd.Index(values)


def _wanted(node: Node, column: Column) -> list[Any]:
    """Return the values of a condition in the type of the column; refuse those of another kind."""
    asked = node.keys["value"]
    if node.op not in ("in", "not in", "between"):
        asked = [asked]
    elif not isinstance(asked, (list, tuple)) or not asked or (node.op == "between" and len(asked) != 2):
        required = "be a list of two values, both included" if node.op == "between" else "be a list of values"
        raise refused_type("value", required, show(asked))
    if column.kind == "boolean" and node.op not in _OF_EQUALS:
        required = "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values"
        raise refused_value("op", required, show(node.keys["op"]))
    return [_fitting(value, column, node) for value in asked] if len(column.values) else list(asked)


def _fitting(value: Any, column: Column, node: Node) -> Any:
    is_flag, is_moment = isinstance(value, (bool, np.bool_)), isinstance(value, (date, np.datetime64))
    if column.kind in _KINDS:
        fits = {"boolean": is_flag, "number": is_number(value) and value == value, "text": isinstance(value, str)}
        if fits[column.kind]:
            return float(value) if column.kind == "number" else value
    elif is_moment or (isinstance(value, str) and _MOMENT.fullmatch(value)):
        return pd.to_datetime(value, utc=True)
    required = f"be {_KINDS.get(column.kind, 'a date')} as column '{node.column}' holds"
    raise refused_type("value", required, f"the date {value}" if is_moment else show(value))
