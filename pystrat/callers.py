"""What a loader that calls a sampler is about to do, read from the calls that led here."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Iterator


def is_count_of_loader() -> bool:
    """Return whether a loader calls at the start of an iteration, so that its epoch is only its own count."""
    return any(frame.f_code.co_name == "__iter__" for frame in _frames_of_accelerate())


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
