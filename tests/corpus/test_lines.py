"""Lines of a text file by number: what a line is, its index, files that change, and files that are not regular."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from pystrat.corpus import line_file, line_index
from pystrat.corpus.line_file import LineFile

CHANGED = "text.txt has changed since its lines were found .* Make the sampler and the dataset anew."
N_LINES = 200


def lines_of(file: LineFile) -> list[str]:
    return [file.line(number) for number in range(len(file))]


def expected_lines(text: bytes) -> list[str]:
    """The rule, word by word: only \\n ends a line, one \\r before it is dropped, a last line without \\n counts."""
    parts = text.split(b"\n")
    last = [parts[-1].decode()] if parts[-1] else []
    return [(part[:-1] if part.endswith(b"\r") else part).decode() for part in parts[:-1]] + last


def index_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.pystrat-lines")


def test_what_a_line_is(tmp_path: Path) -> None:
    path, texts = tmp_path / "text", ["", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\r\n\r"]
    for text in (*texts, "é\u2028b\x0b\x85c\n", "\ufeffa\n", "a\rb\n", "\0\n"):
        path.write_bytes(text.encode())
        assert lines_of(LineFile(path)) == expected_lines(text.encode())


@given(text=st.text(alphabet="ab\n\ré \t\v\u00a0").map(str.encode), block=st.integers(1, 9))
def test_lines_and_words_do_not_depend_on_the_blocks_that_are_read(text: bytes, block: int, tmp_path: Path) -> None:
    """Words are between blanks of ASCII."""
    path = tmp_path / "text"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_index, "_BLOCK", block)
        patch.setattr(line_file, "_BLOCK", block)
        file = LineFile(path)
        assert lines_of(file) == expected_lines(text)
        assert file.word_counts().tolist() == [len(line.encode().split()) for line in expected_lines(text)]


def test_text_that_is_not_utf_8_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"fine\ncaf\xe9\n")
    file = LineFile(path)
    assert file.line(0) == "fine"
    with pytest.raises(ValueError, match=f"{path}, line 2, is not UTF-8: .*byte 0xe9"):
        file.line(1)


@pytest.mark.thorough
def test_a_file_far_larger_than_what_is_read_of_it(tmp_path: Path) -> None:
    """Offsets beyond 2^32: a sparse file of 4 GB whose last line is read."""
    path = tmp_path / "text"
    with open(path, "wb") as text:
        text.write(b"first\n")
        text.truncate(2**32)
        text.seek(0, os.SEEK_END)
        text.write(b"\nlast\n")
    file = LineFile(path)
    assert len(file) == 3 and file.line(0) == "first" and file.line(2) == "last"


@given(place=st.integers(0, 10**6), bits=st.integers(1, 255), length=st.integers(-400, 40))
def test_lines_are_right_whatever_happened_to_the_index(place: int, bits: int, length: int, tmp_path: Path) -> None:
    path, lines = tmp_path / "text", [f"line {number}" + "x" * (number % 7) for number in range(40)]
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        path.chmod(0o600)
        LineFile(path)
    whole = index_of(path).read_bytes()
    assert len(whole) == 8 * 41 + 64 and index_of(path).stat().st_mode & 0o777 == 0o600, "as private as the text"
    damaged = bytearray(whole + bytes(max(length, 0)))[: len(whole) + length]
    if damaged:
        damaged[place % len(damaged)] ^= bits
    index_of(path).write_bytes(damaged)
    index_of(path).with_name(f"{index_of(path).name}.a1.pystrat-lines").touch()  # of a process that was killed
    assert lines_of(LineFile(path)) == lines
    assert index_of(path).read_bytes() == whole, "it was made again"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [index_of(path).name, "text"], "nothing is left aside"


def test_where_no_folder_can_be_written_to_the_index_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_text("a\nb\n", encoding="utf-8")
    index_of(path).mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))  # a file
    assert lines_of(pickle.loads(pickle.dumps(LineFile(path)))) == ["a", "b"]


def content(letter: str, shift: int = 0) -> bytes:
    """Lines whose number is in each of their words; other shifts have them elsewhere, in as many bytes."""
    lines = b"".join(f"{letter}{number} ".encode() * (1 + number % 5) + b"\n" for number in range(N_LINES))
    return lines[shift:] + lines[:shift]


def expected(number: int) -> str:
    return f"a{number} " * (1 + number % 5)


def replace(path: Path) -> None:
    """Rename another file into its place; it stays below another name, as a backup does."""
    aside = path.with_name("aside")
    aside.write_bytes(content("b", shift=5))
    os.utime(aside, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    os.link(path, path.with_name("backup"))
    os.replace(aside, path)


def replace_by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES: dict[str, Callable[[Path], Any]] = {
    "rewrite": lambda path: path.write_bytes(content("b", shift=5)),  # of the same size in all
    "truncate": lambda path: os.truncate(path, path.stat().st_size - 1),
    "replace": replace,
    "move": lambda path: path.rename(path.with_name("elsewhere")),
    "replace by FIFO": replace_by_fifo,
}


def written(folder: Path) -> Path:
    path = folder / "text.txt"
    path.write_bytes(content("a"))
    os.utime(path, ns=(0, 10**18))  # long ago, so that every later change has another time
    return path


READS: list[Callable[[CorpusDataset], Any]] = [
    lambda dataset: dataset[0],
    lambda dataset: dataset.lines(0),
    lambda dataset: dataset.__getitems__([0, 5, 3]),
    lambda dataset: dataset.files[0].sides[0].line(0),
    lambda dataset: list(dataset),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_line_of_a_file_that_has_changed(change: str, tmp_path: Path) -> None:
    path, seen = written(tmp_path), []
    datasets = [CorpusDataset([path], [".txt"], transform=lambda lines: seen.append(lines) or lines[0]) for _ in READS]
    for dataset, read in zip(datasets, READS):
        read(dataset)
    seen.clear()
    mixture = CorpusMixtureBatchSampler([path], 10, suffixes=[".txt"], sample=100, seed=1)
    batches, pickled = iter(mixture), pickle.dumps(datasets[0].files)
    next(batches)
    CHANGES[change](path)
    for dataset, read in zip(datasets, READS):
        for _ in range(2):  # the error stays
            with pytest.raises(RuntimeError, match=CHANGED):
                read(dataset)
        dataset.files[0].sides[0].close()  # also where the file has to be opened again
        with pytest.raises(RuntimeError, match=CHANGED):
            read(dataset)
    assert not seen
    next(batches)  # the epoch goes on, and its lines cannot be read
    for ask in (lambda: next(iter(mixture)), mixture.batches):
        with pytest.raises(RuntimeError, match=CHANGED):
            ask()
    with pytest.raises((RuntimeError, FileNotFoundError), match=CHANGED if change != "move" else "text.txt"):
        pickle.loads(pickled)


def test_a_reader_of_a_file_that_became_shorter_is_told_and_does_not_die(tmp_path: Path) -> None:
    (tmp_path / "news.txt").write_text("0123456789\n" * 1000, encoding="utf-8")
    mixture = CorpusMixtureBatchSampler(tmp_path, 10, suffixes=[".txt"], sample=1000, seed=1, shuffle=False)
    loader = DataLoader(mixture.dataset(), batch_sampler=mixture)
    with pytest.raises(RuntimeError, match="became shorter while it was read: line [0-9]+ is not there any more"):
        for place, _ in enumerate(loader):
            if place == 5:
                os.truncate(tmp_path / "news.txt", 300)


def test_a_batch_that_a_change_cuts_in_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is rewritten in place after any of the reads of a batch."""
    read = os.pread
    for moment in range(1, 11):
        path, n_reads = written(tmp_path), itertools.count(1)
        dataset = CorpusDataset([path], [".txt"])

        def interrupted(*place: Any) -> bytes:
            found = read(*place)
            if next(n_reads) == moment:
                CHANGES["rewrite"](path)
            return found

        with monkeypatch.context() as patch:
            patch.setattr(os, "pread", interrupted)
            with pytest.raises(RuntimeError, match=CHANGED):
                dataset.__getitems__(range(10))


