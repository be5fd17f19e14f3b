"""Lines of files by number: what a line is, files that change, and files that are no text."""

from __future__ import annotations

import gzip
import os
import pickle
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler, line_table
from pystrat.corpus.files import Found
from pystrat.corpus.line_table import LineTable

CHANGED = "text.txt has changed since its lines were found .* Make the sampler and the dataset anew."


def table_of(*paths: Path) -> LineTable:
    return LineTable([Found(path.name, (path,), ("source",)) for path in paths])


def lines_of(table: LineTable) -> list[str]:
    return [line for line, in table.read(range(len(table)))]


def expected_lines(text: bytes) -> list[str]:
    """The rule, word by word: only \\n ends a line, one \\r before it is dropped, a last line without \\n counts."""
    parts = text.split(b"\n")
    last = [parts[-1].decode()] if parts[-1] else []
    return [(part[:-1] if part.endswith(b"\r") else part).decode() for part in parts[:-1]] + last


TEXTS = [
    "",
    "\n",
    "a",
    "a\n",
    "a\nb",
    "\n\n",
    "a\r\nb\r\r\n\r",
    "\u00e9\u2028b\x0b\x85c\n",
    "\ufeffa\n",
    "a\rb\n",
    "\0\n",
]


def test_what_a_line_is(tmp_path: Path) -> None:
    paths = [tmp_path / str(place) for place in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS):
        path.write_bytes(text.encode())
        assert lines_of(table_of(path)) == expected_lines(text.encode())
    assert lines_of(table_of(*paths)) == [line for text in TEXTS for line in expected_lines(text.encode())]


@given(text=st.text(alphabet="ab\n\r\u00e9 \t\v\u00a0").map(str.encode), block=st.integers(1, 9))
def test_lines_and_words_do_not_depend_on_the_blocks_that_are_read(text: bytes, block: int, tmp_path: Path) -> None:
    """Words are between blanks of ASCII."""
    path = tmp_path / "text"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_table, "BLOCK", block)
        table = table_of(path)
        assert lines_of(table) == expected_lines(text)
        assert table.word_counts()[:, 0].tolist() == [len(line.encode().split()) for line in expected_lines(text)]


def test_text_that_is_not_utf_8_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"fine\ncaf\xe9\n")
    table = table_of(path)
    assert table.read([0]) == [("fine",)]
    with pytest.raises(ValueError, match=f"{path}, line 2, is not UTF-8: .*byte 0xe9"):
        table.read([1])


@pytest.mark.thorough
def test_a_file_far_larger_than_what_is_read_of_it(tmp_path: Path) -> None:
    """Offsets beyond 2^32: a sparse file of 4 GB whose last line is read."""
    path = tmp_path / "text"
    with open(path, "wb") as text:
        text.write(b"first\n")
        text.truncate(2**32)
        text.seek(0, os.SEEK_END)
        text.write(b"\nlast\n")
    table = table_of(path)
    assert len(table) == 3 and table.read([0, 2]) == [("first",), ("last",)]


# Files that change ----------------------------------------------------------------------------------------------------


def content(letter: str) -> bytes:
    return "".join(f"{letter} line {number}\n" for number in range(200)).encode()


def replace(path: Path) -> None:
    aside = path.with_name("aside")
    aside.write_bytes(content("b"))
    os.replace(aside, path)


CHANGES: dict[str, Callable[[Path], Any]] = {
    "rewrite": lambda path: path.write_bytes(content("b")),
    "longer": lambda path: path.write_bytes(content("a") + b"more\n"),
    "truncate": lambda path: os.truncate(path, path.stat().st_size - 1),
    "replace": replace,
    "move": lambda path: path.rename(path.with_name("elsewhere")),
}


def written(folder: Path) -> Path:
    path = folder / "text.txt"
    path.write_bytes(content("a"))
    os.utime(path, ns=(0, 10**18))  # long ago, so that every later change has another time
    return path


READS: list[Callable[[CorpusDataset], Any]] = [
    lambda dataset: dataset[0],
    lambda dataset: dataset.__getitems__([0, 5, 3]),
    lambda dataset: dataset.lengths(),
    lambda dataset: list(dataset),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_line_of_a_file_that_has_changed(change: str, tmp_path: Path) -> None:
    path, seen = written(tmp_path), []
    dataset = CorpusDataset([path], [".txt"], transform=lambda lines: seen.append(lines) or lines[0])
    pickled = pickle.dumps(dataset.table)
    mixture = CorpusMixtureBatchSampler([path], 10, suffixes=[".txt"], sample=100, seed=1)
    batches = iter(mixture)
    next(batches)
    CHANGES[change](path)
    for read in READS:
        for _ in range(2):  # the error stays
            with pytest.raises((RuntimeError, FileNotFoundError), match=CHANGED if change != "move" else "text.txt"):
                read(dataset)
    with pytest.raises((RuntimeError, FileNotFoundError), match=CHANGED if change != "move" else "text.txt"):
        pickle.loads(pickled).read([0])
    assert not seen
    next(batches)  # the epoch goes on, and its lines cannot be read
    for ask in (lambda: next(iter(mixture)), mixture.batches):
        with pytest.raises((RuntimeError, FileNotFoundError), match=CHANGED if change != "move" else "text.txt"):
            ask()


def test_files_that_are_not_there_or_no_text_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    with pytest.raises(ValueError, match=f"must have regular files. Got no file '{tmp_path / 'gone.txt'}'"):
        CorpusDataset(tmp_path, [".txt"])
    refused = f"must have files of text in UTF-8. Got the compressed or UTF-16 file '{text}' instead."
    for other in (gzip.compress(b"line\n"), "line\n".encode("utf-16")):
        text.write_bytes(other)
        with pytest.raises(ValueError, match=refused):
            CorpusDataset([text], [""])
