"""Groups with rows of several strata in batches, in plain Python: slow, and as the documents describe it.

They leave open which of equal choices comes first, and how the numbers to try are chosen. There, it follows the steps
of the core: which group of a batch is next, which place that lacks rows, when a search tries numbers in turn, and when
a repair stops early.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from heapq import heapify, heapreplace
from itertools import groupby
from typing import Any, Callable, Iterator, Optional, Sequence

from tests.reference.naive_groups import NaiveGroups, most_batches
from tests.reference.naive_random import NaiveStream, epoch_seed

TRIES, STEPS = 100, 20  # for each group
MOST_TRIES = 2**21
PARTS, BY_CHANCE = 64, 8  # of the tries of a repair; places that lack rows, or helpful steps, that may be by chance
IN_TURN = 16  # numbers that are tried one after another

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
    """Batches of whole groups, and the cells, of a batch and a stratum or all rows, that lack rows or have too many.

    All rows count as negative, and at most `most` of them as at least -`most`.
    """

    def __init__(self, contents: Contents, n_batches: int, floors: Sequence[int], most: int) -> None:
        self.contents = [[*counts, -sum(counts)] for counts in contents]
        self.n_batches, self.floors, self.total = n_batches, [*floors, -most], len(floors)
        self.held = [[0] * (self.total + 1) for _ in range(n_batches)]
        self.members: list[deque[int]] = [deque() for _ in range(n_batches)]
        self.batch_of: dict[int, int] = {}
        self.lacking = [(b, s) for b in range(n_batches) for s in range(self.total) if floors[s] > 0]
        self.lack = n_batches * sum(floors)  # the rows that all cells lack or have too many

    def add(self, group: int, batch: int, sign: int) -> None:
        held = self.held[batch]
        for stratum, count in enumerate(self.contents[group]):
            before = max(0, self.floors[stratum] - held[stratum])
            held[stratum] += sign * count
            after = max(0, self.floors[stratum] - held[stratum])
            self.lack += after - before
            if after > 0 and before == 0:
                self.lacking.append((batch, stratum))
            elif before > 0 and after == 0:
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
        back = [0] * (self.total + 1) if other is None else self.contents[other]
        more = 0
        for floor, own, others, here, there in zip(
            self.floors, self.contents[group], back, self.held[start], self.held[batch]
        ):
            moved, here, there = own - others, floor - here, floor - there
            more += max(0, here + moved) - max(0, here) + max(0, there - moved) - max(0, there)
        if more > 0:
            return False
        self.take(group)
        if other is not None:
            self.take(other)
            self.put(other, start)
        self.put(group, batch)
        return True

    def deal(self, line: Sequence[tuple[int, int]], of_all: bool = True) -> None:
        """Deal groups, each with the stratum for which it counts; others count as well if `of_all`."""
        for stratum, groups in groupby(line, key=lambda entry: entry[1]):
            heap = [(held[stratum] if of_all else 0, -held[self.total], batch) for batch, held in enumerate(self.held)]
            heapify(heap)
            for group, _ in groups:
                before, total, batch = heap[0]
                self.put(group, batch)
                heapreplace(heap, (before + self.contents[group][stratum], total - self.contents[group][-1], batch))

    def repair(self, random: NaiveStream, groups_of: Sequence[Sequence[int]], may_stop: bool = False) -> None:
        """Move and exchange groups until no batch lacks rows, or the tries end; if it may stop, until it is hopeless.

        It may stop before each 64th of its tries, except the first.
        """
        n_tries = min(TRIES * len(groups_of[self.total]), MOST_TRIES)
        n_helpful, helpful = 0, [0]  # steps that helped until now, and before each part of the tries
        for i in range(n_tries):
            if not self.lacking:
                break
            if i * PARTS // n_tries == len(helpful):
                helpful.append(n_helpful)
                if may_stop and is_hopeless(helpful, len(self.lacking)):
                    break
            lack = self.lack
            self.try_to_repair(random, groups_of)
            n_helpful += self.lack < lack

    def try_to_repair(self, random: NaiveStream, groups_of: Sequence[Sequence[int]]) -> None:
        """Try to move a group into a batch that lacks rows, or out of one that has too many; or to exchange it."""
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
        for i in range(min(TRIES * len(groups), MOST_TRIES)):
            if n_steps == STEPS * len(groups):
                break
            group, batch = groups[random.index(len(groups))], random.index(self.n_batches)
            if self.batch_of[group] != batch:
                n_steps += self.step(group, None if i % 2 == 0 else self.next_of(batch), batch)


def is_hopeless(helpful: Sequence[int], n_lacking: int) -> bool:
    """Return whether a repair stops: by how many steps helped before each part of its tries, and places that lack rows.

    Each of these places needs a step that helps. The rest of the tries has as many of them as the later half of those
    until now, in proportion. A repair is hopeless if, without 8 of the places, more than twice as many are needed, also
    if that half had had 4 more.
    """
    part = len(helpful) - 1
    n_later = helpful[part] - helpful[part // 2]
    to_come = Fraction(PARTS - part, part - part // 2) * (n_later + BY_CHANCE // 2)
    return n_lacking - BY_CHANCE > 2 * to_come


class NaiveMixedGroups(NaiveGroups):
    """The batches of a sampler with these columns and parameters; groups are together and may have several strata."""

    def choose(self, parameters: dict[str, Any]) -> None:
        """Choose the number of batches and the minimum, and find batches, the skeleton, that have it."""
        self.find_groups()
        replicas, self.n_changed = parameters.get("num_replicas", 1), 0
        if "mean_batch_size" in parameters:
            self.n_batches = self.by_mean(parameters["mean_batch_size"]) // replicas * replicas
            minimums = range(1, min(self.counts) + 1)
            low = max((minimum for minimum in minimums if self.allowed(minimum) >= self.n_batches), default=0)
            high = max((minimum for minimum in minimums if self.bound(minimum) >= self.n_batches), default=1)
            batches = self.dealt(self.n_batches, low)
            low, batches = search(low, high, batches, lambda minimum: self.found(self.n_batches, minimum))
            self.minimum = max(1, low)
        else:
            self.minimum = parameters["min_samples_per_stratum"]
            low, high = (max(1, most(self.minimum)) for most in (self.allowed, self.bound))
            batches = self.dealt(low, self.minimum)
            low, batches = search(low, high, batches, lambda n_batches: self.found(n_batches, self.minimum))
            self.n_batches = low // replicas * replicas
            if self.n_batches < low:
                skeleton, batches = batches.batch_of, self.found(self.n_batches, self.minimum)
                if batches.lacking:
                    batches.batch_of = {group: batch % self.n_batches for group, batch in skeleton.items()}
        self.level(batches.batch_of)
        if "mean_batch_size" in parameters:  # the minimum is what the skeleton has
            self.minimum = len(self.codes)
            self.minimum = max(1, min(self.kept(self.skeleton)[0]))
            self.floors = self.kept(self.skeleton)[0]

    def find_groups(self) -> None:
        """Number the groups, and find what each holds, and the stratum for which it counts."""
        n_strata, taken = len(self.names), [row for row, code in enumerate(self.codes) if code >= 0]
        number = {group: place for place, group in enumerate(dict.fromkeys(self.groups[row] for row in taken))}
        self.contents = [[0] * n_strata for _ in number]
        self.groups_of: list[list[int]] = [[] for _ in range(n_strata)]
        for row in taken:
            group, stratum = number[self.groups[row]], self.codes[row]
            if self.contents[group][stratum] == 0:
                self.groups_of[stratum].append(group)
            self.contents[group][stratum] += 1
        self.groups_of.append(list(range(len(number))))
        self.number_of_row = {row: number[self.groups[row]] for row in taken}
        self.rarity = sorted(range(n_strata), key=lambda stratum: (self.counts[stratum], stratum))
        self.counts_for = [next(s for s in self.rarity if counts[s] > 0) for counts in self.contents]

    def allowed(self, minimum: int) -> int:
        """Return how many batches are sure to keep a minimum, if each group counts for one stratum."""
        own: list[list[int]] = [[] for _ in self.names]
        for counts, stratum in zip(self.contents, self.counts_for):
            own[stratum].append(counts[stratum])
        return min(most_batches(sizes, minimum) for sizes in own)

    def bound(self, minimum: int) -> int:
        """Return a number of batches that no division exceeds: each has a large group, or as many rows of others."""
        return min(
            sum(size >= minimum for size in sizes) + sum(size for size in sizes if size < minimum) // minimum
            for sizes in self.sizes
        )

    def line(self, groups: Sequence[int]) -> list[tuple[int, int]]:
        """Return groups with the strata for which they count, in the order of the rarity of these."""
        return [(group, stratum) for stratum in self.rarity for group in groups if self.counts_for[group] == stratum]

    def empty(self, n_batches: int, minimum: int) -> Batches:
        """Return batches without groups, which should have the minimum of strata that have a group for each."""
        floors = [minimum if n_groups >= n_batches else 0 for n_groups in self.n_groups]
        return Batches(self.contents, n_batches, floors, len(self.codes))

    def largest_first(self) -> list[tuple[int, int]]:
        groups = range(len(self.contents))
        return self.line(sorted(groups, key=lambda group: -self.contents[group][self.counts_for[group]]))

    def dealt(self, n_batches: int, minimum: int) -> Batches:
        """Deal the groups to batches that are sure to have the minimum."""
        batches = self.empty(n_batches, minimum)
        batches.deal(self.largest_first(), of_all=False)
        return batches

    def found(self, n_batches: int, minimum: int) -> Batches:
        """Deal the groups and repair the batches, which may still lack rows."""
        batches = self.empty(n_batches, minimum)
        batches.deal(self.largest_first())
        batches.repair(NaiveStream(0), self.groups_of, may_stop=True)
        return batches

    def level(self, skeleton: dict[int, int]) -> None:
        """Make the sizes of the skeleton's batches more equal, and find the bounds that it keeps."""
        sizes = [sum(counts) for counts in self.contents]
        natural = (sum(sizes) - max(sizes)) // self.n_batches + max(sizes)
        batches = self.filled(skeleton, range(self.n_batches), self.kept(skeleton)[0], natural)
        batches.repair(NaiveStream(0), self.groups_of, may_stop=True)
        self.skeleton = skeleton if batches.lacking else batches.batch_of
        self.floors, largest = self.kept(self.skeleton)
        self.most = max(natural, largest)

    def kept(self, skeleton: dict[int, int]) -> tuple[list[int], int]:
        """Return the rows of each stratum that all batches have, up to the minimum, and those of the largest batch."""
        batches = self.filled(skeleton, range(self.n_batches), [0] * len(self.names), len(self.codes))
        *of_strata, of_all = zip(*batches.held)
        return [min(self.minimum, *rows) for rows in of_strata], -min(of_all)

    def filled(self, skeleton: dict[int, int], places: Sequence[int], floors: Sequence[int], most: int) -> Batches:
        """Return the batches of the skeleton, each in its place."""
        batches = Batches(self.contents, self.n_batches, floors, most)
        for group in self.groups_of[-1]:
            batches.put(group, places[skeleton[group]])
        return batches

    def bounds(self, stratum: int) -> tuple[int, int]:
        """Return the fewest and the most rows of a stratum in a batch."""
        count, others, floor = self.counts[stratum], self.n_batches - 1, self.floors[stratum]
        return max(floor, count - others * self.most), min(count - others * floor, self.most)

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch: dealt and repaired or, if that fails, those of the skeleton, changed."""
        random = NaiveStream(epoch_seed(self.seed, epoch))
        order = [row for row in random.permutation(len(self.codes)) if self.codes[row] >= 0]
        rows_of: dict[int, list[int]] = {}
        for row in order:
            rows_of.setdefault(self.number_of_row[row], []).append(row)
        line = []
        for _, members in groupby(self.line(list(rows_of)), key=lambda entry: entry[1]):
            groups = list(members)
            large = [(group, s) for group, s in groups if self.contents[group][s] >= self.minimum][: self.n_batches]
            line += large + [entry for entry in groups if entry not in large]
        batches = Batches(self.contents, self.n_batches, self.floors, self.most)
        batches.deal(line)
        batches.repair(random, self.groups_of)
        if batches.lacking:
            self.n_changed += 1
            batches = self.filled(self.skeleton, random.permutation(self.n_batches), self.floors, self.most)
            batches.change(random, self.groups_of[-1])
        drawn: list[list[int]] = [[] for _ in range(self.n_batches)]
        for group, _ in line:
            drawn[batches.batch_of[group]] += rows_of[group]
        return drawn if min(self.floors) > 0 else [drawn[batch] for batch in random.permutation(self.n_batches)]


def search(low: int, high: int, batches: Batches, found: Callable[[int], Batches]) -> tuple[int, Batches]:
    """Return the largest number above `low` and up to `high` for which batches lack nothing, with them; or `low`.

    If all numbers from 1 on fail, the batches are those for the last one.
    """
    in_turn = high - low <= IN_TURN
    while high > low:
        number = high if in_turn else low + (high - low + 1) // 2
        tried = found(number)
        if tried.lacking:
            high = number - 1
        else:
            low = number
        if not tried.lacking or low == 0:
            batches = tried
    return low, batches
