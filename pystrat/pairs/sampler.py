"""Observed pairs of users and items, and, in each epoch, new pairs that were not observed."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core_sampler import arguments_of
from pystrat.limits import MAX_COUNT
from pystrat.messages import refused_value, as_double, as_written, check_integer, count_of, show, show_number
from pystrat.pairs.codes import check_ids, split_numbers
from pystrat.pairs.observed import ObservedPairsBatchSampler


class NegativePairBatchSampler(ObservedPairsBatchSampler):
    """Batch sampler of observed pairs, the positives, and new pairs that were not observed, the negatives.

    For recommenders and other models of interactions. It yields pair numbers, which `PairDataset` turns into users,
    items and labels. Use ``DataLoader(dataset, sampler=sampler, batch_size=None)``, or ``batch_sampler=sampler`` with
    libraries that create loaders anew, such as accelerate and Lightning, which would replace the former. The R function
    ``rbridge::batch_sampler_pairs()`` returns the same pair numbers from the same seed. docs/pairs.md is a guide.

    Parameters
    ----------
    users, items : array_like, shape (number of positives,)
        The user and the item of each positive: codes, integers from 0, or ids. Whole doubles, as R has them, also count
        as codes. Text, categories and objects of one kind are ids, which get the codes 0, 1, ... in order of first
        appearance; unused categories get none. Use ``pandas.Categorical`` to treat numbers as ids. A pair that occurs
        twice is two positives.
    ratio : float or fractions.Fraction
        r, the share of positives, above 0 and below 1. A float is rounded to 15 significant digits, and a narrower
        numpy float to the shortest decimal number that represents it; the result is exact, so .3 is 3/10. For k
        negatives per positive, use ``Fraction(1, 1 + k)``.
    batch_size : int
        The largest number of pairs in a batch.
    n_users, n_items : int, optional
        The total numbers of users and items, at most 2^31 - 1 each and 2^52 pairs; by default the largest code plus
        one. Not allowed with ids, whose number is that of those that occur.
    method : {"uniform", "per_user", "popularity"}, default "uniform"
        How to draw negatives. "uniform": from all pairs of a user and an item. "per_user": from all items, for each
        user (1 - r) / r for each of the user's positives. "popularity": the user of a random positive, with an item in
        proportion to a power of the number of its positives.
    unique : bool, default False
        Whether no negative occurs twice in an epoch. Not allowed with "popularity": there, popular items should
        occur often.
    reject_positives : bool, default True
        If False, negatives are drawn from all pairs, so that positives occur among them: the published form, which is
        faster.
    power : float, optional
        For "popularity", at least 0: with 1, items are drawn as often as they occur; with 0, all are equally likely. By
        default 0.75.
    full_users : {"error", "skip"}, default "error"
        For "per_user", what to do with users whose positives are all items: raise an error, or skip them
        (`n_skipped_users` counts these). Their positives stay. If the positives of all users are all items, it is
        always an error.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded up to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, before any pair is drawn; if no pair is left to draw, or too few for `unique`; if
        "popularity" would keep less than 1/100 of the draws, in total or for one user; or if some batch would have no
        positive or no negative. The message contains the numbers, and what works.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has every positive once and ``floor(n_positives * (1 - r) / r + 1/2)`` negatives, in exact rationals.
      With "per_user", each user gets the floor or the ceiling of its share: the increment of that rounded number over
      the positives of the users up to this one. The positives of skipped users do not count for it.
    * No positive is among the negatives, unless ``reject_positives=False``.
    * "uniform" and "per_user" draw each free pair, of the user in question, with exactly the same probability, at any
      density, and without rejection. "popularity" draws a free pair with the probability of its user times that of its
      item, divided by `acceptance`.
    * The negatives of an epoch are a pure function of the positives, the parameters, the seed and the epoch. The order
      of the positives does not matter.
    * An epoch of T pairs has ``ceil(T / batch_size)`` batches. Each holds the floor or the ceiling of its share of the
      positives and of the negatives, at least one of each, positives first; sizes differ by at most 1.
    * A pair number is ``2 * (user * n_items + item) + label``, below 2^53, where the label is 1 for a positive. It is a
      value and not a position: R has the same number.
    * A positive takes 8 bytes, and at most 2 for the search; some methods take up to 16 bytes per user and 10 per item.
      Pickled, it takes at most 4 bytes if gaps between positives are below 2^32.

    How an epoch is made, in R's terms, after ``set.seed(s)``, with s as for every sampler: ``sample.int(T)`` is the
    order of the positives (by cell, ``user * n_items + item``, repetitions last) and, after them, of the negatives.
    Then the negatives are drawn: ``sample.int(free, count, replace = !unique)`` are the ranks of cells among all free
    ones, in the order of the cells; with "per_user", there is one such draw for each user in turn. A search among the
    sorted positives, with a table of buckets, finds the free cell of a rank.

    The idea of new negatives in proportion to the positives is from Datatonic, "Sampling methods within TensorFlow
    input functions" (2018), where negatives may be positives and the number is truncated. The power 0.75 is from T.
    Mikolov and others, "Distributed Representations of Words and Phrases and their Compositionality" (2013).

    Examples
    --------
    >>> from pystrat import NegativePairBatchSampler, decode_pairs
    >>> users, items = [0, 0, 1, 2], [0, 3, 1, 3]
    >>> sampler = NegativePairBatchSampler(users, items, ratio=0.4, batch_size=5, seed=1)
    >>> len(sampler), sampler.n_negatives
    (2, 6)
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
        ratio: Any,
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
        arguments = arguments_of(locals(), without=("users", "items"))
        parts, settings = self._plan_pairs(arguments, users, items, _terms_of(ratio))
        labels = self._labels_of(
            {name: settings[name] for name in ("ratio", "batch_size", "full_users", "num_replicas")}
        )
        self._adopt(parts, labels, seed=seed, num_replicas=num_replicas, rank=rank)

    @property
    def n_negatives(self) -> int:
        """The number of negatives of an epoch."""
        return int(self._parts["n_negatives"].sum(dtype=np.int64))

    @property
    def acceptance(self) -> float:
        """The share of the draws that is kept: below 1 only with "popularity"."""
        return float(self._counts["acceptance"])

    @property
    def n_skipped_users(self) -> int:
        """The number of users who get no negatives, because all items are their positives."""
        return int(self._counts["n_skipped_users"])

    @cached_property
    def _counts(self) -> dict[str, Any]:
        return _core.call("pair_counts", {}, self._recipe().parts)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self.n_users, 'user')}, {count_of(self.n_items, 'item')}, "
            f"{count_of(self.n_positives, 'positive')}, {count_of(self.n_negatives, 'negative')}, "
            f"{count_of(self._parts['n_batches'], 'batch')}, method={self._parts['method']!r}, "
            f"seed={self._seed}, epoch={self.epoch})"
        )


