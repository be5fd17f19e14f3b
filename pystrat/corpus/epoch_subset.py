"""Part of the dataset in every epoch: at random, or in turn."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.epoch_table import read_epoch_table
from pystrat.core.limits import MAX_COUNT
from pystrat.core.row_arguments import row_positions


class EpochSubsetBatchSampler(KindBatchSampler):
    """Batch sampler that visits `sample` of `n_rows` examples in each epoch.

    The methods are those of OpenNMT's memory sampling (options ``-sample``, ``-sample_type``). The R function is
    ``rbridge::batch_sampler_epoch_subset()``. docs/corpus.md is a guide.

    Parameters
    ----------
    n_rows : int
        The number of examples of the dataset, from 1 to 2147483647.
    sample : int
        The number of examples in an epoch, from 1 to 2147483647; it may exceed `n_rows`, except without replacement.
    batch_size : int
        The largest number of examples in a batch; the sizes of batches differ by at most 1.
    method : {"uniform", "uniform_without_replacement", "partition"}, default "uniform"
        * ``"uniform"``: independent draws with replacement.
        * ``"uniform_without_replacement"``: no example twice in an epoch.
        * ``"partition"``: not random; over the epochs, every example is visited equally often.
    rows : mapping from int to array of int, or array of int, optional
        The rows that epochs visit a part of, by the first epoch in which they apply, such as
        ``{0: easy, 5: medium, 10: range(n_rows)}`` for a curriculum; an array is for all epochs. No row may be twice in
        an array. By default, all rows.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`. The number of batches is rounded up to a multiple of `num_replicas`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits exactly `sample` examples, in drawn order.
    * ``"uniform"`` draws R's ``sample.int(n_rows, sample, replace = TRUE)``, and ``"uniform_without_replacement"`` R's
      ``sample.int(n_rows, sample)``, after ``set.seed()`` of the epoch's seed.
    * ``"partition"`` takes every step-th example, ``step = max(1, n_rows // sample)``, beginning with the first, then
      with the second, and so on. An epoch continues where the last one ended, with `rows` from the first epoch of an
      array. Any n consecutive draws visit each example once.
    * With `rows`, places among the rows of the epoch are drawn, in the order in which they were given.

    Examples
    --------
    >>> from pystrat import EpochSubsetBatchSampler
    >>> sampler = EpochSubsetBatchSampler(10, sample=4, batch_size=2, method="partition")
    >>> [batch.tolist() for epoch in range(2) for batch in sampler.batches(epoch)]
    [[0, 2], [4, 6], [8, 1], [3, 5]]
    """

    _kind = "epoch_subset"

    def __init__(
        self,
        n_rows: int,
        sample: int,
        batch_size: int,
        *,
        method: str = "uniform",
        rows: Any = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("rows",)))
        self._begin(_data_of_rows(rows))


def _data_of_rows(rows: Any) -> dict[str, Any]:
    """Return the rows of all epochs as the core takes them."""
    if rows is None:
        return {}
    table = read_epoch_table(rows, "rows", noun="rows", entry="rows")
    stages = [row_positions(of_stage, "rows") for of_stage in table.values()]
    return {
        "rows": np.concatenate(stages).clip(-1, MAX_COUNT).astype(np.int32),
        "begins": np.array(list(table), dtype=np.float64),
        "n_candidates": np.array(list(map(len, stages)), dtype=np.float64),
    }
