"""Stratified batches of sharded data: each process holds some of the shards, and none holds all labels."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.counts_by_shard import ShardCounts, read_counts, shown_names
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT, MAX_EPOCH, MAX_SEED
from pystrat.core.messages import check_integer, count_of, refused_value, show
from pystrat.core.plan import Plan
from pystrat.core.recipe import compact
from pystrat.core.strata import encode_strata, strata_of_keys


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
        sizes = count_of([self._n_rows // n_batches, -(-self._n_rows // n_batches)], "row")
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


class ShardedStratifiedBatchSampler(KindBatchSampler):
    """Batch sampler with a minimum number of rows of every stratum in every batch, for sharded data.

    The data are in shards, such as files or partitions, and each process holds some of them. Batch b of this sampler is
    the part of the global batch b that this process holds. The R function ``rbridge::batch_sampler_sharded()`` returns
    the same batches. docs/beyond-one-machine.md is a guide.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The stratum of each row of the dataset of this process, which holds its shards one after another, without
        missing values.
    min_samples_per_stratum : int, optional
        The minimum m. Give either it or `mean_batch_size`.
    mean_batch_size : int, optional
        The mean number of rows per batch, over all processes. The minimum m is then the largest that all batches keep.
    counts : pandas.DataFrame
        The number of rows of each stratum (columns) in each shard (rows), over all processes and the same in each of
        them: the result of `shard_counts`, `bind_counts` or `gather_counts`, or such a table from elsewhere.
    shards : sequence
        The names of the shards of this process, in their order in its dataset.
    seed : int
        From 0 to 2147483646, the same in all processes.
    scope : {"global", "local"}, default "global"
        Every batch has at least m rows of every stratum: over all processes ("global"), or of each shard and therefore
        of each process ("local"). An epoch has ``n_min // m`` batches, where n_min is the size of the smallest stratum,
        or of the smallest one of a shard.
    shuffle : bool, default True
        Whether to shuffle the rows in each epoch. If False, the rows of each stratum in each shard keep their order.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`, for n rows, n_s of them in stratum s, n_r in shard r, n_rs in both:

    * All processes have the same number of batches, B. No batch of a process is empty.
    * Every shard contributes the floor or the ceiling of n_rs / B rows of each stratum to each batch, and the sizes of
      the batches over all processes differ by at most 1.
    * "global": each batch has the floor or the ceiling of n_s / B rows of each stratum over all processes. "local":
      each batch has the floor or the ceiling of n_r / B rows of each shard.
    * The rows of a batch over all processes do not depend on which process holds which shard, because each shard is
      shuffled separately. A state can therefore be loaded with a different number of processes.

    R shards allow epochs below ``(2^31 - 1) // R``, such as 21,474 with 10^5 shards.

    Examples
    --------
    >>> from pystrat import ShardedStratifiedBatchSampler, shard_counts
    >>> strata = {"a.csv": ["no"] * 5 + ["yes"] * 2, "b.csv": ["no"] * 8 + ["yes"] * 4}
    >>> counts = shard_counts(strata)
    >>> for shard in strata:  # in two processes
    ...     sampler = ShardedStratifiedBatchSampler(strata[shard], 2, counts=counts, shards=[shard], seed=1)
    ...     print([[strata[shard][row] for row in batch] for batch in sampler])
    [['no', 'no'], ['no', 'no', 'yes'], ['no', 'yes']]
    [['no', 'no', 'no', 'yes', 'yes'], ['no', 'no', 'yes'], ['no', 'no', 'no', 'yes']]
    """

    _kind = "sharded"

    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: Optional[int] = None,
        *,
        mean_batch_size: Optional[int] = None,
        counts: pd.DataFrame,
        shards: Any,
        seed: int,
        scope: str = "global",
        shuffle: bool = True,
    ) -> None:
        arguments = arguments_of(locals(), without=("strata", "counts", "shards"))
        check_integer(seed, "seed", minimum=0, maximum=MAX_SEED)
        self._check({**arguments, "num_replicas": None, "rank": None})
        minimum, mean = self._parameters["min_samples_per_stratum"], self._parameters["mean_batch_size"]
        self._plan = plan = sharded_plan(counts, minimum, mean_batch_size=mean, scope=scope)
        self._places = plan.places_of(shards)
        table = plan.by_name
        names = "\n".join([*table.shards, *table.strata]).encode("utf-8")
        data = {**plan.data_of(self._places), "names": np.frombuffer(names, dtype=np.uint8)}
        encoded = encode_strata(strata, missing=None, may_be_empty=True)
        columns = np.array(strata_of_keys(encoded.exact_names, table.strata, "strata", noun="stratum"), dtype=np.int64)
        if len(np.unique(columns)) < len(columns):
            raise refused_value("strata", "have strata of different names", "two of one name", "Recode them.")
        data["codes"] = compact(columns[encoded.codes], len(table.strata))
        self._begin(data, plan.name_of, {"names": table.strata, "shards": self.shards})
        self._warned_of_process_group = True  # no warning is due: this sampler is made for process groups

    @property
    def plan(self) -> ShardedPlan:
        """The plan of the batches of all processes."""
        return self._plan

    @property
    def shards(self) -> tuple[str, ...]:
        """The names of the shards of this process."""
        return tuple(self._plan.by_name.shards[place] for place in self._places.tolist())

    def _check_epoch(self, epoch: Any) -> int:
        last = min(MAX_EPOCH, MAX_COUNT // len(self._plan.by_name.shards) - 1)
        return check_integer(epoch, "epoch", minimum=0, maximum=last)
