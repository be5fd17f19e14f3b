"""The torch process group, if one runs."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional, TypeVar

_Own = TypeVar("_Own")


def running_group() -> Optional[Any]:
    """Return the module torch.distributed if it runs a process group; it has been imported then."""
    distributed: Any = sys.modules.get("torch.distributed")
    is_running = distributed is not None and distributed.is_available() and distributed.is_initialized()
    return distributed if is_running else None


def gather(make: Callable[[], _Own], process_group: Optional[Any], doing: str) -> list[_Own]:
    """Return what a function returns in each process of a group; if it fails in one of them, all raise an error."""
    distributed: Any = running_group()
    if distributed is None:
        return [make()]
    error, own = None, None
    try:
        own = make()
    except Exception as failure:  # of any kind, because the other processes wait
        error = failure
    failed = None if error is None else f"could not {doing}: {type(error).__name__}: {error}"
    gathered: list[Any] = [None] * distributed.get_world_size(process_group)
    distributed.all_gather_object(gathered, (failed, own), group=process_group)
    if error is not None:
        raise error
    for process, (failed, _) in enumerate(gathered):
        if failed is not None:
            raise ValueError(f"Process {process} {failed}")
    return [own for _, own in gathered]
