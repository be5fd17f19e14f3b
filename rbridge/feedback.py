"""Python samplers with feedback, as R uses them: batch after batch, with methods for reports and queries.

Such a sampler has a mapping `feedback` from the names of these methods to the kinds of their arguments, by name, and of
the return value, as "return": "rows" (an array of row positions), "values" (an array of float64) or "number".
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from rbridge.callbacks import EpochSource, feedback_of
from rbridge.guard import errors_as_values

_MOST_ITERATIONS = 8  # that R may use in turn; a training loop that ends early leaves one behind


class FeedbackSource:
    """The functions of a sampler with feedback that R calls.

    Parameters
    ----------
    source : EpochSource
        Of a sampler whose `feedback` is not empty.
    """

    def __init__(self, source: EpochSource) -> None:
        self.methods: Mapping[str, Mapping[str, str]] = feedback_of(source.sampler)
        self._source = source
        self._sampler = source.sampler
        self._iterations: dict[int, Any] = {}
        self._begun = 0

    def begin(self, epoch: int) -> int:
        """Begin an epoch, or continue in it if the sampler was resumed there; return the number of the iteration."""
        self._sampler.set_epoch(epoch)
        self._begun += 1
        self._iterations[self._begun] = iter(self._sampler)
        for old in sorted(self._iterations)[:-_MOST_ITERATIONS]:
            del self._iterations[old]
        return self._begun

    def take(self, iteration: int) -> Optional[NDArray[np.int32]]:
        """Return the rows of the next batch of an iteration, from 0; None after the last batch."""
        if iteration not in self._iterations:
            if iteration + _MOST_ITERATIONS > self._begun:
                return None
            raise RuntimeError(f"The iteration has been given up: {_MOST_ITERATIONS} others were begun after it.")
        rows = next(self._iterations[iteration], None)
        if rows is None:
            del self._iterations[iteration]
            return None
        return np.asarray(rows, dtype=np.int32)

    def call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        """Call a method with the arguments from R, vectors as arrays.

        Returns
        -------
        array of int32 or float64, float or None
            Rows counted from 0.
        """
        kinds = self.methods[method]
        given = {name: _from_r(value, kinds[name]) for name, value in arguments.items()}
        return _to_r(getattr(self._sampler, method)(**given), kinds.get("return"))

    # Called by R through reticulate, whose numbers are doubles.

    @errors_as_values
    def guarded_begin(self, epoch: float) -> int:
        return self.begin(int(epoch))

    @errors_as_values
    def guarded_take(self, iteration: float) -> Optional[NDArray[np.int32]]:
        return self.take(int(iteration))

    guarded_call = errors_as_values(call)


def _from_r(value: Any, kind: str) -> Any:
    """Return an argument according to its kind: "rows" (int32 from 0), "values" (float64) or "number"."""
    array = np.atleast_1d(np.asarray(value))
    if kind == "rows":
        return array.astype(np.int32)
    if kind == "number":
        number = float(array[0])
        return int(number) if number.is_integer() else number
    return array.astype(np.float64)


def _to_r(value: Any, kind: Optional[str]) -> Any:
    if kind is None:
        return None
    if kind == "number":
        return float(value)
    return np.ascontiguousarray(value, dtype=np.int32 if kind == "rows" else np.float64)
