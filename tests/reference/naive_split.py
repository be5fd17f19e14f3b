"""Rows divided into parts in plain Python: slow, and as the help of `stratified_split` says."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any, Hashable, Mapping, Optional, Sequence

from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import strata_of

Cell = tuple[int, int]  # a stratum and a part
Rows = Mapping[int, int]  # of some strata, among them those of ALL
ALL = -1
MOST_PASSES, PARTNERS = 20, 100  # of the search that improves groups


def naive_split(
    strata: Sequence[Any], groups: Optional[Sequence[Hashable]], sizes: Sequence[float], seed: int, missing: str
) -> list[list[int]]:
    """Return the rows of each part in ascending order."""
    names, codes = strata_of([strata], missing)
    order = [row for row in epoch_order(len(codes), seed, 0) if codes[row] < len(names)]
    wanted = rows_of_parts(sizes, len(order))
    if groups is None:
        part_of = cut_strata(order, codes, wanted)
    else:
        part_of = cut_groups(order, codes, groups, wanted, len(sizes))
    return [sorted(row for row in order if part_of[row] == part) for part in range(len(sizes))]


def rows_of_parts(sizes: Sequence[float], n_rows: int) -> list[int]:
    """Return the rows of each part, of shares by the largest remainder; rows that are left are a part more."""
    if sizes[0] >= 1:
        left = n_rows - int(sum(sizes))
        return [*map(int, sizes), *([left] if left else [])]
    shares = [Fraction(f"{size:.9f}") for size in sizes]
    exact = [n_rows * share / sum(shares) for share in shares]
    rows = list(map(int, exact))
    for part in sorted(range(len(sizes)), key=lambda part: rows[part] - exact[part])[: n_rows - sum(rows)]:
        rows[part] += 1
    return rows


def cut_strata(order: Sequence[int], codes: Sequence[int], wanted: Sequence[int]) -> dict[int, int]:
    """Return the part of each row: of each stratum, the first rows in the order are in the first part."""
    rows_of = [[row for row in order if codes[row] == stratum] for stratum in range(max(codes) + 1)]
    counts = rounded_table(list(map(len, rows_of)), wanted)
    parts = [[part for part in range(len(wanted)) for _ in range(counts[s, part])] for s in range(len(rows_of))]
    return {row: part for rows, own in zip(rows_of, parts) for row, part in zip(rows, own)}


def rounded_table(strata: Sequence[int], parts: Sequence[int]) -> dict[Cell, int]:
    """Return the rows of each stratum in each part: the exact share, rounded down or up, with the same sums.

    Cells are added stratum by stratum. When one that is not whole closes a cycle of such cells, which have a stratum or
    a part in common in turn, they gain and lose in turn until one is whole: the new one gains, unless that takes more.
    """
    counts: dict[Cell, int] = {}
    over: dict[Cell, Fraction] = {}  # of the cells that are not whole
    for new in product(range(len(strata)), range(len(parts))):
        exact = Fraction(strata[new[0]] * parts[new[1]], sum(strata))
        counts[new] = int(exact)
        if exact == counts[new]:
            continue
        path = path_of(list(over), *new)
        over[new] = exact - counts[new]
        if not path:
            continue
        gainers, losers = [new, *path[1::2]], path[::2]
        up = min([1 - over[cell] for cell in gainers] + [over[cell] for cell in losers])
        down = min([over[cell] for cell in gainers] + [1 - over[cell] for cell in losers])
        for cell in gainers + losers:
            over[cell] += (up if up <= down else -down) * (1 if cell in gainers else -1)
            if over[cell] in (0, 1):
                counts[cell] += int(over.pop(cell))
    return counts


def path_of(cells: Sequence[Cell], stratum: int, part: int) -> list[Cell]:
    """Return the cells from a stratum to a part, neighbors with a part or a stratum in common, if there are any."""
    for own in cells:
        if own[0] == stratum and own[1] == part:
            return [own]
        if own[0] != stratum:
            continue
        beyond = [cell for cell in cells if cell[0] != stratum and cell[1] != own[1]]
        for other in cells:
            rest = path_of(beyond, other[0], part) if other[1] == own[1] and other != own else []
            if rest:
                return [own, other, *rest]
    return []


def cut_groups(
    order: Sequence[int], codes: Sequence[int], groups: Sequence[Hashable], wanted: Sequence[int], n_given: int
) -> dict[int, int]:
    """Return the part of each row, the same for all rows of a group."""
    rows_of: dict[Hashable, list[int]] = {}
    for row in order:
        rows_of.setdefault(groups[row], []).append(row)
    line = sorted(rows_of.values(), key=len, reverse=True)
    parts = GroupParts([Counter([ALL] * len(rows) + [codes[row] for row in rows]) for rows in line], wanted, n_given)
    return {row: part for rows, part in zip(line, parts.part_of) for row in rows}


class GroupParts:
    """Groups, from the largest to the smallest, dealt to parts."""

    def __init__(self, groups: Sequence[Rows], wanted: Sequence[int], n_given: int) -> None:
        self.groups, self.wanted, self.n_given = groups, wanted, n_given
        self.sizes = {stratum: sum(rows.get(stratum, 0) for rows in groups) for stratum in set().union(*groups)}
        self.held = [dict.fromkeys(self.sizes, 0) for _ in wanted]
        self.part_of: list[int] = []
        numbers: dict[Any, int] = {}  # groups of one kind have the same rows
        self.kinds = [numbers.setdefault(frozenset(rows.items()), len(numbers)) for rows in groups]
        self.useless: set[tuple[int, int, int, int]] = set()  # exchanges of kinds between the parts
        self.deal()
        self.fill()
        passes = 0
        while passes < MOST_PASSES and self.improve():
            passes += 1

    def lack(self, stratum: int, part: int, more: int = 0) -> int:
        """Return what a part lacks of a stratum if it had `more` rows: rows, as if the stratum had those of ALL."""
        held = self.held[part][stratum] + more
        lack = self.sizes[stratum] * self.wanted[part] - self.sizes[ALL] * held
        return int(math.copysign(abs(lack) // self.sizes[stratum], lack))

    def add(self, rows: Rows, part: int, sign: int = 1) -> None:
        for stratum, count in rows.items():
            self.held[part][stratum] += sign * count

    def move(self, group: int, part: int) -> None:
        self.add(self.groups[group], self.part_of[group], -1)
        self.add(self.groups[group], part)
        self.part_of[group] = part
        self.useless.clear()

    def change(self, rows: Rows, giver: int, taker: int) -> int:
        """Return by how much all that parts lack or exceed changes if rows go from one to another."""
        return sum(
            abs(self.lack(stratum, part, sign * count)) - abs(self.lack(stratum, part))
            for stratum, count in rows.items()
            for part, sign in ((giver, -1), (taker, 1))
        )

    def may_go(self, rows: Rows, giver: int, taker: int) -> bool:
        """Return whether both parts then miss their rows by fewer than the largest group has, or not by more."""
        return all(
            abs(self.lack(ALL, part, more)) < max(self.groups[0][ALL], abs(self.lack(ALL, part)) + 1)
            for part, more in ((giver, -rows[ALL]), (taker, rows[ALL]))
        )

    def may_lose(self, part: int) -> bool:
        return part >= self.n_given or self.part_of.count(part) > 1

    def deal(self) -> None:
        """Deal each group to the part that lacks most of its rows, of those that lack rows.

        When there are only as many groups left as parts without any, each of these gets one.
        """
        for place, rows in enumerate(self.groups):
            parts = [part for part in range(self.n_given) if self.held[part][ALL] == 0]
            if len(parts) < len(self.groups) - place:
                parts = [part for part in range(len(self.wanted)) if self.lack(ALL, part) > 0]
            most = max(parts, key=lambda part: sum(rows[stratum] * self.lack(stratum, part) for stratum in rows))
            self.part_of.append(most)
            self.add(rows, most)

    def fill(self) -> None:
        """Give groups of parts that exceed their rows to those that lack as many as the largest group has."""
        for part in range(len(self.wanted)):
            while self.lack(ALL, part) >= self.groups[0][ALL]:
                giving = [
                    giver for giver in range(len(self.wanted)) if self.lack(ALL, giver) < 0 and self.may_lose(giver)
                ]
                groups = [group for group, giver in enumerate(self.part_of) if giver in giving]
                if not groups:
                    break
                best = min(groups, key=lambda group: self.change(self.groups[group], self.part_of[group], part))
                self.move(best, part)

    def improve(self) -> bool:
        """Move each group to the best part, then exchange it with each of the next ones if that is better."""
        before = list(self.part_of)
        for group, rows in enumerate(self.groups):
            own = self.part_of[group]
            others = [part for part in range(len(self.wanted)) if part != own and self.may_go(rows, own, part)]
            changes = {part: self.change(rows, own, part) for part in others if self.may_lose(own)}
            best = min(changes, key=changes.__getitem__, default=own)
            if changes.get(best, 0) < 0:
                self.move(group, best)
            for other in range(group + 1, min(group + 1 + PARTNERS, len(self.groups))):
                self.exchange(group, other)
        return self.part_of != before

    def exchange(self, group: int, other: int) -> None:
        own, theirs = self.part_of[group], self.part_of[other]
        alike = (self.kinds[group], own, self.kinds[other], theirs)
        if own == theirs or alike in self.useless:
            return
        left, right = self.groups[group], self.groups[other]
        less = {stratum: left.get(stratum, 0) - right.get(stratum, 0) for stratum in {*left, *right}}
        if self.may_go(less, own, theirs) and self.change(less, own, theirs) < 0:
            self.move(group, theirs)
            self.move(other, own)
        else:
            self.useless.add(alike)
