"""The contract between `BatchSampler` and its subclasses is the one that pystrat/base.py describes."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Iterator

import pystrat
import pystrat.base
from pystrat import BatchSampler


def subclasses(of: type) -> Iterator[type]:
    for subclass in of.__subclasses__():
        if subclass.__module__.startswith("pystrat."):  # not those of other tests
            yield subclass
        yield from subclasses(subclass)


def overridden_methods() -> set[str]:
    """Return the methods of BatchSampler, except special ones, that any sampler of the package overrides."""
    for module in pkgutil.walk_packages(pystrat.__path__, "pystrat."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    own = {name for name in vars(BatchSampler) if not name.startswith("__")}
    return {name for subclass in subclasses(BatchSampler) for name in vars(subclass) if name in own}


def test_subclasses_override_the_methods_that_the_base_module_names_and_no_others() -> None:
    described = set(re.findall(r"`(_\w+)`", pystrat.base.__doc__ or ""))
    assert overridden_methods() - {"_abc_impl"} == {name for name in described if hasattr(BatchSampler, name)}


def test_one_file_of_the_tests_imports_what_is_private() -> None:
    folder = Path(__file__).parent
    imported = re.compile(r"^\s*(?:from pystrat\S* import .*\b_\w|(?:from|import) pystrat\S*\._)", re.MULTILINE)
    found = {path.name for path in folder.rglob("*.py") if imported.search(path.read_text(encoding="utf-8"))}
    assert found == {"inside.py"}


def test_what_pystrat_is_compared_with_does_without_it() -> None:
    imported = re.compile(r"^\s*(?:from|import) (pystrat|rbridge|tests\.specimens)\b", re.MULTILINE)
    scripts = (Path(__file__).parent / "reference").glob("*.py")
    found = {path.name for path in scripts if imported.search(path.read_text(encoding="utf-8"))}
    assert found == {"golden_specimens.py"}  # it compares R with Python
