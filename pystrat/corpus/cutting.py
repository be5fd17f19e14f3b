"""Shared by the samplers of the core that cut drawn rows into batches: in drawn order, or of rows of similar length."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import float64_of, row_array
from pystrat.batches import Batches
from pystrat.core_sampler import CoreBatchSampler
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of


def take_lengths(arguments: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Take the lengths out of the arguments, and return them as the core takes them, if batches depend on them."""
    if arguments["max_tokens"] is None and arguments["window"] is None or arguments["lengths"] is None:
        return {}
    found = row_array(arguments["lengths"], "lengths")
    if found.ndim != 1 or found.dtype.kind not in "iuf":
        return {}
    del arguments["lengths"]
    fits = found.dtype.kind != "f" and found.max(initial=0) <= MAX_COUNT and found.min(initial=0) >= -MAX_COUNT
    return {"lengths": found.astype(np.int32) if fits else float64_of(found)}


class CuttingBatchSampler(CoreBatchSampler):
    """Base class of these samplers."""

    # The last requested epoch, if its batches are made by length: computing their number requires the draw.
    _latest: Optional[tuple[int, Batches]] = None

    @property
    def _by_length(self) -> bool:
        return "lengths" in self._parts

    def _global_length(self) -> int:
        return self._epoch_length(self.epoch)

    def _epoch_length(self, epoch: int) -> int:
        return self._known_length(epoch) or len(self._latest_batches(epoch))

    def _known_length(self, epoch: int) -> int:
        """Return the number of batches of an epoch, 0 if it depends on the rows that are drawn."""
        return int(self._with_instance(lambda instance: instance.count_batches(epoch)))

    def _epoch_batches(self, epoch: int) -> Batches:
        if not self._by_length:
            return super()._epoch_batches(epoch)
        batches = self._latest_batches(epoch)
        return Batches(batches.rows.copy(), batches.offsets)

    def _latest_batches(self, epoch: int) -> Batches:
        """Return the batches of an epoch, and keep them; others must not modify them."""
        latest = self._latest  # which another thread may replace meanwhile
        if latest is None or latest[0] != epoch:
            latest = self._latest = epoch, super()._epoch_batches(epoch)
        return latest[1]

    def _shown_batches(self, epoch: int) -> str:
        """Return a readable description of the batches."""
        known, parts = self._known_length(epoch), self._parts
        number = count_of(known, "batch") if known else "batches"
        if not self._by_length:
            return number
        limits = [
            count_of(parts[name], noun)
            for name, noun in (("max_tokens", "token"), ("batch_size", "row"))
            if name in parts
        ]
        window = f"windows of {count_of(parts['window'], 'row')}" if "window" in parts else "the epoch"
        balance = (
            f", balanced over {count_of(parts['num_replicas'], 'replica')}" if parts.get("balance_replicas") else ""
        )
        return f"{number} of at most {' and '.join(limits)} by length in {window}{balance}"

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_latest": None}
