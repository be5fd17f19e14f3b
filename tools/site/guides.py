"""The guides of docs/README.md: the navigation, and the words by which the search finds each page.

A line of that page is a link to a guide, followed by what people search for. Further links of a line are pages below.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

OVERVIEW = Path("docs") / "README.md"
_LINE = re.compile(r"^## (.+)$|^- (\[.*(?:\n  .*)*)", flags=re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\(([^)#]+)\.md\)([^[]*)")


class Guide(NamedTuple):
    """A page, without its suffix, with its name and the page that it is below in the navigation, if any."""

    group: str
    name: str
    page: str
    words: str
    above: str


def guides(root: Path) -> list[Guide]:
    """Return the guides in the order of the overview."""
    text = (root / OVERVIEW).read_text(encoding="utf-8")
    group, found = "", []
    for heading, line in _LINE.findall(text):
        group, above = heading or group, ""
        for name, link, words in _LINK.findall(line):
            page = (root / OVERVIEW.parent / link).resolve().relative_to(root.resolve()).as_posix()
            found.append(Guide(group, name, page, " ".join(words.strip(" \n:;,.").split()), above))
            above = above or page
    return found


def front_page(root: Path) -> str:
    """Return the README as the front page of the site, with the navigation: a list of pages for each group."""
    top = [guide for guide in guides(root) if not guide.above]
    trees = []
    for group in dict.fromkeys(guide.group for guide in top):
        pages = [entry(guide) for guide in top if guide.group == group]
        if group == "Start":
            pages.insert(0, f"/{OVERVIEW.with_suffix('').as_posix()}")
        if group == "Reference":
            pages += ["/python/index", "/r/index"]
        trees.append(toctree(pages, group))
    text = (root / "README.md").read_text(encoding="utf-8")
    return "\n".join(["---\nhide-toc: true\n---\n", text, *trees])


def add_pages_below(root: Path, sources: Path) -> None:
    """Let the navigation show further links of a line below the page of the first one."""
    listed = guides(root)
    for above in dict.fromkeys(guide.above for guide in listed if guide.above):
        pages = [entry(guide) for guide in listed if guide.above == above]
        path = sources / f"{above}.md"
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{toctree(pages)}", encoding="utf-8")


def entry(guide: Guide) -> str:
    """Return a line of the navigation, with the name that the overview has."""
    return f"{guide.name} </{guide.page}>"


def toctree(pages: list[str], caption: str = "") -> str:
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return "\n".join([f"```{{toctree}}\n{options}", *pages, "```\n"])


def write_guides(root: Path, site: Path) -> None:
    """Write the guides as a script, which the search reads even from pages that are opened as files."""
    listed = [{"name": guide.name, "page": f"{guide.page}.html", "words": guide.words} for guide in guides(root)]
    script = f"const GUIDES = {json.dumps(listed, indent=1)};\n"
    (site / "_static" / "guides.js").write_text(script, encoding="utf-8")
