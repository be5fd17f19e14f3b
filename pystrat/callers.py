"""What a loader of Hugging Face's accelerate that calls a sampler is about to do, read from the calls that led here.

accelerate wraps a batch sampler in loaders and batch samplers of its own. They count their iterations and tell the
sampler their count, but a loader that skips batches starts counting at 0 in accelerate 1.14. What a sampler is called
with does not say who calls: neither whether an epoch is such a count, nor whether batches are skipped.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Iterator


def is_count_of_loader() -> bool:
    """Return whether a loader calls at the start of an iteration, so that its epoch is only its own count."""
    return any(frame.f_code.co_name == "__iter__" for frame in _frames_of_accelerate())


def skips_batches() -> bool:
    """Return whether an iteration that skips the first batches asks for a batch."""
    return any(type(frame.f_locals.get("self")).__name__ == "SkipBatchSampler" for frame in _frames_of_accelerate())


def _frames_of_accelerate() -> Iterator[FrameType]:
    """Iterate over the calls in accelerate's module of loaders that led directly into this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _module(frame)[0] == "pystrat":
        frame = frame.f_back
    while frame.f_back is not None and _module(frame)[-2:] == ["accelerate", "data_loader"]:
        yield frame
        frame = frame.f_back


def _module(frame: FrameType) -> list[str]:
    return str(frame.f_globals.get("__name__")).split(".")
