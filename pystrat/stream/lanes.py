"""The lanes of a stream: their plan and the order of their sources by the core, and how often an epoch takes a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from pystrat import _kinds
from pystrat.limits import MAX_COUNT, MAX_EPOCH
from pystrat.messages import check_integer, refused_value
from pystrat.seeds import epoch_seed
from pystrat.stream.reading import name_of_stratum, shown_stratum
from pystrat.value_names import listed_keys

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


class Drawn(NamedTuple):
    """What is drawn for an epoch: the sources of each lane in its order, and the shifts, by lane and stratum."""

    sources: list[list[int]]
    shifts: Integers


class Lanes:
    """The lanes of a stream: source k, in the order of names, belongs to lane k modulo the number of lanes.

    `parts` are the request as the core plans it, and `counts` the rows of sources by stratum, if they are known. Then
    `totals` and `taken` have the rows of lanes by stratum, and how many of them an epoch takes; a lane has `n_batches`.
    """

    def __init__(self, parts: dict[str, Any], seed: int, counts: Optional[Integers], strata: Sequence[str]) -> None:
        self._parts, self._seed, self.counts = parts, seed, counts
        self.n_lanes: int = parts["lanes"]
        self.shuffle: bool = parts["shuffle"]
        self.together: int = parts["shuffle_sources"]
        self.n_sources: int = parts["n_sources"]
        planned = _kinds.Instance("stream", parts, seed, strata)
        self.warning, self.n_batches, described = planned.warning, planned.n_batches, planned.describe()
        self.plan_fingerprint = planned.identify()
        self.min_samples_per_stratum = int(described["guaranteed"][0])
        self.totals, self.taken = (
            described[name].astype(np.int64).reshape(self.n_lanes, -1) for name in ("totals", "taken")
        )
        self.takes_again = not np.array_equal(self.totals, self.taken)

    def draw(self, epoch: int) -> Drawn:
        """Return what is drawn for an epoch."""
        drawn = _kinds.Instance("stream", self._parts, self._seed).draw(epoch)
        rows, offsets = drawn["rows"].tolist(), drawn["offsets"].tolist()
        sources = [rows[begin:end] for begin, end in zip(offsets, offsets[1:])]
        return Drawn(sources, drawn["shifts"].astype(np.int64).reshape(self.n_lanes, -1))

    def groups(self, lane: int, sources: Sequence[int]) -> list[list[int]]:
        """Return the sources of a lane, in the order of an epoch, that are read and shuffled together.

        If an epoch takes more than all rows of a stratum, they are joined until each group has as many rows of it as a
        batch, so that no batch has a row twice.
        """
        groups = [list(sources[begin : begin + self.together]) for begin in range(0, len(sources), self.together)]
        if not self.takes_again or self.counts is None:
            return groups
        totals, taken = self.totals[lane], self.taken[lane]
        least = np.where(taken > totals, np.minimum(totals, -(-taken // self.n_batches)), 0)
        joined: list[list[int]] = [[]]
        held, left = np.zeros_like(totals), totals
        for group in groups:
            joined[-1] += group
            here = self.counts[group].sum(axis=0)
            held, left = held + here, left - here
            if (held >= least).all() and (left >= least).all():
                joined.append([])
                held = np.zeros_like(totals)
        return [group for group in joined if group]

    def places(self, lane: int, epoch: int) -> Integers:
        """Return the places, from 0, at which the rows of each stratum begin in each source of a lane in an epoch.

        A stratum of n rows, of which an epoch takes k, has places from 0 on: epoch e begins with place e modulo n. The
        place p is taken floor((p + 1) * k / n) - floor(p * k / n) times, so any E epochs in succession take a row the
        floor or the ceiling of E * k / n times.
        """
        assert self.counts is not None
        own = self.counts[lane :: self.n_lanes]
        return np.asarray(np.cumsum(own, axis=0) - own + epoch % self.totals[lane])

    def ranks(self, lane: int, sources: Sequence[int], places: Integers) -> Integers:
        """Return how many rows of each stratum an epoch takes of sources of a lane."""
        assert self.counts is not None
        counts = self.counts[list(sources)]
        if not self.takes_again:
            return np.asarray(counts.sum(axis=0))
        begins = places[np.array(sources) // self.n_lanes]
        totals, taken = self.totals[lane], self.taken[lane]
        return np.asarray(((begins + counts) * taken // totals - begins * taken // totals).sum(axis=0))

    def copies(self, lane: int, source: int, places: Integers, codes: NDArray[np.int32]) -> Integers:
        """Return how often an epoch takes each row of a source. The rows have places in the order of epoch 0."""
        copies = np.ones(len(codes), dtype=np.int64)
        if not self.takes_again:
            return copies
        order = self.order(source, 0, len(codes))
        for stratum in np.unique(codes).tolist():
            own = order[codes[order] == stratum]
            place = places[source // self.n_lanes, stratum] + np.arange(len(own) + 1)
            copies[own] = np.diff(place * self.taken[lane, stratum] // self.totals[lane, stratum])
        return copies

    def order(self, source: int, epoch: int, n_rows: int) -> NDArray[Any]:
        """Return the order of the rows of a group of sources in an epoch, from its first source."""
        if not self.shuffle:
            return np.arange(n_rows)
        number = epoch * (self.n_sources + 1) + source
        arguments = {"n_rows": n_rows, "seed": epoch_seed(self._seed, number)}
        return _kinds.call("permutation", arguments)["rows"]

    def check_epoch(self, epoch: Any) -> int:
        """Return the number of an epoch; refuse one for which no seeds are left."""
        last = min(MAX_EPOCH, MAX_COUNT // (self.n_sources + 1) - 1)
        return check_integer(epoch, "epoch", minimum=0, maximum=last)


def strata_of_keys(numbers: Mapping[Any, Any], strata: Sequence[str], parameter: str) -> NDArray[np.float64]:
    """Return the codes of the strata that a mapping names by their values, or by how `counts` shows them."""
    codes: list[int] = []
    for key in numbers:
        name = name_of_stratum(key)
        code = strata.index(name) if name in strata else -1
        if code < 0 or code in codes:
            required = f"name each of the strata once, {listed_keys(strata)}"
            raise refused_value(parameter, required, shown_stratum(key) + " twice" * (code in codes))
        codes.append(code)
    return np.array(codes, dtype=np.float64)
