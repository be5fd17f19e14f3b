"""An epoch in R whose batches come from Python by callback, over the native sampler of the R package."""

from __future__ import annotations

from typing import Any

from rounds import head, interleaved, show_ratio
from settings import SETTINGS, described, sampler_of

from pystrat import Batches, StratifiedBatchSampler
from rbridge import as_torch_sampler
from rbridge._session import session


class AnySampler:
    """A batch sampler that R knows nothing of, and that therefore crosses by callback."""

    def __init__(self, sampler: StratifiedBatchSampler) -> None:
        self._sampler = sampler

    def __len__(self) -> int:
        return len(self._sampler)

    def batches(self, epoch: int) -> Batches:
        return self._sampler.batches(epoch)


def bridge(n_rows: int, rounds: int) -> None:
    base = session().rinterface.baseenv
    for n_strata, parameters in SETTINGS[1:]:
        sampler = sampler_of(n_rows, n_strata, **parameters)

        def epoch_of(source: Any) -> Any:
            return base["$"](as_torch_sampler(source)(session().rinterface.NULL), "batches")

        native, callback = epoch_of(sampler), epoch_of(AnySampler(sampler))
        timings = interleaved({"native": lambda: native(0), "callback": lambda: callback(0)}, rounds=rounds)
        claim = f"R by callback over R's native sampler, {described(n_rows, n_strata, parameters)}"
        show_ratio(claim, timings, "callback", "native", 2 if n_rows == 1_000_000 else None)


if __name__ == "__main__":
    head()
    bridge(20_000, rounds=31)
    bridge(1_000_000, rounds=7)
