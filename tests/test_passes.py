"""Epochs that take rows less or more often than once: against plain Python, and how often each row occurs."""

from __future__ import annotations

from collections import Counter
from typing import Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.base import epoch_seed
from tests.inside import core
from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream


class Passes:
    """The epochs of a recipe that takes `taken` rows of the strata, in the order of the dataset if the seed is None."""

    def __init__(
        self, codes: np.ndarray, taken: list[int], n_batches: int, seed: Optional[int], permuted: bool = False
    ) -> None:
        numbers = {"n_strata": [len(taken)], "n_batches": [n_batches], "taken": taken}
        parts = {name: np.array(values, dtype=np.float64) for name, values in numbers.items()}
        of_flags = {"even": True, "shuffle": seed is not None, "permuted": permuted}
        flags = {name: np.array([flag], dtype=np.int32) for name, flag in of_flags.items()}
        self._instance = core.Instance("stratified", {"codes": codes, **parts, **flags}, seed or 0)

    def rows(self, epoch: int) -> np.ndarray:
        rows: np.ndarray = self._instance.draw(epoch)["rows"]
        return rows

    def batches(self, epoch: int) -> list[list[int]]:
        drawn = self._instance.draw(epoch)
        return [rows.tolist() for rows in np.split(drawn["rows"], drawn["offsets"][1:-1])]


def possible_batches(available: list[int], taken: list[int]) -> list[int]:
    """The numbers of batches with which no batch needs more rows of a stratum than there are."""
    pairs = list(zip(taken, available))
    return [n for n in range(1, sum(taken) + 1) if all(-(-count // n) <= size for count, size in pairs)]


def check(codes: list[int], taken: list[int], n_batches: int, seed: Optional[int]) -> None:
    passes = Passes(np.array(codes, dtype=np.uint8), taken, n_batches, seed)
    for epoch in (0, 1, 4):
        batches = passes.batches(epoch)
        assert batches == naive_epoch(codes, taken, n_batches, seed=seed, epoch=epoch)
        assert all(len(set(batch)) == len(batch) for batch in batches), "no row comes twice in a batch"
        drawn = Counter(codes[row] for batch in batches for row in batch)
        assert [drawn[stratum] for stratum in range(len(taken))] == taken
        if seed is not None:
            again = Passes(np.array(codes, dtype=np.uint8), taken, n_batches, seed, permuted=True)
            order = drawn_order(codes, taken, n_batches, seed, epoch)
            assert again.batches(epoch) == [batches[place] for place in order]


def drawn_order(codes: list[int], taken: list[int], n_batches: int, seed: int, epoch: int) -> list[int]:
    """The order of the batches of an epoch: what R's sample.int() draws after the order of all entries."""
    sizes = [codes.count(stratum) for stratum in range(len(taken))]
    reference = NaiveStream(epoch_seed(seed, epoch))
    reference.permutation(len(codes) + sum(max(0, count - size) for count, size in zip(taken, sizes)))
    return reference.permutation(n_batches)


def test_one_stratum_exhaustively() -> None:
    for size in range(1, 5):
        for taken in range(1, 3 * size + 2):
            for n_batches in possible_batches([size], [taken]):
                check([0] * size, [taken], n_batches, seed=size + taken)


@given(st.data())
def test_any_strata(data: st.DataObject) -> None:
    available = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    taken = [data.draw(st.integers(1, 4 * size)) for size in available]
    n_dropped = data.draw(st.integers(0, 2))
    codes = [stratum for stratum, size in enumerate(available) for _ in range(size)] + [len(available)] * n_dropped
    codes = data.draw(st.permutations(codes))
    n_batches = data.draw(st.sampled_from(possible_batches(available, taken)))
    check(codes, taken, n_batches, data.draw(st.none() | st.integers(0, 2**31 - 2)))


@pytest.mark.parametrize("taken", [1, 3, 7, 10, 11, 25, 40])
def test_any_epochs_in_a_row_take_each_row_equally_often_up_to_one(taken: int) -> None:
    size, first = 10, 1234
    passes = Passes(np.zeros(size, dtype=np.uint8), [taken], max(1, -(-taken // size)), 5)
    seen = np.zeros(size, dtype=np.int64)
    for n_epochs in range(1, 21):
        epoch = first + n_epochs - 1
        seen += np.bincount(passes.rows(epoch), minlength=size)
        share = n_epochs * taken / size
        assert set(seen) <= {int(np.floor(share)), int(np.ceil(share))}
        if n_epochs % (size // np.gcd(size, taken)) == 0:
            assert len(set(seen)) == 1


def test_many_passes_have_wide_numbers() -> None:
    """A stratum of one row with 70,000 passes, and 300 strata of which some are repeated."""
    rows = Passes(np.array([0, 1], dtype=np.uint8), [70_000, 1], 70_000, 1).rows(0)
    assert np.bincount(rows).tolist() == [70_000, 1]
    available = [1 + stratum % 3 for stratum in range(300)]
    taken = [1 + stratum % 5 for stratum in range(300)]
    codes = np.repeat(np.arange(300, dtype=np.int32), available)
    rows = Passes(codes, taken, 5, 1).rows(3)
    assert np.bincount(codes[rows]).tolist() == taken


def test_an_epoch_leaves_no_trace() -> None:
    passes = Passes(np.array([0, 0, 0, 0, 1, 1, 1], dtype=np.uint8), [2, 7], 3, 1)
    before = passes.rows(2).tolist()
    passes.rows(5)
    assert passes.rows(2).tolist() == before
