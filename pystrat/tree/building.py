"""The tree of a specification and a table: clones, conditions, pruning, numbering, weights.

Conditions are evaluated here, for the distinct values of their columns; the core does everything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.columns import Column
from pystrat.messages import refusals, show
from pystrat.tree.auxiliary import auxiliary_data
from pystrat.tree.conditions import ColumnValues, TableColumns
from pystrat.tree.specification import (
    MISSING_CHOICES,
    MODES,
    PRUNE_CHOICES,
    NodeSpecification,
    Proportional,
    Specification,
    nearest,
)

_NO_WEIGHT, _FIXED_WEIGHT, _SUM_OF_ROWS, _COUNT_OF_ROWS = range(4)  # the forms of tree_weights.h
_DESCRIBED = ("declared", "clone_values", "parents", "chances", "node_rows", "untaken")
_PARTS: tuple[str, ...] = ("batch_size", "length", "n_batches", "persistent", "n_rows", "modes", "repeats", "depths")
_PARTS += ("counts", "rows", "weighted", "weights")
_PARTS += ("auxiliary", "functions", "kinds", "n_arguments", "numbers", "texts")


class Declaration:
    """A specification as the core takes it, and what its messages name.

    Parameters
    ----------
    specification : Specification
    length : object
        The length of an epoch, as the user gave it.
    """

    def __init__(self, specification: Specification, length: Any) -> None:
        self._specification, self._length = specification, length
        self._columns: Mapping[str, Column] = {}

    def data(self, table: TableColumns) -> dict[str, Any]:
        """Return the vectors of a request for a tree of a table."""
        self._columns = table.coded
        nodes, coded, numbers = self._specification.nodes, list(table.coded), list(table.numbers)
        weights = [node.weight for node in nodes]
        conditions = [node.condition for node in nodes]
        values = {name: ColumnValues(column) for name, column in table.coded.items()}
        taken = [_taken(node, values) for node in nodes if node.condition is not None]
        summed = [weight.column if isinstance(weight, Proportional) else None for weight in weights]
        return {
            "describes": np.ones(1),
            "n_rows": np.array([table.n_rows], dtype=np.float64),
            "parents": np.array(self._specification.parents, dtype=np.int32),
            "names": [node.name for node in nodes],
            "columns": _places([node.column for node in nodes], coded),
            "n_values": np.array([len(table.coded[name].values) for name in coded], dtype=np.int32),
            "are_conditions": np.array([condition is not None for condition in conditions], dtype=np.uint8),
            "taken": np.concatenate(taken) if taken else np.empty(0, np.uint8),
            "missing": np.array([MISSING_CHOICES.index(node.missing) for node in nodes], dtype=np.uint8),
            "prunes": np.array([(None, *PRUNE_CHOICES).index(node.prune) for node in nodes], dtype=np.uint8),
            "node_modes": np.array([MODES.index(node.mode) for node in nodes], dtype=np.uint8),
            "times": np.array([node.repeat for node in nodes], dtype=np.int32),
            "forms": np.array([_form_of(weight) for weight in weights], dtype=np.uint8),
            "fixed_weights": np.array([weight if isinstance(weight, float) else 1.0 for weight in weights]),
            "summed": _places(summed, numbers),
            "row_weights": _places([node.row_weight for node in nodes], numbers),
            **{f"codes{place}": table.coded[name].codes for place, name in enumerate(coded)},
            **{f"numbers{place}": table.numbers[name] for place, name in enumerate(numbers)},
            **auxiliary_data(self._specification.auxiliary),
        }

    def name(self, what: str, place: str = "0", code: str = "-1") -> str:
        """Return what a message of the core names."""
        if what == "nearest":
            return nearest(self._length, [node.name for node in self._specification.nodes])
        if what == "length":
            return str(self._length)
        number = int(place)
        if what == "path":
            return self._specification.nodes[number].path
        if what == "label":
            return label_of(self._specification.nodes[number], self._columns, int(code))
        if what == "value":
            return show(self._specification.auxiliary[number].given)
        columns = self._specification.coded_columns() if what == "column" else self._specification.number_columns()
        return columns[number]


def _places(names: list[Optional[str]], known: list[str]) -> NDArray[np.int32]:
    """Return the places of names among all, -1 for none."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([-1 if name is None else places[name] for name in names], dtype=np.int32)


def _form_of(weight: Any) -> int:
    if isinstance(weight, Proportional):
        return _COUNT_OF_ROWS if weight.column is None else _SUM_OF_ROWS
    return _NO_WEIGHT if weight is None else _FIXED_WEIGHT