def decode_pairs(
    numbers: Any, n_items: int, *, user_ids: Any = None, item_ids: Any = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return users, items and labels of pair numbers.

    The R function ``rbridge::decode_pairs()`` returns the same, with users and items counted from 1.

    Parameters
    ----------
    numbers : array_like of int
        Pair numbers of `NegativePairBatchSampler`, in any shape.
    n_items : int
        The total number of items, as in the sampler.
    user_ids, item_ids : array_like, optional
        The ids by code, such as the sampler's; if items have ids, one for each of `n_items`.

    Returns
    -------
    tuple of three numpy.ndarray
        Of the shape of `numbers`: users and items, as ids if these were given, else as codes from 0 (int64), and the
        labels, 1 for positives, else 0 (int64).

    Raises
    ------
    TypeError, ValueError
        If `numbers` are not integers from 0 to 2^53 - 1, or belong to a user without an id; if `n_items` is not a
        positive integer, or there is not one id for each item.

    Examples
    --------
    >>> from pystrat import decode_pairs
    >>> decode_pairs([7, 12], n_items=4)
    (array([0, 1]), array([3, 2]), array([1, 0]))
    >>> users, items, labels = decode_pairs([7, 12], n_items=4, user_ids=["ann", "bob"])
    >>> users.tolist()
    ['ann', 'bob']
    """
    n_items = check_integer(n_items, "n_items", minimum=1, maximum=MAX_COUNT)
    known_users, known_items = check_ids(user_ids, "user_ids"), check_ids(item_ids, "item_ids", n_items)
    users, items, labels = split_numbers(numbers, n_items)
    if known_users is not None:
        if (users >= len(known_users)).any():
            required = f"be those of at most {count_of(len(known_users), 'user')}"
            raise refused_value("numbers", required, show(int(users.max()) + 1))
        users = known_users[users]
    return users, items if known_items is None else known_items[items], labels


def _terms_of(ratio: Any) -> dict[str, NDArray[np.float64]]:
    """Return the negatives for each positive as an exact number, if the core cannot read it from a double.

    A float of numpy is the decimal number that is shown in its own dtype.
    """
    if isinstance(ratio, np.floating) and np.isfinite(as_written(ratio)):
        exact = Fraction(show_number(as_written(ratio)))
    elif isinstance(ratio, Fraction):
        exact = Fraction(int(ratio.numerator), int(ratio.denominator))  # numpy's integers would overflow
    else:
        return {}
    if not 0 < exact < 1:
        return {}
    whole, rest = divmod((1 - exact) / exact, 1)
    rest = _at_most(rest, 2**32)
    return {"ratio_terms": np.array([as_double(whole), rest.numerator, rest.denominator], dtype=np.float64)}


def _at_most(number: Fraction, largest: int) -> Fraction:
    """Return the largest fraction up to a number whose denominator is at most `largest`.

    Rounded multiples of both are the same, for factors up to half of that.
    """
    nearest = number.limit_denominator(largest)
    if nearest <= number:
        return nearest
    # The neighbor below a / b among these fractions is c / d with a * d - b * c = 1 and the largest such d.
    above, below = nearest.numerator, nearest.denominator
    denominator = largest - (largest - pow(above, -1, below)) % below
    return Fraction((above * denominator - 1) // below, denominator)
