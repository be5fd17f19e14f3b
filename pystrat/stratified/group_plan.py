"""Strata and groups -> the number of batches, and bounds on the rows of each stratum in a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.frames import names_index
from pystrat.messages import count_of, range_of, refused_value
from pystrat.range_plan import RangePlan
from pystrat.rare_strata import refuse_rare
from pystrat.sizes import share_of_replicas
from pystrat.strata import Strata


@dataclass(frozen=True, eq=False)
class GroupPlan(RangePlan):
    """The number of batches of an epoch, and the fewest and the most rows of each stratum that a batch can have.

    The arrays are read-only.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch over all replicas.
    min_samples_per_stratum : int
        The minimum m of rows of each stratum in every batch.
    keep : {"together", "apart"}
        Whether the rows of a group are in one batch, or spread over the batches.
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum.
    groups : numpy.ndarray of int64, shape (number of strata,)
        The number of groups with rows of each stratum.
    largest : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum in the largest of these groups.
    fewest, most : numpy.ndarray of int64, shape (number of strata,)
        Bounds on the rows of each stratum in any batch of any epoch.
    most_of_group : int
        The upper bound on the rows of a group in any batch of any epoch.
    shown : sequence of str
        The names of the strata.
    """

    n_batches: int
    min_samples_per_stratum: int
    keep: str
    counts: NDArray[np.int64]
    groups: NDArray[np.int64]
    largest: NDArray[np.int64]
    fewest: NDArray[np.int64]
    most: NDArray[np.int64]
    most_of_group: int
    shown: Sequence[str]

    @property
    def size_range(self) -> tuple[int, int]:
        """The smallest and the largest size that any batch of any epoch can have."""
        n_rows, others = int(self.counts.sum()), self.n_batches - 1
        if self.keep == "apart":
            return n_rows // self.n_batches, -(-n_rows // self.n_batches)
        fewest, most = int(self.fewest.sum()), int(self.most.sum())
        return max(fewest, n_rows - others * most), min(most, n_rows - others * fewest)

    def table(self) -> pd.DataFrame:
        """Return one row per stratum: its rows, groups and largest group, and its fewest and most rows in a batch."""
        columns = {
            "rows": self.counts,
            "groups": self.groups,
            "largest": self.largest,
            "fewest": self.fewest,
            "most": self.most,
        }
        return pd.DataFrame(columns, index=names_index(self.shown, "stratum"))

    def heading(self) -> str:
        """Return the number and the sizes of batches, and what each of them holds."""
        held = f"every batch holds at least {count_of(int(self.fewest.min()), 'row')} of every stratum"
        if self.keep == "apart":
            held += f", and at most {count_of(self.most_of_group, 'row')} of a group"
        return f"{count_of(self.n_batches, 'batch')} of {range_of(self.size_range, 'row')}, groups {self.keep}\n{held}"


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of the rows that are sampled.

    Attributes
    ----------
    codes : numpy.ndarray of int32, shape (n_rows,)
        The group of each row; the number of groups for rows that are never sampled.
    sizes : numpy.ndarray of int32, shape (number of groups,)
        The number of sampled rows of each group.
    strata : numpy.ndarray of int32, shape (number of groups,)
        The stratum of the first row of each group.
    crossing : int
        The first row whose stratum is not that of its group; -1 if there is none.
    """

    codes: NDArray[np.int32]
    sizes: NDArray[np.int32]
    strata: NDArray[np.int32]
    crossing: int


def groups_of(strata: NDArray[Any], n_strata: int, groups: NDArray[Any], n_groups: int) -> Groups:
    """Return the groups of rows with these codes of strata and groups."""
    sampled = np.flatnonzero(strata < n_strata)
    codes = np.full(len(strata), n_groups, dtype=np.int32)
    codes[sampled] = groups[sampled]
    sizes = np.bincount(codes[sampled], minlength=n_groups).astype(np.int32)
    strata_of = np.zeros(n_groups, dtype=np.int32)
    strata_of[codes[sampled[::-1]]] = strata[sampled[::-1]]  # the last of several assignments wins: the first row
    crosses = strata_of[codes[sampled]] != strata[sampled]
    crossing = int(sampled[crosses.argmax()]) if crosses.any() else -1
    return Groups(codes, sizes, strata_of, crossing)


def refuse_crossing(strata: Strata, groups: Groups, names: Sequence[str]) -> None:
    """Refuse groups with rows of several strata; the error names one of them."""
    if groups.crossing < 0:
        return
    group, stratum = int(groups.codes[groups.crossing]), int(strata.codes[groups.crossing])
    both = f"'{strata.shown[int(groups.strata[group])]}' and '{strata.shown[stratum]}'"
    raise refused_value(
        "groups",
        "lie in one stratum each",
        f"'{names[group]}' in {both}",
        "Give all rows of a group one stratum, such as the rarest that it has.",
    )


