"""Epochs that take rows less or more often than once: against plain Python, and how often each row occurs."""

from __future__ import annotations

from collections import Counter
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pystrat import StratifiedBatchSampler
from pystrat.seeds import epoch_seed
from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream


def sampler_of(codes: list[int], seed: Optional[int], **wanted: Any) -> StratifiedBatchSampler:
    """A sampler of rows with these strata, in the order of the dataset if the seed is None."""
    return StratifiedBatchSampler(codes, **wanted, shuffle=seed is not None, seed=seed or 0)


def check(codes: list[int], seed: Optional[int], **wanted: Any) -> list[int]:
    """Check the epochs of a sampler; return the rows of each stratum in an epoch."""
    sampler = sampler_of(codes, seed, **wanted)
    taken, n_batches = sampler.plan.counts.tolist(), sampler.plan.n_batches
    numbers = {code: number for number, code in enumerate(dict.fromkeys(codes))}
    codes = [numbers[code] for code in codes]
    for epoch in (0, 1, 4):
        batches = [batch.tolist() for batch in sampler.batches(epoch)]
        expected = naive_epoch(codes, taken, n_batches, seed=seed, epoch=epoch)
        if seed is not None and min(taken) < n_batches:
            expected = [expected[place] for place in drawn_order(codes, taken, n_batches, seed, epoch)]
        assert batches == expected
        assert all(len(set(batch)) == len(batch) for batch in batches), "no row comes twice in a batch"
        drawn = Counter(codes[row] for batch in batches for row in batch)
        assert [drawn[stratum] for stratum in range(len(taken))] == taken
    return taken


def drawn_order(codes: list[int], taken: list[int], n_batches: int, seed: int, epoch: int) -> list[int]:
    """The order of the batches of an epoch: what R's sample.int() draws after the order of all entries."""
    sizes = [codes.count(stratum) for stratum in range(len(taken))]
    reference = NaiveStream(epoch_seed(seed, epoch))
    reference.permutation(len(codes) + sum(max(0, count - size) for count, size in zip(taken, sizes)))
    return reference.permutation(n_batches)


def test_one_stratum_exhaustively() -> None:
    for size in range(1, 5):
        for taken in range(1, 3 * size + 2):
            for mean in range(1, size + 1):
                n_batches = max(1, (2 * taken + mean) // (2 * mean))
                if n_batches * size >= taken:
                    assert check([0] * size, size + taken, balance=taken, mean_batch_size=mean) == [taken]


@given(st.data())
def test_any_strata(data: st.DataObject) -> None:
    available = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    codes = [stratum for stratum, size in enumerate(available) for _ in range(size)]
    codes = data.draw(st.permutations(codes))
    mean, shares = data.draw(st.integers(1, 12)), {code: data.draw(st.integers(1, 9)) for code in set(codes)}
    balance = data.draw(st.none() | st.integers(1, 20))
    wanted: dict[str, Any] = {"shares": shares} if balance is None else {"balance": balance}
    try:
        sampler_of(codes, 1, mean_batch_size=mean, **wanted)
    except ValueError:
        assume(False)
    check(codes, data.draw(st.none() | st.integers(0, 2**31 - 2)), mean_batch_size=mean, **wanted)


@pytest.mark.parametrize("taken", [1, 3, 7, 10, 11, 25, 40])
def test_any_epochs_in_a_row_take_each_row_equally_often_up_to_one(taken: int) -> None:
    size, first = 10, 1234
    sampler = sampler_of([0] * size, 5, balance=taken, mean_batch_size=5)
    seen = np.zeros(size, dtype=np.int64)
    for n_epochs in range(1, 21):
        epoch = first + n_epochs - 1
        seen += np.bincount(sampler.batches(epoch).rows, minlength=size)
        share = n_epochs * taken / size
        assert set(seen) <= {int(np.floor(share)), int(np.ceil(share))}
        if n_epochs % (size // np.gcd(size, taken)) == 0:
            assert len(set(seen)) == 1


def test_many_passes_have_wide_numbers() -> None:
    """Strata of one row with 500 passes, and 300 strata of which some are repeated."""
    sampler = sampler_of([0, *[1] * 500] * 2 + [2], 1, balance=500, mean_batch_size=3)
    assert np.bincount(np.array([0, *[1] * 500] * 2 + [2])[sampler.batches(0).rows]).tolist() == [500] * 3
    codes = np.repeat(np.arange(300), [1 + stratum % 3 for stratum in range(300)])
    sampler = sampler_of(codes.tolist(), 1, balance=2, mean_batch_size=150)
    assert np.bincount(codes[sampler.batches(3).rows]).tolist() == [2] * 300


def test_an_epoch_leaves_no_trace() -> None:
    sampler = sampler_of([0, 0, 0, 0, 1, 1, 1], 1, balance=5, mean_batch_size=2)
    before = sampler.batches(2).rows.tolist()
    sampler.batches(5)
    assert sampler.batches(2).rows.tolist() == before
