"""The guides of docs/README.md: the groups of the navigation, and the words by which each page is found.

A line of that page is a link to a guide, followed by what people search for.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

OVERVIEW = Path("docs") / "README.md"
_LINE = re.compile(r"^## (.+)$|^- (\[.*)((?:\n  .*)*)", flags=re.MULTILINE)


class Guide(NamedTuple):
    """A page, without its suffix, in the group that has it."""

    group: str
    page: str
    words: str


def guides(root: Path) -> list[Guide]:
    """Return the pages in the order of the overview, each once; a second link of a line is a page of its own."""
    text = (root / OVERVIEW).read_text(encoding="utf-8")
    group = ""
    found: dict[str, Guide] = {}
    for heading, line, rest in _LINE.findall(text):
        group = heading or group
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line + rest)
        for link in re.findall(r"\]\(([^)#]+)\.md", line + rest):
            page = (root / OVERVIEW.parent / link).resolve().relative_to(root.resolve()).as_posix()
            found.setdefault(page, Guide(group, page, " ".join(words.split())))
    return list(found.values())


def front_page(root: Path) -> str:
    """Return the README as the front page of the site, with the navigation: a list of pages for each group."""
    text = with_tabs((root / "README.md").read_text(encoding="utf-8"))
    listed = guides(root)
    groups = list(dict.fromkeys(guide.group for guide in listed))
    groups.insert(groups.index("Reference") + 1, "")
    trees = []
    for group in groups:
        pages = [guide.page for guide in listed if guide.group == group]
        if group == "Start":
            pages.insert(0, OVERVIEW.with_suffix("").as_posix())
        if not group:
            group, pages = "Names", ["Python <python/index>", "R <r/index>"]
        trees.append("\n".join([f"```{{toctree}}\n:hidden:\n:caption: {group}\n", *pages, "```\n"]))
    return "\n".join(["---\nhide-toc: true\n---\n", text, *trees])


def with_tabs(text: str) -> str:
    """Turn a table of one row, whose columns are languages with a block of code each, into tabs."""

    def tabs(match: re.Match[str]) -> str:
        names = re.findall(r"<th>(.*?)</th>", match[0])
        blocks = re.findall(r"^```\w+\n.*?^```$", match[0], flags=re.MULTILINE | re.DOTALL)
        return "\n\n".join(f"````{{tab}} {name}\n\n{block}\n\n````" for name, block in zip(names, blocks))

    return re.sub(r"^<table>.*?^</table>$", tabs, text, flags=re.MULTILINE | re.DOTALL)