def plan_of_groups(
    strata: Strata, groups: Groups, minimum: int, *, keep: str, rare: str, num_replicas: int
) -> GroupPlan:
    """Choose a number of batches for which the minimum holds in every epoch: the largest that the bounds allow.

    Parameters
    ----------
    strata : Strata
    groups : Groups
        With "together", each of them has rows of only one stratum.
    minimum : int
        The minimum m of rows of each stratum in every batch.
    keep : {"together", "apart"}
        Whether the rows of a group are in one batch, or spread over the batches.
    rare : {"error", "warn", "allow"}
        What to do if a stratum has fewer rows: refuse it, or make one batch.
    num_replicas : int
        The number of batches is rounded down to a multiple of it.

    Raises
    ------
    ValueError
        If a stratum is rare, or there are fewer batches than replicas.
    """
    counts = strata.counts
    if rare == "error":
        refuse_rare(strata, minimum)
    facts = _facts_of(strata, groups, minimum)
    together = keep == "together"
    most_batches = facts.most_batches(minimum) if together else counts // minimum
    n_batches = share_of_replicas(max(1, int(most_batches.min())), num_replicas)
    largest_group = int(groups.sizes.max())
    return GroupPlan(
        n_batches=n_batches,
        min_samples_per_stratum=minimum,
        keep=keep,
        counts=counts,
        groups=facts.groups,
        largest=facts.largest,
        fewest=facts.fewest_rows(n_batches, counts) if together else counts // n_batches,
        most=(counts - facts.largest) // n_batches + facts.largest if together else -(-counts // n_batches),
        most_of_group=largest_group if together else -(-largest_group // n_batches),
        shown=strata.shown,
    )


@dataclass(frozen=True, eq=False)
class _Facts:
    """The sizes of the groups of each stratum; only rows of the stratum count. A group of at least m rows is large.

    Attributes
    ----------
    groups, large : the number of groups, and of large groups.
    largest, least_large : the size of the largest group, and of the smallest large group, 0 if there is none.
    rest : the number of rows in groups that are not large.
    largest_small, divisor : the size of the largest of these groups, and the greatest common divisor of their sizes; 1
        if there are none.
    """

    groups: NDArray[np.int64]
    large: NDArray[np.int64]
    largest: NDArray[np.int64]
    largest_small: NDArray[np.int64]
    least_large: NDArray[np.int64]
    rest: NDArray[np.int64]
    divisor: NDArray[np.int64]

    def most_batches(self, minimum: int) -> NDArray[np.int64]:
        """Return, for each stratum, a number of batches for which the minimum always holds, nearly always the largest.

        If the last batch to be filled had fewer rows, no other batch would exceed it by more than one small group.
        """
        slack = self.largest_small - self.divisor
        wanted = -(-minimum // self.divisor) * self.divisor
        return self.large + (self.rest + slack) // (wanted + slack)

    def fewest_rows(self, n_batches: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the fewest rows of each stratum that a batch can have: the better of two bounds.

        One bound considers only the batches without a large group, the other all batches.
        """
        without = np.maximum(n_batches - self.large, 1)
        rest = self.rest - (without - 1) * self.largest_small
        rest = np.maximum(-(-rest // (without * self.divisor)), 0) * self.divisor
        rest = np.where(self.large > 0, np.minimum(rest, self.least_large), rest)
        apart = np.where(self.large >= n_batches, self.least_large, rest)
        return np.maximum(apart, -(((n_batches - 1) * self.largest - counts) // n_batches))


def _facts_of(strata: Strata, groups: Groups, minimum: int) -> _Facts:
    sampled, n_groups, n_strata = groups.codes < len(groups.sizes), len(groups.sizes), len(strata.counts)
    # Each stratum with each of its groups, in order of stratum.
    pairs, sizes = np.unique(
        strata.codes[sampled].astype(np.int64) * n_groups + groups.codes[sampled], return_counts=True
    )
    of_stratum = np.bincount(pairs // n_groups, minlength=n_strata)
    begins = np.cumsum(of_stratum) - of_stratum
    is_large = sizes >= minimum
    small = np.where(is_large, 0, sizes)
    large = np.add.reduceat(is_large, begins, dtype=np.int64)
    least_large = np.minimum.reduceat(np.where(is_large, sizes, np.iinfo(np.int64).max), begins)
    return _Facts(
        groups=of_stratum,
        large=large,
        largest=np.maximum.reduceat(sizes, begins),
        largest_small=np.maximum(np.maximum.reduceat(small, begins), 1),
        least_large=np.where(large > 0, least_large, 0),
        rest=np.add.reduceat(small, begins),
        divisor=np.maximum(np.gcd.reduceat(small, begins), 1),
    )
