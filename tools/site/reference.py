"""Writes the pages of both references.

Sphinx takes the text of a Python page from the docstring; rd_to_markdown.R writes the R pages from the help pages.
"""

from __future__ import annotations

import inspect
import re
import subprocess
from importlib import import_module
from itertools import groupby
from pathlib import Path

from names import Entry, entries, write_names
from pictures import DRAWN, write_pictures

# Classes of others, which samplers, losses and errors inherit from: their members are not shown.
FOREIGN = ("Module", "int", "tuple", "BaseException")
LANGUAGES = {"python": "Python", "r": "R"}


def write_reference(root: Path, sources: Path) -> None:
    """Write the folders python and r: a page for each name, and an index of them."""
    listed = entries(root)
    summaries = {**r_titles(root), **{entry.python: summary(entry.python) for entry in listed if entry.python}}
    for language in LANGUAGES:
        (sources / language).mkdir()
        index = index_page(language, listed, summaries)
        (sources / language / "index.rst").write_text(index, encoding="utf-8")
    for entry in listed:
        if entry.python:
            page = python_page(entry.python, entry.r)
            (sources / "python" / f"{entry.python}.rst").write_text(page, encoding="utf-8")
    write_pictures(sources / "python")
    write_names(listed, sources / "names.csv")
    script = Path(__file__).with_name("rd_to_markdown.R")
    subprocess.run(["Rscript", str(script), str(sources / "names.csv"), str(sources / "r")], cwd=root, check=True)


def r_titles(root: Path) -> dict[str, str]:
    """Return the functions that have help pages of R, with the titles of the pages."""
    titles = {}
    for path in sorted((root / "rbridge" / "r" / "man").glob("*.Rd")):
        fields = re.findall(r"^\\(alias|title){(.*)}$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        titles.update({alias: dict(fields)["title"] for tag, alias in fields if tag == "alias"})
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
