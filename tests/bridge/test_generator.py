"""Python's permutation equals sample(n) of a running R."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pystrat import epoch_permutation
from rbridge.session import Session, as_array
from tests.reference.naive_random import NaiveStream

LARGEST_SEED = 2**31 - 2


def permutation_in_r(r: Session, base: Any, n_rows: int, seed: int) -> np.ndarray:
    kinds = {"kind": "Mersenne-Twister", "normal.kind": "Inversion", "sample.kind": "Rejection"}
    r.call_function(base["set.seed"], seed, **kinds)
    return as_array(r.call_function(base["sample.int"], n_rows)) - 1


def check(r: Session, base: Any, n_rows: int, seed: int) -> None:
    expected = permutation_in_r(r, base, n_rows, seed)
    assert np.array_equal(epoch_permutation(n_rows, seed=seed), expected), (n_rows, seed)


def test_every_number_of_rows_up_to_2000(r: Session, base: Any) -> None:
    for n_rows in range(1, 2001):
        check(r, base, n_rows, seed=n_rows * 1_000_003 % LARGEST_SEED)


@pytest.mark.parametrize("power", [16, 17])
def test_numbers_of_rows_around_where_a_draw_needs_another_bit(r: Session, base: Any, power: int) -> None:
    for n_rows in range(2**power - 4, 2**power + 5):
        check(r, base, n_rows, seed=n_rows)


@pytest.mark.parametrize("seed", [0, 1, 12_345, LARGEST_SEED])
def test_a_million_rows(r: Session, base: Any, seed: int) -> None:
    check(r, base, 10**6, seed)


def test_many_seeds(r: Session, base: Any) -> None:
    for seed in [*range(200), *range(2**30, 2**30 + 50), *range(LARGEST_SEED - 50, LARGEST_SEED + 1)]:
        check(r, base, 700, seed)


@pytest.mark.parametrize("limit", [1, 2, 1_000, 65_536, 65_537, 10**6, 2**31 - 1])
def test_indices_with_replacement_and_a_permutation_after_them(r: Session, base: Any, limit: int) -> None:
    kinds = {"kind": "Mersenne-Twister", "normal.kind": "Inversion", "sample.kind": "Rejection"}
    r.call_function(base["set.seed"], 9, **kinds)
    drawn = as_array(r.call_function(base["sample.int"], limit, 1_001, replace=True))
    order = as_array(r.call_function(base["sample.int"], 70_001))
    stream = NaiveStream(9)
    assert np.array_equal(stream.indices(limit, 1_001), drawn - 1)
    assert stream.permutation(70_001) == (order - 1).tolist()
