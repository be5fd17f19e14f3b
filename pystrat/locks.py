"""A lock for objects that are copied, pickled and forked."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Any
from weakref import WeakSet


class OwnLock:
    """A lock of one object, which a thread may take again: a copy of the object has another lock, which is free.

    So has the object in a process that was forked, where the thread that held the lock does not run.

    Attributes
    ----------
    held : threading.RLock
        For ``with``.
    """

    def __init__(self) -> None:
        self.held = threading.RLock()
        _renew_after_forks()
        _locks.add(self)

    def __reduce__(self) -> Any:
        return OwnLock, ()


_locks: WeakSet[OwnLock] = WeakSet()  # of this process


@lru_cache(maxsize=None)  # once
def _renew_after_forks() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_renew)


def _renew() -> None:
    for lock in _locks:
        lock.held = threading.RLock()
