"""Batches of rows drawn by weights that may change while they are trained on."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.entries import named_by_class
from pystrat.limits import MAX_COUNT
from pystrat.messages import RefusedValue, check_flag, check_integer, show
from pystrat._random import RandomStream
from pystrat._row_weights import RowWeights, as_numbers
from pystrat.feedback import FeedbackBatchSampler


class WeightedBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws rows by weight, with weights that may be changed between batches.

    For a PyTorch ``DataLoader(dataset, batch_sampler=...)``. In R it is ``batch_sampler_weighted()``.

    Parameters
    ----------
    weights : array_like of float, shape (n,)
        One for each row of the dataset: finite, none below 0, not all 0; they need not sum to 1.
    batch_size : int
        Rows of a batch; without replacement at most the number of positive weights.
    replacement : bool, default True
        Whether a row may occur in a batch more than once. Between batches everything is replaced.
    n_batches : int, optional
        Batches of an epoch, at most 2147483647; ``n // batch_size`` where not given.
    seed : int, optional
        From 0 to 2147483646. None draws one from the system's entropy; ``.seed`` tells it.
    num_replicas : int, optional
        The number of processes that share an epoch: the number of batches is rounded down to a multiple of it. The
        batches of all processes that are trained on at the same time are drawn together.
    rank : int, optional
        Which of the replicas this is, from 0. None gives all batches in global order.

    Raises
    ------
    TypeError, ValueError
        Where a parameter is refused. A batch that cannot be drawn, since weights were changed to 0, is an error too.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * A batch is what `SumTree.sample` draws: rows of weight 0 never, others by their share of the total; without
      replacement, by their share of what is left.
    * The batches are a function of the initial weights, seed, epoch, the updates, and how many batches were drawn
      before each of them. An update affects the batches that are not yet drawn, also those of later epochs. The workers
      of a DataLoader ask for up to ``num_workers * prefetch_factor`` batches ahead, so an update shows that many
      batches later, and another number of workers gives other batches.
    * `batches` gives what an epoch would be with the weights as they stand, and changes nothing.
    * A state holds the weights, the state of the generator and, word for word, the batches that were drawn but not
      trained on. Its arrays have 8 bytes a row; it is valid for any sampler of as many rows with the same parameters.
    * While all ranks get the same updates between the same batches, interleaving them gives what ``rank=None`` gives.
    * `sample` draws rows for training loops without epochs. Its random numbers follow from the seed and the calls
      before, and do not change those of the iteration.

    Examples
    --------
    >>> from pystrat import WeightedBatchSampler
    >>> sampler = WeightedBatchSampler([1, 1, 1, 1, 1, 1], batch_size=3, n_batches=3, seed=1)
    >>> iterator = iter(sampler)
    >>> next(iterator)
    [1, 3, 1]
    >>> sampler.update([0, 1, 2, 3, 4], [0, 0, 0, 0, 0])
    >>> next(iterator)
    [5, 5, 5]
    """

    _kind = "weighted"

    @named_by_class
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
        given = as_numbers(weights, "weights")
        if not 0 < len(given) <= MAX_COUNT:
            raise RefusedValue("weights", f"have from 1 to {MAX_COUNT} values", show(given))
        size = check_integer(batch_size, "batch_size", minimum=1, maximum=MAX_COUNT)
        self._replacement = check_flag(replacement, "replacement")
        self._weights = RowWeights(given, len(given))
        self._weights.check_drawable(size, replacement=replacement, name="batch_size")
        super().__init__(len(given), size, n_batches=n_batches, seed=seed, num_replicas=num_replicas, rank=rank)

    @named_by_class
    def update(self, rows: Any, weights: Any) -> None:
        """Set the weights of rows; where a row is repeated, the last of its weights counts.

        Parameters
        ----------
        rows : array_like of int, shape (k,), or int
            From 0 to n - 1.
        weights : array_like of float, shape (k,), or float
            Finite, none below 0.

        Raises
        ------
        TypeError, ValueError
            Where a parameter is refused, or the total would overflow; then nothing has changed.
        """
        positions = self._weights.rows(rows)
        self._weights.update(positions, as_numbers(weights, "weights", count=len(positions)))

    @named_by_class
    def weights(self, rows: Any = None) -> NDArray[np.float64]:
        """Return the weights of rows, or of all of them, as they stand; a new array."""
        leaves = self._weights.tree.leaves
        found: NDArray[np.float64] = leaves.copy() if rows is None else leaves[self._weights.rows(rows)]
        return found

    def _draw_rows(self, stream: RandomStream, size: int, count: int, name: str) -> NDArray[np.int32]:
        return self._weights.draw(stream, size, count, replacement=self._replacement, name=name)

    def _feedback(self) -> dict[str, Any]:
        return self._weights.state()

    def _load_feedback(self, feedback: Any, drawn: NDArray[Any]) -> None:
        self._weights.load_state(feedback, fewest=len(self._weights), drawn=drawn)

    def _parts(self) -> dict[str, Any]:
        return {
            "n": len(self._weights),
            "batch_size": self._batch_size,
            "replacement": self._replacement,
            "n_batches": self._n_batches,
        }

    def _state_vectors(self) -> dict[str, Any]:
        return {"weights": self.weights()}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._weights)} rows, batch_size={self._batch_size}, "
            f"{self._n_batches} batches, replacement={self._replacement}, seed={self.seed}, epoch={self.epoch})"
        )
