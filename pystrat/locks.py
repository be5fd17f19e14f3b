"""A lock for objects that are copied and pickled."""

from __future__ import annotations

import threading
from typing import Any


class OwnLock:
    """A lock of one object, which a thread may take again: a copy of the object has another lock, which is free.

    Attributes
    ----------
    held : threading.RLock
        For ``with``.
    """

    def __init__(self) -> None:
        self.held = threading.RLock()

    def __reduce__(self) -> Any:
        return OwnLock, ()
