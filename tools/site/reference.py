"""Writes the pages of both references, from names.csv: the public names, and which ones are the same in Python and R.

Sphinx takes the text of a Python page from the docstring; rd_to_markdown.R writes the R pages from the help pages.
"""

from __future__ import annotations

import csv
import inspect
import re
import subprocess
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple

import pystrat
import rbridge
from pictures import DRAWN, write_pictures

NAMES = Path(__file__).with_name("names.csv")
# Classes of others, which samplers, losses and errors inherit from: their members are not shown.
FOREIGN = ("Module", "int", "tuple", "BaseException")
LANGUAGES = {"python": "Python", "r": "R"}


class Entry(NamedTuple):
    """A line of names.csv: a name may be empty, if the other language has nothing like it."""

    group: str
    python: str
    r: str


def entries() -> list[Entry]:
    with NAMES.open(encoding="utf-8", newline="") as file:
        return [Entry(**row) for row in csv.DictReader(file)]


def write_reference(root: Path, sources: Path) -> None:
    """Write the folders python and r: a page for each name, and an index of them."""
    listed, titles = entries(), r_titles(root)
    public = python_names()
    check_names(listed, {*public, *titles})
    summaries = {**titles, **{name: summary(name) for name in public}}
    for language in LANGUAGES:
        (sources / language).mkdir()
        index = index_page(language, listed, summaries)
        (sources / language / "index.rst").write_text(index, encoding="utf-8")
    for entry in listed:
        if entry.python:
            page = python_page(entry.python, entry.r)
            (sources / "python" / f"{entry.python}.rst").write_text(page, encoding="utf-8")
    write_pictures(sources / "python")
    script = NAMES.with_name("rd_to_markdown.R")
    subprocess.run(["Rscript", str(script), str(NAMES), str(sources / "r")], cwd=root, check=True)


def check_names(listed: list[Entry], public: set[str]) -> None:
    """Refuse a table that does not have each public name once."""
    named = [name for entry in listed for name in (entry.python, entry.r) if name]
    problems = {
        "has no": public - set(named),
        "has, but the packages have no": set(named) - public,
        "has twice": {name for name in named if named.count(name) > 1},
    }
    for problem, names in problems.items():
        if names:
            raise SystemExit(f"site: {NAMES.name} {problem} {', '.join(sorted(names))}")


def python_names() -> list[str]:
    """Return the public names of the Python packages, each by the shortest path to it."""
    paths: dict[int, str] = {}
    for module in public_modules():
        for name in public_names(module):
            paths.setdefault(id(getattr(module, name)), f"{module.__name__}.{name}")
    return list(paths.values())


def public_modules() -> list[ModuleType]:
    """Return the modules that list their public names, the packages first, and the one that does not."""
    names = [module.name for module in walk_packages(pystrat.__path__, "pystrat.") if module.name != "pystrat.__main__"]
    listing = [module for module in map(import_module, names) if hasattr(module, "__all__")]
    return [pystrat, rbridge, *listing, import_module("pystrat.corpus.vocabulary")]


def public_names(module: ModuleType) -> list[str]:
    """Return `__all__`; of a module without it, what it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return [name for name in defined if not name.startswith("_")]


def r_titles(root: Path) -> dict[str, str]:
    """Return the names of the help pages of R with their titles."""
    titles = {}
    for path in sorted((root / "rbridge" / "r" / "man").glob("*.Rd")):
        fields = dict(re.findall(r"^\\(name|title){(.*)}$", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
        titles[fields["name"]] = fields["title"]
    return titles


def python_page(name: str, counterpart: str) -> str:
    """Return a page that Sphinx fills from the docstring."""
    module, _, short = name.rpartition(".")
    lines = [heading(short, "=")]
    if counterpart:
        lines.append(f"In R: {link('r', counterpart)}\n")
    lines.append(f".. currentmodule:: {module}\n")
    if inspect.isclass(getattr(import_module(module), short)):
        lines.append(f".. autoclass:: {short}\n   :members:\n   :inherited-members: {', '.join(FOREIGN)}\n")
    else:
        lines.append(f".. autofunction:: {short}\n")
    if name in DRAWN:
        lines.append(f".. image:: {name}.png\n   :alt: A picture that {short} has drawn.\n")
    return "\n".join(lines)


def index_page(language: str, listed: list[Entry], summaries: dict[str, str]) -> str:
    """Return the names of a language, group by group, with what each is and its counterpart in the other language."""
    other = "r" if language == "python" else "python"
    lines = [heading(f"{LANGUAGES[language]} reference", "="), ".. currentmodule:: pystrat\n"]
    own = [entry for entry in listed if getattr(entry, language)]
    for group, members in groupby(own, key=lambda entry: entry.group):
        lines.append(heading(group, "-"))
        for entry in members:
            name, counterpart = getattr(entry, language), getattr(entry, other)
            in_other = f" : in {LANGUAGES[other]} {link(other, counterpart)}" if counterpart else ""
            lines.append(f"{link(language, name)}{in_other}\n   {summaries[name]}\n")
    pages = "".join(f"   {getattr(entry, language)}\n" for entry in own)
    return "\n".join([*lines, f".. toctree::\n   :hidden:\n\n{pages}"])


def summary(name: str) -> str:
    """Return the first line of a docstring."""
    module, _, short = name.rpartition(".")
    return (inspect.getdoc(getattr(import_module(module), short)) or "").partition("\n")[0]


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def link(language: str, name: str) -> str:
    """Return a link to the page of a name, without the module of a Python name."""
    return f":doc:`{name.rpartition('.')[2] if language == 'python' else name} </{language}/{name}>`"


def pages_of_names(listed: list[Entry]) -> dict[str, str]:
    """Return the page of each name as texts write it; that of Python, if both languages have the name."""
    places: dict[str, str] = {}
    for entry in listed:
        if entry.r:
            places[f"{entry.r}()"] = places[f"rbridge::{entry.r}()"] = f"r/{entry.r}"
    for entry in listed:
        if entry.python:
            for name in (entry.python, entry.python.partition(".")[2], entry.python.rpartition(".")[2]):
                places[name] = places[f"{name}()"] = f"python/{entry.python}"
    return places
