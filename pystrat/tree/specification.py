"""YAML text, a file or a dict -> a validated specification of a tree: names and plain values, no table yet.

Everything is checked here that can be without a table, so that a mistake is told with the path of its node before
anything is built.
"""

from __future__ import annotations

import difflib
import re
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_flag, check_integer, refusal, show
from pystrat.tree.auxiliary import Auxiliary, parse_auxiliary

MODES = ("replacement", "sequential", "shuffle")
PRUNE_CHOICES = ("individual", "parent")
MISSING_CHOICES = ("error", "stratum", "drop")
SYMBOLS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "in", "not in", "between", "isnull")
_KEYS = (
    "name",
    "column",
    "value",
    "op",
    "for_each",
    "missing",
    "mode",
    "weight",
    "row_weight",
    "repeat",
    "prune",
    "prune_method",
    "children",
)
_NOT_OF_ROOTS = ("for_each", "missing", "weight", "prune", "prune_method")
_ROOT_KEYS = (*(key for key in _KEYS if key not in _NOT_OF_ROOTS), "auxiliary")
_PROPORTIONAL = re.compile(r"proportional\((.+)\)\Z")


@dataclass(frozen=True)
class Proportional:
    """A weight that is the sum of a column over the rows of the node's leaves; the number of rows where None."""

    column: Optional[str]


@dataclass(frozen=True)
class Condition:
    """Which rows of its parent a node takes."""

    column: str
    operator: str
    value: Any


@dataclass(frozen=True)
class NodeSpecification:
    """A node as it is declared, before cloning; `path` is its place, from the root on."""

    name: str
    path: str
    mode: str = "replacement"
    condition: Optional[Condition] = None
    for_each: Optional[str] = None
    missing: str = "error"
    weight: Union[float, Proportional, None] = None
    row_weight: Optional[str] = None
    repeat: int = 1
    prune: Optional[str] = None
    children: tuple["NodeSpecification", ...] = ()

    def subtree(self) -> list["NodeSpecification"]:
        """Return this node and all below it, in preorder."""
        return [self] + [node for child in self.children for node in child.subtree()]


@dataclass(frozen=True)
class Specification:
    """A whole tree, and the auxiliary values that go with each drawn row."""

    root: NodeSpecification
    auxiliary: tuple[Auxiliary, ...]

    def coded_columns(self) -> list[str]:
        """Return the columns whose values are compared or cloned, each once."""
        nodes = self.root.subtree()
        named = [node.condition.column if node.condition else node.for_each for node in nodes]
        return list(dict.fromkeys(name for name in named if name is not None))

    def number_columns(self) -> list[str]:
        """Return the columns that are weights, each once."""
        named: list[Optional[str]] = []
        for node in self.root.subtree():
            named.append(node.weight.column if isinstance(node.weight, Proportional) else None)
            named.append(node.row_weight)
        return list(dict.fromkeys(name for name in named if name is not None))


def parse_specification(spec: Any, owner: str) -> Specification:
    """Read and validate a specification.

    Parameters
    ----------
    spec : dict, str or pathlib.Path
        The root node as a mapping; or as YAML, in text or in a file whose name ends in .yaml or .yml. Its key
        ``auxiliary`` maps the names of auxiliary values to their functions.
    owner : str
        The name that error messages give.

    Returns
    -------
    Specification

    Raises
    ------
    TypeError, ValueError
        Where it is no valid specification; the message tells the path of the node.
    ImportError
        Where it is YAML and PyYAML is not installed.
    """
    if isinstance(spec, Specification):
        return spec
    if isinstance(spec, Path) or (isinstance(spec, str) and "\n" not in spec and spec.endswith((".yaml", ".yml"))):
        spec = _load_yaml(Path(spec).read_text(encoding="utf-8"), owner)
    elif isinstance(spec, str):
        spec = _load_yaml(spec, owner)
    if not isinstance(spec, Mapping):
        raise TypeError(refusal("spec", owner, "be a mapping: the root node", show(spec)))
    root = {key: value for key, value in spec.items() if key != "auxiliary"}
    return Specification(_Reader(owner).root(root), parse_auxiliary(spec.get("auxiliary"), owner))


