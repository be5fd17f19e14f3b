"""An epoch in R whose batches come from Python by callback, over the native sampler of the R package.

Flat, as `$batches()` gives it, and batch by batch, as `$.iter()` does to a dataloader.
"""

from __future__ import annotations

from typing import Any

from rounds import head, interleaved, show_ratio
from settings import SETTINGS, described, sampler_of

from pystrat import Batches, StratifiedBatchSampler
from rbridge import as_torch_sampler
from rbridge.session import session

_FLAT = "function(sampler) { sampler$batches(0); NULL }"
_ITERATED = "function(sampler) { following = sampler$.iter(); while (!coro::is_exhausted(following())) NULL }"


class AnySampler:
    """A batch sampler that R knows nothing of, and that therefore crosses by callback."""

    def __init__(self, sampler: StratifiedBatchSampler) -> None:
        self._sampler = sampler

    def __len__(self) -> int:
        return len(self._sampler)

    def batches(self, epoch: int) -> Batches:
        return self._sampler.batches(epoch)


def in_r_code(code: str) -> Any:
    """Return what a line of R gives."""
    base = session().rinterface.baseenv
    return base["eval"](base["parse"](text=code))


def bridge(n_rows: int, rounds: int) -> None:
    flat, iterated = in_r_code(_FLAT), in_r_code(_ITERATED)
    for n_strata, parameters in SETTINGS[1:]:
        sampler = sampler_of(n_rows, n_strata, **parameters)

        native, callback = (
            as_torch_sampler(source)(session().rinterface.NULL) for source in (sampler, AnySampler(sampler))
        )
        timings = interleaved(
            {
                "native": lambda: flat(native),
                "callback": lambda: flat(callback),
                "native iterated": lambda: iterated(native),
                "callback iterated": lambda: iterated(callback),
            },
            rounds=rounds,
        )
        setting = described(n_rows, n_strata, parameters)
        reach = 2 if n_rows == 1_000_000 else None
        show_ratio(f"R by callback over R's native sampler, {setting}", timings, "callback", "native", reach)
        claim = f"R by callback over R's native sampler, batch by batch, {setting}"
        show_ratio(claim, timings, "callback iterated", "native iterated", reach)


if __name__ == "__main__":
    head()
    bridge(20_000, rounds=31)
    bridge(1_000_000, rounds=7)
