"""Everything public has one name: no alias of a class, a function, a method or a property."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from typing import Any, Iterator

MODULES = ("pystrat", "pystrat.corpus", "pystrat.stream", "rbridge")


def names_of_one_thing(named: Iterator[tuple[str, int]]) -> list[list[str]]:
    found = defaultdict(list)
    for name, thing in named:
        found[thing].append(name)
    return [names for names in found.values() if len(names) > 1]


def members(kind: type) -> Iterator[tuple[str, int]]:
    """Yield the public methods and properties, each with the code that it runs."""
    for name in dir(kind):
        member: Any = inspect.getattr_static(kind, name)
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if not name.startswith("_") and callable(function):
            yield name, id(getattr(function, "__code__", function))


def test_nothing_public_and_no_member_of_a_class_has_two_names() -> None:
    modules = [importlib.import_module(module) for module in MODULES]
    public = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    assert names_of_one_thing((name, id(made)) for name, made in public.items()) == []
    for name, made in public.items():
        assert not inspect.isclass(made) or names_of_one_thing(members(made)) == [], name
