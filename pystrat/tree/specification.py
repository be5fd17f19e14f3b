"""The nodes of a specification, from YAML or a mapping; the core has the table of their keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from pystrat import _core
from pystrat.core.messages import is_number, refusals, refused_type, refused_value, show


class Node(NamedTuple):
    """A declared node: its path from the root on, the place of its parent among the nodes (-1: none), and its keys.

    `op` is the first name of its comparison, and `numbers` follow from its keys alone, as the core has them.
    """

    name: str
    path: str
    parent: int
    keys: Mapping[str, Any]
    op: str
    numbers: Sequence[float]

    @property
    def column(self) -> Optional[str]:
        """The column that is compared or cloned."""
        return self.keys.get("column")

    @property
    def compares(self) -> bool:
        """Whether it selects rows by a condition, not clones for each value."""
        return self.column is not None and "for_each" not in self.keys

    @property
    def summed(self) -> Optional[str]:
        """The column whose sum is the weight, or ``"count"``."""
        weight = self.keys.get("weight")
        return weight[len("proportional(") : -1].strip() if isinstance(weight, str) else None


def read_specification(spec: Any) -> tuple[list[Node], Any]:
    """Return the declared nodes in preorder, and the auxiliary values as they are given.

    The specification is a mapping, the root node; or YAML, in text or in a file whose name ends in .yaml or .yml.
    """
    if isinstance(spec, Path) or (isinstance(spec, str) and "\n" not in spec and spec.endswith((".yaml", ".yml"))):
        spec = load_yaml(Path(spec).read_text(encoding="utf-8"), "spec")
    elif isinstance(spec, str):
        spec = load_yaml(spec, "spec")
    if not isinstance(spec, Mapping):
        raise refused_type("spec", "be a mapping: the root node", show(spec))
    nodes: list[Node] = []
    _read_node({key: value for key, value in spec.items() if key != "auxiliary"}, "root", None, nodes)
    return nodes, spec.get("auxiliary")


def load_yaml(text: str, parameter: str) -> Any:
    """Return what YAML says, by PyYAML's safe loader."""
    import yaml  # which is needed for nothing else

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise refused_value(parameter, "be YAML", f"what PyYAML refuses ({error})") from error


def _read_node(given: Any, place: str, parent: Optional[int], nodes: list[Node]) -> str:
    """Add a node, which is at `place` among its siblings, and the nodes below it; return its name."""
    keys = _plain_keys(given)
    name = keys.get("name", place if parent is None else _default_name(keys, place))
    shown = name if isinstance(name, str) else place
    path = shown if parent is None else f"{nodes[parent].path}/{shown}"
    with refusals(f"of node '{path}'"):
        if not isinstance(given, Mapping):
            raise refused_type("node", "be a mapping of keys", show(given))
        found = _core.call("tree_root" if parent is None else "tree_node", {**keys, "name": name})
        children = keys.get("children", [None])
        if not isinstance(children, (list, tuple)) or not children:
            raise refused_type("children", "be a list of nodes", show(children))
    own = len(nodes)
    op, numbers = found["op"].tobytes().decode(), found["numbers"].tolist()
    nodes.append(Node(name, path, -1 if parent is None else parent, keys, op, numbers))
    names: set[str] = set()
    for number, child in enumerate(keys.get("children", ()), 1):
        below = _read_node(child, str(number), own, nodes)
        if below in names:
            raise refused_value("children", f"have names of their own at node '{path}'", f"'{below}' twice")
        names.add(below)
    return str(name)


def _plain_keys(given: Any) -> dict[str, Any]:
    """Return the keys that have values, by their first names."""
    if not isinstance(given, Mapping):
        return {}
    keys = {str(key): value for key, value in given.items() if value is not None}
    if "prune_method" in keys and "prune" not in keys:
        keys["prune"] = keys.pop("prune_method")
    if isinstance(keys.get("value"), str) and keys["value"] == "for_each" and not {"op", "for_each"} & set(keys):
        keys["for_each"] = bool(keys.pop("value"))
    if keys.get("for_each") is False:
        keys.pop("for_each")
    return keys


def _default_name(keys: Mapping[str, Any], place: str) -> Any:
    """Return the name of an unnamed node: the column of clones, or a plain value; else its place."""
    value = keys.get("column" if "for_each" in keys else "value")
    if isinstance(value, str):
        return value or place
    return show(value) if isinstance(value, (bool, np.bool_)) or is_number(value) else place
