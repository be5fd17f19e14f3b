"""A specification and a table -> the tree: clones, conditions, pruning, numbering, weights.

All clones of a declared node are handled at once, as flat arrays, so that thousands of clones cost little more than
one: the rows of all of them stand one after another, with the number of the clone beside each row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.messages import count_of, refusal, show
from pystrat.strata import Column
from pystrat.tree._drawing import cumulate, group_rows
from pystrat.tree.conditions import TableColumns, taken_codes
from pystrat.tree.specification import MODES, NodeSpecification, Proportional, Specification

_LEAST_TOTAL = 1e-300  # below, a product with a uniform loses digits


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree that can be drawn from; nodes are numbered in preorder, the root is 0.

    Attributes
    ----------
    specification : Specification
    n_rows : int
        Rows of the table.
    columns : dict
        The columns that conditions and clones use, by name.
    declared : numpy.ndarray of int64, shape (n_nodes,)
        Which node of ``specification.root.walk()`` each node comes from.
    clone_values : numpy.ndarray of int64, shape (n_nodes,)
        The code of the value that made the clone, the number of values where that is missing; -1 for other nodes.
    parents, depths : numpy.ndarray of int64, shape (n_nodes,)
        The parent of each node, -1 for the root, and how far below the root it is.
    options : numpy.ndarray of int32
        The children of the inner nodes and the rows of the leaves, node after node.
    offsets : numpy.ndarray of int64, shape (n_nodes + 1,)
        Where each node's options begin.
    weights : numpy.ndarray of float64, shape (number of options,)
        The weight of each option, before it is divided by their sum.
    weighted : numpy.ndarray of bool, shape (n_nodes,)
        Whether the weights of the node's options matter.
    node_rows, untaken : numpy.ndarray of int64, shape (n_nodes,)
        The rows that each node selects, and how many of those no child takes.
    """

    specification: Specification
    n_rows: int
    columns: Mapping[str, Column]
    declared: NDArray[np.int64]
    clone_values: NDArray[np.int64]
    parents: NDArray[np.int64]
    depths: NDArray[np.int64]
    options: NDArray[np.int32]
    offsets: NDArray[np.int64]
    weights: NDArray[np.float64]
    weighted: NDArray[np.bool_]
    node_rows: NDArray[np.int64]
    untaken: NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", self.specification.root.walk())

    nodes: list[NodeSpecification] = field(init=False)

    def __len__(self) -> int:
        return len(self.parents)

    def of_declared(self, values: list[Any], dtype: Any) -> NDArray[Any]:
        """Spread one value for each declared node over the nodes."""
        return np.array(values, dtype=dtype)[self.declared]

    @property
    def modes(self) -> NDArray[np.int8]:
        """The place of each node's mode in `MODES`."""
        return self.of_declared([MODES.index(node.mode) for node in self.nodes], np.int8)

    @property
    def repeats(self) -> NDArray[np.int64]:
        """How often in a row each node uses an option."""
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
        """Return the nodes, those of less depth first."""
        return np.argsort(self.depths, kind="stable")

    def cumulative(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the sums of weights from left to right, and where those of each node begin, -1 where not weighted."""
        counts = np.where(self.weighted, self.counts, 0)
        begin = np.concatenate([[0], np.cumsum(counts)])
        weights = self.weights[np.repeat(self.weighted, self.counts)]
        return cumulate(weights, begin), np.where(self.weighted, begin[:-1], -1)

    def label(self, node: int) -> str:
        """Return the name of a node, with the value of a clone."""
        declared, code = self.nodes[self.declared[node]], int(self.clone_values[node])
        if declared.for_each is None:
            return str(declared.name)
        return f"{declared.name}[{self.columns[declared.for_each].show(code)}]"

    def path(self, node: int) -> str:
        """Return the labels of a node and all above it."""
        labels = []
        while node >= 0:
            labels.append(self.label(node))
            node = int(self.parents[node])
        return "/".join(reversed(labels))


@dataclass(eq=False)
class _Clones:
    """All clones of a declared node: one where its parent has one, more below and at a for_each.

    `rows` are those of all clones, clone after clone, and `clones` the number of the clone of each.
    """

    declared: NodeSpecification
    above: Optional["_Clones"]
    parent: NDArray[np.int64]
    value: NDArray[np.int64]
    rows: NDArray[np.int32]
    clones: NDArray[np.int64]
    below: list["_Clones"] = field(default_factory=list)
    alive: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    taken: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    number: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    size: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def depth(self) -> int:
        """How far below the root the node is."""
        return 0 if self.above is None else self.above.depth + 1

    def walk(self) -> Iterator["_Clones"]:
        """Yield this node and all below it, in preorder."""
        yield self
        for child in self.below:
            yield from child.walk()

    def add_up(self, child: "_Clones", values: NDArray[Any]) -> NDArray[np.int64]:
        """Sum whole numbers of a child's clones for each clone of this node."""
        return np.bincount(child.parent, weights=values, minlength=len(self)).astype(np.int64)


def build_tree(specification: Specification, table: TableColumns, owner: str) -> Tree:
    """Select, clone, prune, number and weigh.

    Raises
    ------
    TypeError, ValueError
        Where a condition does not fit its column, values are missing, or an empty node may not be pruned.
    """
    root = _clone(specification.root, None, table, owner)
    _prune(root, table, owner)
    _measure(root)
    _number(root)
    return _assemble(specification, root, table, owner)


# Selecting and cloning ------------------------------------------------------------------------------------------------


def _clone(declared: NodeSpecification, above: Optional[_Clones], table: TableColumns, owner: str) -> _Clones:
    """Select the rows of a node from those of its parent's clones, and go on below."""
    if above is None:
        rows, clones, n_clones = np.arange(table.n_rows, dtype=np.int32), np.zeros(table.n_rows, dtype=np.int64), 1
    else:
        rows, clones, n_clones = above.rows, above.clones, len(above)
    condition = declared.condition
    if condition is not None:
        taken = taken_codes(condition, table.coded[condition.column], declared.path, owner)
        chosen = taken[table.coded[condition.column].codes[rows]]
        rows, clones = rows[chosen], clones[chosen]
    if declared.for_each is None:
        parent = np.zeros(1, dtype=np.int64) if above is None else np.arange(n_clones)
        made = _Clones(declared, above, parent, np.full(n_clones, -1), rows, clones)
    else:
        made = _for_each(declared, above, table.coded[declared.for_each], rows, clones, owner)
    made.below = [_clone(child, made, table, owner) for child in declared.children]
    return made


def _for_each(
    declared: NodeSpecification,
    above: Optional[_Clones],
    column: Column,
    rows: NDArray[np.int32],
    clones: NDArray[np.int64],
    owner: str,
) -> _Clones:
    """Make a clone for every value among the rows of each of the parent's clones, in order of first appearance."""
    codes = column.codes[rows]
    missing = codes < 0
    width = len(column.values) + 1
    if missing.any():
        if declared.missing == "error":
            required = f"have no missing values in column '{declared.for_each}'"
            got = f"{int(missing.sum())} missing of {count_of(len(rows), 'row')}"
            advice = "Set its 'missing' to 'stratum' or 'drop'."
            raise ValueError(refusal("table", f"{owner}, at node '{declared.path}',", required, got, advice))
        if declared.missing == "drop":
            rows, clones, codes = rows[~missing], clones[~missing], codes[~missing]
        else:
            codes = np.where(missing, width - 1, codes)
    groups, found = pd.factorize(clones * width + codes)
    order, offsets = group_rows(np.asarray(groups, dtype=np.int64), len(found))
    numbers = np.repeat(np.arange(len(found)), np.diff(offsets))
    return _Clones(declared, above, found // width, found % width, rows[order], numbers)


# Pruning --------------------------------------------------------------------------------------------------------------


def _prune(root: _Clones, table: TableColumns, owner: str) -> None:
    _find_empty(root, table, owner)
    if not root.alive[0]:
        raise _empty_node(root, 0, table, owner)
    for node in root.walk():
        for child in node.below:
            child.alive &= node.alive[child.parent]


def _find_empty(node: _Clones, table: TableColumns, owner: str) -> None:
    """Find the clones that are alive, from the leaves up; those that a child takes with it are empty, too."""
    node.taken = np.zeros(len(node), dtype=bool)
    if not node.declared.children:
        node.alive = np.bincount(node.clones, minlength=len(node)) > 0
    else:
        left = np.zeros(len(node), dtype=np.int64)
        for child in node.below:
            _find_empty(child, table, owner)
            left += node.add_up(child, child.alive)
            if child.declared.prune == "parent":
                node.taken[child.parent[~child.alive]] = True
        node.alive = (left > 0) & ~node.taken
    if node.above is not None and node.declared.prune is None and not node.alive.all():
        raise _empty_node(node, int(np.argmin(node.alive)), table, owner)


def _empty_node(node: _Clones, clone: int, table: TableColumns, owner: str) -> ValueError:
    """Return the error that shows how a node came to be empty."""
    chain = [f"'{_path(node, clone, table)}'"]
    while node.taken[clone]:
        for child in node.below:
            culprits = np.flatnonzero((child.parent == clone) & ~child.alive)
            if child.declared.prune == "parent" and len(culprits):
                node, clone = child, int(culprits[0])
                chain.append(f"'{_path(node, clone, table)}'")
                break
    lacking = "no children left" if node.declared.children else "no rows"
    taking = "".join(f", which takes {taken} with it" for taken in reversed(chain[:-1]))
    required = "leave something to draw at the root and at every node without 'prune'"
    advice = "Give the node 'prune: individual' or 'prune: parent', or look at its condition."
    return ValueError(refusal("spec", owner, required, f"{lacking} at {chain[-1]}{taking}", advice))


def _path(node: _Clones, clone: int, table: TableColumns) -> str:
    labels = []
    above: Optional[_Clones] = node
    while above is not None:
        name, column = above.declared.name, above.declared.for_each
        labels.append(name if column is None else f"{name}[{table.coded[column].show(int(above.value[clone]))}]")
        clone, above = int(above.parent[clone]), above.above
    return "/".join(reversed(labels))


# Numbering ------------------------------------------------------------------------------------------------------------


def _measure(node: _Clones) -> None:
    """Count the living nodes of the subtree of each clone."""
    node.size = node.alive.astype(np.int64)
    for child in node.below:
        _measure(child)
        node.size += node.add_up(child, child.size)
    node.size[~node.alive] = 0


def _number(root: _Clones) -> None:
    """Number the living clones in preorder."""
    root.number = np.zeros(1, dtype=np.int64)
    for node in root.walk():
        following = node.number + 1
        for child in node.below:
            before = np.cumsum(child.size) - child.size
            first = np.searchsorted(child.parent, np.arange(len(node)))
            base = before[np.minimum(first, len(before) - 1)] if len(before) else np.zeros(len(node), dtype=np.int64)
            child.number = following[child.parent] + before - base[child.parent]
            following = following + node.add_up(child, child.size)


def _assemble(specification: Specification, root: _Clones, table: TableColumns, owner: str) -> Tree:
    """Put all nodes into arrays in the order of their numbers."""
    n_nodes = int(root.size[0])
    declared, values, parents, depths, counts, rows, untaken = (np.full(n_nodes, -1, dtype=np.int64) for _ in range(7))
    for place, node in enumerate(root.walk()):
        numbers = node.number[node.alive]
        declared[numbers] = place
        values[numbers] = node.value[node.alive]
        depths[numbers] = node.depth
        if node.above is not None:
            parents[numbers] = node.above.number[node.parent[node.alive]]
        rows[numbers] = np.bincount(node.clones, minlength=len(node))[node.alive]
        untaken[numbers] = _count_untaken(node, table.n_rows)[node.alive]
        if not node.declared.children:
            counts[numbers] = rows[numbers]
    inner = counts < 0
    counts[inner] = np.bincount(parents[1:], minlength=n_nodes)[inner]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    options = np.empty(offsets[-1], dtype=np.int32)
    order, begin = group_rows(parents[1:], n_nodes)
    options[np.repeat(inner, counts)] = order + 1
    for node in root.walk():
        if not node.declared.children:
            _write_rows(node, offsets, options)
    weights, weighted = _weigh(specification, table, declared, parents, depths, options, offsets, inner, owner)
    tree = Tree(
        specification=specification,
        n_rows=table.n_rows,
        columns=table.coded,
        declared=declared,
        clone_values=values,
        parents=parents,
        depths=depths,
        options=options,
        offsets=offsets,
        weights=weights,
        weighted=weighted,
        node_rows=rows,
        untaken=untaken,
    )
    _check_totals(tree, owner)
    return tree


def _count_untaken(node: _Clones, n_rows: int) -> NDArray[np.int64]:
    """Count the rows of each clone that no living child takes; clones of one declared node share no row."""
    if not node.declared.children:
        return np.zeros(len(node), dtype=np.int64)
    taken = np.zeros(n_rows, dtype=bool)
    for child in node.below:
        taken[child.rows[child.alive[child.clones]]] = True
    return np.bincount(node.clones[~taken[node.rows]], minlength=len(node))


def _write_rows(leaf: _Clones, offsets: NDArray[np.int64], options: NDArray[np.int32]) -> None:
    alive = leaf.alive[leaf.clones]
    rows, clones = leaf.rows[alive], leaf.clones[alive]
    if len(leaf) == 1:
        if len(rows):
            options[offsets[leaf.number[0]] : offsets[leaf.number[0]] + len(rows)] = rows
        return
    first = np.searchsorted(clones, np.arange(len(leaf)))
    options[offsets[leaf.number[clones]] + np.arange(len(rows)) - first[clones]] = rows


# Weights --------------------------------------------------------------------------------------------------------------


def _weigh(
    specification: Specification,
    table: TableColumns,
    declared: NDArray[np.int64],
    parents: NDArray[np.int64],
    depths: NDArray[np.int64],
    options: NDArray[np.int32],
    offsets: NDArray[np.int64],
    inner: NDArray[np.bool_],
    owner: str,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the weight of each option, and at which nodes weights matter."""
    nodes = specification.root.walk()
    counts = np.diff(offsets)
    of_option = np.repeat(inner, counts)
    own = np.ones(len(parents))
    for place, node in enumerate(nodes):
        if isinstance(node.weight, Proportional):
            mine = declared == place
            below = np.repeat(_below(mine, parents, depths), counts)
            numbers = _numbers(node.weight.column, node, table, owner, options[below & ~of_option])
            own[mine] = _sums(numbers, parents, depths, options, offsets, inner)[mine]
        elif node.weight is not None:
            own[declared == place] = node.weight
    weights = np.ones(len(options))
    weights[of_option] = own[options[of_option]]
    for place, node in enumerate(nodes):
        if node.row_weight is not None:
            mine = np.repeat(declared == place, counts)
            weights[mine] = _numbers(node.row_weight, node, table, owner, options[mine])[options[mine]]
    matters = [
        node.mode == "replacement"
        and (node.row_weight is not None or any(child.weight is not None for child in node.children))
        for node in nodes
    ]
    return weights, np.array(matters, dtype=bool)[declared]


def _below(nodes: NDArray[np.bool_], parents: NDArray[np.int64], depths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the nodes that are marked, and all below them."""
    below = nodes.copy()
    for depth in range(1, int(depths.max()) + 1):
        here = np.flatnonzero(depths == depth)
        below[here] |= below[parents[here]]
    return below


def _sums(
    numbers: Optional[NDArray[np.float64]],
    parents: NDArray[np.int64],
    depths: NDArray[np.int64],
    options: NDArray[np.int32],
    offsets: NDArray[np.int64],
    inner: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Sum a column over the rows of the leaves below each node, from the leaves up; count them where it is None."""
    counts = np.diff(offsets)
    rows = options[np.repeat(~inner, counts)]
    owners = np.repeat(np.flatnonzero(~inner), counts[~inner])
    of_rows = np.ones(len(rows)) if numbers is None else numbers[rows]
    sums: NDArray[np.float64] = np.bincount(owners, weights=of_rows, minlength=len(parents)).astype(np.float64)
    for depth in range(int(depths.max()), 0, -1):
        here = np.flatnonzero(depths == depth)
        sums += np.bincount(parents[here], weights=sums[here], minlength=len(parents))
    return sums


def _numbers(
    name: Optional[str],
    node: NodeSpecification,
    table: TableColumns,
    owner: str,
    rows: NDArray[np.int32],
) -> Any:
    """Return a column of weights, None for none, whose values at `rows` are neither missing nor negative."""
    if name is None:
        return None
    numbers = table.numbers[name]
    used = numbers[rows]
    wrong = ~((used >= 0) & (used < np.inf))
    if wrong.any():
        required = f"have finite non-negative weights in column '{name}'"
        where = f"{owner}, at node '{node.path}',"
        raise ValueError(refusal("table", where, required, show(float(used[wrong][0]))))
    return numbers


def _check_totals(tree: Tree, owner: str) -> None:
    """Refuse weights of which nothing can be drawn."""
    cumulative, begin = tree.cumulative()
    weighted = np.flatnonzero(tree.weighted)
    if len(weighted) == 0:
        return
    totals = cumulative[begin[weighted] + tree.counts[weighted] - 1]
    wrong = np.flatnonzero((totals < _LEAST_TOTAL) | ~np.isfinite(totals))
    if len(wrong):
        path = tree.path(int(weighted[wrong[0]]))
        required = "have a positive, finite sum over the options of every node"
        raise ValueError(refusal("weight", f"{owner}, at node '{path}',", required, show(float(totals[wrong[0]]))))
