"""Arguments that are positions of rows, or numbers of rows, for samplers that receive feedback."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import float64_of, row_array
from pystrat.messages import refused_type, refused_value


def row_positions(rows: Any, name: str) -> NDArray[Any]:
    """Return positions as a vector that the core reads and checks. A number is a vector of one."""
    found = row_array(rows, name)
    if found.size and found.dtype.kind not in "iu":
        raise refused_type(name, "hold row positions", _show_dtype(found))
    if found.ndim == 0:
        found = found.reshape(1)
    if found.ndim != 1:
        raise refused_value(name, "be a vector of row positions", f"{found.ndim} dimensions")
    if found.dtype == np.int32 or found.dtype == np.int64:
        return found
    # No row has a number that int64 cannot hold.
    return found.astype(np.float64 if found.dtype == np.uint64 else np.int64)


def row_values(values: Any, name: str, *, single: bool = False) -> NDArray[np.float64]:
    """Return a vector of numbers as float64; with `single`, a number is a vector of one."""
    found = row_array(values, name)
    if found.ndim == 0 and single:
        found = found.reshape(1)
    if found.ndim != 1:
        raise refused_value(name, "be a vector of numbers", f"{found.ndim} dimensions")
    if found.size and found.dtype.kind not in "iuf":
        raise refused_type(name, "hold numbers", _show_dtype(found))
    return float64_of(found)


def _show_dtype(found: NDArray[Any]) -> str:
    return f"{found.dtype} values"
