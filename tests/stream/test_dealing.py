"""Rows of a lane -> batches: both ways of dealing, for all small numbers and against the rules in words."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.stream import StratifiedStream
from pystrat.stream.dealing import CountedBatches, DeclaredBatches
from tests.reference.naive_stream import counted_by_the_rule, cut_by_the_rule, rows_held


def as_codes(codes: Any) -> Any:
    return np.array(codes, dtype=np.int32)


def counted(codes: Any, n_strata: int) -> Any:
    return np.bincount(codes, minlength=n_strata).astype(np.float64)


def dealt(dealing: Any, codes: list[int], size: int) -> list[list[int]]:
    """Return the batches of the rows 0, 1, ... of these strata, given in chunks of a size."""
    batches = []
    for begin in range(0, len(codes), size):
        chunk = list(range(begin, min(begin + size, len(codes))))
        added = dealing.add(chunk, as_codes(codes[begin : begin + size]))
        batches += list(added if isinstance(dealing, DeclaredBatches) else dealing.finished())
    return batches + (list(dealing.close()) if isinstance(dealing, DeclaredBatches) else [])


@pytest.mark.parametrize("size", [1, 3, 100])
def test_counted_batches_are_those_of_the_rule_for_all_small_lanes(size: int) -> None:
    for n_rows in range(2, 8):
        for codes in product(range(2), repeat=n_rows):
            totals = counted(codes, 2)
            for n_batches in range(1, int(totals.min()) + 1):
                expected = counted_by_the_rule(list(codes), n_batches)
                for first in range(n_batches + 1):
                    dealing = CountedBatches(totals, 0 * totals, n_batches, first)
                    assert dealt(dealing, list(codes), size) == expected[first:]
                    assert not dealing._held


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 5), st.integers(1, 12), st.data())
def test_counted_batches_are_those_of_the_rule(
    codes: list[int], n_batches: int, size: int, data: st.DataObject
) -> None:
    codes = list(range(4)) * n_batches + codes
    first = data.draw(st.integers(0, n_batches))
    dealing = CountedBatches(counted(codes, 4), np.zeros(4), n_batches, first)
    assert dealt(dealing, codes, size) == counted_by_the_rule(codes, n_batches)[first:]


def test_rare_strata_are_dealt_with_their_shift_in_all_small_lanes() -> None:
    for n_batches, n_rare in ((n, m) for n in range(2, 7) for m in range(1, n)):
        codes = [0] * (2 * n_batches + 1) + [1] * n_rare
        held = []
        for shift, first in product(range(n_batches), (0, 2)):
            expected = counted_by_the_rule(codes, n_batches, {1: shift})
            dealing = CountedBatches(counted(codes, 2), np.array([0.0, shift]), n_batches, first)
            assert dealt(dealing, codes, 3) == expected[first:]
            held += [batch for batch in range(n_batches) if codes[expected[batch][-1]] == 1]
            assert max(sum(codes[row] for row in batch) for batch in expected) == 1
        assert set(Counter(held).values()) == {2 * n_rare}  # over all shifts, each batch has them equally often


def test_a_counted_batch_comes_with_its_last_row() -> None:
    dealing = CountedBatches(np.array([4.0, 2.0]), np.zeros(2), 2, 0)
    came = []
    for row, code in enumerate([0, 0, 0, 1, 0, 1]):
        dealing.add([row], as_codes([code]))
        came.append(list(dealing.finished()))
    assert came == [[], [], [], [[0, 1, 3]], [], [[2, 4, 5]]]


def test_sources_that_no_wanted_batch_needs_are_skipped() -> None:
    totals = np.array([6.0, 3.0])
    for first, expected in [(0, [False, False, False]), (1, [True, False, False]), (3, [True, True, True])]:
        dealing = CountedBatches(totals, np.zeros(2), 3, first)
        skipped = []
        for _ in range(3):  # each source has just the rows of one batch
            skipped.append(dealing.skip(np.array([2.0, 1.0])))
            if not skipped[-1]:
                dealing.add(["x", "x", "x"], as_codes([0, 0, 1]))
        assert skipped == expected


def test_sources_without_rows_are_read_unless_the_epoch_is_resumed() -> None:
    """Their counts may be wrong."""
    for first, is_skipped in (0, False), (1, True):
        assert CountedBatches(np.array([4.0, 2.0]), np.zeros(2), 2, first).skip(np.array([0.0, 0.0])) == is_skipped


@pytest.mark.parametrize("size", [1, 3, 100])
def test_cut_batches_are_those_of_the_rule_for_all_small_lanes(size: int) -> None:
    for n_rows, least, least_rows in product(range(8), (1, 2), (1, 4)):
        for codes in product(range(2), repeat=n_rows):
            expected = cut_by_the_rule(list(codes), 2, least, least_rows)
            for first in range(3):
                dealing = DeclaredBatches(2, least, least_rows, first)
                assert dealt(dealing, list(codes), size) == expected[first:]
                assert dealing.has_cut == bool(expected)


@given(
    st.lists(st.integers(0, 2), max_size=60),
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(1, 12),
)
def test_cut_batches_are_those_of_the_rule(codes: list[int], least: int, least_rows: int, size: int) -> None:
    dealing = DeclaredBatches(3, least, least_rows, 0)
    assert dealt(dealing, codes, size) == cut_by_the_rule(codes, 3, least, least_rows)


def test_the_strata_that_the_next_batch_lacks_are_known() -> None:
    dealing = DeclaredBatches(3, 2, 1, 0)
    assert dealing.missing() == [0, 1, 2]
    assert list(dealing.add("abc", as_codes([0, 0, 2]))) == []
    assert dealing.missing() == [1, 2] and dealing.n_held == 3


def test_a_lane_has_at_most_as_many_rows_as_products_are_exact_with() -> None:
    n_batches = 52_060
    most = (2**53 - 1) // n_batches - 1
    for n_rows, is_refused in ((most, False), (most + 1, True)):
        totals, codes = np.array([float(n_rows)]), as_codes([0])
        with pytest.raises(ValueError, match="must") if is_refused else nullcontext():
            CountedBatches(totals, 0 * totals, n_batches, 0).add([0], codes)
        counts = pd.DataFrame({0: [n_rows]}, index=["a"])
        refused = "'lanes' parameter must be more for so many rows and batches. Got 1 instead."
        with pytest.raises(ValueError, match=refused) if is_refused else nullcontext():
            StratifiedStream(["a"], most // n_batches, read=iter, stratum=int, counts=counts)


@pytest.mark.parametrize("exponent", [38, 44, 45])
def test_the_rows_that_a_lane_may_hold_are_exact(exponent: int) -> None:
    """Products of counts have up to 80 bits."""
    least, random = 2**31 - 1, np.random.default_rng(exponent)
    table = random.integers([2**exponent // 2, 10**8], [2**exponent, 2 * 10**8], (60, 2)).tolist()
    counts = pd.DataFrame(table, columns=[0, 1], index=range(60))
    stream = StratifiedStream(range(60), least, read=iter, stratum=int, counts=counts)
    assert stream.buffer_needed == rows_held(table, least=least, n_lanes=1) < sum(map(sum, table))
