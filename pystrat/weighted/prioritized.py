"""Prioritized experience replay: batches of rows drawn according to how much there is to learn from them."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import arguments_of
from pystrat.core.feedback import FeedbackBatchSampler
from pystrat.core.messages import check_integer, refused_type, refused_value
from pystrat.core.row_arguments import row_positions, row_values


class PrioritizedBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws rows by their priorities, for prioritized experience replay.

    The probability of row i is proportional to (abs(priority of i) + epsilon) ^ alpha; or, with ``method="rank"``, to
    (rank of i) ^ -alpha, where the row with the largest absolute priority has rank 1. The training loop sets the
    priority of a row, usually to its last error. docs/weighted.md is a guide. The method is that of T. Schaul, J. Quan,
    I. Antonoglou and D. Silver, "Prioritized Experience Replay" (2016).

    Parameters
    ----------
    n_rows : int
        The number of rows; 0 for an empty replay buffer.
    batch_size : int
        The number of rows per batch, drawn with replacement.
    alpha : float, default 0.6
        The exponent of the priorities or ranks, at least 0. With 0, all rows are equally likely.
    beta : float or function, default 0.4
        The exponent of the importance weights, at least 0; or a function that returns it, given the number of a batch.
    epsilon : float, optional
        Added to each absolute priority, at least 0; by default 1e-6. With 0, a row of priority 0 is never drawn. Not
        allowed with ranks.
    method : {"proportional", "rank"}, default "proportional"
        Whether probabilities depend on the priorities themselves, or on the ranks of the rows, sorted by abs(priority),
        largest first, ties by row number. Ranks are robust to outliers.
    stratified : bool, default False
        If True, one row is drawn from each of `batch_size` equal slices of the total, in order: the same probabilities,
        with less variance.
    normalize : bool, default True
        Whether to divide the importance weights by the largest one of all rows, so that none exceeds 1.
    capacity : int, optional
        The largest number of rows: `append` adds rows up to it, and then replaces the oldest ones. By default `n_rows`.
    n_batches : int, optional
        The number of batches per epoch; by default ``capacity // batch_size``.
    seed, num_replicas, rank : int, optional, as in `WeightedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `WeightedBatchSampler`:

    * A new row has the largest abs(priority) + epsilon that was ever set, 1 before any, raised to the power of alpha;
      with ``method="rank"``, the largest abs(priority).
    * Ranks are exact at every draw. Drawing k of n rows takes O(k log n), and changing k priorities O(k sqrt(n)).
    * The importance weight of row i is ``(n P(i)) ^ -beta``, with P(i) the probability of row i; with `normalize`,
      divided by the largest of these values.

    Examples
    --------
    >>> from pystrat import PrioritizedBatchSampler
    >>> sampler = PrioritizedBatchSampler(4, 2, alpha=1, beta=1, epsilon=0.5, seed=1)
    >>> sampler.update(rows=[0, 1, 2, 3], priorities=[0, 0.5, -1.5, 3.5])
    >>> sampler.importance_weights([0, 1, 2, 3]).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """

    _kind = "prioritized"
    beta: Union[float, Callable[[int], float]]  #: The exponent of the importance weights, or a function of a batch.

    def __init__(
        self,
        n_rows: int,
        batch_size: int,
        *,
        alpha: float = 0.6,
        beta: Union[float, Callable[[int], float]] = 0.4,
        epsilon: Optional[float] = None,
        method: str = "proportional",
        stratified: bool = False,
        normalize: bool = True,
        capacity: Optional[int] = None,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("beta",))
        if beta is None:
            raise refused_type("beta", "be a number or a function", "nothing")
        self._check(arguments if callable(beta) else {**arguments, "beta": beta})
        self.beta = beta if callable(beta) else float(self._parts["beta"])
        self._begin_state({})

    def _rows_of_data(self) -> Optional[int]:
        n_rows = int(self._instance.ask("n_rows")["n_rows"])
        capacity = self._parts.get("capacity", self._parts["n_rows"])
        return n_rows if n_rows == capacity else None  # data may grow with the sampler

    @property
    def n_added(self) -> int:
        """The number of rows that were ever added, including the first `n_rows`; `update` takes it as `since`."""
        return int(self._instance.ask("n_added")["n_added"])

    def priorities(self, rows: Any = None) -> NDArray[np.float64]:
        """Return the absolute priorities of rows, or of all rows, as a new array.

        Without ranks, they are computed from the weights, with an error of about 1e-16 / alpha of them.
        """
        asked = {} if rows is None else {"rows": row_positions(rows, "rows")}
        return np.asarray(self._instance.ask("priorities", asked)["priorities"])

    def update(self, rows: Any, priorities: Any, *, since: Optional[int] = None) -> None:
        """Set the priorities of rows, finite numbers of either sign; if a row is repeated, the last one counts.

        `since` is the value of `n_added` when the rows were drawn: rows that `append` has written since then keep the
        priorities that they have.
        """
        self._tell("update", rows, priorities, "priorities", since=since)

    def append(self, count: Optional[int] = None, *, priorities: Any = None) -> NDArray[np.int64]:
        """Add rows with these priorities, or with the largest one ever set, and return their positions.

        If there is no room left, these are the positions of the oldest rows, where the caller stores the new data.
        `count` is by default the number of priorities, or 1 if there are none.
        """
        values = None if priorities is None else row_values(priorities, "priorities", single=True)
        return np.asarray(self._instance.tell("append", {"count": count, "priorities": values})["rows"])

    def importance_weights(
        self, rows: Any, *, batch: Optional[int] = None, beta: Optional[float] = None
    ) -> NDArray[np.float64]:
        """Return the factors for the losses of rows, according to the current priorities: 0 if it is never drawn.

        `batch` is the number of the batch, required if the sampler's `beta` is a function and none is given here.
        """
        exponent = self.beta if beta is None else beta
        if callable(exponent):
            if batch is None:
                raise refused_value("batch", "be given if 'beta' is a function", "nothing")
            exponent = exponent(check_integer(batch, "batch", minimum=0))
        asked = {"rows": row_positions(rows, "rows"), "beta": exponent, "normalize": self._labels["normalize"]}
        return np.asarray(self._instance.ask("importance_weights", asked)["importance_weights"])

    def _functions(self) -> dict[str, Callable[[float], float]]:
        if not callable(self.beta):
            return {}
        beta = self.beta
        return {"beta": lambda batch: float(beta(int(batch)))}
