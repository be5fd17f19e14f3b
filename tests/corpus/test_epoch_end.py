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
from pystrat.cli import main
from pystrat.corpus import CorpusMixtureBatchSampler, CorpusPlan
from tests.corpus.mixtures import drawn_lines
from tests.reference.naive_random import NaiveStream

LINES = [30, 60, 5, 0]


def plan_of(epoch_end: str, lines: list[int] = LINES, **chosen: Any) -> CorpusPlan:
    return CorpusPlan([f"f{place}" for place in range(len(lines))], lines, epoch_end=epoch_end, **chosen)


def drawn(plan: CorpusPlan) -> list[int]:
    return [file.drawn for file in plan.files]


# The plan -------------------------------------------------------------------------------------------------------------


def test_equal_shares() -> None:
    assert drawn(plan_of("first_exhausted", weights=[1, 1, 1, 1])) == [5, 5, 5, 0]
    assert drawn(plan_of("all_exhausted", weights=[1, 1, 1, 1])) == [60, 60, 60, 0]


def test_shares_in_relation_to_lines_decide_which_file_ends_the_epoch() -> None:
    """The second file has 10 lines for each part of its weight, the others 15 and 5."""
    assert drawn(plan_of("first_exhausted", weights=[2, 6, 1, 1])) == [10, 30, 5, 0]
    assert drawn(plan_of("all_exhausted", weights=[2, 6, 1, 1])) == [30, 90, 15, 0]
    assert drawn(plan_of("first_exhausted", weights=[3, 12, 0.5, 0])) == [15, 60, 2, 0], "2.5 is rounded down"
    assert drawn(plan_of("all_exhausted", weights=[3, 12, 0.7, 0])) == [30, 120, 7, 0]


@pytest.mark.parametrize("epoch_end", ["first_exhausted", "all_exhausted"])
def test_without_shares_of_its_own_an_epoch_is_one_pass(epoch_end: str) -> None:
    assert drawn(plan_of(epoch_end)) == LINES
    assert drawn(plan_of(epoch_end, temperature=1)) == LINES
    assert drawn(plan_of(epoch_end, rules=["f[01] 7"])) == [30, 60, 0, 0], "the files of a rule have shares by lines"


def test_kept_files_come_besides() -> None:
    plan = plan_of("first_exhausted", rules=["f2 *", "f0 1", "f1 3"])
    assert drawn(plan) == [20, 60, 0, 0] and [file.kept for file in plan.files] == [0, 0, 5, 0]
    only = plan_of("all_exhausted", weights=["*", 0, 0, 0])
    assert only.total == 30 and drawn(only) == [0, 0, 0, 0] and only.requested == 0


def test_a_temperature() -> None:
    assert drawn(plan_of("first_exhausted", [10_000, 100], temperature=2)) == [1000, 100]
    assert drawn(plan_of("all_exhausted", [10_000, 100], temperature=2)) == [10_000, 1000]


