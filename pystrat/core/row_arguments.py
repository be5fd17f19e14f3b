"""Arguments that are positions of rows, or numbers of rows."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import plain_array, row_array
from pystrat.core.messages import refused_type, refused_value, show


def check_positions(
    values: Any, limit: Optional[int], name: str = "rows", noun: str = "row positions"
) -> NDArray[np.int64]:
    """Return integers of any shape, if there is a limit from 0 to below it; refuse anything else."""
    found = plain_array(values, name)
    if found.size and found.dtype.kind not in "iu":
        raise refused_type(name, f"hold {noun}", show(values) if found.ndim == 0 else f"{found.dtype} values")
    positions: NDArray[np.int64] = np.asarray(found, dtype=np.int64)
    if limit is not None:
        outside = found[(positions < 0) | (positions >= limit)]
        if len(outside):
            raise refused_value(name, f"hold {noun} from 0 to {limit - 1}", show(outside[0]))
    return positions


def row_positions(rows: Any, name: str) -> NDArray[np.int64]:
    """Return positions as a vector, whose limits the core checks. A number is a vector of one."""
    found = check_positions(row_array(rows, name), None, name)
    if found.ndim > 1:
        raise refused_value(name, "be a vector of row positions", f"{found.ndim} dimensions")
    return found.reshape(-1)


def row_values(values: Any, name: str, *, single: bool = False) -> NDArray[np.float64]:
    """Return a vector of numbers as float64; with `single`, a number is a vector of one."""
    found = np.atleast_1d(row_array(values, name)) if single else row_array(values, name)
    if found.ndim != 1:
        raise refused_value(name, "be a vector of numbers", f"{found.ndim} dimensions")
    if found.size and found.dtype.kind not in "iuf":
        raise refused_type(name, "hold numbers", f"{found.dtype} values")
    return np.asarray(found, dtype=np.float64)
