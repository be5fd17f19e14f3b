"""Batches of a stream of sources, by the rules in words and without any care for time or memory."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Mapping, Optional, Sequence

from pystrat._random import RandomStream
from pystrat.base import epoch_permutation

STEP = 1_327_217_885
MODULUS = 2**31 - 1

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
    order: list[int] = epoch_permutation(n, seed=(seed + STEP * (epoch * numbers + number)) % MODULUS).tolist()
    return order


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
    stream = RandomStream((seed + STEP * (epoch * (n_sources + 1) + n_sources)) % MODULUS)
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


def rows_held(counts: Sequence[Sequence[int]], *, least: int, n_lanes: int, together: int = 1) -> int:
    """Return the most rows that a lane may have to hold, for the rows of each stratum in each source."""
    lanes = [counts[lane::n_lanes] for lane in range(n_lanes)]
    totals = [[sum(column) for column in zip(*own)] for own in lanes]
    n_batches = min(map(min, totals)) // least
    needed = []
    for own, total in zip(lanes, totals):
        for stratum, rows in enumerate(total):
            held = [sum(source) - floor(Fraction(sum(total) * source[stratum], rows)) for source in own]
            rest = sum(sorted(map(sum, own))[-together:]) + ceil(Fraction(sum(total), n_batches)) + len(total)
            needed.append(min(sum(total), sum(n for n in held if n > 0) + rest))
    return max(needed)
