"""The validated specification of a tree, from YAML text, a file or a dict: names and plain values, no table yet.

Everything that can be checked without a table is checked here, so that the error for a mistake names the path of its
node before anything is built.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from pystrat.limits import MAX_COUNT
from pystrat.messages import (
    check_choice,
    check_flag,
    check_integer,
    is_number,
    refusals,
    refused_type,
    refused_value,
    shortened,
    show,
)
from pystrat.regular_files import check_regular
from pystrat.tree.auxiliary import Auxiliary, parse_auxiliary

MODES = ("replacement", "sequential", "shuffle")
PRUNE_CHOICES = ("individual", "parent")
MISSING_CHOICES = ("error", "stratum", "drop")
MAX_NESTING = 128  # nested mappings and lists: Python's and R's stacks are small
MAX_NESTED = 1_000_000  # of them in total, because a short description can repeat its parts endlessly
FOR_EACH = "for_each"  # a key, and a value with the same meaning
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
    """A weight that is the sum of a column over the rows of the node's leaves; if None, the number of rows."""

    column: Optional[str]


@dataclass(frozen=True)
class Condition:
    """The rows of its parent that a node takes."""

    column: str
    operator: str
    value: Any


@dataclass(frozen=True)
class NodeSpecification:
    """A declared node, before cloning; `path` is its place, from the root on."""

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

    @property
    def column(self) -> Optional[str]:
        """The column that is compared or cloned."""
        return self.for_each if self.condition is None else self.condition.column

    def subtree(self) -> list["NodeSpecification"]:
        """Return this node and all below it, in preorder."""
        return [self] + [node for child in self.children for node in child.subtree()]


@dataclass(frozen=True)
class Specification:
    """A whole tree, and the auxiliary values of each drawn row."""

    root: NodeSpecification
    auxiliary: tuple[Auxiliary, ...]

    @cached_property
    def nodes(self) -> list[NodeSpecification]:
        """The declared nodes in preorder."""
        return self.root.subtree()

    @property
    def parents(self) -> list[int]:
        """The place of the parent of each node, -1 for the root."""
        parents = [-1] * len(self.nodes)
        places = {id(node): place for place, node in enumerate(self.nodes)}
        for place, node in enumerate(self.nodes):
            for child in node.children:
                parents[places[id(child)]] = place
        return parents

    def coded_columns(self) -> list[str]:
        """Return the columns that are compared or cloned, each once."""
        return list(dict.fromkeys(node.column for node in self.nodes if node.column is not None))

    def number_columns(self) -> list[str]:
        """Return the columns that are weights, each once."""
        named: list[Optional[str]] = []
        for node in self.nodes:
            named.append(node.weight.column if isinstance(node.weight, Proportional) else None)
            named.append(node.row_weight)
        return list(dict.fromkeys(name for name in named if name is not None))


def parse_specification(spec: Any) -> Specification:
    """Read and validate a specification.

    Parameters
    ----------
    spec : dict, str or pathlib.Path
        The root node as a mapping; or as YAML, in text or in a file whose name ends in .yaml or .yml. Its key
        ``auxiliary`` maps the names of auxiliary values to their functions.

    Returns
    -------
    Specification

    Raises
    ------
    TypeError, ValueError
        If it is not a valid specification, and the message contains the path of the node; or if it is the path of
        anything but a regular file.
    ImportError
        If it is YAML and PyYAML is not installed.
    """
    if isinstance(spec, Specification):
        return spec
    if isinstance(spec, Path) or (isinstance(spec, str) and "\n" not in spec and spec.endswith((".yaml", ".yml"))):
        check_regular(spec, "spec")
        spec = _load_yaml(Path(spec).read_text(encoding="utf-8"))
    elif isinstance(spec, str):
        spec = _load_yaml(spec)
    _check_nesting(spec)
    if not isinstance(spec, Mapping):
        raise refused_type("spec", "be a mapping: the root node", show(spec))
    root = {key: value for key, value in spec.items() if key != "auxiliary"}
    return Specification(_read_node(root, "", "root", _ROOT_KEYS), parse_auxiliary(spec.get("auxiliary")))


def _check_nesting(spec: Any) -> None:
    """Refuse mappings and lists that are nested too deeply, or contain themselves, before any recursion into them."""
    level = [spec] if isinstance(spec, (Mapping, list, tuple)) else []
    total = 0
    for _ in range(MAX_NESTING):
        total += len(level)
        if total > MAX_NESTED:
            break
        items = chain.from_iterable(one.values() if isinstance(one, Mapping) else one for one in level)
        # One more than the limit is enough.
        level = list(islice((item for item in items if isinstance(item, (Mapping, list, tuple))), MAX_NESTED + 1))
        if not level:
            return
    raise _too_nested()


