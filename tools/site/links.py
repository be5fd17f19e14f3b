"""Finds links of a built site that lead nowhere inside it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Optional
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the places in it that links can name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        for name, value in attrs:
            if value is not None and name in ("href", "src"):
                self.links.append(value)
            if value is not None and (name == "id" or (tag, name) == ("a", "name")):
                self.anchors.add(value)


def broken_links(site: Path) -> list[tuple[str, str]]:
    """Return the links that name no file of the site, or no place in a page of it, with the page that has them."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    return [
        (str(page.path.relative_to(site)), link)
        for page in pages.values()
        for link in dict.fromkeys(page.links)
        if not _leads_somewhere(link, page, pages)
    ]


def _leads_somewhere(link: str, page: Page, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
    if target not in pages:
        return target.is_file() and not parts.fragment
    # Without JavaScript, "#" and "#top" are the beginning of a page, whatever it holds.
    return parts.fragment in ("", "top") or unquote(parts.fragment) in pages[target].anchors
