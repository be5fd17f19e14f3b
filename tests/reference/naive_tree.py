"""The tree sampler written down as its rules say it, row after row: the reference of the tests.

It reads the specification's mapping itself, keeps the rows of every node as a list, and draws one row at a time from
the standard library's Mersenne-Twister, set to R's state.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any, Optional

from tests.reference.naive_random import NaiveStream


class Node:
    """A node after cloning; `options` are nodes or rows."""

    def __init__(self, spec: dict[str, Any], value: Any, rows: list[int], table: dict[str, list[Any]]) -> None:
        self.spec, self.value, self.rows, self.table = spec, value, rows, table
        self.mode = spec.get("mode", "replacement")
        self.repeat = spec.get("repeat", 1)
        self.options: list[Any] = []
        self.seed = 0
        self.stream: Optional[NaiveStream] = None
        self.waiting: list[Any] = []
        self.current: Any = None
        self.sums: Optional[list[float]] = None
        self.repeats_left = 0

    @property
    def is_leaf(self) -> bool:
        return "children" not in self.spec

    def draw(self) -> int:
        if self.repeats_left == 0:
            self.current = self.choose()
            self.repeats_left = self.repeat
        self.repeats_left -= 1
        row: int = self.current if self.is_leaf else self.current.draw()
        return row

    def choose(self) -> Any:
        if self.mode == "sequential":
            if not self.waiting:
                self.waiting = list(self.options)
            return self.waiting.pop(0)
        if self.stream is None:
            self.stream = NaiveStream(self.seed)
        if self.mode == "shuffle":
            if not self.waiting:
                self.waiting = [self.options[place] for place in self.stream.permutation(len(self.options))]
            return self.waiting.pop(0)
        if self.sums is None:
            self.sums = list(accumulate(self.weights() or []))
        if not self.sums:
            return self.options[self.stream.index(len(self.options))]
        sought = self.stream.uniform() * self.sums[-1]
        return next(option for option, reached in zip(self.options, self.sums) if reached > sought)

    def weights(self) -> Optional[list[float]]:
        if self.is_leaf:
            return self.spec.get("row weights of the table", None)
        if not any("weight" in child for child in self.spec["children"]):
            return None
        return [option.weight() for option in self.options]

    def weight(self) -> float:
        weight = self.spec.get("weight", 1)
        return self.total(weight[len("proportional(") : -1]) if isinstance(weight, str) else float(weight)

    def total(self, column: str) -> float:
        """Sum a column over the rows of the leaves, one addition after the other; the number of rows for 'count'."""
        total = 0.0
        for option in self.options:
            if self.is_leaf:
                total += 1 if column == "count" else self.table[column][option]
            else:
                total += option.total(column)
        return total

    def preorder(self) -> list["Node"]:
        below = [] if self.is_leaf else [node for option in self.options for node in option.preorder()]
        return [self, *below]

    def pass_length(self) -> int:
        """Return the draws until each row below the node was drawn."""
        return self.draws_until(max(1 if self.is_leaf else option.pass_length() for option in self.options))

    def draws_until(self, used: int) -> int:
        """Return the draws until each option was used so many times."""
        return len(self.options) * self.repeat * math.ceil(used / self.repeat)

    def length_of(self, name: str) -> Optional[int]:
        """Return the draws until each row below the node with a name was drawn, if it is this node or below it."""
        if self.spec["name"] == name:
            return self.pass_length()
        needs = [] if self.is_leaf else [option.length_of(name) for option in self.options]
        return next((self.draws_until(need) for need in needs if need is not None), None)


def is_missing(value: Any) -> bool:
    """Return whether a value of a column is missing."""
    return value is None or value != value


def fulfils(spec: dict[str, Any], value: Any) -> bool:
    """Return whether a value of a node's column meets the node's condition."""
    operator, wanted = spec.get("op", "eq"), spec.get("value")
    if operator == "isnull" or is_missing(value):
        return operator == "isnull" and is_missing(value)
    return {
        "eq": lambda: value == wanted,
        "ne": lambda: value != wanted,
        "lt": lambda: value < wanted,
        "le": lambda: value <= wanted,
        "gt": lambda: value > wanted,
        "ge": lambda: value >= wanted,
        "in": lambda: value in wanted,
        "not in": lambda: value not in wanted,
        "between": lambda: wanted[0] <= value <= wanted[1],
    }[operator]()


def _clones(spec: dict[str, Any], table: dict[str, list[Any]], rows: list[int]) -> list[Node]:
    """Make the clones of a declared node from its parent's rows, without those that are pruned."""
    if spec.get("for_each"):
        groups: dict[Any, list[int]] = {}
        for row in rows:
            value = table[spec["column"]][row]
            if not is_missing(value) or spec.get("missing") == "stratum":
                groups.setdefault(None if is_missing(value) else value, []).append(row)
        return [Node(spec, value, chosen, table) for value, chosen in groups.items()]
    if "column" in spec:
        rows = [row for row in rows if fulfils(spec, table[spec["column"]][row])]
    return [Node(spec, None, rows, table)]


class Emptied(Exception):
    """A node without options that may not be pruned."""


def _fill(node: Node, table: dict[str, list[Any]]) -> bool:
    """Give a node its options; say whether there is something to draw."""
    if node.is_leaf:
        node.options = list(node.rows)
        if "row_weight" in node.spec:
            column = table[node.spec["row_weight"]]
            node.spec = {**node.spec, "row weights of the table": [column[row] for row in node.rows]}
        return bool(node.options)
    taken = False
    for spec in node.spec["children"]:
        for clone in _clones(spec, table, node.rows):
            if _fill(clone, table):
                node.options.append(clone)
            elif "prune" not in spec:
                raise Emptied
            elif spec["prune"] == "parent":
                taken = True
    return bool(node.options) and not taken


def naive_tree(table: dict[str, list[Any]], spec: dict[str, Any], seed: int) -> Node:
    """Return the root, ready to draw from the first row on; raise `Emptied` where nothing can be drawn."""
    n_rows = len(next(iter(table.values())))
    (root,) = _clones(spec, table, list(range(n_rows)))
    if not _fill(root, table):
        raise Emptied
    for number, node in enumerate(root.preorder()):
        node.seed = (seed + 1_000_003 * (number + 1)) % (2**31 - 1)
    return root
