"""Positive pairs, and ways to draw other cells of the table of users and items.

A cell is ``user * n_items + item``. The drawn cells are a function of only the positives and the stream.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.limits import MAX_COUNT
from pystrat.messages import as_written, count_of, is_number, refused_type, refused_value, show, show_number
from pystrat._group_draws import indices_within, subsets_within
from pystrat.pairs._pairs import (
    FreeCells,
    kept_shares,
    popular_cells,
    popularity,
    share_out,
)
from pystrat._random import RandomStream
from pystrat._sum_tree import WeightTree

LEAST_ACCEPTANCE = Fraction(1, 100)
ROUNDING = 1e-9  # more than the rounding error of sums of shares
_MAX_DENOMINATOR = 2**62  # the limit of the core's shares


class PositivePairs:
    """The cells of the positives, in 8 bytes per positive.

    Parameters
    ----------
    users, items : numpy.ndarray of int64, shape (number of positives,)
        Codes below `n_users` and `n_items`.
    n_users, n_items : int
        The size of the table, at most 2^52 cells.
    user_names : sequence of str, optional
        The names of the users in messages; codes by default.

    Attributes
    ----------
    cells : numpy.ndarray of int64, shape (number of positives,)
        The distinct cells, sorted, followed by the repetitions, also sorted, each as often as it is repeated.
    n_distinct : int
        The number of distinct cells.
    """

    def __init__(
        self,
        users: NDArray[np.int64],
        items: NDArray[np.int64],
        n_users: int,
        n_items: int,
        user_names: Optional[Sequence[str]] = None,
    ) -> None:
        self._user_names = user_names
        self.n_users = n_users
        self.n_items = n_items
        cells = users * n_items
        cells += items
        cells.sort()
        repeated = np.zeros(len(cells), dtype=np.bool_)
        np.equal(cells[1:], cells[:-1], out=repeated[1:])
        self.n_distinct = len(cells) - int(np.count_nonzero(repeated))
        self.cells = cells
        if self.n_distinct < len(cells):
            self.cells = np.concatenate([cells[~repeated], cells[repeated]])

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def n_cells(self) -> int:
        """The number of cells of the table."""
        return self.n_users * self.n_items

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The distinct cells, sorted."""
        return self.cells[: self.n_distinct]

    def show_user(self, user: Any) -> str:
        """Return the name of a user in messages."""
        return f"user {user}" if self._user_names is None else f"user {show(self._user_names[int(user)])}"

    def without_users(self, users: NDArray[np.intp]) -> "PositivePairs":
        """Return the positives of all other users, in a table of the same size."""
        if not len(users):
            return self
        of_user, items = np.divmod(self.cells, self.n_items)
        kept = ~np.isin(of_user, users)
        return PositivePairs(of_user[kept], items[kept], self.n_users, self.n_items, self._user_names)

    def counts_by_user(self) -> NDArray[np.int64]:
        """Return the positives of each user, including repeated ones, shape (n_users,)."""
        return np.bincount(self.cells // self.n_items, minlength=self.n_users)

    def starts(self) -> NDArray[np.int64]:
        """Return the beginning of the distinct cells of each user, and the end of the last, shape (n_users + 1,)."""
        counts = np.bincount(self.distinct // self.n_items, minlength=self.n_users)
        return np.concatenate([[0], np.cumsum(counts)])

    def __getstate__(self) -> dict[str, Any]:
        # Sorted cells are stored as differences, which take fewer bytes.
        state = self.__dict__.copy()
        del state["cells"]
        for name, cells in (("distinct", self.distinct), ("repeated", self.cells[self.n_distinct :])):
            gaps = np.diff(cells, prepend=0)
            state[name] = gaps.astype(np.min_scalar_type(int(gaps.max(initial=0))))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = [np.cumsum(state.pop(name), dtype=np.int64) for name in ("distinct", "repeated")]
        self.__dict__.update(state)
        self.cells = np.concatenate(parts) if len(parts[1]) else parts[0]


class Negatives(ABC):
    """A way to draw the negatives of an epoch.

    Attributes
    ----------
    count : int
        The number of negatives of an epoch.
    acceptance : float
        The share of the draws that is kept.
    n_skipped_users : int
        The number of users with positives who get no negatives, because all items are their positives.
    """

    count: int
    acceptance = 1.0
    n_skipped_users = 0

    def counts(self) -> NDArray[np.int64]:
        """Return the number of negatives: one number, or one for each user if each gets its own negatives."""
        return np.array([self.count])

    @abstractmethod
    def draw(self, stream: RandomStream) -> NDArray[np.int64]:
        """Return the cells of an epoch's negatives, shape (count,)."""


class UniformNegatives(Negatives):
    """Equally likely cells, with or without replacement.

    Parameters
    ----------
    positives : PositivePairs
    per_positive : Fraction
        The number of negatives per positive.
    unique : bool
        Whether no cell is drawn twice.
    free_only : bool
        Whether to leave out positives.
    """

    def __init__(self, positives: PositivePairs, per_positive: Fraction, *, unique: bool, free_only: bool) -> None:
        self.count = count_negatives(len(positives), per_positive, len(positives))
        self._unique = unique
        self._free = FreeCells(positives.distinct if free_only else positives.distinct[:0], positives.n_cells)
        if self._free.count == 0:
            told = f"{count_of(positives.n_cells, 'cell')}, all of which are positives,"
            raise refused_value("items", "leave a cell that is not a positive", told)
        if unique and self.count > self._free.count:
            required = f"be false for more negatives than there are cells to draw from, {self._free.count}"
            raise refused_value("unique", required, f"true and {count_of(self.count, 'negative')}")

    def draw(self, stream: RandomStream) -> NDArray[np.int64]:
        limit = self._free.count
        first, limits, counts = np.array([[0], [limit], [self.count]], dtype=np.int64)
        draw = subsets_within if self._unique else indices_within
        cells = draw(stream, first, limits, counts)
        self._free.cells(cells)
        return cells


class PerUserNegatives(Negatives):
    """For each user, equally likely cells of the user, in a number that follows from the user's positives.

    Parameters
    ----------
    positives, per_positive, unique, free_only
        As in `UniformNegatives`. The number of a user is the increment of the rounded running total over the users: the
        floor or the ceiling of the user's share.
    skip_full : bool
        Whether users without a free item are skipped and counted, or refused. If all users are like that, they are
        refused.
    """

    def __init__(
        self,
        positives: PositivePairs,
        per_positive: Fraction,
        *,
        unique: bool,
        free_only: bool,
        skip_full: bool,
    ) -> None:
        self._positives = positives
        self._unique = unique
        self._free = FreeCells(positives.distinct if free_only else positives.distinct[:0], positives.n_cells)
        # The number of positives, which are not drawn, before each user's cells.
        self._taken = positives.starts() if free_only else np.zeros(positives.n_users + 1, dtype=np.int64)
        of_user = positives.counts_by_user()
        full = find_full_users(positives, of_user, self._limits(), skip=skip_full)
        of_user[full] = 0
        self.n_skipped_users = len(full)
        self.count = count_negatives(int(of_user.sum()), per_positive, len(positives))
        self._counts = shares(of_user, per_positive)
        if unique:
            check_limits(positives, self._counts, self._limits())

    def counts(self) -> NDArray[np.int64]:
        return self._counts

    def _limits(self) -> NDArray[np.int64]:
        """Return the number of items that can be drawn for each user."""
        return self._positives.n_items - np.diff(self._taken)

    def draw(self, stream: RandomStream) -> NDArray[np.int64]:
        users = np.flatnonzero(self._counts)
        firsts = users * self._positives.n_items - self._taken[users]
        draw = subsets_within if self._unique else indices_within
        cells = draw(stream, firsts, self._limits()[users], self._counts[users])
        self._free.cells(cells)
        return cells


class PopularityNegatives(Negatives):
    """The user of a random positive with an item by its popularity, drawn again if that is a positive.

    Parameters
    ----------
    positives, per_positive, free_only
        As in `UniformNegatives`.
    power : float
        An item is drawn in proportion to this power of the number of its positives.
    """

    def __init__(self, positives: PositivePairs, per_positive: Fraction, *, power: float, free_only: bool) -> None:
        self.count = count_negatives(len(positives), per_positive, len(positives))
        self._positives = positives
        self._starts = positives.starts() if free_only else None
        weights = popularity(positives.cells, positives.n_items, power)
        self._items = WeightTree(positives.n_items)
        self._items.fill(weights)
        if free_only:
            self.acceptance = self._check_acceptance(weights)

    def _check_acceptance(self, weights: NDArray[np.float64]) -> float:
        """Return the share of draws that are kept; refuse if it is too small, in total or for a user."""
        positives = self._positives
        of_user = kept_shares(positives.distinct, positives.n_users, weights)
        acceptance = float(of_user @ (positives.counts_by_user() / len(positives)))
        user = int(of_user.argmin())
        for found, who in ((acceptance, "all users"), (float(of_user[user]), positives.show_user(user))):
            if found < LEAST_ACCEPTANCE - ROUNDING:
                required = f"keep at least {LEAST_ACCEPTANCE} of what is drawn"
                got = f"'popularity', which keeps {show_number(round(found, 6), 3)} for {who},"
                advice = "Lower 'power', use another method, or set 'reject_positives' to false."
                raise refused_value("method", required, got, advice)
        return acceptance

    def draw(self, stream: RandomStream) -> NDArray[np.int64]:
        positives = self._positives
        sums = self._items.memory
        return popular_cells(stream, positives.cells, self._starts, positives.n_items, sums, self.count)


def find_full_users(
    positives: PositivePairs, of_user: NDArray[np.int64], limits: NDArray[np.int64], *, skip: bool
) -> NDArray[np.intp]:
    """Return the users with positives but without a free item; refuse them, or, if they are skipped, only if all are.

    `of_user` is the number of positives of each user, `limits` the number of items that can be drawn.
    """
    full = np.flatnonzero((of_user > 0) & (limits == 0))
    if len(full) and not skip:
        told = f"{count_of(len(full), 'user')} without one, the first of them {positives.show_user(full[0])},"
        advice = "Leave such users out, or set 'full_users' to 'skip'."
        raise refused_value("items", "leave each user an item that is not a positive", told, advice)
    if len(full) and len(full) == np.count_nonzero(of_user):
        told = f"{count_of(len(full), 'user')} with positives, all without one,"
        raise refused_value("items", "leave some user an item that is not a positive", told)
    return full


def check_limits(positives: PositivePairs, counts: NDArray[np.int64], limits: NDArray[np.int64]) -> None:
    """Refuse a number of different negatives of a user that exceeds the items to draw from."""
    beyond = np.flatnonzero(counts > limits)
    if len(beyond):
        user = beyond[0]
        required = "be false for more negatives of a user than there are items to draw from"
        told = f"true and {count_of(int(counts[user]), 'negative')} for {positives.show_user(user)}, of"
        told += f" {count_of(int(limits[user]), 'item')},"
        raise refused_value("unique", required, told)


def rounded(number: Fraction) -> int:
    """Round to the nearest integer, halves up."""
    return int(number + Fraction(1, 2))


def count_negatives(n_positives: int, per_positive: Fraction, n_all: int) -> int:
    """Return the number of negatives for `n_positives`; refuse more than fit into an epoch with `n_all` positives."""
    count = rounded(n_positives * per_positive)
    if n_all + count > MAX_COUNT:
        got = f"{show_number(n_all + count)} pairs"
        raise refused_value("ratio", f"give at most {MAX_COUNT} pairs", got)
    return count


def shares(counts: NDArray[np.int64], per_one: Fraction) -> NDArray[np.int64]:
    """Return the increments of the rounded running total of ``counts * per_one``, exactly.

    The results add up to the rounded total, and each is the floor or the ceiling of its own product.
    """
    whole, rest = divmod(per_one.numerator, per_one.denominator)
    if per_one.denominator < _MAX_DENOMINATOR:
        return share_out(counts, whole, rest, per_one.denominator)
    totals = [rounded(int(total) * per_one) for total in np.cumsum(counts)]
    return np.diff(np.array(totals, dtype=np.int64), prepend=0)


def exact_share(ratio: Any) -> Fraction:
    """Return the ratio as an exact number: a float is the decimal number that is shown, in its own dtype."""
    required = "be a number above 0 and below 1"
    if isinstance(ratio, Fraction):
        exact = Fraction(int(ratio.numerator), int(ratio.denominator))  # numpy's integers would overflow
    elif isinstance(ratio, (float, np.floating)) and np.isfinite(as_written(ratio)):
        exact = Fraction(show_number(as_written(ratio)))
    else:
        raise (refused_value if is_number(ratio) else refused_type)("ratio", required, show(ratio))
    if not 0 < exact < 1:
        raise refused_value("ratio", required, show(ratio))
    return exact
