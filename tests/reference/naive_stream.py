"""Batches of a stream of sources, by the rules in words and without any care for time or memory."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Mapping, Optional, Sequence, Union

from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed

Row = tuple[int, int]  # the source, and the row in it
Totals = Sequence[Sequence[int]]  # of lanes, by stratum


def cut_by_the_rule(codes: Sequence[int], n_strata: int, least: int, least_rows: int) -> list[list[int]]:
    """A batch is cut once it has all that it needs; what is left joins the last one."""
    batches: list[list[int]] = [[]]
    for row in range(len(codes)):
        batches[-1].append(row)
        counts = [sum(codes[other] == code for other in batches[-1]) for code in range(n_strata)]
        if min(counts) >= least and len(batches[-1]) >= least_rows:
            batches.append([])
    left = batches.pop()
    if batches:
        batches[-1] += left
    return [sorted(batch, key=lambda row: (codes[row], row)) for batch in batches]


def order_of(n: int, seed: Optional[int], epoch: int, number: int, numbers: int) -> list[int]:
    """Return one of the permutations of an epoch, or no permutation without a seed."""
    if seed is None or n == 0:
        return list(range(n))
    return list(epoch_order(n, seed, epoch * numbers + number))


def batches_of_lanes(totals: Totals, n_rows: int, least: int, least_rows: int, mean: Optional[int]) -> int:
    """Return the number of batches of each lane of an epoch of so many rows."""
    if mean is not None:
        return max(1, floor(Fraction(n_rows, mean * len(totals)) + Fraction(1, 2)))
    n_batches = min(map(min, totals)) // least
    while min(sum(rows // n_batches for rows in own) for own in totals) < least_rows:
        n_batches -= 1
    return n_batches


def shifts_of_lanes(taken: Totals, n_batches: int, n_sources: int, seed: Optional[int], epoch: int) -> list[list[int]]:
    """Return the shifts of rare strata: what is drawn below the number of batches, after the order of the sources."""
    if seed is None:
        return [[0] * len(own) for own in taken]
    stream = NaiveStream(epoch_seed(seed, epoch * (n_sources + 1) + n_sources))
    stream.permutation(n_sources)
    drawn = iter(stream.indices(n_batches, sum(map(len, taken))).tolist())
    return [[shift if rows < n_batches else 0 for rows, shift in zip(own, drawn)] for own in taken]


def taken_of_lanes(
    totals: Totals, n_batches: int, mean: Optional[int], balance: Union[str, int, None], shares: Sequence[int]
) -> Totals:
    """Return the rows of each stratum that an epoch takes in each lane."""
    if shares:
        ends = [n_batches * (mean or 0) * sum(shares[: place + 1]) // sum(shares) for place in range(len(shares))]
        return [[end - begin for begin, end in zip([0, *ends], ends)]] * len(totals)
    if balance is None:
        return totals
    each = rows_that_balance(totals, balance)
    return [[len(range(lane, each, len(totals)))] * len(own) for lane, own in enumerate(totals)]


def rows_that_balance(totals: Totals, balance: Union[str, int]) -> int:
    of_strata = [sum(column) for column in zip(*totals)]
    return {"over": max(of_strata), "under": min(of_strata)}.get(str(balance), 0) or int(balance)


def copies_of_rows(
    own: Sequence[int], sources: Sequence[Sequence[int]], taken: Sequence[int], seed: Optional[int], epoch: int
) -> dict[Row, int]:
    """Return how often an epoch takes each row of the sources of a lane."""
    totals = [sum(list(sources[source]).count(code) for source in own) for code in range(len(taken))]
    places = [epoch % max(1, total) for total in totals]
    copies = {}
    for source in sorted(own):
        for row in order_of(len(sources[source]), seed, 0, source, len(sources) + 1):
            code = sources[source][row]
            n, k = totals[code], taken[code]
            places[code] += 1
            copies[source, row] = floor(Fraction(places[code] * k, n)) - floor(Fraction((places[code] - 1) * k, n))
    return copies


def joined_groups(
    groups: Sequence[Sequence[int]],
    sources: Sequence[Sequence[int]],
    totals: Sequence[int],
    taken: Sequence[int],
    n_batches: int,
) -> list[list[int]]:
    """Join groups of sources until each has as many rows of each repeated stratum as a batch."""
    least = [min(total, ceil(Fraction(k, n_batches))) if k > total else 0 for total, k in zip(totals, taken)]

    def has_enough(group: Sequence[int]) -> bool:
        codes = [code for source in group for code in sources[source]]
        return all(codes.count(code) >= rows for code, rows in enumerate(least))

    joined: list[list[int]] = [[]]
    for place, group in enumerate(groups, start=1):
        joined[-1] += group
        if has_enough(joined[-1]) and has_enough([source for other in groups[place:] for source in other]):
            joined.append([])
    return [group for group in joined if group]


def in_passes(rows: Sequence[Row], copies: Mapping[Row, int]) -> list[Row]:
    """Return rows as often as they are taken, in passes; those that are taken most often come first."""
    most = max([copies[row] for row in rows], default=0)
    first = [row for row in rows if copies[row] == most]
    others = [row for row in rows if 0 < copies[row] < most]
    passes = [first + others] * (most - 1) + [first] if others else [first] * most
    return [row for one in passes for row in one]


def stream_batches(
    sources: Sequence[Sequence[int]],
    *,
    counted: bool,
    seed: Optional[int],
    epoch: int,
    min_samples_per_stratum: int = 1,
    min_batch_size: int = 1,
    mean_batch_size: Optional[int] = None,
    balance: Union[str, int, None] = None,
    shares: Optional[Mapping[str, int]] = None,
    shuffle_sources: int = 1,
    lanes: int = 1,
) -> list[list[Row]]:
    """Return the batches of all lanes in turn; sources are the codes of their rows. No seed means no shuffling."""
    n_lanes, least, mean = lanes, (min_samples_per_stratum, min_batch_size), mean_batch_size
    n_strata, numbers = 1 + max(code for codes in sources for code in codes), len(sources) + 1
    order = order_of(len(sources), seed, epoch, len(sources), numbers)
    sources_of = [[source for source in order if source % n_lanes == lane] for lane in range(n_lanes)]
    totals = [[sum(list(sources[s]).count(code) for s in own) for code in range(n_strata)] for own in sources_of]
    groups = [[own[k : k + shuffle_sources] for k in range(0, len(own), shuffle_sources)] for own in sources_of]
    n_batches, taken = 0, totals
    if counted:
        n_rows = sum(map(sum, totals)) if balance is None else n_strata * rows_that_balance(totals, balance)
        n_batches = batches_of_lanes(totals, n_rows, *least, mean)
        taken = [list(own) for own in taken_of_lanes(totals, n_batches, mean, balance, list((shares or {}).values()))]
        groups = [joined_groups(groups[lane], sources, totals[lane], taken[lane], n_batches) for lane in range(n_lanes)]
        shifts = shifts_of_lanes(taken, n_batches, len(sources), seed, epoch)
    dealt: list[list[list[Row]]] = []
    for lane, own in enumerate(sources_of):
        read = []  # group after group, in the order of the epoch
        for group in groups[lane]:
            joined = [(source, row) for source in group for row in range(len(sources[source]))]
            read.append([joined[place] for place in order_of(len(joined), seed, epoch, group[0], numbers)])
        if not counted:
            rows = [row for group in read for row in group]
            cut = cut_by_the_rule([sources[source][row] for source, row in rows], n_strata, *least)
            dealt.append([[rows[place] for place in batch] for batch in cut])
            continue
        copies = copies_of_rows(own, sources, taken[lane], seed, epoch)
        dealt.append([[] for _ in range(n_batches)])
        for code in range(n_strata):
            of_code = [[row for row in group if sources[row[0]][row[1]] == code] for group in read]
            ranked = [row for rows in of_code for row in in_passes(rows, copies)]
            for rank, row in enumerate(ranked, start=1):
                batch = ceil(Fraction(rank * n_batches - shifts[lane][code], taken[lane][code])) - 1
                dealt[lane][batch].append(row)
    turns = range(max(map(len, dealt)))
    return [batches[turn] for turn in turns for batches in dealt if turn < len(batches)]
