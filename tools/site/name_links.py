"""An extension of Sphinx: a public name, and the path of a document, lead to their page, wherever a text has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Iterator, Optional

from docutils import nodes

from names import entries
from reference import pages_of_names

PAGES = pages_of_names(entries(Path(__file__).resolve().parents[2]))
# PyTorch's class has this name too, and texts mean that one.
del PAGES["BatchSampler"]
_DOCUMENT = re.compile(r"(?:docs|vignettes)/[\w/-]+(?=\.(?:md|Rmd)\b)")
_VIGNETTE = re.compile(r'vignette\("([\w-]+)"')


def setup(app: Any) -> dict[str, bool]:
    app.connect("missing-reference", look_in_pystrat)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def look_in_pystrat(app: Any, env: Any, node: Any, text: Any) -> Optional[Any]:
    """Resolve a name in a docstring that its module does not have in `pystrat`, which has most public names."""
    if node["refdomain"] != "py":
        return None
    name = f"pystrat.{node['reftarget']}"
    return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, text)


def link_names(app: Any, page: nodes.document, docname: str) -> None:
    """Make code that is a public name a link, except on the page of the name and in links."""
    for code in list(page.findall(nodes.literal)):
        place = PAGES.get(code.astext()) or document_in(code.astext())
        if place in (None, docname) or place not in app.env.all_docs or inside_link(code.parent):
            continue
        link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(docname, place))
        code.replace_self(link)
        link += nodes.Text(app.env.titles[place].astext()) if document_in(code.astext()) else code
    for text in [text for text in page.findall(nodes.Text) if _DOCUMENT.search(text) and not inside_link(text.parent)]:
        text.parent.replace(text, list(linked_paths(app, docname, text.astext())))


def linked_paths(app: Any, docname: str, text: str) -> Iterator[nodes.Node]:
    """Cut a text into the paths of documents, as links, and what is between them."""
    for part in re.split(r"((?:docs|vignettes)/[\w/-]+\.(?:md|Rmd)\b)", text):
        place = document_in(part)
        if place in app.env.all_docs:
            title = app.env.titles[place].astext()
            yield nodes.reference("", title, internal=True, refuri=app.builder.get_relative_uri(docname, place))
        elif part:
            yield nodes.Text(part)


def document_in(text: str) -> Optional[str]:
    """Return the page of a document whose path or call a text is."""
    vignette = _VIGNETTE.match(text)
    if vignette:
        return f"vignettes/{vignette[1]}"
    path = _DOCUMENT.match(text)
    return path[0] if path else None


def inside_link(node: nodes.Node) -> bool:
    """Return whether a node is in a link, in code, or in a title, which the navigation repeats."""
    while node is not None:
        if isinstance(node, (nodes.reference, nodes.title, nodes.literal, nodes.literal_block)):
            return True
        node = node.parent
    return False
