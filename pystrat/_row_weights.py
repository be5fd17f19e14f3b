"""Weights of rows, checked and kept in a sum tree: shared by everything that draws rows by weight."""

from __future__ import annotations

from typing import Any, ClassVar, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import for_kernel, plain_array
from pystrat.messages import check_integer, refused_type, refused_value, show
from pystrat._random import RandomStream
from pystrat._sum_tree import WeightTree, first_outside

_FINITE = "hold finite numbers, none below 0"


class RowWeights:
    """Weights of up to `capacity` rows; rows without a weight are never drawn.

    Parameters
    ----------
    weights : numpy.ndarray of float64
        The weights of the first rows, at most `capacity`.
    capacity : int
        From 1 to 2^31 - 1.
    name : str
        The name of the weights in error messages.
    minimum : bool
        Whether to track the smallest positive weight.
    """

    _entry: ClassVar[str] = "weights"  # in a state

    def __init__(
        self, weights: NDArray[np.float64], capacity: int, *, name: str = "weights", minimum: bool = False
    ) -> None:
        self._name = name
        self._minimum = minimum
        self._build(weights, capacity)
        self._next_position = len(weights) % capacity

    def _build(self, weights: NDArray[np.float64], capacity: int) -> None:
        tree = WeightTree(capacity, self._minimum)
        self._refuse_weights(tree.fill(weights), weights)
        self.tree = tree
        self._length = len(weights)

    def __len__(self) -> int:
        return self._length

    def rows(self, rows: Any, name: str = "rows") -> NDArray[np.int64]:
        """Return row positions as int64; refuse anything else, and negative numbers. A number is a vector of one."""
        found = plain_array(rows, name)
        if found.size and found.dtype.kind not in "iu":
            raise refused_type(name, "hold row positions", _show_dtype(found))
        if found.ndim == 0:
            found = found.reshape(1)
        if found.ndim != 1:
            required = "be a vector of row positions"
            raise refused_value(name, required, f"{found.ndim} dimensions")
        positions = for_kernel(found, np.int64)
        outside = first_outside(positions, self._length)
        if outside >= 0:
            required = "be empty: there is no row"
            if self._length:  # in words, because R, which counts from 1, shows this message too
                required = f"hold row positions from 0 to {self._length - 1}, counted from 0"
            raise refused_value(name, required, show(found[outside]))
        return positions

    def update(self, rows: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Set weights of rows; for repeated rows, the last one counts. If one is refused, nothing changes."""
        self._refuse_weights(self.tree.update(rows, weights), weights)

    def append(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Add weights of new rows, which replace the oldest ones if there is no room; return their positions."""
        capacity = self.tree.capacity
        positions = (self._next_position + np.arange(len(weights), dtype=np.int64)) % capacity
        self.update(positions, weights)
        self._length = min(self._length + len(weights), capacity)
        self._next_position = (self._next_position + len(weights)) % capacity
        return positions

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
        """Draw `count` times `size` rows by their weights, as one array; `name` is the name of `size` in errors."""
        self.check_drawable(size, replacement=replacement, name=name)
        if replacement:
            return self.tree.sample(stream, size, count, sliced)
        return self.tree.sample_without_replacement(stream, size, count)

    def check_drawable(self, size: int, *, replacement: bool, name: str) -> None:
        """Refuse to draw `size` rows if too few weights are positive."""
        positive = self.tree.n_positive
        if size and not positive:
            raise refused_value(self._name, "not all be 0 when rows are drawn", "no positive weight")
        if not replacement and size > positive:
            required = f"be at most {positive}, the number of positive weights, without replacement"
            raise refused_value(name, required, show(size))

    def weights_of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weights by which rows are drawn, as a new array."""
        found: NDArray[np.float64] = self.tree.leaves[rows]
        return found

    def values(self) -> NDArray[np.float64]:
        """Return the values that determine everything else, one per row, as a new array."""
        return self.tree.leaves[: self._length].copy()

    def state(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {self._entry: self.values(), "next_position": self._next_position}

    def load_state(self, state: Any, *, fewest: int, drawn: NDArray[Any], positive: bool = False) -> None:
        """Load the weights of a state; with `positive`, none of them may be 0.

        Refuse a state with too few or too many rows, or whose drawn rows are not among them.
        """
        if not isinstance(state, Mapping) or not {self._entry, "next_position"} <= set(state):
            raise refused_value("state", f"hold the {self._entry} of the rows", show(state))
        capacity = self.tree.capacity
        weights = as_numbers(state[self._entry], "state")
        length = len(weights)
        if not fewest <= length <= capacity:
            required = f"{capacity}" if fewest == capacity else f"from {fewest} to {capacity}"
            raise refused_value("state", f"hold {required} {self._entry}", show(weights))
        if positive and not weights.all():
            raise refused_value("state", "hold weights above 0", show(0))
        first, last = (0, capacity - 1) if length == capacity else (length, length)
        position = check_integer(state["next_position"], "next_position", minimum=first, maximum=last)
        outside = drawn[(drawn < 0) | (drawn >= length)]
        if len(outside):
            required = f"hold drawn rows from 0 to {length - 1}" if length else "hold no drawn rows: it has no row"
            raise refused_value("state", required, show(outside[0]))
        self._build(weights, capacity)
        self._next_position = position

    def _refuse_weights(self, wrong: int, weights: NDArray[np.float64]) -> None:
        """Raise the error for the return value of the kernel."""
        if wrong == -2:
            raise refused_value(self._name, "have a finite total", "a total that overflows")
        if wrong >= 0:
            raise refused_value(self._name, _FINITE, show(weights[wrong]))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        tree = state.pop("tree")
        return {**state, "capacity": tree.capacity, "values": self.values()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values, capacity = state.pop("values"), state.pop("capacity")
        self.__dict__.update(state)
        self._build(values, capacity)


def as_numbers(values: Any, name: str, *, count: Optional[int] = None) -> NDArray[np.float64]:
    """Return a vector of numbers as float64, of length `count` if given; a single number is a vector of one row."""
    found = plain_array(values, name)
    if found.ndim == 0 and count == 1:
        found = found.reshape(1)
    if found.ndim != 1:
        raise refused_value(name, "be a vector of numbers", f"{found.ndim} dimensions")
    if found.size and found.dtype.kind not in "iuf":
        raise refused_type(name, "hold numbers", _show_dtype(found))
    if count is not None and len(found) != count:
        required = f"have one value for each row, {count}"
        raise refused_value(name, required, show(found))
    return for_kernel(found, np.float64)


def _show_dtype(found: NDArray[Any]) -> str:
    return f"{found.dtype} values"
