"""Batches of a stream of sources, by the rules in words and without any care for time or memory."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Mapping, Optional, Sequence, Union

from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed

Row = tuple[int, int]  # the source, and the row in it


def counted_by_the_rule(codes: Sequence[int], n_batches: int, shifts: Mapping[int, int] = {}) -> list[list[int]]:
    """Row i of n of a stratum belongs to batch ceil((i * B - h) / n); h is the shift of the stratum, by default 0."""
    batches: list[list[tuple[int, int]]] = [[] for _ in range(n_batches)]
    for code in sorted(set(codes)):
        rows = [row for row, other in enumerate(codes) if other == code]
        for i, row in enumerate(rows, start=1):
            batches[ceil(Fraction(i * n_batches - shifts.get(code, 0), len(rows))) - 1].append((code, row))
    return [[row for _, row in sorted(batch)] for batch in batches]


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


def batches_of_lanes(
    codes: Sequence[Sequence[int]], n_strata: int, least: int, least_rows: int, mean: Optional[int]
) -> int:
    """Return the number of batches of each lane, from the strata of the rows of all lanes."""
    if mean is not None:
        return max(1, floor(Fraction(sum(map(len, codes)), mean * len(codes)) + Fraction(1, 2)))
    n_batches = min(own.count(code) for own in codes for code in range(n_strata)) // least
    while min(len(batch) for own in codes for batch in counted_by_the_rule(own, n_batches)) < least_rows:
        n_batches -= 1
    return n_batches


def shifts_of_lanes(
    codes: Sequence[Sequence[int]], n_strata: int, n_batches: int, n_sources: int, seed: int, epoch: int
) -> list[dict[int, int]]:
    """Return the shifts of rare strata: what is drawn below the number of batches, after the order of the sources."""
    stream = NaiveStream(epoch_seed(seed, epoch * (n_sources + 1) + n_sources))
    stream.permutation(n_sources)
    drawn = iter(stream.indices(n_batches, n_strata * len(codes)).tolist())
    of_lanes = [{code: next(drawn) for code in range(n_strata)} for _ in codes]
    return [
        {code: shift for code, shift in shifts.items() if own.count(code) < n_batches}
        for own, shifts in zip(codes, of_lanes)
    ]


def stream_batches(
    sources: Sequence[Sequence[int]],
    *,
    least: int = 1,
    least_rows: int = 1,
    mean: Optional[int] = None,
    together: int = 1,
    n_lanes: int,
    seed: Optional[int],
    epoch: int,
    counted: bool,
) -> list[list[Row]]:
    """Return the batches of all lanes in turn; sources are the codes of their rows."""
    n_strata = 1 + max(code for codes in sources for code in codes)
    lanes = []
    for lane in range(n_lanes):
        rows: list[Row] = []
        order = order_of(len(sources), seed, epoch, len(sources), len(sources) + 1)
        own = [source for source in order if source % n_lanes == lane]
        for group in (own[begin : begin + together] for begin in range(0, len(own), together)):
            joined = [(source, row) for source in group for row in range(len(sources[source]))]
            rows += [joined[place] for place in order_of(len(joined), seed, epoch, group[0], len(sources) + 1)]
        lanes.append(rows)
    codes = [[sources[source][row] for source, row in rows] for rows in lanes]
    if counted:
        n_batches = batches_of_lanes(codes, n_strata, least, least_rows, mean)
        shifts: Sequence[Mapping[int, int]] = [{}] * n_lanes
        if seed is not None:
            shifts = shifts_of_lanes(codes, n_strata, n_batches, len(sources), seed, epoch)
        dealt = [counted_by_the_rule(own, n_batches, shifts[lane]) for lane, own in enumerate(codes)]
    else:
        dealt = [cut_by_the_rule(own, n_strata, least, least_rows) for own in codes]
    found = []
    for turn in range(max(map(len, dealt))):
        for rows, batches in zip(lanes, dealt):
            if turn < len(batches):
                found.append([rows[place] for place in batches[turn]])
    return found


def taken_of_lanes(
    totals: Sequence[Sequence[int]], mean: int, balance: Union[str, int, None], shares: Optional[Sequence[int]]
) -> tuple[int, list[list[int]]]:
    """Return the batches of each lane, and the rows of each stratum that an epoch takes in each lane."""
    n_lanes = len(totals)
    of_strata = [sum(column) for column in zip(*totals)]
    each = {"over": max(of_strata), "under": min(of_strata)}.get(str(balance), balance)
    n_rows = sum(of_strata) if shares else len(of_strata) * int(each or 0)
    n_batches = max(1, floor(Fraction(n_rows, mean * n_lanes) + Fraction(1, 2)))
    if shares:
        ends = [n_batches * mean * sum(shares[: place + 1]) // sum(shares) for place in range(len(shares))]
        return n_batches, [[end - begin for begin, end in zip([0, *ends], ends)]] * n_lanes
    parts = [len(range(lane, int(each or 0), n_lanes)) for lane in range(n_lanes)]
    return n_batches, [[part] * len(of_strata) for part in parts]


def copies_of_rows(
    own: Sequence[int], sources: Sequence[Sequence[int]], taken: Sequence[int], seed: Optional[int], epoch: int
) -> dict[Row, int]:
    """Return how often an epoch takes each row of the sources of a lane."""
    totals = [sum(list(sources[source]).count(code) for source in own) for code in range(len(taken))]
    places = [epoch % total for total in totals]
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


def taken_batches(
    sources: Sequence[Sequence[int]],
    *,
    mean: int,
    balance: Union[str, int, None] = None,
    shares: Optional[Sequence[int]] = None,
    together: int = 1,
    n_lanes: int,
    seed: Optional[int],
    epoch: int,
) -> list[list[Row]]:
    """Return the batches of all lanes in turn, of an epoch that takes rows less or more often than once."""
    n_strata = 1 + max(code for codes in sources for code in codes)
    order = order_of(len(sources), seed, epoch, len(sources), len(sources) + 1)
    lanes = [[source for source in order if source % n_lanes == lane] for lane in range(n_lanes)]
    totals = [[sum(list(sources[s]).count(code) for s in own) for code in range(n_strata)] for own in lanes]
    n_batches, taken = taken_of_lanes(totals, mean, balance, shares)
    dealt = []
    for lane, own in enumerate(lanes):
        copies = copies_of_rows(own, sources, taken[lane], seed, epoch)
        parts = [own[begin : begin + together] for begin in range(0, len(own), together)]
        groups = []
        for group in joined_groups(parts, sources, totals[lane], taken[lane], n_batches):
            joined = [(source, row) for source in group for row in range(len(sources[source]))]
            groups.append([joined[place] for place in order_of(len(joined), seed, epoch, group[0], len(sources) + 1)])
        batches: list[list[Row]] = [[] for _ in range(n_batches)]
        for code in range(n_strata):
            k = taken[lane][code]
            own_rows = [[row for row in group if sources[row[0]][row[1]] == code] for group in groups]
            ranked = [row for rows in own_rows for row in in_passes(rows, copies)]
            for rank, row in enumerate(ranked, start=1):
                batches[ceil(Fraction(rank * n_batches, k)) - 1].append(row)
        dealt.append(batches)
    return [batches[turn] for turn in range(n_batches) for batches in dealt]
