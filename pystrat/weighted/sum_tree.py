"""A sum tree: rows drawn by weights that change."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat._core import RandomStream, stream_at
from pystrat.core.limits import MAX_SEED
from pystrat.core.messages import check_integer, refused_value, show
from pystrat.core.row_arguments import row_positions, row_values
from pystrat.core.seeds import check_seed

_STATE_VERSION = 1
_STATE_ENTRIES = ("version", "capacity", "weights", "next_position", "seed", "generator")


class SumTree:
    """Weights of rows in a tree of sums: drawing k of n rows by weight takes O(k log n).

    The method is that of M. Huenermann, "Sampling Algorithms" (2021), with eight children of a node in place of two.

    Parameters
    ----------
    weights : array_like of float, shape (n,), optional
        The weights: finite, none below 0. A row of weight 0 is never drawn.
    capacity : int, optional
        The largest number of rows, from 1 to 2147483647; by default the number of weights.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``.

    Notes
    -----
    Guarantees:

    * A row is drawn with probability weight / total, to 53 bits, however sums are rounded.
    * Without replacement, rows are drawn successively from those that are left.
    * The tree is, bit for bit, the one that is built from the same weights, whatever changes came before.
    * The same seed, weights and calls give the same rows on every machine. No global random state is read or changed.

    Examples
    --------
    >>> from pystrat import SumTree
    >>> tree = SumTree([1, 0, 4, 5], seed=1)
    >>> tree.total
    10.0
    >>> tree.sample(6).tolist()
    [2, 3, 2, 3, 3, 2]
    >>> tree.update([2, 3], [0, 0])
    >>> tree.sample(3).tolist()
    [0, 0, 0]
    """

    capacity: int  #: The largest number of rows.
    seed: int  #: The seed, given or drawn.

    def __init__(self, weights: Any = None, *, capacity: Optional[int] = None, seed: Optional[int] = None) -> None:
        parts = _core.check("sum_tree", {"capacity": capacity, "seed": seed})
        first = {} if weights is None else {"weights": row_values(weights, "weights")}
        n_rows = {"n_rows": len(first["weights"])} if first else {}
        self._instance = _core.Instance("sum_tree", {**parts, **n_rows}, 0)
        self._instance.begin(first)
        self.seed = check_seed(seed)
        self._stream = RandomStream(self.seed)
        self.capacity = int(parts.get("capacity", n_rows.get("n_rows")))

    def __len__(self) -> int:
        """Return the number of rows that have a weight."""
        return int(self._instance.ask("n_rows")["n_rows"])

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self._instance.ask("total")["total"])

    def sample(self, k: int = 1, *, replacement: bool = True) -> NDArray[np.int32]:
        """Draw `k` rows by their weights, and return them in the order of the draws.

        Without `replacement`, no row is drawn more than once, and `k` is at most the number of positive weights.
        """
        return self._instance.draw_more(self._stream, {"k": k, "count": 1, "replacement": replacement})

    def update(self, indices: Any, weights: Any) -> None:
        """Set the weights of rows; if a row is repeated, the last of its weights counts."""
        positions = row_positions(indices, "indices")
        numbers = row_values(weights, "weights", single=len(positions) == 1)
        self._instance.tell("update", {"indices": positions, "weights": numbers})

    def append(self, weights: Any) -> NDArray[np.int64]:
        """Add rows with these weights, and return their positions; in a full tree, they replace the oldest ones."""
        numbers = row_values(weights, "weights")
        return np.asarray(self._instance.tell("append", {"weights": numbers})["rows"])

    def weights(self, indices: Any = None) -> NDArray[np.float64]:
        """Return the weights of rows, or of all of them, as a new array."""
        asked = {} if indices is None else {"indices": row_positions(indices, "indices")}
        return np.asarray(self._instance.ask("weights", asked)["weights"])

    def find(self, values: Any) -> NDArray[np.int32]:
        """Return the rows in whose shares of the total some values lie, from 0 to below `total`.

        The share of a row begins at the sum of the weights before it.
        """
        asked = {"values": row_values(values, "values", single=True)}
        return np.asarray(self._instance.ask("rows", asked)["rows"])

    def state_dict(self) -> dict[str, Any]:
        """Return the state: numbers, and arrays, which may also be lists, such as from JSON. R reads it, too."""
        kept = self._instance.ask("state")
        position, generator = int(kept["next_position"]), self._stream.state()
        entries = (_STATE_VERSION, self.capacity, kept["weights"], position, self.seed, generator)
        return dict(zip(_STATE_ENTRIES, entries))

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue where a tree with the same capacity had this state; take over its seed."""
        if not isinstance(state, Mapping) or not set(_STATE_ENTRIES) <= set(state):
            *first, last = map(show, _STATE_ENTRIES)
            raise refused_value("state", f"have the entries {', '.join(first)} and {last}", show(state))
        check_integer(state["version"], "version", minimum=_STATE_VERSION, maximum=_STATE_VERSION)
        check_integer(state["capacity"], "capacity", minimum=self.capacity, maximum=self.capacity)
        seed = check_integer(state["seed"], "seed", minimum=0, maximum=MAX_SEED)
        kept = {name: row_values(state[name], name) for name in ("weights", "generator")}
        instance = _core.Instance("sum_tree", {"capacity": self.capacity}, 0)
        instance.begin({**kept, "next_position": state["next_position"]})
        self._instance, self.seed, self._stream = instance, seed, stream_at(kept["generator"])

    def __getstate__(self) -> dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.capacity = state["capacity"]
        self.load_state_dict(state)

    def __repr__(self) -> str:
        return f"SumTree({len(self)} rows, capacity={self.capacity}, total={self.total:g}, seed={self.seed})"
