"""The batches of an epoch as arrays."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import plain_array
from pystrat.core.messages import check_iterable, refused_type, refused_value, show


class Batches(Sequence["NDArray[Any]"]):
    """The batches of an epoch: one flat array of rows, and the position at which each batch begins.

    A sequence of arrays, each a view of `rows`.

    Attributes
    ----------
    rows : numpy.ndarray, shape (number of rows,)
        Row positions, from 0, batch after batch. A sampler returns an array of its own each time.
    offsets : numpy.ndarray of int64, shape (number of batches + 1,)
        Batch b is ``rows[offsets[b]:offsets[b + 1]]``. Read-only.
    """

    __slots__ = ("rows", "offsets")

    def __init__(self, rows: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        for name, values in (("rows", rows), ("offsets", offsets)):
            if type(values) is not np.ndarray or values.dtype.kind not in "iu" or values.ndim != 1:
                raise refused_type(name, "be a vector of integers, as an array of numpy", show(values))
        ends = offsets[:1].tolist() + offsets[-1:].tolist()
        if ends != [0, len(rows)] or (offsets[1:] < offsets[:-1]).any():
            required = f"lead from 0 to {len(rows)}, the number of rows, and never back"
            raise refused_value("offsets", required, "others")
        self.rows = rows
        self.offsets = offsets.view()  # a sampler may use them for all of its epochs
        self.offsets.setflags(write=False)

    @classmethod
    def gather(cls, batches: Iterable[Any], name: str = "batches") -> "Batches":
        """Copy vectors of integers, which an iterable yields, into one; `name` is the parameter for messages."""
        arrays = []
        for batch in check_iterable(batches, name, required="hold row positions"):
            array = plain_array(batch, name)
            if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
                raise refused_type(name, "hold row positions", show(batch))
            arrays.append(array)
        offsets = np.cumsum([0] + [len(array) for array in arrays], dtype=np.int64)
        return cls(np.concatenate([array for array in arrays if len(array)] or [np.empty(0, np.int32)]), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, batch: Any) -> Any:
        if isinstance(batch, slice):
            return [self[place] for place in range(*batch.indices(len(self)))]
        place = range(len(self))[batch]  # raises IndexError, and counts from the end if negative
        return self.rows[self.offsets[place] : self.offsets[place + 1]]

    def part(self, first: int, step: int) -> "Batches":
        """Return the batches first, first + step, ..., in arrays of their own."""
        begins, sizes = self.offsets[:-1][first::step], np.diff(self.offsets)[first::step]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return Batches(self.rows[np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], sizes)], offsets)

    def lists(self, first: int, step: int) -> Iterator[list[int]]:
        """Iterate over the batches first, first + step, ... as lists of ints, each made when it is requested."""
        rows, offsets = self.rows, self.offsets.tolist()
        return (rows[begin:end].tolist() for begin, end in zip(offsets[first:-1:step], offsets[first + 1 :: step]))

    def __repr__(self) -> str:
        return f"Batches(n_batches={len(self)}, n_rows={len(self.rows)})"
