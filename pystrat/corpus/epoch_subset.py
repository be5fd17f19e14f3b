"""Part of the dataset in every epoch: at random, or in turn."""

from __future__ import annotations

from typing import Any, Optional

from pystrat.core_sampler import arguments_of
from pystrat.corpus.cutting import CuttingBatchSampler
from pystrat.corpus.rows_by_epoch import data_of_rows


class EpochSubsetBatchSampler(CuttingBatchSampler):
    """Batch sampler that visits `sample` of `n_rows` examples in each epoch.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_epoch_subset()`` returns the same batches from the same seed. docs/corpus.md is a guide.

    Parameters
    ----------
    n_rows : int
        The number of examples of the dataset, from 1 to 2147483647.
    sample : int
        The number of examples in an epoch, from 1 to 2147483647; it may exceed `n_rows`, except without replacement.
    batch_size : int
        The number of examples per batch. The last batch may be shorter.
    method : {"uniform", "uniform_without_replacement", "partition"}, default "uniform"
        * ``"uniform"``: independent draws with replacement.
        * ``"uniform_without_replacement"``: no example twice in an epoch.
        * ``"partition"``: not random; over the epochs, every example is visited equally often.
    rows : mapping from int to array of int, or array of int, optional
        The rows that epochs visit a part of, by the first epoch in which they apply, such as
        ``{0: easy, 5: medium, 10: range(n_rows)}`` for a curriculum; an array is for all epochs. The first epoch is 0.
        No row may be twice in an array. By default, all rows.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`. The number of batches is rounded up to a multiple of `num_replicas`, and their sizes
        differ by at most 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid. The message names the parameter, its value and what to do.

    See Also
    --------
    PerplexityBatchSampler : draws in proportion to perplexities that the training loop reports.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits exactly `sample` examples.
    * ``"uniform"`` draws R's ``sample.int(n_rows, sample, replace = TRUE)``, and ``"uniform_without_replacement"`` R's
      ``sample.int(n_rows, sample, useHash = FALSE)``, after ``set.seed()`` of the epoch's seed.
    * ``"partition"``: any n consecutive draws, over all epochs, visit each example once.

    With `rows`, n_rows is the number of rows of the epoch in all of this: places among them are drawn, in the order in
    which they were given. Rows that are taken in turn begin anew in the first epoch of an array.

    Partition takes every step-th example, ``step = max(1, n_rows // sample)``, beginning with the first, then with the
    second, and so on; an epoch continues where the last one ended.

    The methods are those of OpenNMT's memory sampling (options ``-sample``, ``-sample_type``).

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
        arguments = arguments_of(locals(), without=("rows",))
        self._adopt(self._plan_of(arguments, data_of_rows(rows)), seed=seed, num_replicas=num_replicas, rank=rank)

    @property
    def method(self) -> str:
        """How the examples of an epoch are chosen."""
        return str(self._parts["method"])

    def __repr__(self) -> str:
        parts = self._parts
        return (
            f"{type(self).__name__}({parts['sample']} of {parts['n_rows']} examples, "
            f"{self._shown_batches(self.epoch)}, method={self.method!r}, seed={self._seed}, epoch={self.epoch})"
        )
