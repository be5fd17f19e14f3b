"""The vectors of a recipe for a tree and its auxiliary values."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from pystrat.tree.auxiliary import Auxiliary
from pystrat.tree.building import Tree


def tree_parts(tree: Tree) -> dict[str, Any]:
    """Return the nodes in preorder, the rows of the leaves, and the weights of the options if they matter."""
    of_leaves = np.repeat(tree.leaves, tree.counts)
    return {
        "modes": tree.modes.view(np.uint8),
        "repeats": tree.repeats.astype(np.int32),
        "depths": tree.depths,
        "counts": tree.counts[tree.leaves].astype(np.int32),
        "rows": tree.options[of_leaves],
        "weighted": tree.weighted.view(np.uint8),
        "weights": tree.weights[np.repeat(tree.weighted, tree.counts)],
    }


def auxiliary_parts(auxiliary: Sequence[Auxiliary]) -> dict[str, Any]:
    """Return the functions and their arguments: numbers, logical values as 0 or 1, and text, concatenated."""
    if not auxiliary:
        return {}
    arguments = [_arguments_of(value) for value in auxiliary]
    kinds = [_kind_of(items) for items in arguments]
    numbers = [item for items, kind in zip(arguments, kinds) if kind != "text" for item in items]
    return {
        "auxiliary": [value.name for value in auxiliary],
        "functions": [value.function for value in auxiliary],
        "kinds": kinds,
        "n_arguments": np.array([len(items) for items in arguments], dtype=np.int32),
        "numbers": np.array(numbers, dtype=np.float64),
        "texts": [item for items, kind in zip(arguments, kinds) if kind == "text" for item in items],
    }


def _arguments_of(value: Auxiliary) -> list[Any]:
    """Return the arguments, or the items if there is a single list; none for functions, which recipes cannot hold."""
    if value.is_of_user:
        return []
    return list(value.arguments[0] if value.function in ("choice", "cycle") else value.arguments)


def _kind_of(items: list[Any]) -> str:
    first = items[0] if items else 0
    return "text" if isinstance(first, str) else "logical" if isinstance(first, bool) else "number"
