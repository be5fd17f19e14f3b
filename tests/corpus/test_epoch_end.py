"""What ends an epoch of a mixture: a sample, the first file that is exhausted, or the last one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.base import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
from tests.corpus.mixtures import drawn, drawn_lines, plan_of, write_lines
from tests.reference.naive_random import NaiveStream

LINES = [30, 60, 5, 0]
FIRST, ALL = {"epoch_end": "first_exhausted"}, {"epoch_end": "all_exhausted"}


# The plan -------------------------------------------------------------------------------------------------------------


def test_shares_in_relation_to_lines_decide_which_file_ends_the_epoch() -> None:
    """By 2, 6 and 1 the second file has 10 lines for each part of its weight, the others 15 and 5."""
    assert drawn(plan_of(LINES, weights=[1, 1, 1, 1], **FIRST)) == [5, 5, 5, 0]
    assert drawn(plan_of(LINES, weights=[1, 1, 1, 1], **ALL)) == [60, 60, 60, 0]
    assert drawn(plan_of(LINES, weights=[2, 6, 1, 1], **FIRST)) == [10, 30, 5, 0]
    assert drawn(plan_of(LINES, weights=[2, 6, 1, 1], **ALL)) == [30, 90, 15, 0]
    assert drawn(plan_of(LINES, weights=[3, 12, 0.5, 0], **FIRST)) == [15, 60, 2, 0], "2.5 is rounded down"
    assert drawn(plan_of([10_000, 100], temperature=2, **FIRST)) == [1000, 100]
    assert drawn(plan_of([10_000, 100], temperature=2, **ALL)) == [10_000, 1000]
    for end in (FIRST, ALL):  # without shares of its own an epoch is one pass
        assert drawn(plan_of(LINES, **end)) == drawn(plan_of(LINES, temperature=1, **end)) == LINES
        assert drawn(plan_of(LINES, rules=["f[01] 7"], **end)) == [30, 60, 0, 0], "the files of a rule share by lines"
    kept = plan_of(LINES, rules=["f2 *", "f0 1", "f1 3"], **FIRST)
    assert drawn(kept) == [20, 60, 0, 0] and [file.kept for file in kept.files] == [0, 0, 5, 0]
    only = plan_of(LINES, weights=["*", 0, 0, 0], **ALL)
    assert only.total == 30 and drawn(only) == [0, 0, 0, 0] and only.requested == 0


def test_every_small_mixture() -> None:
    """The epoch is the largest without a repeat, or the smallest that exhausts all: one line more or less is not."""
    for lines in product(range(4), repeat=3):
        for weights in product([0, 1, 2, 3.5], repeat=3):
            exact = [Fraction(str(weight)) if count else Fraction(0) for weight, count in zip(weights, lines)]
            total = sum(exact)
            if total == 0:
                with pytest.raises(ValueError, match="must be above 0 for a file that has lines. Got 3 files "):
                    plan_of(lines, weights=weights, **FIRST)
                continue
            shares = [weight / total for weight in exact]
            first, last = (plan_of(lines, weights=weights, **end) for end in (FIRST, ALL))
            size = first.requested
            assert drawn(first) == [math.floor(size * share) for share in shares]
            assert all(size * share <= count for share, count in zip(shares, lines))
            assert any(size * share == count and share for share, count in zip(shares, lines))
            size = last.requested
            assert drawn(last) == [math.ceil(size * share) for share in shares]
            assert all(size * share >= count for share, count in zip(shares, lines) if share)
            assert any(size * share == count and share for share, count in zip(shares, lines))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"epoch_end": "both"}, "'epoch_end' parameter must be one of 'sample', 'first_exhausted', 'all_"),
        ({"epoch_end": None}, "'epoch_end' parameter must be one of"),
        ({**ALL, "sample": 3}, "'sample' parameter must be left out if 'epoch_en"),
        ({"epoch_end": "sample"}, "'sample' parameter must be a share between 0 and 1, or .* Got nothing"),
        ({**ALL, "rules": ["z 1"]}, "'rules' .* match a file that has lines. Got 4 files witho"),
        ({**ALL, "lines": [0]}, "'epoch_end' .* must be taken from files that have lines. Got 1 "),
    ],
)
def test_refused(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        plan_of(**{"lines": LINES, **chosen})


# The draws ------------------------------------------------------------------------------------------------------------


def mixture_of(folder: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    return CorpusMixtureBatchSampler(folder, 8, suffixes=[".txt"], seed=1, **parameters)


@pytest.mark.parametrize("end", [FIRST, ALL])
def test_each_line_comes_equally_often_up_to_one(tmp_path: Path, end: dict[str, str]) -> None:
    folder = write_lines(tmp_path, LINES)
    chosen: list[dict[str, Any]] = [{}, {"weights": [2, 6, 1, 1]}, {"weights": [2, "*", 7, 0]}, {"temperature": 3}]
    for shares in (*chosen, {"rules": ["f2 *", "f0 3", "* 5"]}):
        mixture = mixture_of(folder, **end, **shares)
        for epoch in range(3):
            counts = np.bincount(mixture.batches(epoch).rows, minlength=sum(LINES))
            for own, file in zip(np.split(counts, np.cumsum(LINES)[:-1]), mixture.plan.files):
                if file.lines == 0:
                    continue
                least = file.drawn // file.lines
                assert own.sum() == file.drawn + file.kept
                assert set(own - (file.kept > 0)) <= {least, least + 1}
                if end is FIRST:
                    assert own.max() <= 1
                elif file.share or file.kept:
                    assert own.min() >= 1
        assert len(mixture) == len(mixture.batches(1)) == -(-mixture.plan.total // 8)


def test_the_rest_is_drawn_as_r_draws_it(tmp_path: Path) -> None:
    folder = write_lines(tmp_path, LINES)
    parameters: dict[str, Any] = {"weights": [2, 7, 1, 0], **ALL}
    mixture, in_order = mixture_of(folder, **parameters), mixture_of(folder, shuffle=False, **parameters)
    assert drawn(mixture.plan) == [30, 105, 15, 0]
    for epoch in range(2):
        stream = NaiveStream(epoch_seed(1, epoch))
        rest = np.array(stream.permutation(60)[:45])
        stream = NaiveStream(epoch_seed(1, epoch))
        for left in range(60, 15, -1):
            stream.indices(left, 1)
        lines = np.concatenate([np.arange(30), 30 + np.arange(60), 30 + rest, np.tile(90 + np.arange(5), 3)])
        assert mixture.batches(epoch).rows.tolist() == lines[stream.permutation(150)].tolist()
        assert in_order.batches(epoch).rows.tolist() == sorted(lines.tolist())


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 200), st.booleans()), min_size=1, max_size=5),
    st.integers(0, 2**31 - 2),
)
def test_draws_without_replacement(files: list[tuple[int, int, bool]], seed: int) -> None:
    lines, taken, kept = (np.array(part, dtype=np.int64) for part in zip(*files))
    kept = kept * lines
    if taken.sum() + kept.sum() == 0:
        return
    rows = drawn_lines(lines, taken, kept, seed, replace=False)
    first = 0
    for count, n_drawn, n_kept in zip(lines, taken, kept):
        found = np.bincount(rows[(rows >= first) & (rows < first + count)] - first, minlength=count) - (n_kept > 0)
        assert found.sum() == n_drawn and found.max() - found.min() <= 1
        first += count


def test_a_small_part_of_a_large_file_takes_little_memory() -> None:
    lines = np.array([2**40, 3 * 10**7], dtype=np.int64)
    rows = drawn_lines(lines, [1000, 1000], [0, 0], 5, shuffle=False, replace=False)
    assert len(np.unique(rows)) == 2000 and (rows >= 2**40).sum() == 1000


def test_an_epoch_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError) as refused:
        mixture_of(write_lines(tmp_path, LINES), weights=[1, 1e-9, 1, 0], **ALL)
    assert str(refused.value) == (
        "The 'epoch_end' parameter must give an epoch at most 2147483647 lines. "
        "Got 'all_exhausted', for 120000000060 instead."
    )
