"""Numbers of batches for replicas, and where the batches begin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.sizes import even_offsets, full_offsets, round_to_replicas, share_of_replicas

COUNTS = st.integers(0, 2**31 - 1)


@given(COUNTS, st.integers(1, 1000))
def test_multiples_of_the_replicas_enclose_the_number_of_batches(n_batches: int, replicas: int) -> None:
    lower, upper = (round_to_replicas(n_batches, replicas, direction) for direction in ("down", "up"))
    assert lower % replicas == upper % replicas == 0
    assert n_batches - replicas < lower <= n_batches <= upper < n_batches + replicas


def test_no_replicas_are_one() -> None:
    assert round_to_replicas(7, None, "down") == round_to_replicas(7, None, "up") == share_of_replicas(7, None) == 7


def test_replicas_without_a_batch_are_refused() -> None:
    assert share_of_replicas(7, 7) == 7 and share_of_replicas(7, 4) == 4
    with pytest.raises(ValueError, match="^The 'num_replicas' parameter must be at most 7, the "):
        share_of_replicas(7, 8)


@given(COUNTS, st.integers(1, 300))
def test_sizes_of_even_batches_differ_by_at_most_one(n_rows: int, n_batches: int) -> None:
    offsets = even_offsets(n_rows, n_batches)
    sizes = np.diff(offsets)
    assert len(sizes) == n_batches and offsets.dtype == np.int64
    assert set(sizes) <= {n_rows // n_batches, -(-n_rows // n_batches)}
    assert offsets.tolist() == [batch * n_rows // n_batches for batch in range(n_batches + 1)]


@given(st.integers(1, 10_000), st.integers(1, 300))
def test_full_batches_have_their_size_but_for_the_last(n_rows: int, size: int) -> None:
    n_batches = -(-n_rows // size)
    sizes = np.diff(full_offsets(n_rows, n_batches, size)).tolist()
    assert sizes[:-1] == [size] * (n_batches - 1) and 0 < sizes[-1] <= size and sum(sizes) == n_rows
