"""Groups with rows of several strata in batches, in plain Python: slow, and as the documents tell it."""

from __future__ import annotations

from collections import Counter, deque
from typing import Iterator, Optional, Sequence
from tests.reference.naive_random import NaiveStream


TRIES, STEPS = 100, 20  # for each group

Contents = Sequence[Sequence[int]]  # the rows of each stratum that each group has


def divisions(n_groups: int, n_batches: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to put groups into batches, none of which is empty: the batch of each group."""
    if n_groups == 0 and n_batches == 0:
        yield ()
    if n_groups < n_batches or n_batches == 0:
        return
    for others in divisions(n_groups - 1, n_batches):
        yield from ((*others, batch) for batch in range(n_batches))
    for others in divisions(n_groups - 1, n_batches - 1):
        yield (*others, n_batches - 1)


def keeps_minimum(contents: Contents, batch_of: Sequence[int], n_batches: int, minimum: int) -> bool:
    held = [[0] * len(contents[0]) for _ in range(n_batches)]
    for group, batch in enumerate(batch_of):
        for stratum, count in enumerate(contents[group]):
            held[batch][stratum] += count
    return min(map(min, held)) >= minimum


def is_possible(contents: Contents, n_batches: int, minimum: int) -> bool:
    """Return whether whole groups make so many batches with the minimum, by trying all of them."""
    return any(
        keeps_minimum(contents, batch_of, n_batches, minimum) for batch_of in divisions(len(contents), n_batches)
    )


def largest_number_of_batches(contents: Contents, minimum: int) -> int:
    return max(n_batches for n_batches in range(1, len(contents) + 1) if is_possible(contents, n_batches, minimum))


class Batches:
    """Batches of whole groups, and the cells, of a batch and a stratum or all rows, that lack rows or have too many."""

    def __init__(self, contents: Contents, n_batches: int, floors: Sequence[int], most: int) -> None:
        self.contents = [[*counts, sum(counts)] for counts in contents]
        self.n_batches, self.floors, self.most = n_batches, floors, most
        self.total = len(floors)
        self.held = [[0] * (self.total + 1) for _ in range(n_batches)]
        self.members: list[deque[int]] = [deque() for _ in range(n_batches)]
        self.batch_of: dict[int, int] = {}
        self.lacking = [(b, s) for b in range(n_batches) for s in range(self.total) if floors[s] > 0]

    def lack(self, batch: int, stratum: int) -> int:
        held = self.held[batch][stratum]
        return max(0, held - self.most if stratum == self.total else self.floors[stratum] - held)

    def lack_of_all(self) -> int:
        return sum(self.lack(batch, stratum) for batch in range(self.n_batches) for stratum in range(self.total + 1))

    def add(self, group: int, batch: int, sign: int) -> None:
        for stratum, count in enumerate(self.contents[group]):
            before = self.lack(batch, stratum)
            self.held[batch][stratum] += sign * count
            after = self.lack(batch, stratum)
            if before == 0 < after:
                self.lacking.append((batch, stratum))
            elif after == 0 < before:
                place = self.lacking.index((batch, stratum))
                self.lacking[place] = self.lacking[-1]
                self.lacking.pop()

    def put(self, group: int, batch: int) -> None:
        self.add(group, batch, 1)
        self.members[batch].append(group)
        self.batch_of[group] = batch

    def take(self, group: int) -> None:
        batch = self.batch_of.pop(group)
        self.add(group, batch, -1)
        self.members[batch].remove(group)

    def next_of(self, batch: int) -> Optional[int]:
        members = self.members[batch]
        members.rotate(-1)
        return members[-1] if members else None

    def step(self, group: int, other: Optional[int], batch: int) -> bool:
        """Move a group, in exchange for another one if there is one, unless batches would lack more."""
        start = self.batch_of[group]
        if other is None and len(self.members[start]) == 1:
            return False
        moved = [(group, start, -1), (group, batch, 1)]
        if other is not None:
            moved += [(other, batch, -1), (other, start, 1)]
        before, held = self.lack_of_all(), [list(of_batch) for of_batch in self.held]
        for member, where, sign in moved:
            for stratum, count in enumerate(self.contents[member]):
                self.held[where][stratum] += sign * count
        is_worse, self.held = self.lack_of_all() > before, held
        if is_worse:
            return False
        self.take(group)
        if other is not None:
            self.take(other)
            self.put(other, start)
        self.put(group, batch)
        return True

    def deal(self, line: Sequence[tuple[int, int]]) -> None:
        """Deal groups, each with the stratum for which it counts."""
        for group, stratum in line:
            self.put(
                group,
                min(range(self.n_batches), key=lambda b: (self.held[b][stratum], self.held[b][self.total], b)),
            )

    def repair(self, random: NaiveStream, groups_of: Sequence[Sequence[int]]) -> None:
        for _ in range(TRIES * len(groups_of[self.total])):
            if not self.lacking:
                break
            batch, stratum = self.lacking[random.index(len(self.lacking))]
            if stratum == self.total:
                group = self.next_of(batch)
                assert group is not None
                batch = random.index(self.n_batches)
            else:
                group = groups_of[stratum][random.index(len(groups_of[stratum]))]
            if self.batch_of[group] != batch and not self.step(group, None, batch):
                other = self.next_of(batch)
                if other is not None:
                    self.step(group, other, batch)

    def change(self, random: NaiveStream, groups: Sequence[int]) -> None:
        n_steps = 0
        for i in range(TRIES * len(groups)):
            if n_steps == STEPS * len(groups):
                break
            group, batch = groups[random.index(len(groups))], random.index(self.n_batches)
            if self.batch_of[group] != batch:
                n_steps += self.step(group, None if i % 2 == 0 else self.next_of(batch), batch)


def naive_mixed(
    random: NaiveStream, codes: Sequence[int], groups: Sequence[int], skeleton: Sequence[int], minimum: int
) -> tuple[list[list[int]], bool]:
    """Return the batches of an epoch, of rows with codes from 0, and whether those of the skeleton were changed."""
    n_strata, n_groups, n_batches = max(codes) + 1, max(groups) + 1, max(skeleton) + 1
    of_groups = [Counter(code for code, of in zip(codes, groups) if of == group) for group in range(n_groups)]
    contents = [[counter[stratum] for stratum in range(n_strata)] for counter in of_groups]
    known = Batches(contents, n_batches, [0] * n_strata, len(codes))
    for group, batch in enumerate(skeleton):
        known.put(group, batch)
    floors = [min(minimum, *(held[stratum] for held in known.held)) for stratum in range(n_strata)]
    sizes = [sum(counts) for counts in contents]
    natural = (len(codes) - max(sizes)) // n_batches + max(sizes)
    most = max(natural, *(held[-1] for held in known.held))

    order = random.permutation(len(codes))
    found = list(dict.fromkeys(groups[row] for row in order))
    rarity = sorted(range(n_strata), key=lambda stratum: (codes.count(stratum), stratum))
    counts_for = [next(stratum for stratum in rarity if counts[stratum] > 0) for counts in contents]
    line = []
    for stratum in rarity:
        members = [group for group in found if counts_for[group] == stratum]
        large = [group for group in members if contents[group][stratum] >= minimum][:n_batches]
        line += [(group, stratum) for group in large + [group for group in members if group not in large]]

    rows_of = [[row for row in range(len(codes)) if codes[row] == stratum] for stratum in range(n_strata)]
    groups_of = [list(dict.fromkeys(groups[row] for row in rows)) for rows in rows_of] + [list(range(n_groups))]
    batches = Batches(contents, n_batches, floors, most)
    batches.deal(line)
    batches.repair(random, groups_of)
    is_changed = len(batches.lacking) > 0
    if is_changed:
        places = random.permutation(n_batches)
        batches = Batches(contents, n_batches, floors, most)
        for group, batch in enumerate(skeleton):
            batches.put(group, places[batch])
        batches.change(random, groups_of[n_strata])
    drawn = [[group for group, _ in line if batches.batch_of[group] == batch] for batch in range(n_batches)]
    return [[row for group in of for row in order if groups[row] == group] for of in drawn], is_changed
