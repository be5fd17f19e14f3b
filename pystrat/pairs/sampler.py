"""Observed pairs of users and items, and, in each epoch, new pairs that were not observed."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_flag, check_integer, check_number, count_of, refused_value, show
from pystrat.pairs.codes import check_ids, check_positives, split_numbers
from pystrat.pairs.negatives import (
    Negatives,
    PerUserNegatives,
    PopularityNegatives,
    UniformNegatives,
    exact_share,
)
from pystrat.pairs.observed import ObservedPairsBatchSampler
from pystrat.pairs._pairs import deal_pairs
from pystrat._random import RandomStream
from pystrat.base import Batches, epoch_seed
from pystrat.recipe import Recipe, make_recipe
from pystrat.sizes import even_offsets, round_to_replicas

METHOD_CHOICES = ("uniform", "per_user", "popularity")
FULL_CHOICES = ("error", "skip")
DEFAULT_POWER = 0.75


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
        r, the share of positives, above 0 and below 1. A float is the decimal number of 15 significant digits that is
        shown (a narrower numpy float is the shortest that represents it), so that .3 is 3/10. For k negatives per
        positive, use ``Fraction(1, 1 + k)``.
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
        Whether no negative occurs twice in an epoch. Not allowed with "popularity", where popular items should occur
        often.
    reject_positives : bool, default True
        If False, negatives are drawn from all pairs, so that positives occur among them: the published form, which is
        faster.
    power : float, optional
        For "popularity", at least 0: with 1, items are drawn as often as they occur; with 0, all are equally likely. By
        default 0.75.
    full_users : {"error", "skip"}, default "error"
        For "per_user", what to do with users whose positives are all items: refuse them, or skip them
        (`n_skipped_users` counts these). Their positives stay. If all users are like that, they are refused in any
        case.
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
    >>> sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], ratio=0.4, batch_size=5, seed=1)
    >>> len(sampler), sampler.n_negatives
    (2, 6)
    >>> for batch in sampler.batches(epoch=0):
    ...     users, items, labels = decode_pairs(batch, n_items=4)
    ...     print(users, items, labels)
    [2 0 1 1 1] [3 3 3 0 0] [1 1 0 0 0]
    [0 1 0 0 1] [0 1 1 2 3] [1 1 0 0 0]
    """

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
        share = exact_share(ratio)
        size = check_integer(batch_size, "batch_size", minimum=1)
        self._parameters = _check_method(method, unique, reject_positives, power, full_users)
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._per_positive = (1 - share) / share
        self._told = {"ratio": ratio, "batch_size": size, "full_users": full_users, "num_replicas": num_replicas}
        self._positives, self._user_ids, self._item_ids = check_positives(users, items, n_users, n_items)
        self._negatives = self._make_negatives()
        self._n_batches = self._choose_batches(size)

    def _make_negatives(self) -> Negatives:
        """Build the object that draws the negatives; it follows from the positives and the parameters."""
        chosen = self._parameters
        given = (self._positives, self._per_positive)
        if chosen["method"] == "popularity":
            return PopularityNegatives(*given, power=chosen["power"], free_only=chosen["reject_positives"])
        options = {"unique": chosen["unique"], "free_only": chosen["reject_positives"]}
        if chosen["method"] == "per_user":
            return PerUserNegatives(*given, skip_full=chosen["full_users"] == "skip", **options)
        return UniformNegatives(*given, **options)

    def _choose_batches(self, batch_size: int) -> int:
        """Return the number of batches; refuse if a batch would lack a class."""
        replicas = self.num_replicas or 1
        n_pairs, fewest = self.n_positives + self.n_negatives, min(self.n_positives, self.n_negatives)
        numbers = f"of {count_of(self.n_positives, 'positive')} and {count_of(self.n_negatives, 'negative')}"
        if self.n_negatives == 0:
            raise refused_value("ratio", "leave room for a negative", f"an epoch {numbers}")
        n_batches = round_to_replicas(-(-n_pairs // batch_size), replicas, "up")
        if n_batches <= fewest:
            return n_batches
        most = round_to_replicas(fewest, replicas, "down")
        if most == 0:
            required = f"be at most {fewest}, so that every batch has a positive and a negative {numbers}"
            raise refused_value("num_replicas", required, show(replicas))
        least = -(-n_pairs // most)
        required = f"be at least {least}, so that every batch has a positive and a negative {numbers}"
        raise refused_value("batch_size", required, show(batch_size))

    @property
    def n_negatives(self) -> int:
        """The number of negatives of an epoch."""
        return self._negatives.count

    @property
    def acceptance(self) -> float:
        """The share of the draws that is kept: below 1 only with "popularity"."""
        return self._negatives.acceptance

    @property
    def n_skipped_users(self) -> int:
        """The number of users who get no negatives, because all items are their positives."""
        return self._negatives.n_skipped_users

    def _global_length(self) -> int:
        return self._n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self._seed, epoch))
        n_pairs = self.n_positives + self.n_negatives
        order = stream.permutation(n_pairs)
        offsets = even_offsets(n_pairs, self._n_batches, longer="first")
        numbers = np.empty(n_pairs, dtype=np.int64)
        deal_pairs(order, self._positives.cells, self._negatives.draw(stream), offsets, numbers)
        return Batches(numbers, offsets)

    def _recipe(self) -> Recipe:
        chosen, told = self._parameters, self._told
        parts = {
            "n_users": self.n_users,
            "n_items": self.n_items,
            "n_batches": self._n_batches,
            "method": chosen["method"],
            "unique": chosen["unique"],
            "reject_positives": chosen["reject_positives"],
            "power": chosen["power"],
            "cells": self._positives.cells.astype(np.float64),
            "n_negatives": self._negatives.counts().astype(np.int32),
        }
        labels: dict[str, Any] = {name: show(value) for name, value in told.items() if value is not None}
        return make_recipe("pairs", seed=self._seed, parts=parts, labels={**labels, **self._id_labels()})

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_negatives"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._negatives = self._make_negatives()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self.n_users, 'user')}, {count_of(self.n_items, 'item')}, "
            f"{count_of(self.n_positives, 'positive')}, {count_of(self.n_negatives, 'negative')}, "
            f"{count_of(self._n_batches, 'batch')}, method={self._parameters['method']!r}, "
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


def _check_method(method: Any, unique: Any, reject_positives: Any, power: Any, full_users: Any) -> dict[str, Any]:
    """Check the parameters of the ways to draw negatives, each for the methods that it belongs to."""
    method = str(check_choice(method, "method", choices=METHOD_CHOICES))
    unique = check_flag(unique, "unique")
    full_users = str(check_choice(full_users, "full_users", choices=FULL_CHOICES))
    if unique and method == "popularity":
        raise refused_value("unique", "be false with the method 'popularity'", show(unique))
    if power is not None and method != "popularity":
        raise refused_value("power", "be left out but with the method 'popularity'", show(power))
    if full_users == "skip" and method != "per_user":
        required = "be left out but with the method 'per_user'"
        raise refused_value("full_users", required, show(full_users))
    if method == "popularity":
        power = check_number(DEFAULT_POWER if power is None else power, "power", minimum=0)
    return {
        "method": method,
        "unique": unique,
        "reject_positives": check_flag(reject_positives, "reject_positives"),
        "power": power,
        "full_users": full_users,
    }
