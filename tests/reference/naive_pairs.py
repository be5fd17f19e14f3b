"""The epochs of the samplers of pairs as documented, pair by pair, with the reference generator."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from tests.reference.naive_random import NaiveStream, epoch_seed

Pair = tuple[int, int]


def rounded(number: Fraction) -> int:
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


def naive_epoch(
    positives: list[Pair],
    n_users: int,
    n_items: int,
    ratio: Fraction,
    n_batches: int,
    *,
    seed: int,
    epoch: int = 0,
    per_user: bool = False,
    unique: bool = False,
    reject_positives: bool = True,
) -> list[list[tuple[int, int, int]]]:
    """Return the batches of an epoch as lists of user, item and label."""
    reference = NaiveStream(epoch_seed(seed, epoch))
    ordered = sorted(positives)
    taken = set(positives) if reject_positives else set()
    table = [(user, item) for user in range(n_users) for item in range(n_items) if (user, item) not in taken]
    per_positive = (1 - ratio) / ratio
    if per_user:
        of_user = Counter(user for user, _ in positives)
        groups, met, given = [], 0, 0
        for user in range(n_users):
            cells = [pair for pair in table if pair[0] == user]
            if cells:
                met += of_user[user]
                groups.append((cells, rounded(met * per_positive) - given))
                given = rounded(met * per_positive)
    else:
        groups = [(table, rounded(len(positives) * per_positive))]
    order = reference.permutation(len(positives) + sum(count for _, count in groups))
    negatives = [pair for cells, count in groups for pair in draw(reference, cells, count, unique)]
    rows = [(*pair, 1) for pair in ordered] + [(*pair, 0) for pair in negatives]
    permuted = [rows[row] for row in order]
    dealt = [row for row in permuted if row[2]] + [row for row in permuted if not row[2]]
    return [dealt[batch::n_batches] for batch in range(n_batches)]


def naive_triples(
    positives: list[Pair], n_items: int, n_batches: int, per_positive: int, *, seed: int, epoch: int, unique: bool
) -> list[list[tuple[int, int, list[int]]]]:
    """Return the batches of an epoch of `TripleBatchSampler` as lists of user, positive and negatives."""
    reference = NaiveStream(epoch_seed(seed, epoch))
    counts = Counter(positives)
    ordered = sorted(positives)
    order = reference.permutation(len(ordered))
    triples = []
    for user, item in ordered:
        free = [(user, other) for other in range(n_items) if (user, other) not in counts]
        triples.append((user, item, [other for _, other in draw(reference, free, per_positive, unique)]))
    shuffled = [triples[place] for place in order]
    sizes = [len(ordered) // n_batches + (batch < len(ordered) % n_batches) for batch in range(n_batches)]
    ends = [sum(sizes[: batch + 1]) for batch in range(n_batches)]
    return [shuffled[end - size : end] for size, end in zip(sizes, ends)]


def draw(reference: NaiveStream, cells: list[Pair], count: int, unique: bool) -> list[Pair]:
    places = reference.permutation(len(cells), count) if unique else reference.indices(len(cells), count)
    return [cells[place] for place in places]
