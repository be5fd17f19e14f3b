"""The plan of sharded batches: it depends only on the table of counts, whatever the number of rows."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.counts_by_shard import ShardCounts, read_counts, shown_names
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, range_of, show
from pystrat.core.plan import Plan
from pystrat.core.strata import strata_of_keys


class ShardedPlan(Plan):
    """How the rows of shards are dealt to batches; made by `sharded_plan`.

    Attributes
    ----------
    n_batches : int
        The number of batches of an epoch, the same on all processes.
    min_samples_per_stratum, scope
        The rows of every stratum that every batch has, and whether over all processes ("global") or of every shard.
    counts : pandas.DataFrame
        The rows of each stratum in each shard. Shards are sorted by name, by code point, and strata by value.
    """

    def __init__(self, read: ShardCounts, arguments: dict[str, Any]) -> None:
        # Sorted, because batches must not depend on the order in which a process lists shards or strata.
        rows, columns = (sorted(range(len(names)), key=names.__getitem__) for names in (read.shards, read.strata))
        table, scope = read.table[np.ix_(rows, columns)], arguments["scope"]
        shards, values = tuple(read.shards[row] for row in rows), read.values[columns]
        self.by_name, self._arguments = ShardCounts(table, shards, values), arguments
        found = _core.call("sharded_plan", arguments, self.data_of(), self.name_of)
        n_batches, minimum = (int(found[name][0]) for name in ("n_batches", "min_samples_per_stratum"))
        dealt = table if scope == "local" else table.sum(axis=0, keepdims=True)
        fewest, most = dealt // n_batches, -(-dealt // n_batches)
        totals = {"rows": table.sum(axis=0), "fewest": fewest.sum(axis=0), "most": most.sum(axis=0)}
        self._n_rows, n_shards = int(table.sum()), count_of(len(table), "shard")
        sizes = range_of([self._n_rows // n_batches, -(-self._n_rows // n_batches)], "row")
        where = "over all processes" if scope == "global" else "and shard"
        promised = f"at least {count_of(minimum, 'row')} of every stratum {where}"
        heading = f"{count_of(n_batches, 'batch')} of {sizes} of {n_shards}, {promised}"
        super().__init__(heading, n_batches, values, totals, scope=scope, min_samples_per_stratum=minimum)

    @property
    def counts(self) -> pd.DataFrame:  # noqa: D102, documented as an attribute
        return self.by_name.to_frame().sort_index(axis=1)

    def sizes(self) -> NDArray[np.int64]:
        """Return the rows of each batch over all processes, shape (n_batches,)."""
        return self._n_rows // self.n_batches + (np.arange(self.n_batches) < self._n_rows % self.n_batches)

    def fewest_rows(self, shards: Any) -> int:
        """Return the fewest rows in a batch of a process that holds these shards, given by their names."""
        return int(_core.call("sharded_plan", self._arguments, self.data_of(self.places_of(shards)))["fewest"][0])

    def places_of(self, shards: Any) -> NDArray[np.int64]:
        """Return the positions of shards in the table, by their names."""
        names = shown_names(shards, "shards", noun="shard")
        return np.array(strata_of_keys(names, self.by_name.shards, "shards", noun="shard"), dtype=np.int64)

    def data_of(self, places: Optional[NDArray[np.int64]] = None) -> dict[str, Any]:
        """Return the table, and the positions of shards in it, as the core takes them."""
        data = {"table": self.by_name.table.astype(np.float64).ravel(), "n_strata": self.by_name.table.shape[1]}
        return data if places is None else {**data, "shards": places.astype(np.float64)}

    def name_of(self, what: str, place: str) -> str:
        """Return the name of a shard or a stratum as messages of the core show it."""
        return show((self.by_name.shards if what == "shard" else self.by_name.strata)[int(place)])


def sharded_plan(
    counts: pd.DataFrame,
    min_samples_per_stratum: Optional[int] = None,
    *,
    mean_batch_size: Optional[int] = None,
    scope: str = "global",
) -> ShardedPlan:
    """Return the plan that `ShardedStratifiedBatchSampler` makes of these arguments; in R, ``rbridge::sharded_plan()``.

    Parameters
    ----------
    counts, min_samples_per_stratum, mean_batch_size, scope
        As in `ShardedStratifiedBatchSampler`.

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
    arguments = {"min_samples_per_stratum": min_samples_per_stratum, "mean_batch_size": mean_batch_size, "scope": scope}
    _core.check("sharded_plan", arguments)
    return ShardedPlan(read_counts(counts), arguments)
