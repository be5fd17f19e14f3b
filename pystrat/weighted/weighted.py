"""Batches of rows drawn by weights that may change during training."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import check_same_rows
from pystrat.core.core_sampler import arguments_of
from pystrat.core.epoch_table import read_epoch_table
from pystrat.core.feedback import FeedbackBatchSampler
from pystrat.core.messages import count_of, refused_value
from pystrat.core.row_arguments import row_positions, row_values


class WeightedBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws rows by weights, which may be changed between batches. docs/weighted.md is a guide.

    Parameters
    ----------
    weights : array_like of float, shape (n_rows,), or mapping from int to such arrays
        The weight of each row of the dataset: finite, none below 0, not all 0. A mapping has the weights by the first
        epoch in which they apply, such as ``{0: easy, 5: medium, 10: uniform}`` for a curriculum.
    batch_size : int
        The number of rows per batch; without replacement, at most the number of positive weights.
    replacement : bool, default True
        Whether a row may occur in a batch more than once. Different batches always draw from all rows.
    n_batches : int, optional
        The number of batches per epoch; by default ``n_rows // batch_size``.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`. The batches that all processes train on at the same time are drawn together.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Rows are drawn by their share of the total; without replacement, of the total that is left.
    * The batches are a function of the initial weights, the seed, the epoch, the updates, and how many batches were
      drawn before each update. The workers of a DataLoader request ``num_workers * prefetch_factor`` batches ahead.
    * Weights by epoch cannot be updated. `weights` and `sample` use those of the next epoch.
    * A state contains the weights and the batches that were drawn but not trained on. If all ranks receive the same
      updates between the same batches, interleaving them gives the batches of ``rank=None``.

    Examples
    --------
    >>> from pystrat import WeightedBatchSampler
    >>> sampler = WeightedBatchSampler([1] * 6, batch_size=3, n_batches=3, seed=1)
    >>> iterator = iter(sampler)
    >>> next(iterator)
    [1, 3, 1]
    >>> sampler.update([0, 1, 2, 3, 4], [0, 0, 0, 0, 0])
    >>> next(iterator)
    [5, 5, 5]
    """

    _kind = "weighted"

    def __init__(
        self,
        weights: Any,
        batch_size: int,
        *,
        replacement: bool = True,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("weights",)))
        table = read_epoch_table(weights, "weights", noun="weights", entry="weights of rows")
        check_same_rows(("weights", of_stage) for of_stage in table.values())
        stages = [row_values(of_stage, "weights") for of_stage in table.values()]
        n_rows = len(stages[0])
        for epoch, of_stage in zip(table, stages):
            if len(of_stage) != n_rows:
                got = f"{count_of(n_rows, 'value')} for epoch 0 and {len(of_stage)} for epoch {epoch}"
                raise refused_value("weights", "have one weight for each row in all epochs", got)
        begins = {"begins": np.array(list(table), dtype=np.float64)} if isinstance(weights, Mapping) else {}
        values = np.concatenate(stages) if len(stages) > 1 else stages[0]
        self._begin_state({"n_rows": n_rows, **begins}, {"weights": values})

    def update(self, rows: Any, weights: Any) -> None:
        """Set the weights of rows; if a row is repeated, the last of its weights counts."""
        self._tell("update", rows, weights, "weights")

    def weights(self, rows: Any = None) -> NDArray[np.float64]:
        """Return the current weights of rows, or of all rows, as a new array; by epoch, those of the next one."""
        asked = {"epoch": self.epoch, "rows": None if rows is None else row_positions(rows, "rows")}
        return np.asarray(self._instance.ask("weights", asked)["weights"])
