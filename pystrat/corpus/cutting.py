"""Shared by the samplers of the core whose epochs may differ in their number of batches."""

from __future__ import annotations

from pystrat.core_sampler import CoreBatchSampler
from pystrat.messages import count_of


class CuttingBatchSampler(CoreBatchSampler):
    """Base class of these samplers."""

    def _global_length(self) -> int:
        return self._epoch_length(self.epoch)

    def _epoch_length(self, epoch: int) -> int:
        return int(self._with_instance(lambda instance: instance.count_batches(epoch)))  # type: ignore[call-overload]

    def _shown_batches(self, epoch: int) -> str:
        """Return a readable number of batches."""
        return count_of(self._epoch_length(epoch), "batch")
