"""The plan of sharded batches: it depends only on the table of counts, whatever the number of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat import _kinds
from pystrat.counts_by_shard import ShardCounts, read_counts, shown_names
from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, range_of, show
from pystrat.plan import table_ends
from pystrat.strata import strata_of_keys
from pystrat.value_names import names_index


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
    scope : {"global", "local"}
        "global" for the minimum over all processes, "local" for that of every shard.
    counts : pandas.DataFrame
        The rows of each stratum in each shard. Shards are sorted by name, by code point, and strata by value.
    """

    n_batches: int
    min_samples_per_stratum: int
    scope: str
    _counts: ShardCounts
    _size: Mapping[str, Any] = field(repr=False)  # the parameter that the user gave

    @property
    def counts(self) -> pd.DataFrame:  # noqa: D102, documented as an attribute
        return self._counts.to_frame().sort_index(axis=1)

    def sizes(self) -> NDArray[np.int64]:
        """Return the rows of each batch over all processes, shape (n_batches,)."""
        n_rows = int(self._counts.table.sum())
        return n_rows // self.n_batches + (np.arange(self.n_batches) < n_rows % self.n_batches)

    def fewest_rows(self, shards: Any) -> int:
        """Return the fewest rows in a batch of a process that holds these shards, given by their names."""
        arguments = {**self._size, "scope": self.scope}
        return int(_kinds.call("sharded_plan", arguments, self.data_of(self.places_of(shards)))["fewest"][0])

    def table(self) -> pd.DataFrame:
        """Return one row per stratum, by its value: its rows, and its fewest and most in a batch over all processes."""
        return pd.DataFrame(self._columns(), index=self._counts.labels()).sort_index()

    def _columns(self) -> dict[str, NDArray[np.int64]]:
        table = self._counts.table
        dealt = table if self.scope == "local" else table.sum(axis=0, keepdims=True)
        fewest, most = dealt // self.n_batches, -(-dealt // self.n_batches)
        return {"rows": table.sum(axis=0), "fewest": fewest.sum(axis=0), "most": most.sum(axis=0)}

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        n_rows, n_shards = int(self._counts.table.sum()), len(self._counts.shards)
        sizes = range_of([n_rows // self.n_batches, -(-n_rows // self.n_batches)], "row")
        where = "over all processes" if self.scope == "global" else "and shard"
        promised = f"at least {count_of(self.min_samples_per_stratum, 'row')} of every stratum {where}"
        head = f"{count_of(self.n_batches, 'batch')} of {sizes} of {count_of(n_shards, 'shard')}, {promised}"
        named = pd.DataFrame(self._columns(), index=names_index(self._counts.strata, "stratum"))
        return f"{head}\n{table_ends(named)}"

    # What the sampler asks ------------------------------------------------------------------------------------------

    def places_of(self, shards: Any) -> NDArray[np.int64]:
        """Return the positions of shards in the table, by their names."""
        names = shown_names(shards, "shards", noun="shard")
        return np.array(strata_of_keys(names, self._counts.shards, "shards", noun="shard"), dtype=np.int64)

    def data_of(self, places: NDArray[np.int64]) -> dict[str, Any]:
        """Return the table and the positions of shards in it as the core takes them."""
        return {**_data_of(self._counts), "shards": places.astype(np.float64)}

    def name_of(self, what: str, place: str) -> str:
        """Return the name of a shard or a stratum as messages of the core show it."""
        return _name_of(self._counts, what, place)

    @property
    def strata(self) -> Sequence[str]:
        """The names of the strata."""
        return self._counts.strata

    @property
    def shards(self) -> Sequence[str]:
        """The names of all shards."""
        return self._counts.shards


def sharded_plan(
    counts: pd.DataFrame,
    min_samples_per_stratum: Optional[int] = None,
    *,
    mean_batch_size: Optional[int] = None,
    scope: str = "global",
) -> ShardedPlan:
    """Return the plan that `ShardedStratifiedBatchSampler` makes from a table of counts.

    The R function ``rbridge::sharded_plan()`` returns the same numbers.

    Parameters
    ----------
    counts, min_samples_per_stratum, mean_batch_size, scope
        As in `ShardedStratifiedBatchSampler`.

    Returns
    -------
    ShardedPlan

    Examples
    --------
    >>> from pystrat import shard_counts, sharded_plan
    >>> strata = {"a.csv": ["no"] * 5 + ["yes"] * 2, "b.csv": ["no"] * 8 + ["yes"] * 4}
    >>> counts = shard_counts(strata)
    >>> print(sharded_plan(counts, 2).summary())
    3 batches of 6 to 7 rows of 2 shards, at least 2 rows of every stratum over all processes
             rows  fewest  most
    stratum
    no         13       4     5
    yes         6       2     2
    """
    size = {"min_samples_per_stratum": min_samples_per_stratum, "mean_batch_size": mean_batch_size}
    arguments: dict[str, Any] = {**size, "scope": scope}
    _kinds.check("sharded_plan", arguments)
    read = _in_order(read_counts(counts))
    made = _kinds.call("sharded_plan", arguments, _data_of(read), partial(_name_of, read))
    n_batches, minimum = (int(made[name][0]) for name in ("n_batches", "min_samples_per_stratum"))
    return ShardedPlan(n_batches, minimum, scope, read, size)


def _data_of(counts: ShardCounts) -> dict[str, Any]:
    """Return the table as the core takes it."""
    return {"table": counts.table.astype(np.float64).ravel(), "n_strata": len(counts.strata)}


def _name_of(counts: ShardCounts, what: str, place: str) -> str:
    return show((counts.shards if what == "shard" else counts.strata)[int(place)])


def _in_order(counts: ShardCounts) -> ShardCounts:
    """Sort shards and strata by name: batches must not depend on the order in which a process lists them."""
    rows = sorted(range(len(counts.shards)), key=counts.shards.__getitem__)
    columns = sorted(range(len(counts.strata)), key=counts.strata.__getitem__)
    shards = tuple(map(counts.shards.__getitem__, rows))
    return ShardCounts(counts.table[np.ix_(rows, columns)], shards, counts.values[columns])