REFUSE = """
import json, os, sys
from pathlib import Path
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from pystrat.corpus.line_file import LineFile
from pystrat.tree import TreeSampler

def refusal(ask):
    try:
        ask()
    except (TypeError, ValueError) as error:
        return str(error)

folder, text, found = Path(sys.argv[1]), Path(sys.argv[2]), []
for name in ("fifo.src", "zero.src"):
    path = folder / name
    found.append(refusal(lambda: LineFile(path)))
    found.append(refusal(lambda: CorpusDataset([path], [".src"])))
    found.append(refusal(lambda: CorpusMixtureBatchSampler(folder / name[:4], 2, sample=2)))
    found.append(refusal(lambda: CorpusMixtureBatchSampler([text], 2, suffixes=[""], rules=path)))
    found.append(refusal(lambda: TreeSampler({"x": [1]}, path, length=1)))
index = text.with_name(".text.pystrat-lines")
os.mkfifo(index)
found.append([LineFile(text).line(1), index.is_file()])
print(json.dumps(found))
"""


def test_files_that_are_not_regular_are_refused_and_nothing_hangs(tmp_path: Path) -> None:
    """In a process of its own, which an endless wait ends alone."""
    text = tmp_path / "elsewhere" / "text"
    text.parent.mkdir()
    text.write_text("a\nb\n", encoding="utf-8")
    os.mkfifo(tmp_path / "fifo.src")
    (tmp_path / "zero.src").symlink_to("/dev/zero")
    for name in ("fifo", "zero"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.src").symlink_to(tmp_path / f"{name}.src")
        (tmp_path / name / "a.tgt").write_text("a line\n", encoding="utf-8")
    command = [sys.executable, "-c", REFUSE, str(tmp_path), str(text)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    wanted: list[Any] = []
    for kind, name in (("FIFO", "fifo"), ("device", "zero")):
        path, of_folder = tmp_path / f"{name}.src", tmp_path / name / "a.src"
        wanted.append(f"The 'path' parameter must be a regular file. Got the {kind} '{path}' instead.")
        wanted.append(f"The 'source' parameter must have regular files. Got the {kind} '{path}' instead.")
        wanted.append(f"The 'source' parameter must have regular files. Got the {kind} '{of_folder}' instead.")
        wanted.append(f"The 'rules' parameter must be a regular file. Got the {kind} '{path}' instead.")
        wanted.append(f"The 'spec' parameter must be a regular file. Got the {kind} '{path}' instead.")
    assert json.loads(done.stdout) == [*wanted, ["b", True]]
    (tmp_path / "gone.txt").symlink_to("nowhere")
    with pytest.raises(ValueError, match=f"must have a file of each suffix. Got no file '{tmp_path / 'gone.txt'}'"):
        CorpusDataset(tmp_path, [".txt"])
