"""The lines of an epoch of a mixture without files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.inside import core


def mixture_of(
    lines: Any, drawn: Any, kept: Any, seed: int, *, shuffle: bool = True, replace: bool = True
) -> core.Instance:
    """Return what draws the epochs of a recipe with these numbers for each file."""
    parts = {
        "lines": np.array(lines, dtype=np.float64),
        "drawn": np.array(drawn, dtype=np.float64),
        "kept": np.array(kept, dtype=np.float64),
        "batch_size": np.array([1000.0]),
        "shuffle": np.array([shuffle], dtype=np.int32),
        "replace": np.array([replace], dtype=np.int32),
    }
    return core.Instance("mixture", parts, seed)


def drawn_lines(lines: Any, drawn: Any, kept: Any, seed: int, **how: bool) -> NDArray[Any]:
    """Return the lines of epoch 0 of such a recipe."""
    return mixture_of(lines, drawn, kept, seed, **how).draw(0)["rows"]
