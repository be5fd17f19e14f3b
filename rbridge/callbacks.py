"""The rows of an epoch of any Python batch sampler, in the form in which they cross to R."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.limits import MAX_COUNT, MAX_EXACT
from pystrat.core.messages import check_integer, is_iterable, refused_type, refused_value, show
from pystrat.core.base import BatchSampler
from pystrat.core.batches import Batches
from pystrat.core.row_arguments import check_positions
from rbridge.session import errors_as_values


class EpochSource:
    """The batches of any Python batch sampler, epoch by epoch.

    `sampler` and `n_batches` are those of `rbridge.as_torch_sampler`.
    """

    def __init__(self, sampler: Any, n_batches: Optional[int] = None) -> None:
        self.class_name = type(sampler).__name__
        check_no_rank(sampler)
        self.sampler = sampler
        self._epoch = _epoch_of(sampler)
        self._yields_numbers = getattr(sampler, "yields", "rows") == "numbers"
        has_length = hasattr(sampler, "__len__")
        if n_batches is not None and has_length:
            refuse_n_batches(n_batches)
        if n_batches is None and not has_length:
            raise refused_type("sampler", "have a length, unless 'n_batches' is given", show(sampler))
        self.n_batches = check_integer(len(sampler) if has_length else n_batches, "n_batches", minimum=1)

    @property
    def identity(self) -> str:
        """Text that is equal for samplers with equal batches if they have fingerprints; else unique to this object."""
        if isinstance(self.sampler, BatchSampler):
            return str(self.sampler.state()["fingerprint"])
        return f"kind=object id={id(self.sampler)} process={os.getpid()}"

    def batches(self, epoch: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the rows of an epoch, positions from 0, and the offsets of its batches, both as int32.

        R converts positions to positions from 1. Numbers that a sampler yields are float64, which R does not change.
        """
        found = self._epoch(epoch)
        if not isinstance(found, Batches):
            found = Batches.gather(found, "sampler")
        if len(found) != self.n_batches:
            required = f"give as many batches as its length says, {self.n_batches}"
            raise refused_value("sampler", required, f"{len(found)} in epoch {epoch}")
        if self._yields_numbers:
            rows: NDArray[Any] = check_positions(found.rows, MAX_EXACT, "sampler", "numbers").astype(np.float64)
        else:
            rows = check_positions(found.rows, MAX_COUNT, "sampler").astype(np.int32)
        return rows, found.offsets.astype(np.int32)

    @errors_as_values
    def guarded(self, epoch: float) -> Any:
        """Return an epoch in the form in which it crosses to R."""
        return self.batches(int(epoch))


def check_no_rank(sampler: Any) -> None:
    """Refuse a sampler that yields the batches of only one rank."""
    if getattr(sampler, "rank", None) is not None and hasattr(sampler, "num_replicas"):
        advice = "R delivers the batches of all ranks."
        raise refused_value("sampler", "have no rank", f"rank {sampler.rank}", advice)


def refuse_n_batches(n_batches: Any) -> None:
    """Refuse a number of batches for a sampler that has one."""
    required = "be left out for a sampler that has a length"
    raise refused_value("n_batches", required, show(n_batches))


def _epoch_of(sampler: Any) -> Callable[[int], Any]:
    """Return the function that asks a sampler for an epoch."""
    if callable(getattr(sampler, "batches", None)):
        return lambda epoch: sampler.batches(epoch)
    if hasattr(sampler, "__next__"):
        got = f"an iterator of class '{type(sampler).__name__}'"
        advice = "Pass the function or the object that makes it."
        raise refused_type("sampler", "give batches more than once", got, advice)
    if is_iterable(sampler) and not isinstance(sampler, (str, bytes)):

        def iterate(epoch: int) -> Any:
            if hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)
            return sampler

        return iterate
    if callable(sampler):
        return lambda epoch: sampler()
    required = "have a method 'batches', be an iterable of batches, or a function that returns one"
    raise refused_type("sampler", required, show(sampler))


@errors_as_values
def guarded_source(sampler: Any, n_batches: Optional[float] = None) -> EpochSource:
    """Make an `EpochSource` for R's ``batch_sampler_python``."""
    return EpochSource(sampler, None if n_batches is None else int(n_batches))
