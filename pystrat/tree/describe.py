"""Descriptions of a tree: text, graph, expected frequencies, and warnings."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, show_number
from pystrat.tree.conditions import TableColumns, unknown_values
from pystrat.tree.specification import Node
from pystrat.core.value_names import names_index

_MOST_CLONES = 5


class TreeDescription:
    """A description of what a tree draws; ``str()`` returns it as text.

    Probabilities are long-run frequencies: a node that draws in sequence or shuffled uses all its options equally
    often.

    Attributes
    ----------
    nodes : pandas.DataFrame
        One row per node: ``path``, ``mode``, ``rows``, ``weight``, ``probability`` and ``untaken`` rows, which no child
        takes.
    warnings : list of str
        Possible mistakes: weights without effect, and values that do not occur.
    """

    def __init__(
        self, declared: Sequence[Node], table: TableColumns, found: Mapping[str, NDArray[Any]], warnings: Sequence[str]
    ) -> None:
        self._table, self._probabilities = table, found["row_probabilities"]
        self._declared = [declared[place] for place in found["declared"]]
        self._parents = found["parents"].tolist()
        self._labels = [
            node.name if code < 0 else f"{node.name}[{table.coded[str(node.column)].show(code)}]"
            for node, code in zip(self._declared, found["clone_values"])
        ]
        paths: list[str] = []
        for label, parent in zip(self._labels, self._parents):
            paths.append(label if parent < 0 else f"{paths[parent]}/{label}")
        modes = [node.keys.get("mode", "replacement") for node in self._declared]
        numbers = {name: found[name] for name in ("rows", "weight", "probability", "untaken")}
        self.nodes = pd.DataFrame({"path": names_index(paths), "mode": modes, **numbers})
        self.warnings = list(warnings)
        for node in filter(attrgetter("compares"), declared):
            for value in unknown_values(node, table.coded[str(node.column)]):
                self.warnings.append(f"Of node '{node.path}', {value} occurs nowhere in column '{node.column}'.")

    def row_probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each row of the table in a draw, shape (n_rows,)."""
        return self._probabilities.copy()

    def frequencies(self, drawn: Optional[NDArray[np.int32]] = None) -> pd.DataFrame:
        """Return the frequencies of the values of the used columns, with those of drawn rows if they are given.

        A row for each column and value has ``column``, ``value``, ``table`` (its share of the rows), ``expected`` (its
        share of the draws) and ``drawn``.
        """
        parts = []
        for name, column in self._table.coded.items():
            codes = np.where(column.codes < 0, len(column.values), column.codes)
            shown = names_index(map(column.show, range(codes.max() + 1)))
            part = {"column": name, "value": shown, "table": np.bincount(codes) / len(codes)}
            part["expected"] = np.bincount(codes, weights=self._probabilities)
            if drawn is not None:
                part["drawn"] = np.bincount(codes[drawn], minlength=len(shown)) / len(drawn)
            parts.append(pd.DataFrame(part))
        none = pd.DataFrame(columns=["column", "value", "table", "expected"])
        return pd.concat(parts or [none], ignore_index=True)

    def graphviz(self) -> str:
        """Return the tree as source for graphviz' ``dot``; of many clones, only the first few."""
        lines = ["digraph tree {", "  node [shape=box];"]
        for node, hidden, _ in self._shown():
            shown = [f"{hidden} more"] if hidden else [self._labels[node], *self._facts(node)]
            label = "\\n".join(part.replace("\\", "\\\\").replace('"', '\\"') for part in shown)
            lines.append(f'  "{node}" [label="{label}"];')
            if node > 0:
                probability = "" if hidden else f"{self.nodes['probability'][node]:.3g}"
                lines.append(f'  "{self._parents[node]}" -> "{node}" [label="{probability}"];')
        return "\n".join([*lines, "}"])

    def __str__(self) -> str:
        lines = []
        for node, hidden, depth in self._shown():
            shown = f"... {hidden} more" if hidden else f"{self._labels[node]}: {', '.join(self._facts(node))}"
            lines.append("  " * depth + shown)
        return "\n".join([*lines, *(f"warning: {message}" for message in self.warnings)])

    def _facts(self, node: int) -> list[str]:
        keys, of_node = self._declared[node].keys, self.nodes.iloc[node]
        facts = [count_of(int(of_node["rows"]), "row"), of_node["mode"]]
        if keys.get("repeat", 1) > 1:
            facts.append(f"repeat {show_number(keys['repeat'])}")
        if "weight" in keys:
            facts.append(f"weight {show_number(of_node['weight'], digits=6)}")
        facts.append(f"probability {of_node['probability']:.4g}")
        if of_node["untaken"]:
            facts.append(f"{count_of(int(of_node['untaken']), 'row')} that no child takes")
        return facts

    def _shown(self) -> list[tuple[int, int, int]]:
        """Return the nodes to show, each with its depth; one with a number represents that many further clones."""
        clones = list(zip(self._parents, map(id, self._declared)))
        n_clones, n_before = Counter(clones), Counter[Any]()
        depths = {-1: -1}  # of the nodes that are shown
        shown = []
        for node, alike in enumerate(clones):
            if alike[0] not in depths:
                continue
            most, place, depth = n_clones[alike], n_before[alike], depths[alike[0]] + 1
            few = most if most <= _MOST_CLONES + 1 else _MOST_CLONES
            n_before[alike] += 1
            if place < few:
                depths[node] = depth
            if place <= few:
                shown.append((node, most - few if place == few else 0, depth))
        return shown
