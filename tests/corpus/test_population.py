"""Limits before drawing: excluded lines are never drawn, and shares are computed from the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torch.utils.data import DataLoader

from pystrat import PerplexityBatchSampler
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler, CorpusPlan
from pystrat.seeds import epoch_seed
from tests.corpus.mixtures import drawn_lines


def words(count: int) -> str:
    return " ".join(["w"] * count)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of pairs, whose lines have 1 to 9 and 1 to 5 words."""
    for name, size in {"a": 90, "b": 30}.items():
        for side, most in (("src", 9), ("tgt", 5)):
            lines = [words(1 + line * 7 % most) + "\n" for line in range(size)]
            (tmp_path / f"{name}.{side}").write_text("".join(lines), encoding="ascii")
    return tmp_path


def longest(lines: tuple[str, ...]) -> int:
    return max(len(line.split()) for line in lines)


@pytest.fixture
def within(folder: Path) -> list[int]:
    """The positions of the lines of at most 6 words."""
    found = [position for position, lines in enumerate(CorpusDataset(folder)) if longest(lines) <= 6]
    assert 0 < len(found) < 120
    return found


def test_lines_beyond_the_limits_are_never_drawn(folder: Path, within: list[int]) -> None:
    dataset = CorpusDataset(folder)
    mixture = CorpusMixtureBatchSampler(folder, 16, sample=500, max_length=6, seed=1)
    assert sorted(set(mixture.batches().rows.tolist())) == within, "all others are, in 500 draws"
    assert mixture.dataset()[within[-1]] == dataset[within[-1]], "positions stay those of all lines"
    both: dict[str, Any] = {"max_length": 6, "accept": lambda lines: lines[0] != lines[1]}
    different = [position for position in within if len(set(dataset[position])) == 2]
    chosen = CorpusMixtureBatchSampler(folder, 16, sample=500, seed=1, **both)
    assert sorted(set(chosen.batches().rows.tolist())) == different
    once = CorpusMixtureBatchSampler(folder, 16, epoch_end="all_exhausted", max_length=6, seed=1)
    assert sorted(once.batches().rows.tolist()) == within, "without replacement each remaining line once"
    limited = CorpusDataset(folder, max_length=6, transform=longest)
    assert list(limited) == [longest(dataset[position]) for position in within]
    with pytest.raises(IndexError):
        limited[len(limited)]


@pytest.mark.parametrize("lengths", [None, "words", "numbers"])
def test_each_side_may_have_a_limit(folder: Path, lengths: Any) -> None:
    of_sides = np.array([[len(line.split()) for line in lines] for lines in CorpusDataset(folder)])
    given = {"lengths": of_sides if lengths == "numbers" else lengths}
    for limits in ([6, 2], (9, 3), np.array([4, 5])):
        within = np.flatnonzero((of_sides <= limits).all(axis=1)).tolist()
        assert 0 < len(within) < 120
        mixture = CorpusMixtureBatchSampler(folder, 16, sample=900, max_length=limits, seed=1, **given)
        assert sorted(set(mixture.batches().rows.tolist())) == within
        assert len(CorpusDataset(folder, max_length=limits, **given)) == len(within)


def test_the_number_of_limits_is_checked_before_any_file_is_read(tmp_path: Path) -> None:
    for limits in ([1, 2, 3], np.broadcast_to(np.int64(1), (2**50,))):
        with pytest.raises(ValueError, match="'max_length' parameter must have one number for each side, 2, or be one"):
            CorpusMixtureBatchSampler(tmp_path / "missing", 2, sample=3, max_length=limits)


def test_shares_follow_from_the_lines_that_remain(folder: Path, within: list[int]) -> None:
    plan = CorpusMixtureBatchSampler(folder, 16, sample=200, max_length=6, seed=1).plan
    remaining = [file.lines - file.excluded for file in plan.files]
    assert [file.lines for file in plan.files] == [90, 30] and all(file.excluded for file in plan.files)
    drawn = [file.drawn for file in plan.files]
    assert drawn == [file.drawn for file in CorpusPlan(["a", "b"], remaining, 200).files]
    rows = drawn_lines(remaining, drawn, [0, 0], epoch_seed(1, 3))
    mixture = CorpusMixtureBatchSampler(folder, 16, sample=200, max_length=6, seed=1)
    assert mixture.batches(3).rows.tolist() == np.array(within)[rows].tolist(), "sample.int() of the lines that remain"


