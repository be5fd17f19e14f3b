"""Rows drawn by the ranks of their priorities: a sum tree over the ranks, and the rows in order of priority."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pystrat._random import RandomStream
from pystrat._row_weights import RowWeights
from pystrat._sum_tree import WeightTree
from pystrat.weighted._ranking import Ranking, rank_weights


class RankedRows(RowWeights):
    """Rows whose weight is r ^ -alpha, where r is their position, from 1, when sorted by priority.

    The largest priority comes first, ties are ordered by row number. States and copies contain only the priorities; the
    weights of ranks and the order of rows are computed from them.

    Parameters
    ----------
    priorities : numpy.ndarray of float64
        The priorities of the first rows: finite, none below 0.
    capacity : int
        From 1 to 2^31 - 1.
    alpha : float
        Small enough that the last of `capacity` ranks has a weight above 0.
    """

    _entry: ClassVar[str] = "priorities"

    def __init__(self, priorities: NDArray[np.float64], capacity: int, alpha: float) -> None:
        self._alpha = alpha
        super().__init__(priorities, capacity, name="priorities", minimum=True)

    def _build(self, priorities: NDArray[np.float64], capacity: int) -> None:
        wrong = np.flatnonzero(~(np.isfinite(priorities) & (priorities >= 0)))
        self._refuse_weights(int(wrong[0]) if len(wrong) else -1, priorities)
        tree = WeightTree(capacity, self._minimum)
        tree.fill(rank_weights(0, len(priorities), self._alpha))
        self._ranking = Ranking(capacity, priorities)
        self.tree = tree
        self._length = len(priorities)

    def update(self, rows: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Set the priorities of rows; new rows have the next positions."""
        n_rows = self._length
        new = np.arange(n_rows, max(n_rows, int(rows.max(initial=-1)) + 1))
        self.tree.update(new, rank_weights(n_rows, len(new), self._alpha))
        try:
            self._ranking.set_keys(rows, weights)
        except BaseException:
            self.tree.update(new, np.zeros(len(new)))
            raise

    def draw(
        self,
        stream: RandomStream,
        size: int,
        count: int,
        *,
        replacement: bool = True,
        sliced: bool = False,
        name: str = "k",
    ) -> NDArray[np.int32]:
        """Draw as `RowWeights` does: ranks are drawn, and then replaced by their rows."""
        ranks = super().draw(stream, size, count, replacement=replacement, sliced=sliced, name=name)
        return self._ranking.rows_of(ranks)

    def weights_of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weights by which rows are drawn, as a new array."""
        return super().weights_of(self._ranking.ranks_of(rows))

    def values(self) -> NDArray[np.float64]:
        """Return the priorities of all rows, as a new array."""
        return self._ranking.keys[: self._length].copy()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["_ranking"]
        return state
