"""What a loader that calls a sampler is about to do, read from the calls that led here.

Hugging Face's accelerate wraps a batch sampler in loaders and batch samplers of its own. They count their iterations
and tell the sampler their count, but a loader that skips batches starts counting at 0 in accelerate 1.14. What a
sampler is called with does not say who calls: neither whether an epoch is such a count, nor whether batches are
skipped. torchdata's StatefulDataLoader saves the state of a sampler together with that of its iterator, which alone
counts. A DataLoader with workers requests the last batches while training is still at earlier ones.
"""

from __future__ import annotations

import sys
import weakref
from types import FrameType
from typing import Any, Iterator, Optional


def is_count_of_loader() -> bool:
    """Return whether a loader calls at the start of an iteration, so that its epoch is only its own count."""
    return any(frame.f_code.co_name == "__iter__" for frame in _frames_of_accelerate())


def skips_batches() -> bool:
    """Return whether an iteration that skips the first batches asks for a batch."""
    return any(type(frame.f_locals.get("self")).__name__ == "SkipBatchSampler" for frame in _frames_of_accelerate())


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


def saves_iterator_too() -> bool:
    """Return whether a StatefulDataLoader calls, which saves the state of its iterator as well."""
    return "stateful_dataloader" in _module(_calling_frame())


class Requests:
    """The requests of an iteration for batches, made by a DataLoader for its workers or by anything else.

    Attributes
    ----------
    have_ended : bool
        Whether the last batch was requested.
    are_in_order : bool
        Whether the batches are delivered in the order in which they are requested.
    """

    def __init__(self) -> None:
        frame: Optional[FrameType] = _calling_frame()
        while frame is not None and frame.f_code.co_name != "_try_put_index":
            frame = frame.f_back
        loader = None if frame is None else frame.f_locals["self"]
        self._loader = None if loader is None else weakref.ref(loader)
        self.are_in_order = getattr(loader, "_in_order", True)
        self.have_ended = False

    @property
    def are_done(self) -> bool:
        """Whether the last batch was requested, and all that workers make have been delivered."""
        loader: Any = None if self._loader is None else self._loader()
        return self.have_ended and (loader is None or loader._rcvd_idx >= loader._send_idx)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loader": None}  # a copy is not requested by this loader


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
