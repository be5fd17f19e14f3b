"""The torch process group, if one runs."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Optional


def running_group() -> Optional[Any]:
    """Return the module torch.distributed if it runs a process group; it has been imported then."""
    distributed: Any = sys.modules.get("torch.distributed")
    is_running = distributed is not None and distributed.is_available() and distributed.is_initialized()
    return distributed if is_running else None


def n_processes() -> int:
    """Return the number of processes of the default group of torch; 1 if no group runs or torch is not imported."""
    distributed = running_group()
    return 1 if distributed is None else int(distributed.get_world_size())


def warn_of_process_group(owner: str, advice: str, *, stacklevel: int) -> bool:
    """Warn if a process group runs, for an owner without `num_replicas`; return whether it warned."""
    size = n_processes()
    if size > 1:
        warnings.warn(
            f"A process group of {size} processes runs, but the 'num_replicas' parameter of {owner} was not given: "
            f"{advice}",
            stacklevel=stacklevel + 1,
        )
    return size > 1
