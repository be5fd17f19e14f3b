"""The golden vectors of declared trees as the core takes them, without the samplers' reader of specifications.

Two kinds of cases and values are left out, which the core does not see: refusals of a key or a value of the
specification, of a column's kind or of another parameter; and the auxiliary values of ``cycle`` and ``counter``, for
which nothing is drawn.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Optional, Union

from tests.reference.golden_tree import MODES, specification_of, table_of
from tests.reference.naive_tree import fulfils, is_missing, plain

Number = Union[int, float]

MISSING = ("error", "stratum", "drop")
PRUNE = (None, "individual", "parent")
NO_WEIGHT, FIXED_WEIGHT, SUM_OF_ROWS, COUNT_OF_ROWS = range(4)  # as in tree_weights.h
# As in test_golden_tree.c.
FUNCTIONS = ("uniform", "normal", "integers")
DRAWN, HAS_MISSING_VALUES, HAS_NOTHING_TO_DRAW, HAS_WRONG_NUMBER, HAS_WRONG_TOTAL = range(5)
HAS_SEVERAL_NODES, IS_PRUNED, IS_ENDLESS, IS_TOO_LONG = range(5, 9)  # the node that names the length
REFUSALS = {
    "have no missing values in column": HAS_MISSING_VALUES,
    "leave something to draw": HAS_NOTHING_TO_DRAW,
    "have finite non-negative weights in column": HAS_WRONG_NUMBER,
    "have a positive, finite sum": HAS_WRONG_TOTAL,
    "or the name of one node": HAS_SEVERAL_NODES,
    "which is pruned": IS_PRUNED,
    "draws in sequence or shuffled": IS_ENDLESS,
    "take at most 2147483647 draws": IS_TOO_LONG,
}


def outcome_of(expected: dict[str, Any]) -> Optional[int]:
    """Return what a case ends in, None if the core does not decide it."""
    if "error" not in expected:
        return DRAWN
    return next((outcome for text, outcome in REFUSALS.items() if text in expected["error"]), None)


def numbers_of_declaration(given: dict[str, Any]) -> Iterator[Number]:
    """Yield what a case declares: its table, its nodes and its parameters."""
    table, nodes = table_of(given), _nodes_of(specification_of(given))
    coded = {name: _codes_of(table[name]) for name in _each_once(node.keys.get("column") for node in nodes)}
    summed = _each_once(name for node in nodes for name in (node.weight[2], node.keys.get("row_weight")))
    yield from (len(next(iter(table.values()))), len(coded))
    for codes, values in coded.values():
        yield from (len(values), *codes)
    yield len(summed)
    for name in summed:
        yield from (float("nan") if is_missing(number) else float(number) for number in table[name])
    yield len(nodes)
    for node in nodes:
        yield from _numbers_of_node(node, coded, summed)
    yield from _numbers_of_parameters(given["parameters"], [node.keys["name"] for node in nodes])


def numbers_of_values(given: dict[str, Any], expected: dict[str, Any]) -> Iterator[Number]:
    """Yield the auxiliary values that are drawn, with the functions that draw them."""
    functions = {name: _function_of(text) for name, text in specification_of(given).get("auxiliary", {}).items()}
    drawn = [name for name, (function, _) in functions.items() if function not in ("cycle", "counter")]
    yield len(drawn)
    for name in drawn:
        function, written = functions[name]
        arguments = [ast.literal_eval(argument) for argument in written]
        values = expected["aux"][name]
        if function == "choice":  # the core draws the places of the items
            items = arguments[0]
            function, arguments, values = "integers", [0, len(items) - 1], [items.index(value) for value in values]
        yield from (list(functions).index(name), FUNCTIONS.index(function))
        yield from map(float, (*arguments, *values))


def _function_of(text: str) -> tuple[str, list[ast.expr]]:
    """Return the name of an auxiliary value's function, and its arguments."""
    call: Any = ast.parse(text.strip(), mode="eval").body
    return call.func.id, call.args


@dataclass(frozen=True)
class _Node:
    """A declared node: its keys, and the place of its parent in preorder."""

    keys: dict[str, Any]
    parent: int

    @property
    def weight(self) -> tuple[int, float, Optional[str]]:
        """The form of the weight, the number, and the column whose numbers are summed."""
        weight = self.keys.get("weight")
        if weight is None:
            return NO_WEIGHT, 1.0, None
        if not isinstance(weight, str):
            return FIXED_WEIGHT, float(weight), None
        column = weight.strip()[len("proportional(") : -1].strip()
        return (COUNT_OF_ROWS, 1.0, None) if column == "count" else (SUM_OF_ROWS, 1.0, column)

    def flags(self, values: list[Any]) -> list[bool]:
        """Return whether missing values, and then each value of the column, meet the condition; nothing for clones."""
        if "column" not in self.keys or self.keys.get("for_each"):
            return []
        return [fulfils(self.keys, value) for value in [None, *values]]


def _nodes_of(spec: dict[str, Any]) -> list[_Node]:
    """Return the declared nodes in preorder."""
    nodes: list[_Node] = []

    def add(keys: dict[str, Any], parent: int) -> None:
        number = len(nodes)
        nodes.append(_Node(keys, parent))
        for child in keys.get("children", ()):
            add(child, number)

    add(plain(spec), -1)
    return nodes


def _codes_of(values: list[Any]) -> tuple[list[int], list[Any]]:
    """Return the code of each row, -1 if its value is missing, and the values in order of first appearance."""
    codes: dict[Any, int] = {}
    of_rows = [-1 if is_missing(value) else codes.setdefault(value, len(codes)) for value in values]
    return of_rows, list(codes)


def _each_once(names: Iterable[Optional[str]]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name is not None))


def _place_of(name: Optional[str], names: list[str]) -> int:
    return -1 if name is None else names.index(name)


def _numbers_of_node(node: _Node, coded: dict[str, tuple[list[int], list[Any]]], summed: list[str]) -> Iterator[Number]:
    keys = node.keys
    column = keys.get("column")
    flags = [] if column is None else node.flags(coded[column][1])
    yield from (node.parent, _place_of(column, list(coded)), len(flags), *map(int, flags))
    yield from (MISSING.index(keys.get("missing", "error")), PRUNE.index(keys.get("prune")))
    yield from (MODES.index(keys.get("mode", "replacement")), keys.get("repeat", 1))
    form, weight, sum_of = node.weight
    yield from (form, weight, _place_of(sum_of, summed), _place_of(keys.get("row_weight"), summed))


def _numbers_of_parameters(parameters: dict[str, Any], names: list[str]) -> Iterator[int]:
    yield from (parameters["batch_size"], int(parameters.get("drop_last", False)))
    yield from (int(parameters.get("persistent", False)), parameters["seed"])
    length = parameters["length"]
    if isinstance(length, int):
        yield length
    else:
        assert names.count(length) == 1
        yield from (0, names.index(length))
