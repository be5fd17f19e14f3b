"""The lanes of a stream: their plan, and what an epoch draws, by the core; and the order of rows."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.seeds import epoch_seed
from pystrat.stream.dealing import Integers


class Lanes:
    """The lanes of a stream: source k, in the order of names, belongs to lane k modulo the number of lanes.

    `parts` are the request as the core plans it, and `counts` the rows of sources by stratum, if they are known. Then
    `totals` and `taken` have the rows of lanes by stratum, and how many of them an epoch takes; a lane has `n_batches`.
    """

    def __init__(self, parts: dict[str, Any], seed: int, counts: Optional[Integers], strata: Sequence[str]) -> None:
        self._parts, self._seed, self.counts = parts, seed, counts
        self.n_lanes: int = parts["lanes"]
        self.shuffle: bool = parts["shuffle"]
        self.n_sources: int = parts["n_sources"]
        planned = _core.Instance("stream", parts, seed, strata)
        self.warnings, self.n_batches, described = planned.warnings, planned.n_batches, planned.describe()
        self.plan_fingerprint = planned.identify()
        self.min_samples_per_stratum = int(described["guaranteed"][0])
        self.totals, self.taken = (_rows(described[name], self.n_lanes) for name in ("totals", "taken"))
        self.takes_again = not np.array_equal(self.totals, self.taken)

    def draw(self, epoch: int) -> dict[str, Any]:
        """Return what is drawn for an epoch.

        The "groups" of sources that are read and shuffled together, by lane; the "shifts" of strata, by lane; and, by
        source, the "places" in the lane of the first row of each stratum, and "ranks", how many of its rows are taken.
        """
        drawn = _core.Instance("stream", self._parts, self._seed).draw(epoch)
        groups = [group.tolist() for group in np.split(drawn["rows"], drawn["groups"][1:-1])]
        of_lanes = [groups[begin:end] for begin, end in zip(drawn["offsets"], drawn["offsets"][1:])]
        by_source = {name: _rows(drawn[name], self.n_sources) for name in ("places", "ranks")}
        return {"groups": of_lanes, "shifts": _rows(drawn["shifts"], self.n_lanes), **by_source}

    def copies(self, lane: int, source: int, places: Integers, codes: NDArray[np.int32]) -> Integers:
        """Return how often an epoch takes each row of a source, whose rows have places p in the order of epoch 0.

        Of the n rows of a stratum, it takes k: floor((p + 1) * k / n) - floor(p * k / n) times that at place p.
        """
        copies = np.ones(len(codes), dtype=np.int64)
        if self.takes_again:
            order = self.order(source, 0, len(codes))
            own = order[np.argsort(codes[order], kind="stable")]
            strata = codes[own]
            begins = places[source, strata] + np.arange(len(own)) - np.searchsorted(strata, strata)
            n, k = self.totals[lane, strata], self.taken[lane, strata]
            copies[own] = (begins + 1) * k // n - begins * k // n
        return copies

    def order(self, source: int, epoch: int, n_rows: int) -> NDArray[Any]:
        """Return the order of the rows of a group of sources in an epoch, from its first source."""
        if not self.shuffle:
            return np.arange(n_rows)
        number = epoch * (self.n_sources + 1) + source
        arguments = {"n_rows": n_rows, "seed": epoch_seed(self._seed, number)}
        return _core.call("permutation", arguments)["rows"]


def _rows(numbers: Any, n_rows: int) -> Integers:
    """Return whole numbers as a table with `n_rows` rows."""
    return np.asarray(numbers.astype(np.int64).reshape(n_rows, -1))
