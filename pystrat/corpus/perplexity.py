"""Rows drawn in proportion to the perplexity of the examples."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import arguments_of
from pystrat.core.feedback import FeedbackBatchSampler
from pystrat.core.places import Place


class PerplexityBatchSampler(FeedbackBatchSampler):
    """Batch sampler that draws examples in proportion to their perplexity, which the training loop reports.

    Draws are uniform, with replacement, until the mean perplexity of all examples is below `initial`. The method is
    OpenNMT's memory sampling (options ``-sample``, ``-sample_type``), as it is documented; its code draws nearly
    uniformly, and computes the spread from the last example alone. docs/corpus.md is a guide.

    Parameters
    ----------
    n_rows : int
        The number of examples of the dataset, from 1 to 2147483647.
    batch_size : int
        The number of examples per batch.
    initial : float, default 15
        The perplexity of an example that was never reported, above 1 and at most 1e6.
    maximum : float, optional
        The perplexity T above which an example counts as noise. A positive number is T itself; for a negative number x,
        such as the published -1.5, T is ``mode + |x| * spread``. If None, there is no ceiling.
    clip : bool, default False
        The weight of an example above T: T if True, 1 if False, as published. Requires a `maximum`.
    n_batches, seed, num_replicas, rank : int, optional, as in `WeightedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Reports of an epoch take effect from the next epoch on. `batches` returns another epoch as the reports so far
      would draw it.
    * The weight of an example above T is 1, or T with `clip`; any other weight is the perplexity: the exponential of
      the last reported mean negative log-likelihood per token, at most 1e6.
    * The mode is the most frequent reported perplexity, rounded to 0.01 (the smallest if there are several). The spread
      is the root of the sum of squared distances from the mode of the c examples above it, divided by c - 1; if c is
      below 2, there is no ceiling.
    * A warning is given when an epoch begins while `share_above_maximum` exceeds 5 % without `clip`.

    Examples
    --------
    >>> import numpy as np
    >>> from pystrat import PerplexityBatchSampler
    >>> sampler = PerplexityBatchSampler(4, batch_size=500, n_batches=2, seed=1)
    >>> sampler.report([0, 1, 2], np.log([1, 2, 4]))
    >>> np.bincount(sampler.batches().rows).tolist()
    [53, 92, 167, 688]
    """

    _kind = "perplexity"

    def __init__(
        self,
        n_rows: int,
        batch_size: int,
        *,
        initial: float = 15.0,
        maximum: Optional[float] = None,
        clip: bool = False,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals()))
        self._begin_state({})

    @property
    def started(self) -> bool:
        """Whether an epoch has been drawn in proportion to perplexity."""
        return bool(self._instance.ask("started")["started"])

    @property
    def share_above_maximum(self) -> float:
        """The share of the reported examples whose perplexity is above `maximum`; 0 if there is no ceiling."""
        return float(self._instance.ask("share_above_maximum")["share_above_maximum"][0])

    def report(self, rows: Any, nll: Any) -> None:
        """Report the mean negative log-likelihood per token of examples, in nats: finite numbers of at least 0.

        They take effect from the next epoch on. If an example is reported again, the last report counts.
        """
        self._tell("report", rows, nll, "nll")

    def perplexities(self) -> NDArray[np.float64]:
        """Return the perplexity of each example, `initial` if it was never reported; shape (n_rows,)."""
        return np.asarray(self._instance.ask("perplexities")["perplexities"])

    def _begin_epoch(self, place: Place) -> Place:
        told = self._instance.tell("begin", {"epoch": place.epoch})
        if "warning" in told:
            warnings.warn(told["warning"].tobytes().decode(), stacklevel=4)
        return super()._begin_epoch(place)
