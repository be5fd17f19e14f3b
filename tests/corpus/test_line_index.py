"""The index of a text: damaged, shrinking, abandoned by a killed process, or not of a regular file."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pystrat.corpus import CorpusDataset
from pystrat.corpus.line_index import IndexCheck, index_head, read_index_head
from pystrat.corpus.line_file import LineFile

HEAD = 64
LINES = [f"line {number}" + "x" * (number % 7) for number in range(40)]


def write_text(path: Path) -> Path:
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


def index_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.pystrat-lines")


def lines_of(file: LineFile) -> list[str]:
    return file.lines(range(len(file)))


def run(code: str, *arguments: Path) -> "subprocess.CompletedProcess[str]":
    """Run Python in a process of its own, which a signal or an endless wait ends alone."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


# Damage ---------------------------------------------------------------------------------------------------------------

DAMAGE = st.one_of(
    st.tuples(
        st.just("flip"), st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), min_size=1, max_size=4)
    ),
    st.tuples(st.just("cut"), st.integers(1, 10**6)),
    st.tuples(st.just("append"), st.binary(min_size=1, max_size=40)),
    st.tuples(
        st.just("number"), st.tuples(st.integers(0, 40), st.sampled_from([-1, 0, 2**62, -(2**63), 17, 10**6]))
    ),
)


def damaged(whole: bytes, kind: str, how: Any) -> bytes:
    changed = bytearray(whole)
    if kind == "flip":
        for place, bits in how:
            changed[place % len(whole)] ^= bits
    elif kind == "cut":
        del changed[-(1 + how % len(whole)) :]
    elif kind == "append":
        changed += how
    else:
        struct.pack_into("<q", changed, HEAD + 8 * how[0], how[1])
    return bytes(changed)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=DAMAGE)
