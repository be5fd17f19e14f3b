"""The plan of sharded batches: it depends only on the table of counts, whatever the number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.first_rows import first_rows
from pystrat.frames import names_index
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, count_of, range_of, refused_value, show
from pystrat.counts_by_shard import ShardCounts, read_counts, shown_names
from pystrat.rare_strata import check_one_minimum
from pystrat.sizes import even_offsets
from pystrat.stratum_names import codes_of

PROMISES = ("global", "local")


@dataclass(frozen=True, eq=False)
class ShardedPlan:
    """How the rows of shards are dealt to batches; made by `sharded_plan`.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch, the same on all processes.
    min_samples_per_stratum : int
        The number of rows of every stratum that every batch is guaranteed to have: over all processes, or of every
        shard.
    promise : {"global", "local"}
        Which of the two.
    counts : pandas.DataFrame
        The rows of each stratum in each shard. Both are in order of their names, by code point.
    """

    n_batches: int
    min_samples_per_stratum: int
    promise: str
    _counts: ShardCounts

    @property
    def counts(self) -> pd.DataFrame:  # noqa: D102, documented as an attribute
        return self._counts.to_frame()

    def sizes(self) -> NDArray[np.int64]:
        """Return the rows of each batch over all processes, shape (n_batches,).

        Raises
        ------
        ValueError
            If there are 2^31 batches or more.
        """
        self.check_n_batches()
        return np.diff(even_offsets(int(self._counts.table.sum()), self.n_batches, longer="first"))

    def fewest_rows(self, shards: Any) -> int:
        """Return the fewest rows in a batch of a process that holds these shards.

        Parameters
        ----------
        shards : sequence
            Names of shards, each once.

        Raises
        ------
        TypeError, ValueError
            If `shards` are invalid.
        """
        return self.fewest_of(self.places_of(shards))

    def table(self) -> pd.DataFrame:
        """Return one row per stratum: its rows, and its fewest and most rows in a batch over all processes."""
        rows = self._counts.table.sum(axis=0)
        if self.promise == "global":
            fewest, most = rows // self.n_batches, -(-rows // self.n_batches)
        else:
            fewest = (self._counts.table // self.n_batches).sum(axis=0)
            most = (-(-self._counts.table // self.n_batches)).sum(axis=0)
        columns = {"rows": rows, "fewest": fewest, "most": most}
        return pd.DataFrame(columns, index=names_index(self._counts.strata, "stratum"))

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        n_rows, n_shards = int(self._counts.table.sum()), len(self._counts.shards)
        sizes = range_of([n_rows // self.n_batches, -(-n_rows // self.n_batches)], "row")
        where = "over all processes" if self.promise == "global" else "and shard"
        promised = f"at least {count_of(self.min_samples_per_stratum, 'row')} of every stratum {where}"
        head = f"{count_of(self.n_batches, 'batch')} of {sizes} of {count_of(n_shards, 'shard')}, {promised}"
        return f"{head}\n{first_rows(self.table())}"

    # What the sampler asks ------------------------------------------------------------------------------------------

    def places_of(self, shards: Any) -> NDArray[np.int64]:
        """Return the positions of shards in the table, by their names."""
        names = shown_names(shards, "shards", noun="shard")
        return np.array(codes_of(names, self._counts.shards, "shards", noun="shard"), dtype=np.int64)

    def counts_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of each stratum in some shards, shape (number of shards, number of strata)."""
        return np.ascontiguousarray(self._counts.table[places])

    def begins_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the batch of the first row of each stratum in some shards, from 0, shape as of `counts_of`."""
        table = self._counts.table.T if self.promise == "global" else self._counts.table
        ends = np.cumsum(table).reshape(table.shape)
        begins = (ends - table) % self.n_batches
        return np.ascontiguousarray((begins.T if self.promise == "global" else begins)[places])

    def fewest_of(self, places: NDArray[np.int64]) -> int:
        """Return the fewest rows of some shards in a batch, without computing each batch."""
        counts, begins = self.counts_of(places).ravel(), self.begins_of(places).ravel()
        over = counts % self.n_batches
        ends = begins + over
        wraps = ends >= self.n_batches
        # Each cell has one row more in the batches from its begin to its end, around the last batch.
        batches = np.concatenate([[0], begins, ends - wraps * self.n_batches])
        steps = np.concatenate([[wraps.sum()], np.ones_like(begins), -np.ones_like(begins)])
        order = np.argsort(batches, kind="stable")
        is_last = np.append(np.diff(batches[order]) > 0, True)
        return int((counts // self.n_batches).sum()) + int(np.cumsum(steps[order])[is_last].min())

    def check_n_batches(self) -> None:
        """Refuse more batches than can be drawn."""
        if self.n_batches > MAX_COUNT:
            got = f"{self.min_samples_per_stratum}, for {self.n_batches} batches,"
            raise refused_value("min_samples_per_stratum", f"make at most {MAX_COUNT} batches", got, "Raise it.")

    @property
    def strata(self) -> Sequence[str]:
        """The names of the strata."""
        return self._counts.strata

    @property
    def shards(self) -> Sequence[str]:
        """The names of all shards."""
        return self._counts.shards


def sharded_plan(counts: pd.DataFrame, min_samples_per_stratum: int, *, promise: str = "global") -> ShardedPlan:
    """Return the plan that `ShardedStratifiedBatchSampler` makes from a table of counts.

    The R function ``rbridge::sharded_plan()`` returns the same numbers.

    Parameters
    ----------
    counts, min_samples_per_stratum, promise
        As in `ShardedStratifiedBatchSampler`.

    Returns
    -------
    ShardedPlan

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, or if a stratum, or with ``promise="local"`` a stratum of a shard, has too few rows.

    Examples
    --------
    >>> from pystrat import shard_counts, sharded_plan
    >>> counts = shard_counts({"a.csv": ["no"] * 5 + ["yes"] * 2, "b.csv": ["no"] * 8 + ["yes"] * 4})
    >>> print(sharded_plan(counts, 2).summary())
    3 batches of 6 to 7 rows of 2 shards, at least 2 rows of every stratum over all processes
             rows  fewest  most
    stratum
    no         13       4     5
    yes         6       2     2
    """
    return make_sharded_plan(counts, min_samples_per_stratum, promise)


def make_sharded_plan(counts: Any, min_samples_per_stratum: Any, promise: Any) -> ShardedPlan:
    """Choose the number of batches; refuse impossible requests."""
    minimum = check_one_minimum(min_samples_per_stratum)
    promise = check_choice(promise, "promise", choices=PROMISES)
    read = _in_order(read_counts(counts))
    rows = read.table.sum(axis=0)
    if not rows.all():
        empty = read.strata[int(rows.argmin())]
        raise refused_value("counts", "have a row of each stratum", f"none of {show(empty)}")
    most = _most_of_all(read, rows) if promise == "global" else _most_of_shards(read)
    if minimum > most.rows:
        required = f"be at most {most.rows}: {most.reason}"
        raise refused_value("min_samples_per_stratum", required, show(minimum), "Lower it.")
    n_batches = most.rows // minimum
    return ShardedPlan(n_batches, most.rows // n_batches, promise, read)


def _in_order(counts: ShardCounts) -> ShardCounts:
    """Sort shards and strata by name: batches must not depend on the order in which a process lists them."""
    rows = sorted(range(len(counts.shards)), key=counts.shards.__getitem__)
    columns = sorted(range(len(counts.strata)), key=counts.strata.__getitem__)
    shards, strata = tuple(map(counts.shards.__getitem__, rows)), tuple(map(counts.strata.__getitem__, columns))
    return ShardCounts(counts.table[np.ix_(rows, columns)], shards, strata)


@dataclass(frozen=True)
class _Most:
    """The largest number of rows of every stratum that a batch can be guaranteed to have, and what limits it."""

    rows: int
    reason: str


def _most_of_all(counts: ShardCounts, rows: NDArray[np.int64]) -> _Most:
    smallest = int(rows.argmin())
    has = count_of(int(rows[smallest]), "row")
    return _Most(int(rows[smallest]), f"the smallest stratum, {show(counts.strata[smallest])}, has {has}")


def _most_of_shards(counts: ShardCounts) -> _Most:
    shard, stratum = (int(place) for place in np.unravel_index(counts.table.argmin(), counts.table.shape))
    rows = int(counts.table[shard, stratum])
    where = f"the shard {show(counts.shards[shard])}"
    if rows == 0:
        required = f"be 'global' if a shard has no row of a stratum, as {where} has none of "
        raise refused_value("promise", required + show(counts.strata[stratum]), "'local'")
    return _Most(rows, f"{where} has {count_of(rows, 'row')} of {show(counts.strata[stratum])}")
