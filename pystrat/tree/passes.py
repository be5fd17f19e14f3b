"""How many draws it takes until every row below a node has been drawn."""

from __future__ import annotations

import difflib

import numpy as np

from pystrat.messages import count_of, refusal
from pystrat.tree.building import Tree
from pystrat.tree.specification import MODES


def pass_length(tree: Tree, name: str, owner: str) -> int:
    """Return the draws of the root in which every row below the node of that name is drawn.

    A leaf needs rows * repeat draws, an inner node children * repeat * ceil(most / repeat), where `most` is the most
    that a child needs; and so on up to the root.

    Raises
    ------
    ValueError
        Where no node or more than one has the name, or the node, one below or one above draws with replacement.
    """
    node = _find(tree, name, owner)
    below = np.flatnonzero(tree.depths[node + 1 :] <= tree.depths[node])
    end = node + 1 + int(below[0]) if len(below) else len(tree)
    above = []
    parent = int(tree.parents[node])
    while parent >= 0:
        above.append(parent)
        parent = int(tree.parents[parent])
    modes = tree.modes
    for other in (*above, *range(node, end)):
        if modes[other] == MODES.index("replacement"):
            required = f"be a number of draws, or the name of a node that, as all above and below it, draws in {_TURN}"
            got = f"'{name}', while '{tree.path(other)}' draws with replacement,"
            raise ValueError(refusal("length", owner, required, got))
    counts, repeats = tree.counts.tolist(), tree.repeats.tolist()
    most = dict.fromkeys(range(node, end), 1)  # the draws that the neediest option needs; a row needs one
    for other in range(end - 1, node, -1):
        parent = int(tree.parents[other])
        most[parent] = max(most[parent], _cycle(counts[other], repeats[other], most[other]))
    needed = _cycle(counts[node], repeats[node], most[node])
    for other in above:
        needed = _cycle(counts[other], repeats[other], needed)
    return needed


_TURN = "sequence or shuffled"


def _cycle(n_options: int, repeat: int, needed: int) -> int:
    """Return the draws after which each of the options has been used `needed` times."""
    return n_options * repeat * -(-needed // repeat)


def _find(tree: Tree, name: str, owner: str) -> int:
    places = [place for place, declared in enumerate(tree.nodes) if declared.name == name]
    found = np.flatnonzero(np.isin(tree.declared, places))
    if len(found) == 1:
        return int(found[0])
    if len(found) > 1:
        required = "be a number of draws, or the name of one node"
        got = f"'{name}', the name of {count_of(len(found), 'node')},"
        raise ValueError(refusal("length", owner, required, got))
    names = [declared.name for declared in tree.nodes]
    got = f"'{name}', which is pruned," if places else f"'{name}'"
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)[0]
    advice = None if places else f"The nearest name is '{nearest}'."
    raise ValueError(refusal("length", owner, "be a number of draws, or the name of a node", got, advice))