def _taken(node: NodeSpecification, values: Mapping[str, ColumnValues]) -> NDArray[np.uint8]:
    """Return whether missing values, and then those of each code, meet the condition."""
    assert node.condition is not None
    with refusals(f"of node '{node.path}'"):
        taken = values[node.condition.column].taken(node.condition)
    return np.roll(taken, 1).view(np.uint8)


def label_of(node: NodeSpecification, columns: Mapping[str, Column], code: int) -> str:
    """Return the name of a node, with the value of a clone."""
    return node.name if node.for_each is None or code < 0 else f"{node.name}[{columns[node.for_each].show(code)}]"


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree to draw from; nodes are numbered in preorder, the root is 0.

    Attributes
    ----------
    specification : Specification
    columns : dict
        The columns that conditions and clones use, by name.
    parts : dict
        The parts of the recipe.
    declared : numpy.ndarray of int32, shape (n_nodes,)
        The node of ``specification.nodes`` from which each node was made.
    clone_values : numpy.ndarray of int32, shape (n_nodes,)
        The code of the value from which the clone was made, the number of values if it is missing; -1 for other nodes.
    parents : numpy.ndarray of int32, shape (n_nodes,)
        The parent of each node, -1 for the root.
    chances : numpy.ndarray of float64, shape (n_nodes,)
        The weight of each node among its siblings, before it is divided by their sum.
    node_rows, untaken : numpy.ndarray of int64, shape (n_nodes,)
        The rows that each node selects, and the number of them that no child takes.
    """

    specification: Specification
    columns: Mapping[str, Column]
    parts: Mapping[str, Any]
    declared: NDArray[np.int32]
    clone_values: NDArray[np.int32]
    parents: NDArray[np.int32]
    chances: NDArray[np.float64]
    node_rows: NDArray[np.int64]
    untaken: NDArray[np.int64]
    warnings: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def nodes(self) -> list[NodeSpecification]:
        """The declared nodes."""
        return self.specification.nodes

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return int(self.parts["n_rows"])

    @property
    def depths(self) -> NDArray[np.int32]:
        """The depth of each node below the root."""
        depths: NDArray[np.int32] = self.parts["depths"]
        return depths

    @property
    def leaves(self) -> NDArray[np.bool_]:
        """Whether the options of each node are rows."""
        return np.append(self.depths[1:] <= self.depths[:-1], True)

    @property
    def weighted(self) -> NDArray[np.bool_]:
        """Whether the weights of each node's options matter."""
        return np.asarray(self.parts["weighted"].view(bool))

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of each node's options."""
        counts = np.bincount(self.parents[1:], minlength=len(self))
        counts[self.leaves] = self.parts["counts"]
        return counts

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The beginning of each node's options."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def options(self) -> NDArray[np.int32]:
        """The children of the inner nodes and the rows of the leaves, node after node."""
        of_leaves = np.repeat(self.leaves, self.counts)
        options = np.empty(len(of_leaves), dtype=np.int32)
        options[of_leaves] = self.parts["rows"]
        options[~of_leaves] = np.argsort(self.parents[1:], kind="stable") + 1
        options.setflags(write=False)
        return options

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each option, before it is divided by their sum."""
        of_leaves = np.repeat(self.leaves, self.counts)
        weights = np.ones(len(of_leaves))
        weights[~of_leaves] = self.chances[self.options[~of_leaves]]
        weights[np.repeat(self.weighted, self.counts)] = self.parts["weights"]
        weights.setflags(write=False)
        return weights

    def label(self, node: int) -> str:
        """Return the name of a node, with the value of a clone."""
        return label_of(self.nodes[self.declared[node]], self.columns, int(self.clone_values[node]))

    def path(self, node: int) -> str:
        """Return the labels of a node and its ancestors."""
        labels = []
        while node >= 0:
            labels.append(self.label(node))
            node = int(self.parents[node])
        return "/".join(reversed(labels))


def tree_of(
    made: Mapping[str, Any], specification: Specification, columns: Mapping[str, Column], warnings: list[str]
) -> Tree:
    """Return the tree that the core has made."""
    parts = {name: made[name] for name in _PARTS if name in made}
    without_effect = [text for text in warnings if text.startswith("The 'weight' of")]
    described = {name: made[name] for name in _DESCRIBED}
    return Tree(specification, columns, parts, warnings=without_effect, **described)
