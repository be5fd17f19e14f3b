"""The tree sampler written down as its rules say it, row after row: the reference of the tests.

It reads the specification's mapping itself, keeps the rows of every node as a list, and draws one row at a time from
the standard library's Mersenne-Twister, set to R's state.
"""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from itertools import accumulate
from statistics import NormalDist
from typing import Any, Callable, Optional

import numpy as np

from tests.reference.naive_random import NaiveStream, epoch_seed
from tests.reference.naive_stratified import shown

MODULUS = 2**31 - 1
SYMBOLS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
# The functions of auxiliary values: a value for a stream and the number of draws before.
Value = Callable[[NaiveStream, int], Any]
FUNCTIONS: dict[str, Any] = {
    "uniform": lambda low, high: lambda stream, before: low + (high - low) * stream.uniform(),
    "normal": lambda mean, deviation: lambda stream, before: mean + deviation * quantile(stream.uniform()),
    "integers": lambda low, high: lambda stream, before: low + stream.index(high - low + 1),
    "choice": lambda items: lambda stream, before: alike(items)[stream.index(len(items))],
    "cycle": lambda items: lambda stream, before: alike(items)[before % len(items)],
    "counter": lambda: lambda stream, before: before,
    "true": True,
    "false": False,
}


def alike(items: list[Any]) -> list[Any]:
    """Return the items of a function; all numbers have decimals if one has."""
    return np.array(items).tolist()  # type: ignore[no-any-return]


def quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def plain(written: dict[str, Any], place: str = "root") -> dict[str, Any]:
    """Return a node with its name, and with each key in the one form that the functions here know."""
    keys = dict(written)
    if keys.get("value") == "for_each" and not {"op", "for_each"} & set(keys):
        del keys["value"]
        keys["for_each"] = True
    if "op" in keys:
        keys["op"] = SYMBOLS.get(keys["op"], keys["op"])
    if "prune_method" in keys:
        keys["prune"] = keys["prune_method"]
    if "value" in keys:
        value = keys["value"]
        keys["value"] = [comparable(item) for item in value] if isinstance(value, list) else comparable(value)
    named_by = keys.get("column" if keys.get("for_each") else "value") if place != "root" else None
    if not keys.get("name"):
        keys["name"] = shown(named_by) if isinstance(named_by, (bool, int, float, str)) else place
    if "children" in keys:
        keys["children"] = [plain(child, str(number)) for number, child in enumerate(keys["children"], 1)]
    return keys


def comparable(moment: Any) -> Any:
    """Return a day, or a time without a zone, as a time in UTC; any other value as it is."""
    if isinstance(moment, datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    if isinstance(moment, date):
        return datetime(moment.year, moment.month, moment.day, tzinfo=timezone.utc)
    return moment


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
    (root,) = _clones(plain(spec), table, list(range(n_rows)))
    if not _fill(root, table):
        raise Emptied
    for number, node in enumerate(root.preorder()):
        node.seed = seed_of(seed, number)
    return root


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a node, or of an auxiliary value, whose numbers follow those of nodes."""
    return (seed + 1_000_003 * (number + 1)) % MODULUS


class NaiveEpochs:
    """The rows of epochs, and the auxiliary values of each."""

    def __init__(self, table: dict[str, list[Any]], spec: dict[str, Any], parameters: dict[str, Any]) -> None:
        self.table, self.spec, self.seed = table, spec, parameters["seed"]
        self.is_persistent = parameters.get("persistent", False)
        length, size = parameters["length"], parameters["batch_size"]
        self.length: int = naive_tree(table, spec, 0).length_of(length) if isinstance(length, str) else length
        ends = [min(end, self.length) for end in range(size, self.length + size, size)]
        self.offsets = [0, *(end for end in ends if end % size == 0 or not parameters.get("drop_last"))]
        self.functions: dict[str, Value] = {
            name: eval(text.strip(), FUNCTIONS) for name, text in spec.get("auxiliary", {}).items()
        }

    def epoch(self, epoch: int) -> tuple[list[int], dict[str, list[Any]]]:
        """Return the rows of an epoch, and the auxiliary values of each; persistent epochs are one sequence."""
        seed, before = (self.seed, epoch * self.length) if self.is_persistent else (epoch_seed(self.seed, epoch), 0)
        root, end = naive_tree(self.table, self.spec, seed), before + self.length
        first = len(root.preorder())
        rows = [root.draw() for _ in range(end)][before:]
        values = {}
        for place, (name, function) in enumerate(self.functions.items()):
            stream = NaiveStream(seed_of(seed, first + place))
            values[name] = [function(stream, draw) for draw in range(end)][before:]
        n_rows = self.offsets[-1]
        return rows[:n_rows], {name: column[:n_rows] for name, column in values.items()}
