"""Prioritized experience replay: batches of rows drawn according to how much there is to learn from them."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NoReturn, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_flag, check_integer, check_number, refused_value, show, show_number
from pystrat._random import RandomStream
from pystrat._row_weights import RowWeights, as_numbers
from pystrat.feedback import FeedbackBatchSampler
from pystrat.weighted._ranking import powers_of
from pystrat.weighted.ranked_rows import RankedRows

METHODS = ("proportional", "rank")
_EPSILON = 1e-6


class PrioritizedBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws rows by their priorities, for prioritized experience replay.

    The probability of row i is proportional to (abs(priority of i) + epsilon) ^ alpha; or, with ``method="rank"``, to
    (rank of i) ^ -alpha, where the row with the largest absolute priority has rank 1. The training loop sets the
    priority of a row, usually to its last error. `importance_weights` correct the gradients for the unequal
    probabilities. docs/weighted.md is a guide.

    Parameters
    ----------
    n : int
        The number of rows; 0 for an empty replay buffer.
    batch_size : int
        The number of rows per batch, drawn with replacement.
    alpha : float, default 0.6
        The exponent of the priorities or ranks, at least 0. With 0, all rows are equally likely. For ranks, it must be
        small enough that the last one has a weight above 0.
    beta : float or function, default 0.4
        The exponent of the importance weights, at least 0; or a function that returns it, given the number of a batch.
    epsilon : float, optional
        Added to each absolute priority, above 0, so that every row can be drawn; by default 1e-6. Not allowed with
        ranks, which need none.
    method : {"proportional", "rank"}, default "proportional"
        Whether probabilities depend on the priorities themselves, or on the ranks of the rows, sorted by abs(priority),
        largest first, ties by row number. Ranks are robust to outliers.
    stratified : bool, default False
        If True, one row is drawn from each of `batch_size` equal slices of the total, in order: the same probabilities,
        with less variance. The slices follow the row numbers, or with ``method="rank"`` the ranks.
    normalise : bool, default True
        Whether to divide the importance weights by the largest one of all rows, so that none exceeds 1.
    capacity : int, optional
        The largest number of rows, at least `n` and 1: `append` adds rows up to it, and then replaces the oldest ones.
        By default `n`.
    n_batches : int, optional
        The number of batches per epoch, at most 2147483647; by default ``capacity // batch_size``.
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
        If a parameter is invalid, or a batch is drawn from an empty buffer.

    Notes
    -----
    Guarantees, besides those of `WeightedBatchSampler`:

    * A new row has the largest abs(priority) + epsilon that was ever set, 1 before any, raised to the power of alpha.
      With ``method="rank"``, it has the largest abs(priority) ever set, 1 before any.
    * With ``method="rank"``, the ranks are exact at every draw. Drawing k of n rows takes O(k log n), and changing k
      priorities O(k sqrt(n)).
    * The importance weight of row i is ``(p_min / p_i) ^ beta``, where p_i is the quantity above and p_min the least of
      all rows: ``(n P(i)) ^ -beta``, with P(i) the probability of row i, divided by its largest value. With
      ``normalise=False``, it is ``(n P(i)) ^ -beta`` itself.
    * With ``beta=1`` and ``normalise=False``, the mean of weight times value over a batch is an unbiased estimate of
      the mean over all rows. With any other setting it is not.

    The method is that of T. Schaul, J. Quan, I. Antonoglou and D. Silver, "Prioritized Experience Replay" (2016).

    Examples
    --------
    >>> from pystrat import PrioritizedBatchSampler
    >>> sampler = PrioritizedBatchSampler(4, batch_size=2, alpha=1, beta=1, epsilon=0.5, seed=1)
    >>> sampler.update(rows=[0, 1, 2, 3], priorities=[0, 0.5, -1.5, 3.5])
    >>> sampler.importance_weights([0, 1, 2, 3]).tolist()
    [1.0, 0.5, 0.25, 0.125]
    >>> sampler = PrioritizedBatchSampler(4, batch_size=2, alpha=1, beta=1, method="rank", seed=1)
    >>> sampler.update(rows=[0, 1, 2, 3], priorities=[0, 0.5, -1.5, 3.5])
    >>> sampler.importance_weights([0, 1, 2, 3]).tolist()
    [1.0, 0.75, 0.5, 0.25]
    """

    _kind = "prioritized"

    def __init__(
        self,
        n: int,
        batch_size: int,
        *,
        alpha: float = 0.6,
        beta: Union[float, Callable[[int], float]] = 0.4,
        epsilon: Optional[float] = None,
        method: str = "proportional",
        stratified: bool = False,
        normalise: bool = True,
        capacity: Optional[int] = None,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        fewest = 1 if capacity is None else 0
        n = check_integer(n, "n", minimum=fewest, maximum=MAX_COUNT)
        if capacity is not None:
            capacity = check_integer(capacity, "capacity", minimum=max(n, 1), maximum=MAX_COUNT)
        super().__init__(
            capacity or n, batch_size, n_batches=n_batches, seed=seed, num_replicas=num_replicas, rank=rank
        )
        self._alpha = check_number(alpha, "alpha", minimum=0)
        self._beta: Union[float, Callable[[int], float]] = (
            beta if callable(beta) else check_number(beta, "beta", minimum=0)
        )
        self._is_ranked = check_choice(method, "method", choices=METHODS) == "rank"
        if self._is_ranked:
            self._epsilon = self._without_epsilon(epsilon, capacity or n)
        else:
            self._epsilon = self._checked_epsilon(_EPSILON if epsilon is None else epsilon)
        self._stratified = check_flag(stratified, "stratified")
        self._normalise = check_flag(normalise, "normalise")
        self._n_first = n  # rows are only added, never removed
        self._largest: Optional[float] = None  # of abs(priority) + epsilon
        self._weights = self._rows_of(np.ones(n), capacity or n)

    def _checked_epsilon(self, epsilon: Any) -> float:
        checked = check_number(epsilon, "epsilon", minimum=0, above=True)
        with np.errstate(over="ignore", under="ignore"):
            least = np.float64(checked) ** self._alpha
        if not 0 < least < np.inf:
            required = f"neither vanish nor overflow when raised to the power of alpha, {show_number(self._alpha)}"
            raise refused_value("epsilon", required, show(epsilon))
        return checked

    def _without_epsilon(self, epsilon: Any, capacity: int) -> float:
        """Check the parameters of ranks; return 0, because only the order of priorities counts."""
        if epsilon is not None:
            raise refused_value("epsilon", "not be given if 'method' is 'rank'", show(epsilon))
        if not float(capacity) ** -self._alpha > 0:
            required = f"give the last of {capacity} ranks a weight above 0"
            raise refused_value("alpha", required, show(self._alpha))
        return 0.0

    def _rows_of(self, first: NDArray[np.float64], capacity: int) -> RowWeights:
        """Return the object that draws rows, given the weights, or for ranks the priorities, of the first rows."""
        if not self._is_ranked:
            return RowWeights(first, capacity, name="priorities", minimum=True)
        return RankedRows(first, capacity, self._alpha)

    @property
    def beta(self) -> Union[float, Callable[[int], float]]:
        """The exponent of the importance weights, or a function that returns it, given the number of a batch."""
        return self._beta

    def update(self, rows: Any, priorities: Any) -> None:
        """Set the priorities of rows, such as their errors; if a row is repeated, the last one counts.

        Parameters
        ----------
        rows : array_like of int, shape (k,), or int
            From 0 to the number of rows - 1.
        priorities : array_like of float, shape (k,), or float
            Finite, of either sign.

        Raises
        ------
        TypeError, ValueError
            If a parameter is invalid, or the total would overflow. In that case nothing changes.
        """
        positions = self._weights.rows(rows)
        given = as_numbers(priorities, "priorities", count=len(positions))
        if not len(given):
            return
        sizes = np.abs(given)
        sizes += self._epsilon
        largest = float(sizes.max())  # NaN if any is
        if not self._raised(largest) < math.inf:
            self._refuse_priorities(given, sizes)
        self._weights.update(positions, sizes if self._is_ranked else powers_of(sizes, self._alpha))
        self._largest = max(largest, self._largest or 0.0)

    def _raised(self, size: float) -> float:
        """Return the weight of a row, given its abs(priority) + epsilon; infinity if it does not fit into a double."""
        if self._is_ranked:
            return size
        try:
            return float(size**self._alpha) if math.isfinite(size) else math.inf
        except OverflowError:
            return math.inf

    def _refuse_priorities(self, given: NDArray[np.float64], sizes: NDArray[np.float64]) -> NoReturn:
        """Raise the error for the first priority that is not finite, or else the first one whose weight is not."""
        infinite = given[~np.isfinite(given)]
        if len(infinite):
            raise refused_value("priorities", "hold finite numbers", show(infinite[0]))
        wrong = next(value for value, size in zip(given, sizes) if self._raised(float(size)) == math.inf)
        required = f"stay finite when raised to the power of alpha, {show_number(self._alpha)}"
        raise refused_value("priorities", required, show(wrong))

    def append(self, count: int = 1) -> NDArray[np.int64]:
        """Add rows with the largest priority ever set, and return their positions.

        If there is no room left, these are the positions of the oldest rows, where the caller stores the new data.

        Parameters
        ----------
        count : int, default 1

        Returns
        -------
        numpy.ndarray of int64, shape (count,)

        Raises
        ------
        TypeError, ValueError
            If `count` is not an integer from 0 to the capacity, or the total would overflow.
        """
        most = self._weights.tree.capacity
        count = check_integer(count, "count", minimum=0, maximum=most)
        largest = 1.0 if self._largest is None else self._largest
        return self._weights.append(np.full(count, self._raised(largest)))

    def importance_weights(self, rows: Any, *, batch: Optional[int] = None) -> NDArray[np.float64]:
        """Return the factors for the losses of rows, according to the current priorities.

        Parameters
        ----------
        rows : array_like of int, shape (k,)
        batch : int, optional
            The number of the batch; required if `beta` is a function.

        Returns
        -------
        numpy.ndarray of float64, shape (k,)

        Raises
        ------
        TypeError, ValueError
            If a row does not exist, `batch` is missing, or `beta` does not return a number of at least 0.
        """
        tree = self._weights.tree
        chosen = self._weights.weights_of(self._weights.rows(rows))
        exponent = self._exponent(batch)
        if not len(chosen):
            return chosen
        least = tree.minimum if self._normalise else tree.total / tree.n_positive
        # Of the two orders of division and power, use the one that overflows or underflows only if the result does.
        if exponent > 1:
            return powers_of(least / chosen, exponent)
        quotients: NDArray[np.float64] = float(least) ** exponent / powers_of(chosen, exponent)
        return quotients

    def _exponent(self, batch: Optional[int]) -> float:
        """Return beta for a batch."""
        if not callable(self._beta):
            return self._beta
        if batch is None:
            raise refused_value("batch", "be given if 'beta' is a function", "nothing")
        batch = check_integer(batch, "batch", minimum=0)
        return check_number(self._beta(batch), "beta", minimum=0)

    def _functions(self) -> dict[str, Callable[[float], float]]:
        if not callable(self._beta):
            return {}
        beta = self._beta
        return {"beta": lambda batch: float(beta(int(batch)))}

    def _draw_rows(self, stream: RandomStream, size: int, count: int, name: str) -> NDArray[np.int32]:
        return self._weights.draw(stream, size, count, sliced=self._stratified, name=name)

    def _feedback(self) -> dict[str, Any]:
        return {**self._weights.state(), "largest": self._largest}

    def _load_feedback(self, feedback: Any, drawn: NDArray[Any]) -> None:
        if not isinstance(feedback, Mapping) or "largest" not in feedback:
            raise refused_value("state", "hold the largest priority", show(feedback))
        largest = feedback["largest"]
        largest = None if largest is None else check_number(largest, "state", minimum=0)
        self._weights.load_state(feedback, fewest=self._n_first, drawn=drawn, positive=not self._is_ranked)
        self._largest = largest

    def _parts(self) -> dict[str, Any]:
        return {
            "capacity": self._weights.tree.capacity,
            "batch_size": self._batch_size,
            "alpha": self._alpha,
            "epsilon": None if self._is_ranked else self._epsilon,
            "stratified": self._stratified,
            "n_batches": self._n_batches,
            "method": "rank" if self._is_ranked else None,
        }

    def _state_vectors(self) -> dict[str, Any]:
        return {**self._weights.state(), "largest": self._largest}

    def _labels(self) -> dict[str, Any]:
        # A recipe cannot hold a function; rbridge passes it separately.
        return {"beta": None if callable(self._beta) else self._beta, "normalise": self._normalise}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._weights)} rows, batch_size={self._batch_size}, "
            f"{self._n_batches} batches, alpha={self._alpha:g}, {self._shown_method()}, "
            f"stratified={self._stratified}, seed={self.seed}, epoch={self.epoch})"
        )

    def _shown_method(self) -> str:
        return "method='rank'" if self._is_ranked else f"epsilon={self._epsilon:g}"