def test_lines_are_right_whatever_happened_to_the_index(damage: tuple[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "text"
    if not path.exists():
        LineFile(write_text(path))
    whole = index_of(path).read_bytes()
    index_of(path).write_bytes(damaged(whole, *damage))
    assert lines_of(LineFile(path)) == LINES
    assert index_of(path).read_bytes() == whole, "it was made again"


@pytest.mark.parametrize("places", [(3,), (0,), (40,), (7, 8)])
@pytest.mark.parametrize("number", [-5, 2**62, 3])
def test_numbers_out_of_order_are_refused_even_with_their_hash(
    places: Sequence[int], number: int, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "text")
    LineFile(path)
    whole = index_of(path).read_bytes()
    head = read_index_head(whole[:HEAD], len(whole))
    assert head is not None
    numbers = np.frombuffer(whole[HEAD:], dtype="<i8").copy()
    numbers[list(places)] = number
    check = IndexCheck()
    check.take(numbers.view(np.uint8))
    assert not check.is_whole({**head, "number_hash": check.hash})
    index_of(path).write_bytes(index_head({**head, "number_hash": check.hash}) + numbers.tobytes())
    assert lines_of(LineFile(path)) == LINES and index_of(path).read_bytes() == whole


@pytest.mark.parametrize("place", [0, -1])
def test_an_index_of_other_text_with_the_same_version_is_made_again(place: int, tmp_path: Path) -> None:
    """Written in place with the same size and the time put back, as ``rsync --inplace --times`` leaves it."""
    path = write_text(tmp_path / "text")
    LineFile(path)
    text, times = bytearray(path.read_bytes()), path.stat()
    text[place], text[4] = 10, 10
    with open(path, "r+b") as file:
        file.write(text)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    expected = bytes(text).decode().split("\n")
    assert lines_of(LineFile(path)) == (expected if expected[-1] else expected[:-1])


SHRINK = """
import os, shutil, sys
from pystrat.corpus import CorpusDataset
path, index, other = sys.argv[1:]
dataset = CorpusDataset([path], [".txt"])
first = dataset[len(dataset) - 1]
if other == "shorter":
    os.truncate(index, 0)
else:
    shutil.copyfile(other, index)  # in place, as cp does
assert [dataset[position] for position in range(len(dataset))] == [(f"{number}",) for number in range(100_000)]
print("right")
"""


@pytest.mark.parametrize("change", ["shorter", "copied over"])
def test_an_index_that_shrinks_while_it_is_in_use(change: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{number}\n" for number in range(100_000)), encoding="utf-8")
    other = write_text(tmp_path / "other")
    LineFile(other)
    done = run(SHRINK, path, index_of(path), Path("shorter") if change == "shorter" else index_of(other))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


# Processes that are killed --------------------------------------------------------------------------------------------


def kill_while_indexing(path: Path) -> None:
    """Begin to index a text of some seconds in another process, and kill it."""
    with open(path, "wb") as text:
        text.write(b"first\nsecond\n")
        text.truncate(2**32)
    before = set(path.parent.iterdir())
    code = "import sys; from pystrat.corpus.line_file import LineFile; LineFile(sys.argv[1])"
    child = subprocess.Popen([sys.executable, "-c", code, str(path)])
    while set(path.parent.iterdir()) == before:
        assert child.poll() is None, "it is still indexing"
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert len(set(path.parent.iterdir()) - before) == 1 and not index_of(path).exists()
    os.truncate(path, len(b"first\nsecond\n"))


def test_what_a_killed_process_left_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "text"
    kill_while_indexing(path)
    assert lines_of(LineFile(path)) == ["first", "second"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".text.pystrat-lines", "text"]


def test_what_another_process_is_writing_is_kept(tmp_path: Path) -> None:
    path = write_text(tmp_path / "text")
    others = [tmp_path / ".text.pystrat-lines.a1.pystrat-lines", tmp_path / ".text.b.pystrat-lines"]
    for other in others:
        other.touch()
    with open(others[0], "rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        assert lines_of(LineFile(path)) == LINES
        assert all(other.exists() for other in others)
    index_of(path).unlink()
    assert lines_of(LineFile(path)) == LINES
    assert [other.exists() for other in others] == [False, True], "the second is the index of another text"


# Files that are not regular -------------------------------------------------------------------------------------------


def refusal_of(code: str, *arguments: Path) -> str:
    done = run(f"import sys\ntry:\n    {code}\nexcept ValueError as error:\n    print(error)", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


def test_a_fifo_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    fifo = tmp_path / "text.src"
    os.mkfifo(fifo)
    write_text(tmp_path / "text.tgt")
    code = "from pystrat.corpus.line_file import LineFile; LineFile(sys.argv[1])"
    assert refusal_of(code, fifo) == (f"The 'path' parameter must be a regular file. Got the FIFO '{fifo}' instead.")
    required = f"The 'source' parameter must have regular files. Got the FIFO '{fifo}' instead."
    assert refusal_of("from pystrat.corpus import CorpusDataset; CorpusDataset(sys.argv[1])", tmp_path) == required
    assert refusal_of("from pystrat.corpus import CorpusDataset; CorpusDataset([sys.argv[1]])", fifo) == required
    code = "from pystrat.corpus import *; CorpusMixtureBatchSampler(sys.argv[1], 2, sample=2)"
    assert refusal_of(code, tmp_path) == required.replace("CorpusDataset", "CorpusMixtureBatchSampler")


def test_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").symlink_to("/dev/zero")
    assert refusal_of("from pystrat.corpus import CorpusDataset; CorpusDataset(sys.argv[1], ['.txt'])", tmp_path) == (
        "The 'source' parameter must have regular files. " f"Got the device '{tmp_path / 'text.txt'}' instead."
    )


@pytest.mark.parametrize("kind", ["FIFO", "device"])
def test_rules_and_trees_are_regular_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.yaml"
    if kind == "FIFO":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    write_text(tmp_path / "text.txt")
    required = f"must be a regular file. Got the {kind} '{path}' instead."
    code = "from pystrat.corpus import *; CorpusMixtureBatchSampler([sys.argv[1]], 2, suffixes=[''], rules=sys.argv[2])"
    told = refusal_of(code, tmp_path / "text.txt", path)
    assert told == f"The 'rules' parameter {required}"
    code = "from pystrat.tree import TreeSampler; TreeSampler({'x': [1]}, sys.argv[1], length=1)"
    assert refusal_of(code, path) == f"The 'spec' parameter {required}"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").symlink_to("nowhere")
    with pytest.raises(ValueError, match=f"must have a file of each suffix. Got no file '{tmp_path / 'text.txt'}'"):
        CorpusDataset(tmp_path, [".txt"])


@pytest.mark.parametrize("kind", ["FIFO", "device"])
def test_an_index_that_is_no_regular_file_is_replaced(kind: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "text")
    if kind == "FIFO":
        os.mkfifo(index_of(path))
    else:
        index_of(path).symlink_to("/dev/zero")
    code = (
        "import sys; from pystrat.corpus.line_file import LineFile; file = LineFile(sys.argv[1])\n"
        "print(*[file.line(number) for number in range(len(file))], sep='\\n')"
    )
    assert run(code, path).stdout.splitlines() == LINES
    assert index_of(path).is_file() and not index_of(path).is_symlink()


def test_a_copy_of_a_folder_with_its_indices(tmp_path: Path) -> None:
    """An index that came with a copy is of another file, and is made again."""
    (tmp_path / "a").mkdir()
    LineFile(write_text(tmp_path / "a" / "text"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    copied = index_of(tmp_path / "b" / "text").read_bytes()
    assert lines_of(LineFile(tmp_path / "b" / "text")) == LINES
    assert index_of(tmp_path / "b" / "text").read_bytes() != copied
