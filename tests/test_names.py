"""Everything public has one name: no alias of a class, a function, a method or a property, and no parameter twice."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from typing import Any, Iterator

import pytest

MODULES = ("pystrat", "pystrat.corpus", "pystrat.stream", "rbridge")
PUBLIC = {
    f"{module}.{name}": getattr(importlib.import_module(module), name)
    for module in MODULES
    for name in importlib.import_module(module).__all__
}
CLASSES = sorted(name for name, made in PUBLIC.items() if inspect.isclass(made))


def names_of_one_thing(named: Iterator[tuple[str, int]]) -> list[list[str]]:
    found = defaultdict(list)
    for name, thing in named:
        found[thing].append(name)
    return [names for names in found.values() if len(names) > 1]


def members(kind: type) -> Iterator[tuple[str, int]]:
    """Return the public methods and properties, each with the code that it runs."""
    for name in dir(kind):
        member: Any = inspect.getattr_static(kind, name)
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if not name.startswith("_") and callable(function):
            yield name, id(getattr(function, "__code__", function))


def test_nothing_public_has_two_names() -> None:
    assert names_of_one_thing((name, id(made)) for name, made in PUBLIC.items()) == []


@pytest.mark.parametrize("name", CLASSES)
def test_no_member_of_a_class_has_two_names(name: str) -> None:
    assert names_of_one_thing(members(PUBLIC[name])) == []
