"""Descriptions of a tree: text, graph, expected frequencies, and warnings."""

from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, show, show_number
from pystrat.tree.building import Tree
from pystrat.tree.conditions import ColumnValues
from pystrat.value_names import names_index

_MOST_CLONES = 5


class TreeDescription:
    """A description of what a tree draws; ``str()`` returns it as text.

    Probabilities are long-run frequencies: a node that draws in sequence or shuffled uses all its options equally
    often.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        chances = _chances(tree)
        self._probabilities = np.ones(len(tree))
        inner = np.repeat(~tree.leaves, tree.counts)
        below = tree.options[inner]
        shares = np.ones(len(tree))
        shares[below] = chances[inner]
        for node in range(1, len(tree)):
            self._probabilities[node] = self._probabilities[tree.parents[node]] * shares[node]
        self._rows = tree.options[~inner]
        self._row_probabilities = (np.repeat(self._probabilities, tree.counts) * chances)[~inner]

    @property
    def nodes(self) -> pd.DataFrame:
        """One row per node: ``path``, ``mode``, ``rows``, ``weight``, ``probability`` and ``untaken`` rows."""
        tree = self._tree
        return pd.DataFrame(
            {
                "path": names_index(tree.path(node) for node in range(len(tree))),
                "mode": [tree.nodes[declared].mode for declared in tree.declared],
                "rows": tree.node_rows,
                "weight": self._weights(),
                "probability": self._probabilities,
                "untaken": tree.untaken,
            }
        )

    @property
    def warnings(self) -> list[str]:
        """Possible mistakes: weights without effect, and values that do not occur."""
        values = {name: ColumnValues(column) for name, column in self._tree.columns.items()}
        found = list(self._tree.warnings)
        for node in self._tree.nodes:
            if node.condition is not None:
                for value in values[node.condition.column].unknown(node.condition):
                    shown = show(value)
                    found.append(f"Of node '{node.path}', {shown} occurs nowhere in column '{node.condition.column}'.")
        return found

    def row_probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each row of the table in a draw, shape (n_rows,)."""
        found = np.bincount(self._rows, weights=self._row_probabilities, minlength=self._tree.n_rows)
        return found.astype(np.float64)

    def frequencies(self, drawn: Optional[NDArray[np.int32]] = None) -> pd.DataFrame:
        """Return the frequencies of the values of the used columns.

        Parameters
        ----------
        drawn : numpy.ndarray of row positions, optional
            Drawn rows, to compare with the expected frequencies.

        Returns
        -------
        pandas.DataFrame
            One row for each column and value: ``column``, ``value``, ``table`` (its share of the rows), ``expected``
            (its share of the draws) and, if `drawn` is given, ``drawn``.
        """
        probabilities = self.row_probabilities()
        parts = []
        for name, column in self._tree.columns.items():
            width = len(column.values)
            codes = np.where(column.codes < 0, width, column.codes)
            n_shown = width + int((column.codes < 0).any())
            part = {
                "column": names_index([name] * n_shown),
                "value": names_index(column.show(code) for code in range(n_shown)),
                "table": np.bincount(codes, minlength=n_shown) / len(codes),
                "expected": np.bincount(codes, weights=probabilities, minlength=n_shown),
            }
            if drawn is not None:
                part["drawn"] = np.bincount(codes[drawn], minlength=n_shown) / len(drawn)
            parts.append(pd.DataFrame(part))
        none = names_index([])
        empty = pd.DataFrame({"column": none, "value": none, "table": [], "expected": []})
        return pd.concat(parts, ignore_index=True) if parts else empty

    def graphviz(self) -> str:
        """Return the tree as source for graphviz' ``dot``; of many clones, only the first few."""
        lines = ["digraph tree {", "  node [shape=box];"]
        for node, hidden in self._shown():
            parent = int(self._tree.parents[node])
            if hidden:
                lines.append(f'  "more{node}" [label="{hidden} more", shape=plaintext];')
                lines.append(f'  "{parent}" -> "more{node}";')
                continue
            label = "\\n".join(_escaped(part) for part in [self._tree.label(node), *self._facts(node)])
            lines.append(f'  "{node}" [label="{label}"];')
            if parent >= 0:
                lines.append(f'  "{parent}" -> "{node}" [label="{self._probabilities[node]:.3g}"];')
        return "\n".join([*lines, "}"])

    def __str__(self) -> str:
        lines = []
        for node, hidden in self._shown():
            indent = "  " * int(self._tree.depths[node])
            if hidden:
                lines.append(f"{indent}... {hidden} more")
            else:
                lines.append(f"{indent}{self._tree.label(node)}: {', '.join(self._facts(node))}")
        return "\n".join([*lines, *(f"warning: {message}" for message in self.warnings)])

    def _facts(self, node: int) -> list[str]:
        tree = self._tree
        declared = tree.nodes[tree.declared[node]]
        facts = [count_of(int(tree.node_rows[node]), "row"), declared.mode]
        if declared.repeat > 1:
            facts.append(f"repeat {declared.repeat}")
        if declared.weight is not None:
            facts.append(f"weight {show_number(self._weights()[node], digits=6)}")
        facts.append(f"probability {self._probabilities[node]:.4g}")
        if tree.untaken[node]:
            facts.append(f"{count_of(int(tree.untaken[node]), 'row')} that no child takes")
        return facts

    def _weights(self) -> NDArray[np.float64]:
        """Return the weight of each node, divided by the sum of its siblings'; 1 for the root."""
        tree = self._tree
        inner = np.repeat(~tree.leaves, tree.counts)
        owners = np.repeat(np.arange(len(tree)), tree.counts)
        sums = np.bincount(owners, weights=tree.weights, minlength=len(tree))
        weights = np.ones(len(tree))
        weights[tree.options[inner]] = (tree.weights / np.maximum(sums[owners], np.finfo(float).tiny))[inner]
        return weights

    def _shown(self) -> list[tuple[int, int]]:
        """Return the nodes to show; a pair with a number represents that many further clones."""
        tree = self._tree
        shown: list[tuple[int, int]] = []

        def visit(node: int) -> None:
            shown.append((node, 0))
            if tree.leaves[node]:
                return
            children = tree.options[tree.offsets[node] : tree.offsets[node + 1]]
            for declared in dict.fromkeys(tree.declared[children].tolist()):
                clones = children[tree.declared[children] == declared]
                few = clones if len(clones) <= _MOST_CLONES + 1 else clones[:_MOST_CLONES]
                for child in few:
                    visit(int(child))
                if len(few) < len(clones):
                    shown.append((int(clones[len(few)]), len(clones) - len(few)))

        visit(0)
        return shown


def _chances(tree: Tree) -> NDArray[np.float64]:
    """Return the probability of each option when its node draws."""
    owners = np.repeat(np.arange(len(tree)), tree.counts)
    weights = np.where(tree.weighted[owners], tree.weights, 1.0)
    return np.asarray(weights / np.bincount(owners, weights=weights, minlength=len(tree))[owners])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
