"""Observed pairs, each with negatives of its own user, for losses that compare them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.base import Batches, epoch_seed
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_flag, check_integer, count_of, refused_value, show
from pystrat.pairs.observed import ObservedPairsBatchSampler
from pystrat.pairs._pairs import FreeCells, group_pairs
from pystrat.pairs.codes import check_positives
from pystrat.pairs.negatives import PositivePairs, check_limits, find_full_users
from pystrat.pairs.sampler import FULL_CHOICES
from pystrat.recipe import Recipe, make_recipe
from pystrat.sizes import even_offsets, round_to_replicas
from pystrat._group_draws import indices_within, subsets_within
from pystrat._random import RandomStream


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
        What to do with users who have met all items: refuse them, or leave them out with their positives
        (`n_skipped_users` counts these). If all users are like that, they are refused in any case.
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
    >>> sampler = TripleBatchSampler(["ann", "ann", "bob"], ["x", "y", "z"], 2, negatives_per_positive=2, seed=1)
    >>> sampler
    TripleBatchSampler(2 users, 3 items, 3 positives, 2 negatives each, 2 batches, seed=1, epoch=0)
    >>> dataset = TripleDataset(sampler.n_users, sampler.n_items, negatives_per_positive=2)
    >>> dataset[sampler.batches(0)[0]]
    {'user': array([0, 0]), 'positive': array([0, 1]), 'negatives': array([[2, 2],
           [2, 2]])}
    """

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
        batch_size = check_integer(batch_size, "batch_size", minimum=1)
        per_positive = check_integer(negatives_per_positive, "negatives_per_positive", minimum=1, maximum=MAX_COUNT)
        self._per_positive = per_positive
        self._unique = check_flag(unique, "unique")
        skip = check_choice(full_users, "full_users", choices=FULL_CHOICES) == "skip"
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._told = {"batch_size": batch_size, "full_users": full_users, "num_replicas": num_replicas}
        positives, self._user_ids, self._item_ids = check_positives(users, items, n_users, n_items)
        self._positives = self._with_free_items(positives, skip)
        self._n_batches = self._choose_batches(batch_size)
        self._free = FreeCells(self._positives.distinct, self._positives.n_cells)

    def _with_free_items(self, positives: PositivePairs, skip: bool) -> PositivePairs:
        """Return the positives of users who have items to draw from; refuse the other users, or leave them out."""
        limits = positives.n_items - np.diff(positives.starts())
        of_user = positives.counts_by_user()
        full = find_full_users(positives, of_user, limits, skip=skip)
        self._n_skipped_users = len(full)
        of_user[full] = 0
        if self._unique:
            check_limits(positives, np.where(of_user > 0, self._per_positive, 0), limits)
        return positives.without_users(full)

    def _choose_batches(self, batch_size: int) -> int:
        """Return the number of batches; refuse too many batches or pairs."""
        count, replicas = self.n_positives, self.num_replicas or 1
        most = MAX_COUNT // count - 1
        if self._per_positive > most:
            required = f"be at most {most} with {count_of(count, 'positive')}, for at most {MAX_COUNT} pairs"
            raise refused_value("negatives_per_positive", required, show(self._per_positive))
        n_batches = round_to_replicas(-(-count // batch_size), replicas, "up")
        if n_batches <= count:
            return n_batches
        most = round_to_replicas(count, replicas, "down")
        if most == 0:
            raise refused_value("num_replicas", f"be at most {count}, the number of triples", show(replicas))
        required = f"be at least {-(-count // most)}, so that every batch has a triple of {count}"
        raise refused_value("batch_size", required, show(batch_size))

    @property
    def negatives_per_positive(self) -> int:
        """The number of negatives per positive."""
        return self._per_positive

    @property
    def n_skipped_users(self) -> int:
        """The number of users whose positives are left out, because they have met all items."""
        return self._n_skipped_users

    def _global_length(self) -> int:
        return self._n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self._seed, epoch))
        order = stream.permutation(self.n_positives)
        numbers = group_pairs(order, self._positives.cells, self._draw(stream), self._per_positive)
        offsets = even_offsets(self.n_positives, self._n_batches, longer="first")
        return Batches(numbers, offsets * (self._per_positive + 1))

    def _draw(self, stream: RandomStream) -> NDArray[np.int64]:
        """Return the cells of the negatives of each positive in turn."""
        positives = self._positives
        users = positives.cells // positives.n_items
        taken = positives.starts()  # the number of positives, which are not drawn, before each user's cells
        firsts = users * positives.n_items - taken[users]
        limits = (positives.n_items - np.diff(taken))[users]
        draw = subsets_within if self._unique else indices_within
        cells = draw(stream, firsts, limits, np.full(len(positives), self._per_positive, dtype=np.int64))
        self._free.cells(cells)
        return cells

    def _recipe(self) -> Recipe:
        parts = {
            "n_users": self.n_users,
            "n_items": self.n_items,
            "n_batches": self._n_batches,
            "negatives_per_positive": self._per_positive,
            "unique": self._unique,
            "cells": self._positives.cells.astype(np.float64),
        }
        labels: dict[str, Any] = {name: show(value) for name, value in self._told.items() if value is not None}
        labels["n_skipped_users"] = self._n_skipped_users
        return make_recipe("triples", seed=self._seed, parts=parts, labels={**labels, **self._id_labels()})

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_free"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._free = FreeCells(self._positives.distinct, self._positives.n_cells)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self.n_users, 'user')}, {count_of(self.n_items, 'item')}, "
            f"{count_of(self.n_positives, 'positive')}, {count_of(self._per_positive, 'negative')} each, "
            f"{count_of(self._n_batches, 'batch')}, seed={self._seed}, epoch={self.epoch})"
        )
