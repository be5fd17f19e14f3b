"""Sources -> lanes -> the plan of their batches, and the order of sources and rows in an epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pystrat._random import RandomStream
from pystrat.base import epoch_seed
from pystrat.limits import MAX_EXACT, SEED_MODULUS
from pystrat.messages import RefusedValue
from pystrat.counts_by_shard import ShardCounts

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Lanes:
    """The lanes of a stream: source k belongs to lane k modulo their number.

    Attributes
    ----------
    n_sources, n_lanes : int
    shuffle : bool
        Whether sources come in another order in each epoch, and their rows too.
    seed : int
    """

    n_sources: int
    n_lanes: int
    shuffle: bool
    seed: int

    def sources(self, lane: int, epoch: int) -> list[int]:
        """Return the sources of a lane in the order of an epoch."""
        own = range(lane, self.n_sources, self.n_lanes)
        if not self.shuffle:
            return list(own)
        order = RandomStream(self._seed_of(epoch, self.n_sources)).permutation(self.n_sources)
        found: list[int] = order[order % self.n_lanes == lane].tolist()
        return found

    def order(self, source: int, epoch: int, n_rows: int) -> NDArray[np.int32]:
        """Return the order of the rows of a source in an epoch."""
        return RandomStream(self._seed_of(epoch, source)).permutation(n_rows)

    def _seed_of(self, epoch: int, place: int) -> int:
        """Return the seed of one of the permutations of an epoch: that of each source, and then that of all sources.

        All of them are numbered across epochs, and numbers have different seeds.
        """
        return epoch_seed(self.seed, epoch * (self.n_sources + 1) + place)

    def check_epoch(self, epoch: int) -> None:
        """Refuse an epoch for whose permutations there are no more seeds."""
        last = (SEED_MODULUS - 1) // (self.n_sources + 1) - 1
        if self.shuffle and epoch > last:
            raise RefusedValue("epoch", f"be at most {last} with {self.n_sources} sources", str(epoch))


@dataclass(frozen=True, eq=False)
class LanePlan:
    """What follows from the counts alone.

    Attributes
    ----------
    counts : numpy.ndarray of int64, shape (number of sources, number of strata)
    totals : numpy.ndarray of int64, shape (number of lanes, number of strata)
        The rows of each stratum in each lane.
    n_batches : int
        The batches of each lane.
    """

    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    n_batches: int

    def rows_held(self) -> int:
        """Return the most rows that a lane can have to hold, in whatever order its sources come.

        Batches come as fast as the stratum of which the smallest share has come. If that is stratum s, the sources T
        that have come hold back the sum over T of n_k - N * n_ks / N_s rows. It is largest for the sources whose terms
        are positive. Added to that are the source that is being read, and what rounding adds: less than a batch, and a
        row of each stratum.
        """
        n_lanes, n_strata = self.totals.shape
        most = 0
        for lane in range(n_lanes):
            counts, totals = self.counts[lane::n_lanes], self.totals[lane]
            sizes, n_rows = counts.sum(axis=1), int(totals.sum())
            held = max(
                sum(max(0, size - n_rows * count // total) for size, count in zip(sizes.tolist(), column.tolist()))
                for column, total in zip(counts.T, totals.tolist())
            )
            most = max(most, held + int(sizes.max()) + -(-n_rows // self.n_batches) + n_strata)
        return most


def plan_lanes(counts: ShardCounts, n_lanes: int, least: int, least_rows: int) -> LanePlan:
    """Make the plan of lanes, or refuse what cannot be.

    Parameters
    ----------
    counts : ShardCounts
        Of the sources, in order.
    n_lanes : int
    least, least_rows : int
        The rows of each stratum, and the rows, that each batch has at least.
    """
    totals = np.stack([counts.table[lane::n_lanes].sum(axis=0) for lane in range(n_lanes)])
    lane, stratum = np.unravel_index(int(np.argmin(totals)), totals.shape)
    fewest = int(totals[lane, stratum])
    where = f"the rows of '{counts.strata[int(stratum)]}' in lane {lane}" + (f" of {n_lanes}" if n_lanes > 1 else "")
    if fewest == 0:
        raise RefusedValue("lanes", "leave each lane rows of each stratum", f"0 as {where}", "Use fewer lanes.")
    if fewest < least:
        advice = "Use fewer lanes." if n_lanes > 1 else None
        raise RefusedValue("min_samples_per_stratum", f"be at most {fewest}, {where}", str(least), advice)
    rows = int(totals.sum(axis=1).min())
    if rows < least_rows:
        advice = "Use fewer lanes." if n_lanes > 1 else None
        raise RefusedValue(
            "min_batch_size", f"be at most {rows}, the rows of the smallest lane", str(least_rows), advice
        )
    n_batches = min(fewest // least, rows // least_rows)
    if (int(totals.max()) + 1) * n_batches >= MAX_EXACT:
        raise RefusedValue("lanes", "be more for so many rows and batches", str(n_lanes))
    return LanePlan(counts.table, totals, n_batches)
