"""The number of draws until every row below a node has been drawn."""

from __future__ import annotations

import difflib

import numpy as np

from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refused_value
from pystrat.tree import _building as core
from pystrat.tree.building import Tree


def pass_length(tree: Tree, name: str) -> int:
    """Return the number of draws of the root until every row below the node of that name is drawn.

    Raises
    ------
    ValueError
        If the name is not that of exactly one node, if the node or one below or above it draws with replacement, or if
        the number exceeds 2^31 - 1.
    """
    node = _find(tree, name)
    needed, drawing_any = core.pass_length(tree.modes, tree.parents, tree.depths, tree.offsets, tree.repeats, node)
    if drawing_any >= 0:
        required = "be a number of draws, or the name of a node that, as all above and below it, draws in sequence or "
        got = f"'{name}', while '{tree.path(drawing_any)}' draws with replacement,"
        raise refused_value("length", required + "shuffled", got)
    if needed > MAX_COUNT:
        more = "more than " if needed >= core.ENDLESS_PASS else ""
        required = f"take at most {MAX_COUNT} draws"
        raise refused_value("length", required, f"'{name}', which takes {more}{needed},")
    return needed


def _find(tree: Tree, name: str) -> int:
    places = [place for place, declared in enumerate(tree.nodes) if declared.name == name]
    found = np.flatnonzero(np.isin(tree.declared, places))
    if len(found) == 1:
        return int(found[0])
    if len(found) > 1:
        required = "be a number of draws, or the name of one node"
        got = f"'{name}', the name of {count_of(len(found), 'node')},"
        raise refused_value("length", required, got)
    names = [declared.name for declared in tree.nodes]
    got = f"'{name}', which is pruned," if places else f"'{name}'"
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)[0]
    advice = None if places else f"The nearest name is '{nearest}'."
    raise refused_value("length", "be a number of draws, or the name of a node", got, advice)