def _too_nested() -> ValueError:
    required = f"have at most {MAX_NESTED} mappings and lists, nested at most {MAX_NESTING} deep"
    return refused_value("spec", required, "more")


def _read_node(written: Any, above: str, place: str, keys: Sequence[str]) -> NodeSpecification:
    """Read a node, which is at `place` among the children of the path `above`; the root is below no path."""
    given, name = written, place
    if isinstance(written, Mapping):
        given = _with_for_each(written)
        name = given["name"] if "name" in given else (above and _name_of(given)) or place
    is_named = isinstance(name, str) and bool(name)
    path = f"{above}/{name if is_named else place}" if above else name if is_named else place
    with refusals(f"of node '{path}'"):
        return _read_keys(given, written, name, path, keys)


def _with_for_each(given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a node with ``for_each: true`` instead of ``value: for_each``, unless `op` or `for_each` is given."""
    value = given.get("value")
    if not isinstance(value, str) or value != FOR_EACH or "op" in given or FOR_EACH in given:
        return given
    return {FOR_EACH if key == "value" else key: True if key == "value" else kept for key, kept in given.items()}


def _name_of(given: Mapping[Any, Any]) -> str:
    """Return the name of an unnamed node: the column of clones, or the value; nothing if the value is not plain."""
    value = given.get("column" if given.get(FOR_EACH) is True else "value")
    if isinstance(value, str):
        return value
    return show(value) if isinstance(value, (bool, np.bool_)) or is_number(value) else ""


def _read_keys(given: Any, written: Any, name: Any, path: str, keys: Sequence[str]) -> NodeSpecification:
    """Read the keys of a node; `written` is the node for messages."""
    if not isinstance(given, Mapping):
        raise refused_type("node", "be a mapping of keys", show(given))
    _check_keys(given, keys)
    if not isinstance(name, str) or not name:
        raise refused_type("name", "be a text", show(name))
    children = given.get("children", ())
    if not isinstance(children, (list, tuple)) or (not children and "children" in given):
        raise refused_type("children", "be a list of nodes", show(children))
    condition, for_each = _read_selection(given, written)
    return NodeSpecification(
        name=name,
        path=path,
        mode=_read_choice(given, "mode", MODES) or "replacement",
        condition=condition,
        for_each=for_each,
        missing=_read_choice(given, "missing", MISSING_CHOICES) or "error",
        weight=_read_weight(given),
        row_weight=_read_row_weight(given),
        repeat=check_integer(given.get("repeat", 1), "repeat", minimum=1, maximum=MAX_COUNT),
        prune=_read_prune(given),
        children=_read_children(children, path),
    )


def _read_children(given: Sequence[Any], path: str) -> tuple[NodeSpecification, ...]:
    children = tuple(_read_node(child, path, str(place + 1), _KEYS) for place, child in enumerate(given))
    for name, count in Counter(child.name for child in children).items():
        if count > 1:
            raise refused_value("children", "have names of their own", f"'{name}' twice")
    return children


def _check_keys(given: Mapping[Any, Any], keys: Sequence[str]) -> None:
    for key in given:
        if key not in keys:
            advice = f"The nearest one is '{nearest(str(key), keys)}'."
            required = f"have no keys but {', '.join(keys)}"
            raise refused_value("node", required, show(key), advice)


def nearest(word: str, names: Sequence[str]) -> str:
    """Return the name that is most similar to a word."""
    return difflib.get_close_matches(word, names, n=1, cutoff=0.0)[0]


def _read_selection(given: Mapping[Any, Any], written: Mapping[Any, Any]) -> tuple[Optional[Condition], Optional[str]]:
    """Return the condition, or the column whose values each get a clone."""
    column = _read_column(given, "column")
    if check_flag(given.get("for_each", False), "for_each"):
        if column is None:
            raise refused_value("column", "be given with 'for_each'", _as_written(written))
        for key in ("value", "op"):
            if key in given:
                required = "be left out with 'for_each'"
                raise refused_value(key, required, show(given[key]), "Put it in a node of its own.")
        return None, column
    if "missing" in given:
        required = "be left out without 'for_each'"
        raise refused_value("missing", required, show(given["missing"]), "Use 'op: isnull'.")
    if column is None:
        for key in ("value", "op"):
            if key in given:
                raise refused_value("column", f"be given with '{key}'", _as_written(written))
        return None, None
    if "value" not in given and given.get("op") != "isnull":
        raise refused_value("value", "be given with 'column', unless 'op' is 'isnull'", _as_written(written))
    return Condition(column, *_read_comparison(given)), None


def _as_written(given: Mapping[Any, Any]) -> str:
    """Return a node as text, for a message about a missing key."""
    return "{" + ", ".join(f"{key}: {show(value)}" for key, value in given.items()) + "}"


def _read_comparison(given: Mapping[Any, Any]) -> tuple[str, Any]:
    operator = given.get("op", "eq")
    if isinstance(operator, str):
        operator = SYMBOLS.get(operator, operator)
    operator = check_choice(operator, "op", choices=(*OPERATORS, *SYMBOLS))
    value = given.get("value")
    if operator == "isnull":
        if "value" in given:
            raise refused_value("value", "be left out with 'op: isnull'", show(value))
    elif operator in ("in", "not in", "between"):
        required = "be a list of two values, both included" if operator == "between" else "be a list of values"
        if not isinstance(value, (list, tuple)) or not value or (operator == "between" and len(value) != 2):
            raise refused_type("value", required, show(value))
        for item in value:
            _check_value(item)
        value = list(value)
    else:
        _check_value(value)
    return operator, value


def _check_value(value: Any) -> None:
    plain = (str, bool, int, float, date, np.bool_, np.integer, np.floating, np.datetime64)
    if not isinstance(value, plain) or value != value:
        required = "be a text, a number, a logical value or a date"
        advice = "Missing values are found by 'op: isnull'."
        raise refused_type("value", required, show(value), advice)


def _read_weight(given: Mapping[Any, Any]) -> Union[float, Proportional, None]:
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
    raise refused_value("weight", required, show(weight))


def _read_row_weight(given: Mapping[Any, Any]) -> Optional[str]:
    column = _read_column(given, "row_weight")
    if column is None:
        return None
    if "children" in given:
        raise refused_value("row_weight", "be given at a leaf", "a node with children")
    mode = given.get("mode", "replacement")
    if mode != "replacement":
        required = "be left out unless 'mode' is 'replacement'"
        raise refused_value("row_weight", required, f"'{column}' with {show(mode)}")
    return column


def _read_prune(given: Mapping[Any, Any]) -> Optional[str]:
    if "prune" in given and "prune_method" in given:
        raise refused_value("prune", "be given once", "also 'prune_method'")
    return _read_choice(given, "prune_method" if "prune_method" in given else "prune", PRUNE_CHOICES)


def _read_choice(given: Mapping[Any, Any], key: str, choices: Sequence[str]) -> Optional[str]:
    return check_choice(given[key], key, choices=choices) if key in given else None


def _read_column(given: Mapping[Any, Any], key: str) -> Optional[str]:
    if key not in given:
        return None
    if not isinstance(given[key], str):
        raise refused_type(key, "be the name of a column", show(given[key]))
    return str(given[key])


def _load_yaml(text: str) -> Any:
    """Read YAML with PyYAML's safe loader, without duplicate keys and aliases."""
    try:
        import yaml
    except ImportError as error:
        advice = "Install it: pip install 'pystrat[tree]', or apt install python3-yaml."
        told = f"PyYAML, which reads the specification, is not installed. {advice} Or give the specification as a dict."
        raise ImportError(told) from error

    class StrictLoader(yaml.SafeLoader):  # type: ignore[misc]
        nesting = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.peek_event()
                raise refused_value("spec", "have no aliases", f"'*{event.anchor}'{_line(event)}")
            if self.nesting > MAX_NESTING:
                raise _too_nested()
            self.nesting += 1
            node = super().compose_node(parent, index)
            self.nesting -= 1
            return node

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ArithmeticError, AttributeError, LookupError, ValueError):
                if not isinstance(node, yaml.ScalarNode):
                    raise
                kind = node.tag.rpartition(":")[2]
                got = f"the {kind} {show(shortened(node.value))}{_line(node)}"
                advice = "A text that looks like something else goes in quotes."
                raise refused_value("spec", "hold valid values", got, advice) from None

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if not isinstance(node, yaml.MappingNode):
                return super().construct_mapping(node, deep)  # which refuses it
            seen = set()
            for key, _ in node.value:
                if str(key.value) in seen:
                    raise refused_value("spec", "have every key once", f"'{key.value}' again{_line(key)}")
                seen.add(str(key.value))
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, StrictLoader)
    except yaml.YAMLError as error:
        raise refused_value("spec", "be YAML", f"what PyYAML refuses ({error})") from error


def _line(mark: Any) -> str:
    return f" in line {mark.start_mark.line + 1}"
