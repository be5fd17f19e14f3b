"""What a loader that calls a stream is about to do, read from the calls that led here."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Iterator


def is_count_of_loader() -> bool:
    """Return whether a loader calls at the start of an iteration, so that its epoch is only its own count."""
    return any(frame.f_code.co_name == "__iter__" for frame in _frames_of_accelerate())


def is_divided() -> bool:
    """Return whether accelerate calls to divide the batches among several processes."""
    callers = (frame.f_locals.get("self") for frame in _frames_of_accelerate())
    return any(_n_processes_of(caller) > 1 for caller in callers)


def joins_items() -> bool:
    """Return whether a DataLoader with a `batch_size` begins to read an iterable dataset, whose items it joins."""
    frame = _calling_frame()
    return _module(frame)[-2:] == ["_utils", "fetch"] and bool(frame.f_locals.get("auto_collation"))


def _n_processes_of(caller: Any) -> int:
    """Return the number of processes among which an object of accelerate divides; 1 if it does not."""
    name = type(caller).__name__
    if name in ("BatchSamplerShard", "IterableDatasetShard"):
        return int(caller.num_processes)
    return int(caller.state.num_processes) if name == "DataLoaderDispatcher" else 1


def _calling_frame() -> FrameType:
    """Return the call that led directly into this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _module(frame)[0] == "pystrat":
        frame = frame.f_back
    return frame


def _frames_of_accelerate() -> Iterator[FrameType]:
    """Iterate over the calls in accelerate's module of loaders that led directly into this package."""
    frame = _calling_frame()
    while frame.f_back is not None and _module(frame)[-2:] == ["accelerate", "data_loader"]:
        yield frame
        frame = frame.f_back


def _module(frame: FrameType) -> list[str]:
    return str(frame.f_globals.get("__name__")).split(".")
