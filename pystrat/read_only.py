"""Arrays that are handed out but cannot be written to."""

from __future__ import annotations

from typing import Any

import numpy as np


class ReadOnlyArrays:
    """Base class of dataclasses whose arrays are read-only, even after they are copied or pickled.

    The compiled loops use these arrays without checking them again.
    """

    def __post_init__(self) -> None:
        self._protect()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()

    def _protect(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
