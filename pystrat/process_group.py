"""The torch process group, if one runs: used for warnings, never for decisions."""

from __future__ import annotations

import sys
import warnings
from typing import Any


def n_processes() -> int:
    """Return the number of processes of the default group of torch; 1 if no group runs or torch is not imported."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return 1
    size: int = distributed.get_world_size()
    return size


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
