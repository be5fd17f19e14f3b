"""Files with unrelated names, listed pair by pair: their names in plans, and the lists that are refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of parallel files whose names have nothing in common, in which the process works."""
    write(tmp_path / "europarl.en", "en", 30)
    write(tmp_path / "ep-de.txt", "de", 30)
    write(tmp_path / "news_2020.txt", "en news", 10)
    write(tmp_path / "nachrichten.de", "de news", 10)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str, size: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{text} {line}\n" for line in range(size)), encoding="utf-8")
    return path


SOURCE = ["europarl.en", "news_2020.txt"]
TARGETS = ["ep-de.txt", "nachrichten.de"]


def test_pair_i_is_source_i_with_target_i(folder: Path) -> None:
    dataset = CorpusDataset(SOURCE, targets=[folder / TARGETS[0], TARGETS[1]])
    assert dataset[3] == ("en 3", "de 3") and dataset[30] == ("en news 0", "de news 0")
    assert CorpusDataset(iter(SOURCE[::-1]), targets=TARGETS[::-1])[0] == ("en news 0", "de news 0")
    write(folder / "second.de", "again", 30)
    source, targets = ["europarl.en", "europarl.en", "second.de"], ["ep-de.txt", "second.de", "ep-de.txt"]
    dataset = CorpusDataset(source, targets=targets)
    assert [dataset[place] for place in (0, 30, 60)] == [("en 0", "de 0"), ("en 0", "again 0"), ("again 0", "de 0")]


def test_files_of_one_name_are_told_apart_by_their_folders(folder: Path) -> None:
    for name in ("x", "y"):
        for side in ("en", "de"):
            write(folder / name / f"a.{side}", side, 5)
    source, targets = ["x/a.en", folder / "y" / "." / "a.en", "europarl.en"], ["x/a.de", "y/a.de", "ep-de.txt"]
    mixture = CorpusMixtureBatchSampler(source, 8, targets=targets, sample=30, rules=["^a%.en$ 1", "* 1"], seed=1)
    assert mixture.plan()["file"].tolist() == [f"{folder}/x/a.en", f"{folder}/y/a.en", "europarl.en"]
    assert mixture.plan()["drawn"].tolist() == [8, 8, 15], "the rule covers both"


def test_files_without_partners_are_taken_as_they_are(folder: Path) -> None:
    names = ["news_2020.txt", "nachrichten.de"]
    dataset = CorpusDataset(names, [""])
    assert len(dataset) == 20 and (dataset[0], dataset[19]) == (("en news 0",), ("de news 9",))
    mixture = CorpusMixtureBatchSampler(names, 4, suffixes=[""], sample=8, rules=["^news 3", "%.de$ 1"], seed=1)
    assert mixture.plan()["drawn"].tolist() == [6, 2]
    assert mixture.dataset()[19] == ("de news 9",), "rules look at the whole name of the source"
    with pytest.raises(ValueError, match="files that end in '.src'. Got 'news_2020.txt' instead. To take files of"):
        CorpusDataset(names)
    whole = CorpusDataset(folder, [""])
    assert len(whole) == sum(len(path.read_text().splitlines()) for path in folder.iterdir())
    for suffixes in ([""], ["", ".src"]):
        with pytest.raises(ValueError, match="The 'suffixes' parameter must .*, such as .* Got \\(''"):
            CorpusDataset(names, suffixes, targets=names[::-1])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"source": "."}, "The 'source' parameter must be a list of files if 'targets' is given. Got '.' instead."),
    ({"source": [3]}, "'source' parameter must be a list of files if 'targets' is given. Got a list with 3"),
    ({"targets": "ep-de.txt"}, "'targets' parameter must be a list of files, one for each of 'source'. Got 'e"),
    ({"source": [], "targets": []}, "The 'source' parameter must list at least one file. Got none instead."),
    ({"targets": ["ep-de.txt"]}, "'targets' parameter must have one file for each of 'source', 2. Got 1 file"),
    ({"source": ["none", "x"]}, "The 'source' parameter must have regular files. Got no file '"),
    ({"targets": ["ep-de.txt", "none"]}, "The 'targets' parameter must have regular files. Got no file '"),
    ({"targets": ["ep-de.txt", "folder"]}, "The 'targets' parameter must have regular files. Got the folder '"),
    ({"source": ["folder", "news_2020.txt"]}, "The 'source' parameter must have regular files. Got the folder"),
    (
        {"targets": TARGETS[::-1]},
        "The 'targets' parameter must have parallel files with the same number of lines. Got 30 lines in '",
    ),
    ({"suffixes": ".txt"}, "such as ('.src', '.tgt'). Got '.txt' instead. A single one goes in a list: ['.txt']."),
    (
        {"suffixes": [".txt"]},
        "The 'suffixes' parameter must name the two sides if 'targets' is given, such as ('.src', '.tgt'). "
        "Got ('.txt') instead.",
    ),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_lists_that_make_no_pairs_are_refused(folder: Path, given: dict[str, Any], message: str) -> None:
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("europarl.en")
    chosen = {"source": SOURCE, "targets": TARGETS, **given}
    for make in (CorpusDataset, partial(CorpusMixtureBatchSampler, batch_size=2, sample=2)):
        with pytest.raises((TypeError, ValueError)) as refused:
            make(**chosen)
        assert message in str(refused.value)
