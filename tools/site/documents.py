"""Copies the documents of the repository, in its own folders, so that their relative links hold."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "vignettes/*.md", "benchmarks/*.md")

# The target of [text](target), with the parenthesis before it and what ends it: the parenthesis, a part of a page.
_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")

# A block of code with what it printed or drew, and such blocks one after another.
_LANGUAGES = {"python": "Python", "r": "R"}
_PRINTED = r"    \S.*\n(?:(?:    .*)?\n)*|```text\n(?s:.*?)\n```\n\n|!\[.*\n\n"
_BLOCK = rf"``` ?(?:python|r)\n(?s:.*?)\n```\n\n(?:{_PRINTED})*"
_CODE = re.compile(f"({_BLOCK.replace('(?:python|r)', '(python|r)')})", flags=re.MULTILINE)
_CODES = re.compile(rf"(?:^{_BLOCK})+", flags=re.MULTILINE)


def collect_documents(root: Path, sources: Path) -> None:
    """Copy the pages, and what they link to; the README is the front page, where its links lead.

    A document that only a link leads to becomes a page without a place in the navigation. Other files are copied, and
    folders are packed: the site offers both for download. Links to what is not there are left for Sphinx to report.
    """
    front = root / "README.md"
    listed = [path for pattern in PAGES for path in sorted(root.glob(pattern))]
    waiting, seen = [front, *listed], {front, *listed}
    while waiting:
        page = waiting.pop()
        text = page.read_text(encoding="utf-8")
        for target in _local_links(page, text):
            if target.is_dir():
                text = _with_packed_folder(text, page, target)
            if target in seen or not target.is_relative_to(root):
                continue
            seen.add(target)
            if target.suffix == ".md":
                waiting.append(target)
            else:
                _copy(target, root, sources)
        if page == front:
            continue
        if page not in listed:
            text = f"---\norphan: true\n---\n\n{text}"
        _write(sources / page.relative_to(root), with_language_tabs(text))


def with_language_tabs(text: str) -> str:
    """Turn code of Python and of R into tabs if nothing but what it printed or drew is between them."""

    def tabs(match: re.Match[str]) -> str:
        parts: list[tuple[str, str]] = _CODE.findall(match[0])
        if {language for _, language in parts} != set(_LANGUAGES):
            return str(match[0])
        return "".join(
            f"`````{{tab}} {name}\n\n{''.join(part for part, of in parts if of == language).strip()}\n\n`````\n\n"
            for language, name in _LANGUAGES.items()
        )

    return _CODES.sub(tabs, text)


def _local_links(page: Path, text: str) -> list[Path]:
    """The files and folders that a document links to, each once."""
    links = dict.fromkeys(link for link in _LINK.findall(text) if "://" not in link)
    targets = [(page.parent / link).resolve() for link in links]
    return [target for target in targets if target.exists()]


def _with_packed_folder(text: str, page: Path, folder: Path) -> str:
    """Let links to a folder lead to its archive."""

    def packed(match: re.Match[str]) -> str:
        is_folder = (page.parent / match[1]).resolve() == folder
        return f"{match[1].rstrip('/')}.zip" if is_folder else match[1]

    return _LINK.sub(packed, text)


def _copy(target: Path, root: Path, sources: Path) -> None:
    place = sources / target.relative_to(root)
    place.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.make_archive(str(place), "zip", root_dir=target.parent, base_dir=target.name)
    else:
        shutil.copy(target, place)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