class _Reader:
    """Reads nodes, all for one owner of messages."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def root(self, given: Mapping[Any, Any]) -> NodeSpecification:
        return self._node({"name": "root", **given}, "", "root", _ROOT_KEYS)

    def _node(self, given: Any, above: str, place: str, keys: Sequence[str]) -> NodeSpecification:
        if not isinstance(given, Mapping):
            raise TypeError(self._refusal("node", place, "be a mapping of keys", show(given)))
        name = given.get("name")
        path = place
        if isinstance(name, str) and name:
            path = f"{above}/{name}" if above else name
        self._check_keys(given, path, keys)
        if not isinstance(name, str) or not name:
            raise TypeError(self._refusal("name", place, "be a text", show(name)))
        children = given.get("children", ())
        if not isinstance(children, (list, tuple)) or (not children and "children" in given):
            raise TypeError(self._refusal("children", path, "be a list of nodes", show(children)))
        condition, for_each = self._selection(given, path)
        return NodeSpecification(
            name=name,
            path=path,
            mode=self._choice(given, "mode", path, MODES) or "replacement",
            condition=condition,
            for_each=for_each,
            missing=self._choice(given, "missing", path, MISSING_CHOICES) or "error",
            weight=self._weight(given, path),
            row_weight=self._row_weight(given, path),
            repeat=check_integer(given.get("repeat", 1), "repeat", self._at(path), minimum=1, maximum=MAX_COUNT),
            prune=self._prune(given, path),
            children=self._children(children, path),
        )

    def _children(self, given: Sequence[Any], path: str) -> tuple[NodeSpecification, ...]:
        children = tuple(self._node(child, path, f"{path}/{place + 1}", _KEYS) for place, child in enumerate(given))
        names = [child.name for child in children]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(self._refusal("children", path, "have names of their own", f"'{name}' twice"))
        return children

    def _check_keys(self, given: Mapping[Any, Any], path: str, keys: Sequence[str]) -> None:
        for key in given:
            if key not in keys:
                nearest = difflib.get_close_matches(str(key), keys, n=1, cutoff=0.0)[0]
                advice = f"The nearest one is '{nearest}'."
                required = f"have no keys but {', '.join(keys)}"
                raise ValueError(self._refusal("node", path, required, show(key), advice))

    def _selection(self, given: Mapping[Any, Any], path: str) -> tuple[Optional[Condition], Optional[str]]:
        """Return the condition or the column of which every value gets a clone."""
        column = self._column(given, "column", path)
        if check_flag(given.get("for_each", False), "for_each", self._at(path)):
            if column is None:
                raise ValueError(self._refusal("column", path, "be given with 'for_each'", "nothing"))
            for key in ("value", "op"):
                if key in given:
                    required = "be left out with 'for_each'"
                    raise ValueError(
                        self._refusal(key, path, required, show(given[key]), "Put it in a node of its own.")
                    )
            return None, column
        if "missing" in given:
            required = "be left out without 'for_each'"
            raise ValueError(self._refusal("missing", path, required, show(given["missing"]), "Use 'op: isnull'."))
        if column is None:
            for key in ("value", "op"):
                if key in given:
                    raise ValueError(self._refusal("column", path, f"be given with '{key}'", "nothing"))
            return None, None
        return Condition(column, *self._comparison(given, path)), None

    def _comparison(self, given: Mapping[Any, Any], path: str) -> tuple[str, Any]:
        operator = given.get("op", "eq")
        if isinstance(operator, str):
            operator = SYMBOLS.get(operator, operator)
        operator = check_choice(operator, "op", self._at(path), choices=(*OPERATORS, *SYMBOLS))
        value = given.get("value")
        if operator == "isnull":
            if "value" in given:
                raise ValueError(self._refusal("value", path, "be left out with 'op: isnull'", show(value)))
        elif operator in ("in", "not in", "between"):
            required = "be a list of two values, both included" if operator == "between" else "be a list of values"
            if not isinstance(value, (list, tuple)) or not value or (operator == "between" and len(value) != 2):
                raise TypeError(self._refusal("value", path, required, show(value)))
            for item in value:
                self._check_value(item, path)
            value = list(value)
        else:
            self._check_value(value, path)
        return operator, value

    def _check_value(self, value: Any, path: str) -> None:
        plain = (str, bool, int, float, date, np.bool_, np.integer, np.floating, np.datetime64)
        if not isinstance(value, plain) or value != value:
            required = "be a text, a number, a logical value or a date"
            advice = "Missing values are found by 'op: isnull'."
            raise TypeError(self._refusal("value", path, required, show(value), advice))

    def _weight(self, given: Mapping[Any, Any], path: str) -> Union[float, Proportional, None]:
        if "weight" not in given:
            return None
        weight = given["weight"]
        if isinstance(weight, str):
            match = _PROPORTIONAL.match(weight.strip())
            if match is not None:
                column = match.group(1).strip()
                return Proportional(None if column == "count" else column)
        elif isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool):
            if 0 <= weight <= sys.float_info.max:
                return float(weight)
        required = "be a non-negative number, 'proportional(COLUMN)' or 'proportional(count)'"
        raise ValueError(self._refusal("weight", path, required, show(weight)))

    def _row_weight(self, given: Mapping[Any, Any], path: str) -> Optional[str]:
        column = self._column(given, "row_weight", path)
        if column is None:
            return None
        if "children" in given:
            raise ValueError(self._refusal("row_weight", path, "be given at a leaf", "a node with children"))
        mode = given.get("mode", "replacement")
        if mode != "replacement":
            required = "be left out unless 'mode' is 'replacement'"
            raise ValueError(self._refusal("row_weight", path, required, f"'{column}' with {show(mode)}"))
        return column

    def _prune(self, given: Mapping[Any, Any], path: str) -> Optional[str]:
        if "prune" in given and "prune_method" in given:
            raise ValueError(self._refusal("prune", path, "be given once", "also 'prune_method'"))
        return self._choice(given, "prune_method" if "prune_method" in given else "prune", path, PRUNE_CHOICES)

    def _choice(self, given: Mapping[Any, Any], key: str, path: str, choices: Sequence[str]) -> Optional[str]:
        return check_choice(given[key], key, self._at(path), choices=choices) if key in given else None

    def _column(self, given: Mapping[Any, Any], key: str, path: str) -> Optional[str]:
        if key not in given:
            return None
        if not isinstance(given[key], str):
            raise TypeError(self._refusal(key, path, "be the name of a column", show(given[key])))
        return str(given[key])

    def _at(self, path: str) -> str:
        return f"node '{path}' of {self._owner}"

    def _refusal(self, key: str, path: str, required: str, got: str, advice: Optional[str] = None) -> str:
        return refusal(key, self._at(path), required, got, advice)


def _load_yaml(text: str, owner: str) -> Any:
    """Read YAML by PyYAML's safe loader, without duplicate keys and aliases."""
    try:
        import yaml
    except ImportError as error:
        advice = "PyYAML is not installed. Install it: pip install 'pystrat[tree]', or apt install python3-yaml."
        raise ImportError(f"{owner} cannot read YAML: {advice} Or give the specification as a dict.") from error

    class StrictLoader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.peek_event()
                raise ValueError(refusal("spec", owner, "have no aliases", f"'*{event.anchor}'{_line(event)}"))
            return super().compose_node(parent, index)

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ArithmeticError, AttributeError, LookupError, ValueError):
                if not isinstance(node, yaml.ScalarNode):
                    raise
                kind = node.tag.rpartition(":")[2]
                got = f"the {kind} '{node.value}'{_line(node)}"
                advice = "A text that looks like something else goes in quotes."
                raise ValueError(refusal("spec", owner, "hold valid values", got, advice)) from None

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if not isinstance(node, yaml.MappingNode):
                return super().construct_mapping(node, deep)  # which refuses it
            seen = set()
            for key, _ in node.value:
                if str(key.value) in seen:
                    raise ValueError(refusal("spec", owner, "have every key once", f"'{key.value}' again{_line(key)}"))
                seen.add(str(key.value))
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, StrictLoader)
    except yaml.YAMLError as error:
        raise ValueError(refusal("spec", owner, "be YAML", f"what PyYAML refuses ({error})")) from error


def _line(mark: Any) -> str:
    return f" in line {mark.start_mark.line + 1}"
