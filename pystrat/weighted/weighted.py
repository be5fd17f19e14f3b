"""Batches of rows drawn by weights that may change during training."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import check_same_rows
from pystrat.core_sampler import arguments_of
from pystrat.epoch_table import read_epoch_table
from pystrat.feedback import FeedbackBatchSampler
from pystrat.row_arguments import row_positions, row_values


class WeightedBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws rows by weights, which may be changed between batches.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_weighted()`` returns the same batches from the same seed. docs/weighted.md is a guide.

    Parameters
    ----------
    weights : array_like of float, shape (n_rows,), or mapping from int to such arrays
        The weight of each row of the dataset: finite, none below 0, not all 0; they need not sum to 1. A mapping has
        the weights by the first epoch in which they apply, such as ``{0: easy, 5: medium, 10: uniform}`` for a
        curriculum. The first epoch is 0.
    batch_size : int
        The number of rows per batch; without replacement, at most the number of positive weights.
    replacement : bool, default True
        Whether a row may occur in a batch more than once. Different batches always draw from all rows.
    n_batches : int, optional
        The number of batches per epoch, at most 2147483647; by default ``n_rows // batch_size``.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded down to a multiple of it. The
        batches that all processes train on at the same time are drawn together.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, or if a batch cannot be drawn because too many weights were changed to 0.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * A batch is drawn like `SumTree.sample`: rows of weight 0 never occur, others according to their share of the
      total; without replacement, of the total that is left.
    * The batches are a function of the initial weights, the seed, the epoch, the updates, and how many batches were
      drawn before each update. An update affects the batches that are not yet drawn, even those of later epochs. The
      workers of a DataLoader request up to ``num_workers * prefetch_factor`` batches ahead, so an update takes effect
      that many batches later, and the batches depend on the number of workers.
    * `batches` returns the epoch as it would be with the current weights, and changes nothing.
    * Weights by epoch cannot be updated, so the batches are a function of the weights, the seed and the epoch.
      `weights` and `sample` use those of the next epoch. Each array takes 9 bytes per row.
    * A state contains the weights, the state of the generator, and the batches that were drawn but not trained on. Its
      arrays have 8 bytes per row. It is valid for any sampler with the same number of rows and the same parameters.
    * If all ranks receive the same updates between the same batches, interleaving them gives the batches of
      ``rank=None``.
    * `sample` draws rows for training loops without epochs. Its random numbers follow from the seed and the previous
      calls, and do not affect the iteration.

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
        arguments = arguments_of(locals(), without=("weights",))
        planned = self._plan_of(arguments, _data_of_weights(weights))
        self._begin(planned, seed=seed, num_replicas=num_replicas, rank=rank)

    def update(self, rows: Any, weights: Any) -> None:
        """Set the weights of rows; if a row is repeated, the last of its weights counts.

        Parameters
        ----------
        rows : array_like of int, shape (k,), or int
            From 0 to n - 1.
        weights : array_like of float, shape (k,), or float
            Finite, none below 0.

        Raises
        ------
        TypeError, ValueError
            If a parameter is invalid, the total would overflow, or the weights are those of a mapping by epoch. In that
            case nothing changes.
        """
        self._update(rows, weights, "weights")

    def weights(self, rows: Any = None) -> NDArray[np.float64]:
        """Return the current weights of rows, or of all rows, as a new array; of a mapping, those of the next epoch."""
        data = {} if rows is None else {"rows": row_positions(rows, "rows")}
        found: NDArray[np.float64] = self._instance.ask("weights", {"epoch": self.epoch}, data)["weights"]
        return found

    def _state_vectors(self) -> dict[str, Any]:
        return {"weights": self._feedback()["weights"]}

    def __repr__(self) -> str:
        parts = self._parts
        begins = ", ".join(f"{epoch:.0f}" for epoch in parts.get("begins", ()))
        stages = f"weights from epochs {begins}, " if begins else ""
        return (
            f"{type(self).__name__}({parts['n_rows']} rows, {stages}batch_size={parts['batch_size']}, "
            f"{parts['n_batches']} batches, replacement={parts['replacement']}, seed={self.seed}, epoch={self.epoch})"
        )


def _data_of_weights(weights: Any) -> dict[str, Any]:
    """Return the weights of rows, or those of all stages of a table by epoch, as the core takes them."""
    if not isinstance(weights, Mapping):
        return {"weights": row_values(weights, "weights")}
    table = read_epoch_table(weights, "weights", noun="weights", entry="weights of rows")
    check_same_rows(("weights", of_stage) for of_stage in table.values())
    stages = [row_values(of_stage, "weights") for of_stage in table.values()]
    return {
        "weights": np.concatenate(stages),
        "begins": np.array(list(table), dtype=np.float64),
        "n_weights": np.array([len(of_stage) for of_stage in stages], dtype=np.float64),
    }
