"""Sources -> lanes -> the plan of their batches, and the order of sources and rows in an epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence

import numpy as np

from pystrat._random import RandomStream
from pystrat.base import epoch_seed
from pystrat.limits import MAX_COUNT, MAX_EXACT, SEED_MODULUS
from pystrat.messages import refused_value
from pystrat.counts_by_shard import ShardCounts

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Lanes:
    """The lanes of a stream: source k, in the order of their names, belongs to lane k modulo the number of lanes.

    Attributes
    ----------
    given : sequence of int
        The sources in the order in which they were given.
    n_lanes : int
    shuffle : bool
        Whether to shuffle the sources, and the rows of each source, in each epoch.
    seed : int
    """

    given: Sequence[int]
    n_lanes: int
    shuffle: bool
    seed: int

    def sources(self, lane: int, epoch: int) -> list[int]:
        """Return the sources of a lane in the order of an epoch."""
        order = self.given
        if self.shuffle:
            order = RandomStream(self._seed_of(epoch, self.n_sources)).permutation(self.n_sources).tolist()
        return [source for source in order if source % self.n_lanes == lane]

    @property
    def n_sources(self) -> int:
        return len(self.given)

    def order(self, source: int, epoch: int, n_rows: int) -> NDArray[np.int32]:
        """Return the order of the rows of a source in an epoch."""
        return RandomStream(self._seed_of(epoch, source)).permutation(n_rows)

    def _seed_of(self, epoch: int, place: int) -> int:
        """Return the seed of a permutation of an epoch: `place` is a source, or n_sources for the order of the sources.

        The permutations of all epochs are numbered, and each number has its own seed.
        """
        return epoch_seed(self.seed, epoch * (self.n_sources + 1) + place)

    def check_epoch(self, epoch: int) -> None:
        """Refuse an epoch for which no seeds are left."""
        last = (SEED_MODULUS - 1) // (self.n_sources + 1) - 1
        if self.shuffle and epoch > last:
            raise refused_value("epoch", f"be at most {last} with {self.n_sources} sources", str(epoch))


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
        """Return the largest number of rows that a lane may have to hold, whatever the order of its sources.

        The stratum with the smallest share of its rows read so far determines how many batches are complete. If this is
        stratum s, and T are the sources read so far, the lane holds the sum over T of n_k - N * n_ks / N_s rows. The
        sum is largest if T are the sources with positive terms. The source that is being read is added, and a bound on
        rounding: less than a batch, and one row of each stratum. No lane holds more than all its rows.
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
            most = max(most, min(n_rows, held + int(sizes.max()) + -(-n_rows // self.n_batches) + n_strata))
        return most


def plan_lanes(counts: ShardCounts, n_lanes: int, least: int, least_rows: int) -> LanePlan:
    """Make the plan of lanes; refuse impossible requests.

    Parameters
    ----------
    counts : ShardCounts
        Of the sources, in order.
    n_lanes : int
    least, least_rows : int
        The minimum number of rows of each stratum in a batch, and of all rows.
    """
    totals = np.stack([counts.table[lane::n_lanes].sum(axis=0) for lane in range(n_lanes)])
    lane, stratum = np.unravel_index(int(np.argmin(totals)), totals.shape)
    fewest = int(totals[lane, stratum])
    where = f"the rows of '{counts.strata[int(stratum)]}' in lane {lane}" + (f" of {n_lanes}" if n_lanes > 1 else "")
    if fewest == 0:
        raise refused_value("lanes", "leave each lane rows of each stratum", f"0 as {where}", "Use fewer lanes.")
    if fewest < least:
        advice = "Use fewer lanes." if n_lanes > 1 else None
        raise refused_value("min_samples_per_stratum", f"be at most {fewest}, {where}", str(least), advice)
    rows = int(totals.sum(axis=1).min())
    if rows < least_rows:
        advice = "Use fewer lanes." if n_lanes > 1 else None
        raise refused_value(
            "min_batch_size", f"be at most {rows}, the rows of the smallest lane", str(least_rows), advice
        )
    n_batches = _most_batches(totals, fewest // least, least_rows)
    if n_batches * n_lanes > MAX_COUNT:
        got = f"{least}, for {n_batches * n_lanes} batches,"
        raise refused_value("min_samples_per_stratum", f"make at most {MAX_COUNT} batches", got, "Raise it.")
    if (int(totals.max()) + 1) * n_batches >= MAX_EXACT:
        raise refused_value("lanes", "be more for so many rows and batches", str(n_lanes))
    return LanePlan(counts.table, totals, n_batches)


def _most_batches(totals: NDArray[np.int64], most: int, least_rows: int) -> int:
    """Return the largest number of batches, up to `most`, for which every batch has at least `least_rows` rows.

    One batch must be possible. No batch has fewer rows than the first one, which has floor(n / B) rows of each stratum.
    """
    possible = 1
    while possible < most:
        tried = (possible + most + 1) // 2
        if (totals // tried).sum(axis=1).min() >= least_rows:
            possible = tried
        else:
            most = tried - 1
    return possible