def test_the_plan_shows_what_is_excluded(folder: Path) -> None:
    rules = ["a *", "* 1"]
    plan = CorpusMixtureBatchSampler(folder, 16, sample=100, rules=rules, max_length=6).plan
    table = plan.table()
    assert list(table)[:4] == ["file", "lines", "excluded", "rule"] and table["excluded"].tolist() == [30, 10]
    assert table["kept"].tolist() == [60, 0] and table["drawn"].tolist() == [0, 40]
    assert plan.summary().splitlines()[0].split()[:4] == ["file", "lines", "excluded", "rule"]
    assert plan.summary().splitlines()[3].split() == ["total", "120", "40", "40", "60"]


def test_a_file_without_remaining_lines_counts_as_empty(folder: Path) -> None:
    mixture = CorpusMixtureBatchSampler(folder, 4, sample=20, lengths=[9] * 90 + [1] * 30, max_length=3, seed=1)
    assert [(file.excluded, file.drawn) for file in mixture.plan.files] == [(90, 0), (0, 20)]
    assert mixture.batches().rows.min() >= 90
    with pytest.raises(ValueError, match="'sample' parameter must be taken from files that"):
        CorpusMixtureBatchSampler(folder, 4, sample=20, max_length=0)


@given(excluded=st.lists(st.booleans(), min_size=1, max_size=40), sample=st.integers(1, 60), shuffle=st.booleans())
def test_any_lines_may_be_excluded(
    excluded: list[bool], sample: int, shuffle: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "a.txt").write_text("".join(f"{place}\n" for place in range(len(excluded))))
    parameters: dict[str, Any] = {"suffixes": [".txt"], "accept": lambda lines: not excluded[int(lines[0])]}
    remaining = np.flatnonzero(~np.array(excluded))
    if not len(remaining):
        with pytest.raises(ValueError, match="must be taken from files that have lines"):
            CorpusMixtureBatchSampler(folder, 4, sample=sample, **parameters)
        assert len(CorpusDataset(folder, **parameters)) == 0
        return
    mixture = CorpusMixtureBatchSampler(folder, 4, sample=sample, shuffle=shuffle, seed=1, **parameters)
    rows = mixture.batches().rows
    assert set(rows.tolist()) <= set(remaining.tolist()) and len(rows) == sample
    assert shuffle or (np.diff(rows) >= 0).all()
    limited = CorpusDataset(folder, **parameters)
    assert list(limited) == [(str(place),) for place in remaining]
    assert limited.__getitems__(range(len(limited))) == list(limited)


def test_positions_are_delivered_with_the_items_and_their_losses_reported(folder: Path) -> None:
    dataset = CorpusDataset(folder, positions=True, transform=longest)
    assert dataset[7] == (7, longest(CorpusDataset(folder)[7]))
    limited = CorpusDataset(folder, positions=True, max_length=6)
    assert [position for position, _ in limited] == list(range(len(limited)))
    mixture = CorpusMixtureBatchSampler(folder, 8, sample=40, max_length=6, seed=1)
    whole = mixture.dataset()
    loader = DataLoader(mixture.dataset(positions=True), batch_sampler=mixture)
    for rows, (positions, lines) in zip(mixture.batches(0), loader):
        assert positions.tolist() == rows.tolist() and list(zip(*lines)) == [whole[row] for row in rows.tolist()]
    sampler = PerplexityBatchSampler(len(dataset), 8, n_batches=7, seed=1)
    for rows, words in DataLoader(dataset, batch_sampler=sampler):
        sampler.report(rows, words / 9)
    seen = sorted(set(sampler.batches(0).rows.tolist()))
    assert np.flatnonzero(sampler.perplexities() != 15).tolist() == seen


OF_SIDES = "'lengths' parameter must be 'words' or have a column for each side if 'max_length' does."
A_NUMBER_EACH = "'max_length' parameter must have one number for each side, 2, or be one number."


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_length": [1, 2, 3]}, A_NUMBER_EACH),
        ({"max_length": [4, -1]}, "'max_length' parameter must be an integer from 0 to 2147483647. Got -1 instead."),
        ({"max_length": [4, 5], "lengths": len}, OF_SIDES),
        ({"max_length": [4, 5], "lengths": [1] * 120}, OF_SIDES),
        ({"max_length": -1}, "'max_length' parameter must be an integer from 0 to 2147483647. Got -1 instead."),
        ({"accept": True}, "'accept' parameter must be a function, or nothing. Got True instead."),
        ({"accept": len}, "'accept' parameter must return true or false for the lines of a position. Got 2"),
        ({"lengths": "words"}, "'lengths' parameter must be given together with "),
    ],
)
def test_refused(parameters: dict[str, Any], message: str, folder: Path) -> None:
    for kind, others in ((CorpusMixtureBatchSampler, {"batch_size": 2, "sample": 3}), (CorpusDataset, {})):
        with pytest.raises((TypeError, ValueError)) as refused:
            kind(folder, **others, **parameters)
        assert message in str(refused.value)
