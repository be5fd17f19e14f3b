"""Negative pairs beside other ways to keep positives out: ratios of time, and bytes of memory a positive.

Arguments: positives (10,000,000), users (1,000,000) and items (100,000).
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np
from memory import resident
from numpy.typing import NDArray
from rounds import head, interleaved, ratio, show

from pystrat import NegativePairBatchSampler

ROUNDS = 3
AIM_NANOSECONDS = 80  # a negative
BYTES = 26  # a positive: 8 for its user and item, 16 for its cell if some repeat, and at most 2 to find free cells
SET_SHARE = 20  # the set answers for one in so many of the pairs; its time is for all


class Observed:
    """Positives drawn at random, users and items of unequal popularity; their distinct cells, sorted."""

    def __init__(self, n_positives: int, n_users: int, n_items: int) -> None:
        random = np.random.default_rng(1)
        self.n_users, self.n_items = n_users, n_items
        self.users = (n_users * random.beta(1, 2, n_positives)).astype(np.int64)
        self.items = (n_items * random.beta(1, 2, n_positives)).astype(np.int64)
        self.cells = np.unique(self.users * n_items + self.items)
        self.n_cells = n_users * n_items

    def sampler(self) -> NegativePairBatchSampler:
        sizes = {"n_users": self.n_users, "n_items": self.n_items}
        return NegativePairBatchSampler(self.users, self.items, 0.5, 1024, seed=1, **sizes)


def candidates(observed: Observed, count: int) -> NDArray[np.int64]:
    return np.random.default_rng(2).integers(0, observed.n_cells, count)


def by_isin(observed: Observed, count: int) -> NDArray[np.int64]:
    """Draw, and drop what is a positive; few are, and those are not drawn again."""
    drawn = candidates(observed, count)
    return drawn[~np.isin(drawn, observed.cells)]


def by_sorted_search(observed: Observed, count: int) -> NDArray[np.int64]:
    drawn = candidates(observed, count)
    places = np.minimum(np.searchsorted(observed.cells, drawn), len(observed.cells) - 1)
    return drawn[observed.cells[places] != drawn]


def by_set(cells: "set[int]", observed: Observed, count: int) -> list[int]:
    return [cell for cell in candidates(observed, count).tolist() if cell not in cells]


def bytes_held(make: Callable[[], Any]) -> int:
    """Return by how much the memory of this process is larger with what `make` returns."""
    before = resident("VmRSS")
    _ = make()
    return resident("VmRSS") - before


def time(observed: Observed) -> None:
    """Print the time of negatives, as many as positives, over that of the others; numpy's isin is the first."""
    count = len(observed.users)
    sampler = observed.sampler()
    python_set = set(observed.cells.tolist())

    timings = interleaved(
        {
            "epoch": lambda: sampler.batches(0),
            "isin": lambda: by_isin(observed, count),
            "search": lambda: by_sorted_search(observed, count),
            "set": lambda: by_set(python_set, observed, count // SET_SHARE),
        },
        rounds=ROUNDS,
    )
    drawn = f"{observed.n_users:,} users x {observed.n_items:,} items"
    # The aim is a time; here it is a ratio to the time of isin.
    aim = round(AIM_NANOSECONDS * 1e-9 * count / timings["isin"].median, 2)
    text = f"an epoch of {2 * count:,} pairs, order and batches included, a pair, {drawn}"
    show(f"{text}, over numpy's isin a negative", halved(timings, "isin"), aim)
    show(f"{text}, over numpy's searchsorted a negative", halved(timings, "search"), 1)
    middle, low, high = (value / SET_SHARE for value in halved(timings, "set"))
    show(f"{text}, over a Python set a negative", (middle, low, high), 1)
    for name, divisor in (("epoch", 2 * count), ("isin", count), ("search", count)):
        print(f"| ns a pair, {name} | {1e9 * timings[name].median / divisor:.0f} | | | |")
    print(f"| ns a pair, set | {1e9 * timings['set'].median * SET_SHARE / count:.0f} | | | |", flush=True)


def halved(timings: Any, other: str) -> tuple[float, float, float]:
    """An epoch has two pairs for each negative."""
    middle, low, high = (value / 2 for value in ratio(timings, "epoch", other))
    return middle, low, high


def memory(observed: Observed) -> None:
    """Print what is held besides the users and items themselves."""
    count = len(observed.users)
    ours = bytes_held(observed.sampler)
    for method in ("per_user", "popularity"):
        sizes = {"n_users": observed.n_users, "n_items": observed.n_items, "method": method}
        held = bytes_held(lambda: NegativePairBatchSampler(observed.users, observed.items, 0.5, 1024, **sizes))
        show(f"bytes a positive, {method}", (held / count,) * 3, BYTES)
    held_by_set = bytes_held(lambda: set(observed.cells.tolist()))
    show("bytes a positive, uniform", (ours / count,) * 3, BYTES)
    show("bytes a positive, uniform, over the sorted cells that isin and searchsorted need", (ours / (8 * count),) * 3)
    show("bytes a positive, uniform, over a Python set", (ours / held_by_set,) * 3, 1)


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:]] or [10_000_000, 1_000_000, 100_000]
    data = Observed(*sizes)
    head()
    memory(data)  # first, while the process has no free memory of others
    time(data)
