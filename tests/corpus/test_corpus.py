"""Parallel files: their lines, delivered by a dataset in any process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import DataLoader

from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler

ORDER = ["IT1", "IT2", "MSDN", "colloquial", "empty", "generic", "news"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The published folder: parallel files, whose lines say where they stand; one of them is empty."""
    sizes = {"IT1": 30, "IT2": 10, "MSDN": 60, "colloquial": 4, "generic": 900, "news": 50, "empty": 0}
    for name, size in sizes.items():
        for side in ("src", "tgt"):
            text = "".join(f"{name} {line} {side}\r\n" for line in range(size))
            (tmp_path / f"{name}.{side}").write_bytes(text.encode())
    (tmp_path / "folder.src").mkdir()
    (tmp_path / "README").write_text("not a corpus\n", encoding="utf-8")
    return tmp_path


def test_positions_are_the_lines_of_all_files_in_order(corpus: Path) -> None:
    """Files are ordered by the bytes of their names, or as they are listed."""
    dataset = CorpusDataset(corpus)
    assert [each.name for each in dataset.table.found] == ORDER and len(dataset) == len(list(dataset)) == 1054
    assert dataset[0] == ("IT1 0 src", "IT1 0 tgt")
    assert dataset[30] == ("IT2 0 src", "IT2 0 tgt")
    assert dataset[104] == ("generic 0 src", "generic 0 tgt"), "an empty file has no position"
    assert dataset[1053] == ("news 49 src", "news 49 tgt")
    for ask in (lambda: dataset[-1], lambda: dataset[1054], lambda: dataset.__getitems__([0, 1054])):
        with pytest.raises(IndexError):
            ask()
    listed = CorpusDataset([corpus / "news.src", str(corpus / "IT2.src")])
    assert listed[0] == ("news 0 src", "news 0 tgt") and listed[50] == ("IT2 0 src", "IT2 0 tgt")
    for name in ("b", "B", "a-b", "a", "é", "ab"):
        (corpus / f"{name}.txt").write_text("x\n", encoding="utf-8")
    assert [each.name for each in CorpusDataset(corpus, [".txt"]).table.found] == ["B", "a", "a-b", "ab", "b", "é"]


def test_a_batch_has_the_sides_and_the_transform_in_the_order_of_its_positions(corpus: Path) -> None:
    targets = CorpusDataset(corpus, [".tgt"])
    assert targets[0] == ("IT1 0 tgt",) and targets.lengths(lambda lines: len(lines[0]))[:11].tolist() == [9] * 10 + [
        10
    ]
    for name in ORDER:
        (corpus / f"{name}.tag").write_bytes((corpus / f"{name}.src").read_bytes())
    dataset = CorpusDataset(corpus, [".tag", ".tgt", ".src"], transform=lambda lines: "|".join(lines))
    assert dataset.__getitems__([30, 0, 29, 0]) == [
        *("IT2 0 src|IT2 0 tgt|IT2 0 src", "IT1 0 src|IT1 0 tgt|IT1 0 src"),
        *("IT1 29 src|IT1 29 tgt|IT1 29 src", "IT1 0 src|IT1 0 tgt|IT1 0 src"),
    ]
    assert dataset.__getitems__([]) == []


def test_a_missing_or_unequal_partner_is_an_error_that_names_both(corpus: Path) -> None:
    with open(corpus / "news.tgt", "a", encoding="utf-8") as text:
        text.write("one more")
    message = f"Got 50 lines in '{corpus}/news.src' and 51 lines in '{corpus}/news.tgt' instead."
    with pytest.raises(ValueError, match=f"^The 'source' parameter .* {re.escape(message)}"):
        CorpusMixtureBatchSampler(corpus, 10, sample=100)
    for gone in ("news.src", "IT1.tgt"):
        (corpus / gone).rename(corpus / "aside")
        with pytest.raises(ValueError, match=re.escape(f"Got no file '{corpus}/{gone}' instead.")):
            CorpusDataset(corpus)
        (corpus / "aside").rename(corpus / gone)
        (corpus / "news.tgt").write_bytes((corpus / "news.src").read_bytes())


THOROUGH = [pytest.param(method, marks=pytest.mark.thorough) for method in ("spawn", "forkserver")]


@pytest.mark.parametrize("method", ["fork", *THOROUGH])
def test_workers_read_the_same(corpus: Path, method: str) -> None:
    mixture = CorpusMixtureBatchSampler(corpus, 16, sample=200, seed=1)
    dataset = mixture.dataset()
    dataset[0]  # the descriptors that a fork inherits are open already
    expected = [[dataset[row] for row in batch] for epoch in range(2) for batch in mixture.batches(epoch)]
    options: dict[str, Any] = {"num_workers": 2, "multiprocessing_context": method, "collate_fn": list}
    loader: Any = DataLoader(dataset, batch_sampler=mixture, **options)
    assert [batch for _ in range(2) for batch in loader] == expected
