"""Pairs of users and items: exact numbers, no positive among the negatives, equally likely free pairs."""

from __future__ import annotations

import pickle
import random
import tracemalloc
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import NegativePairBatchSampler, decode_pairs
from tests.pairs.tables import ITEMS, N_ITEMS, N_USERS, USERS
from tests.reference.chi_square import assert_follows
from tests.reference.naive_pairs import naive_epoch
from tests.reference.naive_random import NaiveStream
from tests.refused import refusals

METHODS = ("uniform", "per_user", "popularity")
Pair = tuple[int, int]


def sampler_of(ratio: Any = 0.3, batch_size: int = 8, **parameters: Any) -> NegativePairBatchSampler:
    options = {"n_users": N_USERS, "n_items": N_ITEMS, "seed": 1, **parameters}
    return NegativePairBatchSampler(USERS, ITEMS, ratio, batch_size, **options)


def decoded(sampler: NegativePairBatchSampler, epoch: int = 0) -> list[list[tuple[int, ...]]]:
    """Return the batches of an epoch as lists of user, item and label."""
    batches = [decode_pairs(batch, sampler.n_items) for batch in sampler.batches(epoch)]
    return [list(zip(*(part.tolist() for part in batch))) for batch in batches]


def pairs_of(sampler: NegativePairBatchSampler, epoch: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Return the positives and the negatives of an epoch."""
    rows = [row for batch in decoded(sampler, epoch) for row in batch]
    return [row[:2] for row in rows if row[2]], [row[:2] for row in rows if not row[2]]  # type: ignore[misc]


@st.composite
def tables(draw: Any) -> tuple[int, int, list[Pair]]:
    """A table of at most 64 cells with from one positive to all but one, some of them repeated."""
    n_users, n_items = draw(st.tuples(st.integers(1, 8), st.integers(1, 8)).filter(lambda shape: shape != (1, 1)))
    cells = [(user, item) for user in range(n_users) for item in range(n_items)]
    chosen = draw(st.integers(1, 2 ** len(cells) - 2))  # bits: a list would draw too much
    distinct = [cell for place, cell in enumerate(cells) if chosen >> place & 1]
    positives = distinct + draw(st.lists(st.sampled_from(distinct), max_size=5))
    random.Random(draw(st.integers(0, 2**31))).shuffle(positives)
    return n_users, n_items, positives


@given(
    tables(),
    st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20),
    st.integers(2, 30),
    st.integers(1, 3),
    st.integers(0, 2**31 - 2),
)
def test_an_epoch_is_as_documented_and_has_no_positive_among_the_negatives(
    table: tuple[int, int, list[Pair]], ratio: Fraction, batch_size: int, replicas: int, seed: int
) -> None:
    n_users, n_items, positives = table
    users, items = zip(*positives)
    given: dict[str, Any] = {"n_users": n_users, "n_items": n_items, "num_replicas": replicas, "seed": seed}
    for options in ({}, {"unique": True}, {"method": "per_user", "full_users": "skip"}, {"reject_positives": False}):
        try:
            sampler = NegativePairBatchSampler(users, items, ratio, batch_size, **given, **options)
        except ValueError as error:
            told = ("'unique'", "room for a negative", "some user an item that is not", "every batch has a positive")
            assert any(words in str(error) for words in told)
            continue
        found_positives, negatives = pairs_of(sampler, epoch=3)
        n_batches = -(-(len(positives) + len(negatives)) // batch_size)
        assert len(sampler) == -(-n_batches // replicas) * replicas, "for ranks more batches, not larger ones"
        assert Counter(found_positives) == Counter(positives)
        if options.get("reject_positives", True):
            assert not set(negatives) & set(positives)
        if options.get("unique"):
            assert len(set(negatives)) == len(negatives)
        naive = {name: bool(options.get(name, name[0] == "r")) for name in ("unique", "reject_positives")}
        naive["per_user"] = "method" in options
        expected = naive_epoch(positives, n_users, n_items, ratio, len(sampler), seed=seed, epoch=3, **naive)
        assert decoded(sampler, epoch=3) == expected


@pytest.mark.parametrize(
    ("n_positives", "ratio", "expected"),
    [
        (3, 0.3, 7),  # the published int(3 * .7 / .3) gives 6
        (3, Fraction(3, 10), 7),
        (1, 0.4, 2),  # 1.5, halves up
        (3, 0.4, 5),  # 4.5
        (7, 1 / 3, 14),
        (1000, 0.0001, 9_999_000),
        (9, 0.9, 1),
    ],
)
def test_the_number_of_negatives_is_exact(n_positives: int, ratio: Any, expected: int) -> None:
    for method in ("uniform", "per_user"):
        options = {"n_items": 100, "method": method, "seed": 1}
        sampler = NegativePairBatchSampler(range(n_positives), [0] * n_positives, ratio, 10**8, **options)
        assert sampler.n_negatives == expected and sampler.n_positives == n_positives


def cell_counts(sampler: NegativePairBatchSampler, n_epochs: int) -> np.ndarray:
    """Count how often each cell is a negative."""
    counts = np.zeros(sampler.n_users * sampler.n_items, dtype=np.int64)
    for epoch in range(n_epochs):
        numbers = sampler.batches(epoch).rows
        counts += np.bincount(numbers[numbers % 2 == 0] // 2, minlength=len(counts))
    return counts


FREE = np.ones((N_USERS, N_ITEMS))
FREE[USERS, ITEMS] = 0
OF_USER, OF_ITEM = np.bincount(USERS, minlength=N_USERS)[:, None] / 9, np.bincount(ITEMS, minlength=N_ITEMS)


@pytest.mark.parametrize("power", [0.0, 0.75, 3.0])
@pytest.mark.parametrize("reject_positives", [True, False])
def test_popularity_follows_the_user_of_a_positive_and_a_power_of_the_item_s_count(
    power: float, reject_positives: bool
) -> None:
    options = {"method": "popularity", "power": power, "reject_positives": reject_positives}
    sampler = sampler_of(Fraction(1, 1000), 10**6, **options)
    expected = OF_USER * (OF_ITEM**power / (OF_ITEM**power).sum()) * (FREE if reject_positives else 1)
    assert sampler.acceptance == pytest.approx(expected.sum(), abs=1e-12)
    assert_follows(cell_counts(sampler, 20), (expected / expected.sum()).reshape(-1))


@pytest.mark.parametrize("method", ["uniform", "per_user"])
def test_unique_negatives_of_many_items_are_the_first_different_draws_as_those_of_r(method: str) -> None:
    """From 10^7 items on. A pool of all of them would take 40 MB."""
    n_items = 10**7 + 3
    tracemalloc.start()
    options = {"n_items": n_items, "method": method, "unique": True, "seed": 4}
    users = [0, 2, 2] if method == "per_user" else [0, 0, 0]
    sampler = NegativePairBatchSampler(users, [3, 5, 9], Fraction(1, 1001), 10**6, **options)
    negatives = pairs_of(sampler)[1]
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()
    reference = NaiveStream(4)
    order, drawn = reference.permutation(3003), []
    for user, taken, count in ((0, [3], 1000), (2, [5, 9], 2000)) if method == "per_user" else ((0, [3, 5, 9], 3000),):
        ranks: dict[int, None] = {}
        while len(ranks) < count:
            ranks[reference.index(n_items - len(taken))] = None
        drawn += [(user, rank + sum(rank + place >= item for place, item in enumerate(taken))) for rank in ranks]
    assert negatives == [drawn[row - 3] for row in order if row >= 3]


def test_pair_numbers_are_exact_up_to_the_largest() -> None:
    users, items = [0, 2**26 - 1], [0, 2**26 - 1]
    sampler = NegativePairBatchSampler(users, items, 0.001, 10**6, n_users=2**26, n_items=2**26, seed=1)
    numbers = sampler.batches(0).rows
    assert numbers.dtype == np.int64 and numbers.max() == 2**53 - 1
    assert sorted(pairs_of(sampler)[0]) == list(zip(users, items))


NAMES = {"users": ["ann", "bob", "ann", "eve", "dan"], "items": ["x", "y", "", "x", "x"]}
CODES = {"users": [0, 1, 0, 2, 3], "items": [0, 1, 2, 0, 0]}
NAMED = {"ratio": 0.4, "batch_size": 5, "seed": 1}
FORMS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "Series": lambda ids: pd.Series(ids, index=range(9, 9 + len(ids))),
    "Categorical": lambda ids: pd.Categorical(ids, categories=sorted({*ids, "unused"})),
    "bytes": lambda ids: np.array([id.encode() for id in ids]),
}


@pytest.mark.parametrize("form", FORMS)
def test_ids_are_numbered_in_order_of_first_appearance(form: str) -> None:
    ids = {name: FORMS[form](values) for name, values in NAMES.items()}
    sampler, coded = NegativePairBatchSampler(**ids, **NAMED), NegativePairBatchSampler(**CODES, **NAMED)
    assert (sampler.n_users, sampler.n_items) == (4, 3), "an unused category is no user"
    assert sampler.user_ids.tolist() == ["ann", "bob", "eve", "dan"]
    assert sampler.item_ids.tolist() == ["x", "y", ""]
    assert sampler.batches(2).rows.tolist() == coded.batches(2).rows.tolist()
    assert (coded.user_ids, coded.item_ids) == (None, None)
    assert sampler.state()["fingerprint"] == coded.state()["fingerprint"], "ids change no pair"
    again = pickle.loads(pickle.dumps(sampler))
    assert again.user_ids.tolist() == sampler.user_ids.tolist()
    with pytest.raises(ValueError, match="read-only"):
        sampler.user_ids[0] = "eve"


def test_numbers_are_ids_as_categories_or_objects_and_messages_name_users_by_id() -> None:
    numbers = [2**40, -7, 2**40, 0.5, 3]
    for form in (pd.Categorical, lambda ids: pd.Series(ids, dtype=object)):
        sampler = NegativePairBatchSampler(form(numbers), CODES["items"], **NAMED)
        assert sampler.user_ids.tolist() == [2**40, -7, 0.5, 3] and sampler.item_ids is None
        assert sampler.batches(0).rows.tolist() == NegativePairBatchSampler(**CODES, **NAMED).batches(0).rows.tolist()
    full = {"users": ["ann", "bob", "bob"], "items": [0, 0, 1], "ratio": 0.5, "batch_size": 4, "method": "per_user"}
    with pytest.raises(ValueError, match="1 user without one, the first of them user 'bob', instead"):
        NegativePairBatchSampler(**full)
    with pytest.raises(ValueError, match="Got true and 2 negatives for user 'bob', of 1 item, instead"):
        NegativePairBatchSampler(**full, n_items=3, unique=True)
    with pytest.raises(ValueError, match="'n_items' .* must be left out if 'items' are ids. Got 9 instead. Give codes"):
        NegativePairBatchSampler(**NAMES, **NAMED, n_items=9)


test_refused_parameters = refusals(
    sampler_of,
    [
        ({"ratio": 0.97}, "must leave room for a negative. Got an epoch of 9 positives and 0 negatives instead"),
        ({"ratio": 1e-9}, "must give at most 2147483647 pairs. Got 9000000000 pairs instead"),
        ({"ratio": 5e-324}, "must give at most 2147483647 pairs"),
        ({"ratio": Fraction(1, 2**62 + 2)}, "must give at most 2147483647 pairs"),  # in 64 bits, there are few
        ({"batch_size": 3}, "be at least 4, so that every batch has .* of 9 positives and 21 negatives. Got 3 instead"),
        ({"num_replicas": 10}, "'num_replicas' parameter must be at most 9, so that every batch has a positive"),
        ({"num_replicas": 5, "batch_size": 4}, "'batch_size' .* must be at least 6, so that every batch has"),
        ({"n_users": 3}, "'users' parameter must hold codes, integers from 0 to 2. Got 3 instead"),
        (
            {"n_users": 2**30, "n_items": 2**30},
            "'n_items' .* must be at most 4194304 with 1073741824 users, so that",
        ),
        (
            {"unique": True, "ratio": 0.2},
            "be false for more .* cells to draw from, 23. Got true and 36 negatives instead",
        ),
        ({"unique": True, "ratio": 0.4, "method": "per_user"}, "Got true and 6 negatives for user '0', of 4 items"),
        ({"unique": True, "method": "popularity"}, "'unique' .* must be false with the method 'popularity'"),
        ({"power": 1}, "'power' .* must be left out but with the method 'popularity'. Got 1 instead"),
        ({"full_users": "skip"}, "'full_users' .* must be left out but with the method 'per_user'. Got 'skip' instead"),
    ],
)


@pytest.mark.parametrize(
    ("users", "items", "text"),
    [
        ([0, 1], [0], "'items' .* must have one value for each user code, 2. Got 1 value instead"),
        ([], [], "'users' .* must have at least one code. Got 0 values"),
        ([0, 0], [0, 1], "leave a cell that is not a positive. Got 2 cells, all of which are"),
        ([0, -1], [0, 0], "'users' .* must hold codes, integers from 0 to 16777215. Got -1 instead"),
        (
            [0.5],
            [0],
            "'users' .* must hold codes, integers from 0 to .* Got 0.5 instead. Pass 'n_users' for larger codes. Ids",
        ),
        (
            np.float32([2**31]),
            [0],
            "'users' .* must hold codes, integers from 0 to 16777215. Got 2147483648 instead",
        ),
        (["a", 1], [0, 0], "'users' .* must hold codes, integers from 0, or ids, .*. Got a mix of kinds instead"),
        (["a", None], [0, 0], "'users' .* must have no missing values. Got 1 missing of 2 rows instead. Leave these"),
        ([True], [0], "'users' .* must hold numbers. Got bool values instead"),
    ],
)
def test_refused_codes(users: Any, items: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        NegativePairBatchSampler(users, items, 0.5, 2)


def test_a_user_without_a_free_item_is_refused_or_skipped_and_counted() -> None:
    users, items = [0, 0, 1, 2, 2, 3], [0, 1, 0, 0, 1, 1]
    full: dict[str, Any] = {"ratio": 0.5, "batch_size": 4, "method": "per_user", "seed": 1}
    with pytest.raises(ValueError, match="leave each user an item .* Got 2 users without one, the first .* user '0'"):
        NegativePairBatchSampler(users, items, **full)
    sampler = NegativePairBatchSampler(users, items, **full, full_users="skip")
    assert sampler.n_skipped_users == 2 and sampler.n_negatives == 2
    positives, negatives = pairs_of(sampler)
    assert sorted(positives) == list(zip(users, items)), "their positives stay"
    assert sorted(negatives) == [(1, 1), (3, 0)]
    drawn_from_all = NegativePairBatchSampler(users, items, **full, reject_positives=False)
    assert drawn_from_all.n_skipped_users == 0 and drawn_from_all.n_negatives == 6
    with pytest.raises(ValueError, match="leave some user an item .* Got 2 users with positives, all without one,"):
        NegativePairBatchSampler([0, 0, 2, 2], [0, 1, 0, 1], **full, full_users="skip")


def test_popularity_is_refused_where_it_would_keep_too_little() -> None:
    """A user who has nearly all that is drawn; all users together; and 1 in 100 items less one."""
    n_items = 300
    users = [0] * (n_items - 1) + [1] * (n_items - 1) + [2]
    items = [*range(n_items - 1), *[0] * (n_items - 1), n_items - 1]
    with pytest.raises(ValueError, match=r"'method' .* must keep at least 1/100 .* keeps 0.00167 for user '0'"):
        NegativePairBatchSampler(users, items, 0.5, 10, method="popularity", power=1)
    full = np.divmod(np.arange(2 * n_items), n_items)
    with pytest.raises(ValueError, match="which keeps 0 for all users, instead. Lower 'power'"):
        NegativePairBatchSampler(*full, 0.5, 10, n_users=3, method="popularity")
    kept = NegativePairBatchSampler(*full, 0.5, 10, n_users=3, method="popularity", reject_positives=False)
    assert kept.acceptance == 1
    for n_free in (2, 1):
        users = (np.arange(200) >= 200 - n_free).astype(int)  # user 0 has not met n_free items
        with nullcontext() if n_free == 2 else pytest.raises(ValueError, match="must keep at least 1/100 of what is"):
            sampler = NegativePairBatchSampler(users, np.arange(200), 0.5, 10, method="popularity", power=0)
    assert sampler.acceptance == pytest.approx(2 * 0.99 * 0.01)


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**21 - 2), st.integers(0, 1))))
def test_decoding_undoes_the_numbers(pairs: list[tuple[int, int, int]]) -> None:
    n_items = 2**21 - 1
    numbers = np.array([2 * (user * n_items + item) + label for user, item, label in pairs], dtype=np.int64)
    users, items, labels = decode_pairs(numbers, n_items)
    assert list(zip(users.tolist(), items.tolist(), labels.tolist())) == pairs


def test_decoding_gives_ids() -> None:
    sampler = NegativePairBatchSampler(**NAMES, **NAMED)
    numbers = sampler.batches(0).rows
    users, items, labels = decode_pairs(numbers, sampler.n_items, user_ids=sampler.user_ids, item_ids=sampler.item_ids)
    positives = sorted((user, item) for user, item, label in zip(users, items, labels) if label)
    assert positives == sorted(zip(NAMES["users"], NAMES["items"]))
    table = decode_pairs([[7, 12], [0, 1]], 4, item_ids=pd.Categorical([10, 20, 30, 40]))
    assert table[0].tolist() == [[0, 1], [0, 0]] and table[1].tolist() == [[40, 30], [10, 10]]


test_what_cannot_be_decoded_is_refused = refusals(
    lambda **given: decode_pairs(**{"numbers": [7, 12], "n_items": 4, **given}),
    [
        ({"numbers": [-1]}, "'numbers' parameter must hold pair numbers, integers from 0 to 2\\^53 - 1. Got -1"),
        ({"numbers": [2**53]}, "Got 9.00719925474099e\\+15 instead"),
        ({"numbers": [0.5]}, "Got float64 values instead"),
        ({"n_items": 0}, "'n_items' parameter must be an integer from 1 to 2147483647. Got 0"),
        ({"item_ids": ["a"]}, "'item_ids' parameter must have one id for each of 4. Got 1 value"),
        ({"user_ids": ["a"]}, "'numbers' parameter must be those of at most 1 user. Got 2 instead"),
        ({"item_ids": "abcd"}, "'item_ids' parameter must be a vector of ids. Got 'abcd' instead"),
    ],
)
