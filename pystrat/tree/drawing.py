"""The sequence of draws of a tree and a seed, with their auxiliary values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat._random import RandomStream
from pystrat.tree._drawing import Drawing, stream_seed
from pystrat.tree.building import Tree


@dataclass(frozen=True, eq=False)
class Draws:
    """Consecutive draws: the rows, and the auxiliary values by name, except those of user functions."""

    rows: NDArray[np.int32]
    values: dict[str, NDArray[Any]]


class DrawSequence:
    """The draws of a tree, from the first on.

    Parameters
    ----------
    tree : Tree
    seed : int
        From 0 to 2^31 - 2.
    keep : bool
        Whether `draw` will be called more than once.
    """

    def __init__(self, tree: Tree, seed: int, *, keep: bool) -> None:
        cumulative, begin = tree.cumulative()
        by_depth = tree.by_depth()
        self._drawing = Drawing(
            modes=tree.modes,
            repeats=tree.repeats,
            leaves=tree.leaves.view(np.int8),
            options=tree.options,
            offsets=tree.offsets,
            cumulative=cumulative,
            cumulative_begin=begin,
            by_depth=by_depth,
            depths=tree.depths[by_depth].astype(np.int64),
            seed=seed,
            keep=keep,
        )
        self._auxiliary = tree.specification.auxiliary
        self._streams = [RandomStream(stream_seed(seed, len(tree) + place)) for place in range(len(self._auxiliary))]
        self.position = 0

    def draw(self, count: int) -> Draws:
        """Return the next `count` draws."""
        rows = self._drawing.draw(count)
        values = {
            auxiliary.name: auxiliary.values(stream, self.position, count)
            for auxiliary, stream in zip(self._auxiliary, self._streams)
            if not auxiliary.is_of_user
        }
        self.position += count
        return Draws(rows, values)
