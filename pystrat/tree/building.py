"""The tree of a specification and a table: clones, conditions, pruning, numbering, weights.

Conditions are evaluated here, for the distinct values of their columns; the core does everything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.messages import count_of, refusals, refused_value, show
from pystrat.read_only import ReadOnlyArrays
from pystrat.strata import Column
from pystrat.tree import _building as core
from pystrat.tree._drawing import cumulate
from pystrat.tree.conditions import ColumnValues, TableColumns
from pystrat.tree.specification import (
    MISSING_CHOICES,
    MODES,
    PRUNE_CHOICES,
    NodeSpecification,
    Proportional,
    Specification,
)

_NO_WEIGHT, _FIXED_WEIGHT, _SUM_OF_ROWS, _COUNT_OF_ROWS = range(4)  # the forms of tree_weights.h


@dataclass(frozen=True, eq=False)
class Tree(ReadOnlyArrays):
    """A tree to draw from; nodes are numbered in preorder, the root is 0.

    Attributes
    ----------
    specification : Specification
    n_rows : int
        The number of rows of the table.
    columns : dict
        The columns that conditions and clones use, by name.
    declared : numpy.ndarray of int32, shape (n_nodes,)
        The node of ``specification.root.subtree()`` from which each node was made.
    clone_values : numpy.ndarray of int32, shape (n_nodes,)
        The code of the value from which the clone was made, the number of values if it is missing; -1 for other nodes.
    parents, depths : numpy.ndarray of int32, shape (n_nodes,)
        The parent of each node, -1 for the root, and its depth below the root.
    options : numpy.ndarray of int32
        The children of the inner nodes and the rows of the leaves, node after node.
    offsets : numpy.ndarray of int64, shape (n_nodes + 1,)
        The beginning of each node's options.
    weights : numpy.ndarray of float64, shape (number of options,)
        The weight of each option, before it is divided by their sum.
    weighted : numpy.ndarray of bool, shape (n_nodes,)
        Whether the weights of the node's options matter.
    node_rows, untaken : numpy.ndarray of int64, shape (n_nodes,)
        The rows that each node selects, and the number of them that no child takes.
    """

    specification: Specification
    n_rows: int
    columns: Mapping[str, Column]
    declared: NDArray[np.int32]
    clone_values: NDArray[np.int32]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    options: NDArray[np.int32]
    offsets: NDArray[np.int64]
    weights: NDArray[np.float64]
    weighted: NDArray[np.bool_]
    node_rows: NDArray[np.int64]
    untaken: NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", self.specification.root.subtree())
        super().__post_init__()

    nodes: list[NodeSpecification] = field(init=False)

    def __len__(self) -> int:
        return len(self.parents)

    def of_declared(self, values: list[Any], dtype: Any) -> NDArray[Any]:
        """Return an array with the value of the declared node for each node."""
        return np.array(values, dtype=dtype)[self.declared]

    @property
    def modes(self) -> NDArray[np.int8]:
        """The position of each node's mode in `MODES`."""
        return self.of_declared([MODES.index(node.mode) for node in self.nodes], np.int8)

    @property
    def repeats(self) -> NDArray[np.int64]:
        """How many times in a row each node uses an option."""
        return self.of_declared([node.repeat for node in self.nodes], np.int64)

    @property
    def leaves(self) -> NDArray[np.bool_]:
        """Whether the options of each node are rows."""
        return self.of_declared([not node.children for node in self.nodes], np.bool_)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of each node's options."""
        return np.diff(self.offsets)

    def by_depth(self) -> NDArray[np.int64]:
        """Return the nodes in order of depth."""
        return np.argsort(self.depths, kind="stable")

    def cumulative(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the cumulative weights, and the beginning of those of each node, -1 for nodes without weights."""
        counts = np.where(self.weighted, self.counts, 0)
        begin = np.concatenate([[0], np.cumsum(counts)])
        weights = self.weights[np.repeat(self.weighted, self.counts)]
        return cumulate(weights, begin), np.where(self.weighted, begin[:-1], -1)

    def label(self, node: int) -> str:
        """Return the name of a node, with the value of a clone."""
        declared = self.nodes[self.declared[node]]
        return _label(declared, self.columns.get(declared.for_each or ""), int(self.clone_values[node]))

    def path(self, node: int) -> str:
        """Return the labels of a node and its ancestors."""
        labels = []
        while node >= 0:
            labels.append(self.label(node))
            node = int(self.parents[node])
        return "/".join(reversed(labels))


def build_tree(specification: Specification, table: TableColumns) -> Tree:
    """Select, clone, prune, number and weight the nodes.

    Raises
    ------
    TypeError, ValueError
        If a condition does not fit its column, values are missing, an empty node may not be pruned, or weights are
        invalid.
    """
    declared = specification.root.subtree()
    columns = [_column_of(node, table) for node in declared]
    values = {name: ColumnValues(column) for name, column in table.coded.items()}
    taken = [_taken(node, values) for node in declared]
    nodes = core.Nodes(
        table.n_rows,
        _parents_of(specification.root),
        [None if column is None else np.asarray(column.codes, dtype=np.int32) for column in columns],
        [0 if column is None else len(column.values) for column in columns],
        taken,
        [MISSING_CHOICES.index(node.missing) for node in declared],
        [(None, *PRUNE_CHOICES).index(node.prune) for node in declared],
    )
    outcome = nodes.build()
    if outcome == core.MISSING:
        raise _missing_values(declared[nodes.failed], nodes)
    if outcome != core.FOUND:
        raise _nothing_to_draw(declared, columns, nodes)
    weights = [_Weight(node, table) for node in declared]
    refused = nodes.weigh(
        [weight.form for weight in weights],
        [MODES.index(node.mode) for node in declared],
        [weight.number for weight in weights],
        [weight.summed for weight in weights],
        [weight.row_weights for weight in weights],
    )
    if refused is not None and refused[1] is not None:
        raise _wrong_number(declared[refused[0]], refused[1], refused[2])
    tree = Tree(
        specification=specification,
        n_rows=table.n_rows,
        columns=table.coded,
        declared=nodes.declared,
        clone_values=nodes.values,
        parents=nodes.parents,
        depths=nodes.depths,
        options=nodes.options,
        offsets=nodes.offsets,
        weights=nodes.weights,
        weighted=nodes.matter,
        node_rows=nodes.node_rows,
        untaken=nodes.untaken,
    )
    if refused is not None:
        required = "have a positive, finite sum over the options of every node"
        raise refused_value("weight", required, show(refused[2]), where=f"at node '{tree.path(refused[0])}'")
    return tree


def _parents_of(root: NodeSpecification) -> list[int]:
    """Return the position of the parent of each declared node in preorder, -1 for the root."""
    parents: list[int] = []

    def visit(node: NodeSpecification, parent: int) -> None:
        place = len(parents)
        parents.append(parent)
        for child in node.children:
            visit(child, place)

    visit(root, -1)
    return parents


def _column_of(node: NodeSpecification, table: TableColumns) -> Optional[Column]:
    """Return the column of a condition or of clones."""
    name = node.for_each if node.condition is None else node.condition.column
    return None if name is None else table.coded[name]


def _taken(node: NodeSpecification, values: Mapping[str, ColumnValues]) -> Optional[NDArray[np.uint8]]:
    """Return whether missing values, and then those of each code, meet the condition."""
    if node.condition is None:
        return None
    with refusals(f"of node '{node.path}'"):
        taken = values[node.condition.column].taken(node.condition)
    return np.roll(taken, 1).view(np.uint8)


class _Weight:
    """The weight of a declared node, in the form that the core takes."""

    def __init__(self, node: NodeSpecification, table: TableColumns) -> None:
        self.form, self.number, self.summed = _NO_WEIGHT, 1.0, None
        if isinstance(node.weight, Proportional):
            column = node.weight.column
            self.form = _COUNT_OF_ROWS if column is None else _SUM_OF_ROWS
            self.summed = None if column is None else table.numbers[column]
        elif node.weight is not None:
            self.form, self.number = _FIXED_WEIGHT, node.weight
        self.row_weights = None if node.row_weight is None else table.numbers[node.row_weight]


# Refusals -------------------------------------------------------------------------------------------------------------


def _missing_values(node: NodeSpecification, nodes: core.Nodes) -> ValueError:
    required = f"have no missing values in column '{node.for_each}'"
    got = f"{nodes.n_missing} missing of {count_of(nodes.n_looked_at, 'row')}"
    advice = "Set its 'missing' to 'stratum' or 'drop'."
    return refused_value("table", required, got, advice, where=f"at node '{node.path}'")


def _nothing_to_draw(
    declared: list[NodeSpecification], columns: list[Optional[Column]], nodes: core.Nodes
) -> ValueError:
    """Return the error that shows why a node is empty."""
    path = nodes.path_of_failed()
    labels = [_label(declared[node], columns[node], code) for node, code in path]
    first = [node for node, _ in path].index(nodes.emptied)
    chain = ["'" + "/".join(labels[: depth + 1]) + "'" for depth in range(first, len(path))]
    lacking = "no children left" if declared[nodes.failed].children else "no rows"
    taking = "".join(f", which takes {taken} with it" for taken in reversed(chain[:-1]))
    required = "leave something to draw at the root and at every node without 'prune'"
    advice = "Give the node 'prune: individual' or 'prune: parent', or look at its condition."
    return refused_value("spec", required, f"{lacking} at {chain[-1]}{taking}", advice)


def _label(node: NodeSpecification, column: Optional[Column], code: int) -> str:
    """Return the name of a node, with the value of a clone."""
    return node.name if node.for_each is None or column is None else f"{node.name}[{column.show(code)}]"


def _wrong_number(node: NodeSpecification, of_rows: bool, number: float) -> ValueError:
    name = node.row_weight if of_rows or not isinstance(node.weight, Proportional) else node.weight.column
    required = f"have finite non-negative weights in column '{name}'"
    return refused_value("table", required, show(number), where=f"at node '{node.path}'")
