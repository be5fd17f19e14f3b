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


def gather(make: Callable[[], _Own], process_group: Optional[Any], *, doing: str, noun: str) -> list[_Own]:
    """Return what a function returns in each process of a group; if it fails in one of them, all raise an error.

    Parameters
    ----------
    make : callable
        What it returns can be pickled.
    process_group : torch.distributed.ProcessGroup or None
        By default torch's default group, which runs.
    doing, noun : str
        What failed and what it has, for error messages: "Process 1 could not `doing` its `noun`".
    """
    error, own = _attempt(make)
    message = None if error is None else f"could not {doing} its {noun}: {type(error).__name__}: {error}"
    distributed: Any = running_group()
    gathered: list[Any] = [None] * distributed.get_world_size(process_group)
    distributed.all_gather_object(gathered, (message, own), group=process_group)
    if error is not None:
        raise error
    for process, (text, _) in enumerate(gathered):
        if text is not None:
            raise ValueError(f"Process {process} {text}")
    return [made for _, made in gathered]


def _attempt(make: Callable[[], _Own]) -> tuple[Optional[Exception], Optional[_Own]]:
    """Return the error that a function raises, if any, and what it returns."""
    try:
        return None, make()
    except Exception as error:  # of any kind, because the other processes wait
        return error, None


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