def test_every_small_mixture() -> None:
    """The epoch is the largest without a repeat, or the smallest that exhausts all: one line more or less is not."""
    for lines in product(range(4), repeat=3):
        for weights in product([0, 1, 2, 3.5], repeat=3):
            exact = [Fraction(str(weight)) if count else Fraction(0) for weight, count in zip(weights, lines)]
            total = sum(exact)
            if total == 0:
                with pytest.raises(ValueError, match="must be above 0 for a file that has lines. Got 3 files "):
                    plan_of("first_exhausted", list(lines), weights=weights)
                continue
            shares = [weight / total for weight in exact]
            first, last = (plan_of(end, list(lines), weights=weights) for end in ("first_exhausted", "all_exhausted"))
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
        (
            {"epoch_end": "both"},
            "'epoch_end' parameter must be one of 'sample', 'first_exhausted', 'all_",
        ),
        ({"epoch_end": None}, "'epoch_end' parameter must be one of"),
        ({"epoch_end": "all_exhausted", "sample": 3}, "'sample' parameter must be left out if 'epoch_en"),
        (
            {"epoch_end": "sample"},
            "'sample' parameter must be a share between 0 and 1, or .* Got nothing",
        ),
        ({"epoch_end": "all_exhausted", "rules": ["z 1"]}, "'rules' .* match a file that has lines. Got 4 files witho"),
        (
            {"epoch_end": "all_exhausted", "lines": [0]},
            "'epoch_end' .* must be taken from files that have lines. Got 1 ",
        ),
    ],
)
def test_refused(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        plan_of(**chosen)


# The draws ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, size in enumerate(LINES):
        (tmp_path / f"f{place}.txt").write_text("a line\n" * size, encoding="utf-8")
    return tmp_path


def mixture_of(folder: Path, epoch_end: str, **parameters: Any) -> CorpusMixtureBatchSampler:
    return CorpusMixtureBatchSampler(folder, 8, suffixes=[".txt"], epoch_end=epoch_end, seed=1, **parameters)


def counts_of(mixture: CorpusMixtureBatchSampler, epoch: int) -> list[np.ndarray]:
    """Return how often each line of each file comes in an epoch."""
    counts = np.bincount(mixture.batches(epoch).rows, minlength=sum(LINES))
    return np.split(counts, np.cumsum(LINES)[:-1])


@pytest.mark.parametrize("epoch_end", ["first_exhausted", "all_exhausted"])
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"weights": [2, 6, 1, 1]},
        {"weights": [2, "*", 7, 0]},
        {"temperature": 3},
        {"rules": ["f2 *", "f0 3", "* 5"]},
    ],
)
def test_each_line_comes_equally_often_up_to_one(folder: Path, epoch_end: str, chosen: dict[str, Any]) -> None:
    mixture = mixture_of(folder, epoch_end, **chosen)
    for epoch in range(3):
        for counts, file in zip(counts_of(mixture, epoch), mixture.plan.files):
            if file.lines == 0:
                continue
            least = file.drawn // file.lines
            assert counts.sum() == file.drawn + file.kept
            assert set(counts - (file.kept > 0)) <= {least, least + 1}
            if epoch_end == "first_exhausted":
                assert counts.max() <= 1
            elif file.share or file.kept:
                assert counts.min() >= 1
    assert len(mixture) == len(mixture.batches(1)) == -(-mixture.plan.total // 8)


def test_over_epochs_all_lines_come_equally_often(folder: Path) -> None:
    """Of the 60 lines of the second file an epoch has 5; 1,200 epochs have each 100 times."""
    mixture = mixture_of(folder, "first_exhausted", weights=[1, 1, 1, 1])
    counts = sum(counts_of(mixture, epoch)[1] for epoch in range(1200))
    assert counts.sum() == 6000
    assert np.square(counts - 100).sum() / (100 * (1 - 5 / 60)) < 99.6, "chi-square of 59 degrees, 1 in 1000"


def test_the_rest_is_drawn_as_r_draws_it(folder: Path) -> None:
    parameters = {"weights": [2, 7, 1, 0]}
    mixture = mixture_of(folder, "all_exhausted", **parameters)
    in_order = mixture_of(folder, "all_exhausted", shuffle=False, **parameters)
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


def test_an_epoch_that_is_too_large_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError) as refused:
        mixture_of(folder, "all_exhausted", weights=[1, 1e-9, 1, 0])
    assert str(refused.value) == (
        "The 'epoch_end' parameter must give an epoch at most 2147483647 lines. "
        "Got 'all_exhausted', for 120000000060 instead."
    )


def test_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["corpus", "plan", str(folder), "--suffix", ".txt", "--weights", "1,1,1,0"]
    assert main([*command, "--epoch-end", "all_exhausted"]) == 0
    assert [line.split()[-2] for line in capsys.readouterr().out.splitlines()[1:5]] == ["60", "60", "60", "0"]
    assert main(command) == 2
    assert "'--sample' option must be a share" in capsys.readouterr().err
