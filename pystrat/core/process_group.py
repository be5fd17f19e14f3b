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
    error: Optional[Exception] = None
    made: Any = None
    try:
        made = make()
    except Exception as failure:  # of any kind, because the other processes wait
        error, made = failure, f"could not {doing}: {type(failure).__name__}: {failure}"
    distributed: Any = running_group()
    gathered: list[Any] = [None] * distributed.get_world_size(process_group)
    distributed.all_gather_object(gathered, (error is not None, made), group=process_group)
    if error is not None:
        raise error
    for process, (has_failed, text) in enumerate(gathered):
        if has_failed:
            raise ValueError(f"Process {process} {text}")
    return [made for _, made in gathered]
