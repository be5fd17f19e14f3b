"""A thread-safe version of rpy2's count of the R objects that Python holds.

rpy2 counts without its lock. If two threads acquired or released an object at once, a count could be lost, and a thread
could enter R while another was in it, which R does not support; so could the garbage collector, which releases objects
at any time.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Any, Callable

Count = Callable[[Any], Any]


class HeldObjects:
    """The two functions that count, one call at a time.

    Parameters
    ----------
    lock : threading.RLock
        Held by the thread that is in R.
    preserve, release : function
        Increment and decrement the count of an R object; the first and the last count enter R.
    """

    def __init__(self, lock: Any, preserve: Count, release: Count) -> None:
        self._lock = lock
        self._preserve, self._release = preserve, release
        self._dropped: deque[Any] = deque()
        self._counting = False

    def preserve(self, cdata: Any) -> Any:
        """Increment the count of `cdata` once no other thread is in R."""
        with self._lock:
            return self._count(self._preserve, cdata)

    def release(self, cdata: Any) -> None:
        """Decrement the count of `cdata`: now, or with the next object that is released while no other thread is in R.

        It never waits, because the garbage collector may call it at any time.
        """
        self._dropped.append(cdata)
        if self._lock.acquire(blocking=False):
            try:
                while self._dropped and not self._counting:
                    self._count(self._release, self._dropped.popleft())
            finally:
                self._lock.release()

    def _count(self, change: Count, cdata: Any) -> Any:
        outer, self._counting = self._counting, True
        try:
            return change(cdata)
        finally:
            self._counting = outer


@lru_cache(maxsize=None)
def count_in_turn() -> None:
    """Make rpy2 count under its lock, in this process, from now on; one call is enough."""
    from rpy2.rinterface_lib import _rinterface_capi, openrlib

    held = HeldObjects(openrlib.rlock, _rinterface_capi._preserve, _rinterface_capi._release)
    _rinterface_capi._preserve, _rinterface_capi._release = held.preserve, held.release
