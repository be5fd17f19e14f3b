"""Observed pairs of users and items, and, in each epoch, new pairs that were not observed."""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import NDArray

from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.limits import MAX_COUNT
from pystrat.pairs.codes import coded


class ObservedPairsBatchSampler(KindBatchSampler):
    """Base class of the samplers of observed pairs.

    Attributes
    ----------
    n_users, n_items : int
        The total numbers of users and items.
    user_ids, item_ids : numpy.ndarray or None
        The ids by code, read-only; None if codes were given.
    n_positives : int
        The number of positives of an epoch, including repeated ones.
    n_skipped_users : int
        The number of users who get no negatives, because all items are their positives.
    """

    def _plan_pairs(self, arguments: dict[str, Any], users: Any, items: Any) -> dict[str, NDArray[Any]]:
        """Plan; return what the core says of the plan."""
        self._check(arguments)
        of_users, self.user_ids, user_names = coded(users, self._parts.get("n_users"), "users")
        of_items, self.item_ids, item_names = coded(items, self._parts.get("n_items"), "items")
        shown = range(MAX_COUNT) if user_names is None else user_names
        self._begin({"users": of_users, "items": of_items}, shown, {"user_ids": user_names, "item_ids": item_names})
        described = self._instance.describe()
        self.n_users, self.n_items = int(described["n_users"][0]), int(described["n_items"][0])
        self.n_positives, self.n_skipped_users = int(described["n_positives"][0]), int(described["n_skipped_users"][0])
        return described


class NegativePairBatchSampler(ObservedPairsBatchSampler):
    """Batch sampler of observed pairs, the positives, and new pairs that were not observed, the negatives.

    It yields pair numbers, ``2 * (user * n_items + item) + label``, which `PairDataset` turns into users, items and
    labels, 1 for positives. docs/pairs.md is the guide.

    Parameters
    ----------
    users, items : array_like, shape (number of positives,)
        The user and the item of each positive: codes, integers from 0; or ids, text or categories, which get the codes
        0, 1, ... in order of first appearance. A pair that occurs twice is two positives.
    ratio : float
        r, the share of positives, above 0 and below 1; for k negatives per positive, ``1 / (1 + k)``.
    batch_size : int
        The largest number of pairs in a batch.
    n_users, n_items : int, optional
        The total numbers of users and items, at most 2^31 - 1 each and 2^52 pairs; by default the least that the codes
        need, if that is at most 2^24. Not allowed with ids, whose number is that of those that occur.
    method : {"uniform", "per_user", "popularity"}, default "uniform"
        How to draw negatives. "uniform": from all pairs of a user and an item. "per_user": from the items of each user,
        (1 - r) / r for each of the user's positives. "popularity": the user of a random positive, with an item in
        proportion to a power of the number of its positives.
    unique : bool, default False
        Whether no negative occurs twice in an epoch. Not allowed with "popularity".
    reject_positives : bool, default True
        If False, negatives are drawn from all pairs, so that positives occur among them: the published form.
    power : float, optional
        For "popularity", at least 0, by default 0.75. With 0, all items are equally likely.
    full_users : {"error", "skip"}, default "error"
        For "per_user": raise an error for users whose positives are all items, or give them no negatives.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`, except that the number of batches is rounded up to a multiple of `num_replicas`.

    Attributes
    ----------
    n_negatives : int
        The number of negatives of an epoch.
    acceptance : float
        The share of the draws that is kept: below 1 only with "popularity".

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has every positive once and ``n_positives * (1 - r) / r`` negatives, rounded. With "per_user", each user
      gets the floor or the ceiling of its share.
    * No positive is among the negatives, unless ``reject_positives=False``.
    * "uniform" and "per_user" draw each free pair, of the user in question, with exactly the same probability. With
      "popularity", it is that of its user times that of its item, divided by `acceptance`.
    * An epoch of T pairs has ``ceil(T / batch_size)`` batches. Each holds the floor or the ceiling of its share of the
      positives and of the negatives, at least one of each, positives first; sizes differ by at most 1.

    Examples
    --------
    >>> from pystrat import NegativePairBatchSampler, decode_pairs
    >>> sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], ratio=0.4, batch_size=5, seed=1)
    >>> for batch in sampler.batches(epoch=0):
    ...     users, items, labels = decode_pairs(batch, n_items=4)
    ...     print(users, items, labels)
    [2 0 1 1 1] [3 3 3 0 0] [1 1 0 0 0]
    [0 1 0 0 1] [0 1 1 2 3] [1 1 0 0 0]
    """

    _kind = "pairs"

    def __init__(
        self,
        users: Any,
        items: Any,
        ratio: float,
        batch_size: int,
        *,
        n_users: Optional[int] = None,
        n_items: Optional[int] = None,
        method: str = "uniform",
        unique: bool = False,
        reject_positives: bool = True,
        power: Optional[float] = None,
        full_users: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        described = self._plan_pairs(arguments_of(locals(), without=("users", "items")), users, items)
        self.n_negatives, self.acceptance = int(described["n_negatives"][0]), float(described["acceptance"][0])


class TripleBatchSampler(ObservedPairsBatchSampler):
    """Batch sampler of triples: a user, an item that the user met, and new items that the user has not met.

    For losses such as BPR and sampled softmax. It yields pair numbers, which `TripleDataset` turns into users,
    positives and negatives. docs/pairs.md is the guide.

    Parameters
    ----------
    users, items, n_users, n_items, seed, num_replicas, rank
        As in `NegativePairBatchSampler`.
    batch_size : int
        The largest number of triples in a batch.
    negatives_per_positive : int, default 1
        k, the number of negatives per positive: 1 for BPR, more for a sampled softmax.
    unique : bool, default False
        Whether the negatives of one positive are all different.
    full_users : {"error", "skip"}, default "error"
        What to do with users who have met all items: raise an error, or leave them out with their positives.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has every positive exactly once, with k negatives of its user, except those of skipped users.
    * Each negative is uniform among the items that its user has not met, whatever the negatives of other positives.
    * With P positives, an epoch has ``ceil(P / batch_size)`` batches, rounded up to a multiple of `num_replicas`; their
      sizes differ by at most 1 triple.
    * A batch of b triples is ``b * (k + 1)`` pair numbers: the positive and its k negatives, triple after triple.

    Examples
    --------
    >>> from pystrat import TripleBatchSampler, TripleDataset
    >>> users, items = ["ann", "ann", "bob"], ["x", "y", "z"]
    >>> sampler = TripleBatchSampler(users, items, 2, negatives_per_positive=2, seed=1)
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
        self._plan_pairs(arguments_of(locals(), without=("users", "items")), users, items)
        self.negatives_per_positive = int(self._parts["negatives_per_positive"])
