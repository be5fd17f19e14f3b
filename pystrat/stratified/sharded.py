"""Stratified batches of sharded data: each process holds some of the shards, and none holds all labels."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.base import Batches, BatchSampler
from pystrat.digest import fingerprint
from pystrat.limits import MAX_COUNT, MAX_EPOCH
from pystrat.messages import check_flag, check_integer, count_of, refused_value, show
from pystrat.rare_strata import check_one_minimum
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import encode_strata
from pystrat.stratified._shards import lay_out, scatter
from pystrat.stratified.sharded_plan import ShardedPlan, make_sharded_plan
from pystrat.stratum_names import codes_of


class ShardedStratifiedBatchSampler(BatchSampler):
    """Batch sampler with a minimum number of rows of every stratum in every batch, for sharded data.

    The data are in shards, such as files or partitions, and each process holds some of them. The processes share only
    the table of counts: the number of rows of each stratum in each shard. Batch b of this sampler is the part of the
    global batch b that this process holds. Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)`` in each
    process. The R function ``rbridge::batch_sampler_sharded()`` returns the same batches, row for row, from the same
    seed.

    Parameters
    ----------
    local_strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The stratum of each row of the dataset of this process, which holds its shards one after another, in any form
        that `StratifiedBatchSampler` accepts, without missing values.
    min_samples_per_stratum : int
        The minimum m.
    counts : pandas.DataFrame
        The number of rows of each stratum (columns) in each shard (rows), over all processes and the same in each of
        them, in any order: the result of `shard_counts`, `bind_counts` or `gather_counts`, or such a table from
        elsewhere.
    shards : sequence
        The names of the shards of this process, in their order in its dataset.
    seed : int
        From 0 to 2147483646, the same in all processes.
    promise : {"global", "local"}, default "global"
        "global": every batch has at least m rows of every stratum over all processes, which is enough for a loss that
        sees the outputs of all processes. An epoch has ``n_min // m`` batches, where n_min is the size of the smallest
        stratum. "local": every batch has at least m rows of every stratum of each shard, and therefore of each process.
        An epoch has ``n_min // m`` batches, where n_min is the size of the smallest stratum of a shard.
    shuffle : bool, default True
        Whether to shuffle the rows in each epoch. If False, the rows of each stratum in each shard keep their order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid; if the rows do not match the `counts` of the shards; if a stratum, or with
        ``promise="local"`` a stratum of a shard, has too few rows; if a batch would have no row of this process; or if
        there are 2^31 batches or more.

    Notes
    -----
    The rows are dealt to B batches in turn, each cell beginning where the one before ended: stratum by stratum and
    within it shard by shard with ``promise="global"``, shard by shard and within it stratum by stratum with "local".
    Strata and shards are in order of their names, by code point. Guarantees, besides those of `BatchSampler`, for n
    rows, n_s of them in stratum s, n_r in shard r, and n_rs in both:

    * All processes have the same number of batches, B. No batch of a process is empty.
    * Every shard contributes the floor or the ceiling of n_rs / B rows of each stratum to each batch.
    * The sizes of the batches over all processes differ by at most 1.
    * "global": each batch has the floor or the ceiling of n_s / B rows of each stratum over all processes. A process
      whose shards are consecutive contributes the floor or the ceiling of its share of them.
    * "local": each batch has the floor or the ceiling of n_r / B rows of each shard. The batches of a process whose
      shards are consecutive differ by at most 1 row.
    * The rows of a batch over all processes do not depend on which process holds which shard, because each shard is
      shuffled separately. A state can therefore be loaded with a different number of processes.
    * With a single shard, the batches are those of ``StratifiedBatchSampler(..., assign="even")``, row for row, if its
      strata first appear in the order of their names.
    * Within a batch, rows are ordered by shard, as in `shards`, then by stratum, then by rank.

    In epoch e, shard r of R shards has the order of `epoch_permutation` with ``epoch=e * R + r``. This number must stay
    below 2^31 - 1, which limits the number of epochs to at most 6,700,001, and to 21,474 with 10^5 shards.

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

    def __init__(
        self,
        local_strata: Any,
        min_samples_per_stratum: int,
        *,
        counts: pd.DataFrame,
        shards: Any,
        seed: int,
        promise: str = "global",
        shuffle: bool = True,
    ) -> None:
        super().__init__(seed=check_integer(seed, "seed", minimum=0, maximum=MAX_COUNT - 1))
        self._warned_of_process_group = True  # no warning is due: this sampler is made for process groups
        self._is_shuffled = check_flag(shuffle, "shuffle")
        self._plan = make_sharded_plan(counts, min_samples_per_stratum, promise)
        self._plan.check_n_batches()
        self._places = self._plan.places_of(shards)
        _check_own_shards(self._plan, self._places)
        self._codes = _checked_codes(local_strata, self._plan, self._places)
        self._asked = check_one_minimum(min_samples_per_stratum)
        self._layout: Optional[tuple[NDArray[np.int32], NDArray[np.int64]]] = None  # with the offsets

    @property
    def plan(self) -> ShardedPlan:
        """The plan of the batches of all processes."""
        return self._plan

    @property
    def _is_part(self) -> bool:
        return True

    @property
    def shards(self) -> tuple[str, ...]:
        """The names of the shards of this process."""
        return tuple(self._plan.shards[place] for place in self._places.tolist())

    @property
    def parameters(self) -> dict[str, Any]:
        """The checked parameters, except the strata, the counts, the shards and the seed."""
        return {
            "min_samples_per_stratum": self._asked,
            "promise": self._plan.promise,
            "shuffle": self._is_shuffled,
        }

    def _global_length(self) -> int:
        return self._plan.n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        layout, offsets = self._laid_out()
        counts = self._plan.counts_of(self._places)
        rows = np.empty(len(self._codes), dtype=np.int32)
        drawn = epoch if self._is_shuffled else -1
        scatter(self._codes, counts, layout, rows, self._places, len(self._plan.shards), self._seed, drawn)
        return Batches(rows, offsets)

    def _laid_out(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the place of each row in an epoch, and the offsets of the batches: the same in all epochs."""
        if self._layout is None:
            layout = np.empty(len(self._codes), dtype=np.int32)
            counts, begins = self._plan.counts_of(self._places), self._plan.begins_of(self._places)
            self._layout = layout, lay_out(counts.ravel(), begins.ravel(), self._plan.n_batches, layout)
        return self._layout

    def _check_epoch(self, epoch: Any) -> int:
        last = min(MAX_EPOCH, MAX_COUNT // len(self._plan.shards) - 1)
        return check_integer(epoch, "epoch", minimum=0, maximum=last)

    def _fingerprint(self) -> str:
        """Return a fingerprint that is the same in all processes, whichever shards they hold."""
        return fingerprint(
            "sharded",
            shards=self._plan.shards,
            strata=self._plan.strata,
            table=self._plan.counts_of(np.arange(len(self._plan.shards))),
            n_batches=self._plan.n_batches,
            promise=self._plan.promise,
            seed=self._seed if self._is_shuffled else None,
        )

    def _recipe(self) -> Recipe:
        plan, counts = self._plan, self._plan.counts_of(self._places)
        parts = {
            "codes": self._codes,
            "n_strata": len(plan.strata),
            "n_shards": len(plan.shards),
            "n_batches": plan.n_batches,
            "shards": self._places.astype(np.float64),
            "sizes": counts.sum(axis=1).astype(np.float64),
            "begins": plan.begins_of(self._places).ravel().astype(np.float64),
            "shuffle": self._is_shuffled,
        }
        labels = {**{name: show(value) for name, value in self.parameters.items()}, "names": plan.strata}
        return make_recipe("sharded", seed=self._seed, parts=parts, labels={**labels, "shards": self.shards})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed from the rest."""
        return {**self.__dict__, "_layout": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not self._codes.flags.writeable:  # a pickle may contain a shared buffer, which the kernel does not accept
            self._codes = self._codes.copy()

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"{type(self).__name__}({count_of(len(self._codes), 'row')} in {len(self._places)} of "
            f"{count_of(len(plan.shards), 'shard')}, {count_of(len(plan.strata), 'stratum')}, "
            f"{count_of(plan.n_batches, 'batch')}, "
            f"min_samples_per_stratum={plan.min_samples_per_stratum}, promise={plan.promise!r}, "
            f"shuffle={self._is_shuffled}, seed={self._seed}, epoch={self.epoch})"
        )


def _check_own_shards(plan: ShardedPlan, places: NDArray[np.int64]) -> None:
    """Refuse shards if some batch would have no row of them."""
    if plan.fewest_of(places) > 0:
        return
    n_rows = int(plan.counts_of(places).sum())
    required = f"have a row for each of {count_of(plan.n_batches, 'batch')}"
    got = f"{count_of(n_rows, 'row')} in {count_of(len(places), 'shard')}, of which some batch has none,"
    advice = "Give this process more shards" + (", or raise 'min_samples_per_stratum'." if n_rows else ".")
    raise refused_value("shards", required, got, advice)


def _checked_codes(local_strata: Any, plan: ShardedPlan, places: NDArray[np.int64]) -> NDArray[Any]:
    """Return the column of `counts` of each row; refuse rows that do not match the table."""
    encoded = encode_strata(local_strata, missing=None, name="local_strata", exact=True)
    columns = np.array(codes_of(encoded.names, plan.strata, "local_strata", noun="stratum"), dtype=np.int64)
    if len(set(columns.tolist())) < len(columns):
        raise refused_value("local_strata", "have strata of different names", "two of one name", "Recode them.")
    counts = plan.counts_of(places)
    sizes = counts.sum(axis=1)
    if len(encoded.codes) != sizes.sum():
        required = f"have one value for each row of the shards, {int(sizes.sum())}"
        raise refused_value("local_strata", required, count_of(len(encoded.codes), "value"))
    codes = compact(columns[encoded.codes], len(plan.strata))
    for place, counted, end in zip(places.tolist(), counts, np.cumsum(sizes).tolist()):
        found = np.bincount(codes[end - int(counted.sum()) : end], minlength=len(counted))
        for stratum in np.flatnonzero(found != counted)[:1].tolist():
            rows, shard = count_of(int(counted[stratum]), "row"), show(plan.shards[place])
            required = f"have the rows of 'counts': {rows} of {show(plan.strata[stratum])} in the shard {shard}"
            raise refused_value("local_strata", required, str(found[stratum]))
    return codes
