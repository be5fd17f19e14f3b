"""Observed pairs, each with negatives of its own user, for losses that compare them."""

from __future__ import annotations

from typing import Any, Optional

from pystrat.core_sampler import arguments_of
from pystrat.messages import count_of
from pystrat.pairs.observed import ObservedPairsBatchSampler


class TripleBatchSampler(ObservedPairsBatchSampler):
    """Batch sampler of triples: a user, an item that the user met, and new items that the user has not met.

    For losses that compare a positive with negatives of the same user, such as BPR and sampled softmax. It yields pair
    numbers, which `TripleDataset` turns into users, positives and negatives:
    ``DataLoader(dataset, sampler=sampler, batch_size=None)`` or ``batch_sampler=sampler``. The R function
    ``rbridge::batch_sampler_triples()`` returns the same pair numbers from the same seed. docs/pairs.md is a guide.

    Parameters
    ----------
    users, items : array_like, shape (number of positives,)
        The user and the item of each positive, as codes or as ids, as in `NegativePairBatchSampler`. A pair that occurs
        twice is two positives.
    batch_size : int
        The largest number of triples in a batch.
    negatives_per_positive : int, default 1
        k, the number of negatives per positive: 1 for BPR, more for a sampled softmax.
    n_users, n_items : int, optional
        As in `NegativePairBatchSampler`.
    unique : bool, default False
        Whether the negatives of one positive are all different.
    full_users : {"error", "skip"}, default "error"
        What to do with users who have met all items: raise an error, or leave them out with their positives
        (`n_skipped_users` counts these). If all users have met all items, it is always an error.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded up to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, before any work; if a user has no free item, or with `unique` fewer than
        `negatives_per_positive`; if there are fewer triples than replicas, or more than 2^31 - 1 pairs.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has every positive exactly once, with k negatives of its user, except those of skipped users.
    * Each negative is uniform among the items that its user has not met, at any density, without rejection. Negatives
      of different positives are independent. No positive is among the negatives of its user.
    * With P positives, an epoch has ``ceil(P / batch_size)`` batches, rounded up to a multiple of `num_replicas`; their
      sizes differ by at most 1 triple.
    * A batch of b triples is ``b * (k + 1)`` pair numbers, ``2 * (user * n_items + item) + label``: the positive, label
      1, and its k negatives, label 0, triple after triple. R has the same numbers.
    * The order of the positives does not matter.

    How an epoch is made, in R's terms, after ``set.seed(s)``, with s as for every sampler: ``sample.int(P)`` is the
    order of the positives (by cell, ``user * n_items + item``, repetitions last). Then for each positive, by cell,
    ``sample.int(free, k, replace = !unique)`` are the ranks of its negatives among the user's free items.

    The method is that of S. Rendle and others, "BPR: Bayesian Personalized Ranking from Implicit Feedback" (2009).

    Examples
    --------
    >>> from pystrat import TripleBatchSampler, TripleDataset
    >>> users, items = ["ann", "ann", "bob"], ["x", "y", "z"]
    >>> sampler = TripleBatchSampler(users, items, 2, negatives_per_positive=2, seed=1)
    >>> sampler
    TripleBatchSampler(2 users, 3 items, 3 positives, 2 negatives each, 2 batches, seed=1, epoch=0)
    >>> dataset = TripleDataset(sampler.n_users, sampler.n_items, negatives_per_positive=2)
    >>> dataset[sampler.batches(0)[0]]
    {'user': array([0, 0]), 'positive': array([0, 1]), 'negatives': array([[2, 2],
           [2, 2]])}
    """

    _kind = "triples"

    def __init__(
        self,
        users: Any,
        items: Any,
        batch_size: int,
        *,
        negatives_per_positive: int = 1,
        n_users: Optional[int] = None,
        n_items: Optional[int] = None,
        unique: bool = False,
        full_users: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("users", "items"))
        parts, settings = self._plan_pairs(arguments, users, items)
        shown = {name: settings[name] for name in ("batch_size", "full_users", "num_replicas")}
        labels = self._labels_of(shown, n_skipped_users=parts.pop("n_skipped_users"))
        self._adopt(parts, labels, seed=seed, num_replicas=num_replicas, rank=rank)

    @property
    def negatives_per_positive(self) -> int:
        """The number of negatives per positive."""
        return int(self._parts["negatives_per_positive"])

    @property
    def n_skipped_users(self) -> int:
        """The number of users whose positives are left out, because they have met all items."""
        return int(self._labels["n_skipped_users"])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self.n_users, 'user')}, {count_of(self.n_items, 'item')}, "
            f"{count_of(self.n_positives, 'positive')}, {count_of(self.negatives_per_positive, 'negative')} each, "
            f"{count_of(self._parts['n_batches'], 'batch')}, seed={self._seed}, epoch={self.epoch})"
        )
