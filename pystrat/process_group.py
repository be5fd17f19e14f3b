"""The torch process group, if one runs."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, Optional, Sequence, TypeVar

from pystrat.messages import refused_value, show

_Own = TypeVar("_Own")
_SHOWN = 8  # processes that a message names


def running_group() -> Optional[Any]:
    """Return the module torch.distributed if it runs a process group; it has been imported then."""
    distributed: Any = sys.modules.get("torch.distributed")
    is_running = distributed is not None and distributed.is_available() and distributed.is_initialized()
    return distributed if is_running else None


def n_processes() -> int:
    """Return the number of processes of the default group of torch; 1 if no group runs or torch is not imported."""
    distributed = running_group()
    return 1 if distributed is None else int(distributed.get_world_size())


def warn_of_process_group(parameter: str, advice: str, *, stacklevel: int) -> bool:
    """Warn if a process group runs, and a parameter that it needs was not given; return whether it warned."""
    size = n_processes()
    if size > 1:
        warnings.warn(
            f"A process group of {size} processes runs, but the '{parameter}' parameter was not given: {advice}",
            stacklevel=stacklevel + 1,
        )
    return size > 1


def check_group(process_group: Any) -> Optional[Any]:
    """Return the module torch.distributed, None if no process group runs; refuse what is no group of this process."""
    distributed = running_group()
    if distributed is None:
        if process_group is not None:
            raise refused_value("process_group", "be left out if no process group runs", show(process_group))
    elif process_group is not None and not isinstance(process_group, distributed.ProcessGroup):
        raise refused_value("process_group", "be a group of this process", show(process_group))
    return distributed


def gather(make: Callable[[], _Own], process_group: Optional[Any], doing: str) -> list[_Own]:
    """Return what a function returns in each process of a group; if it fails in one of them, all raise an error.

    What it returns can be pickled. `doing` says what failed, such as "count its shards".
    """
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


def check_same(name: str, required: str, differing: Sequence[tuple[str, int]], advice: str) -> None:
    """Refuse what differs between processes: a text for each difference, and the process that has it."""
    if not differing:
        return
    processes: dict[str, list[int]] = {}
    for difference, process in differing:
        processes.setdefault(difference, []).append(process)
    got = " and ".join(f"{difference} in {processes_of(numbers)}" for difference, numbers in processes.items())
    raise refused_value(name, required, f"{got} than in process 0", advice)


def processes_of(numbers: Sequence[int]) -> str:
    """Return the numbers of processes as text, such as "processes 1, 2 and 5"."""
    texts = list(map(str, numbers[:_SHOWN]))
    if len(numbers) > _SHOWN:
        texts.append(f"{len(numbers) - _SHOWN} more")
    return f"process {texts[0]}" if len(texts) == 1 else f"processes {', '.join(texts[:-1])} and {texts[-1]}"
