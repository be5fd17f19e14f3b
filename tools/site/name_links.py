"""An extension of Sphinx: a public name leads to its page, wherever a text has it."""

from __future__ import annotations

from typing import Any, Optional

from docutils import nodes

from reference import entries, pages_of_names

PAGES = pages_of_names(entries())
# PyTorch's class has this name too, and texts mean that one.
del PAGES["BatchSampler"]


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
        place = PAGES.get(code.astext())
        if place in (None, docname) or inside_link(code):
            continue
        link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(docname, place))
        code.replace_self(link)
        link += code


def inside_link(node: nodes.Node) -> bool:
    """Return whether a node is in a link or in a title, which the navigation repeats."""
    while node is not None:
        if isinstance(node, (nodes.reference, nodes.title)):
            return True
        node = node.parent
    return False
