"""Lines of files: found by an index, drawn by a mixture, delivered by a dataset; and what happens when files change."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat.base import epoch_seed
from pystrat.cli import main
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from pystrat.corpus import line_index
from pystrat.corpus.line_file import LineFile
from tests.inside import core
from tests.reference.naive_random import NaiveStream


def lines_of(file: LineFile) -> list[str]:
    return [file.line(number) for number in range(len(file))]


def expected_lines(text: bytes) -> list[str]:
    """The rule, word by word: only \\n ends a line, one \\r before it is dropped, a last line without \\n counts."""
    parts = text.split(b"\n")
    last = [parts[-1].decode()] if parts[-1] else []
    return [(part[:-1] if part.endswith(b"\r") else part).decode() for part in parts[:-1]] + last


# The index ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\r\n\r", "é\u2028b\x0b\x85c\n", "\ufeffa\n", "a\rb\n", "\0\n"],
)
def test_what_a_line_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    assert lines_of(LineFile(path)) == expected_lines(text.encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=st.text(alphabet="ab\n\ré").map(str.encode), block=st.integers(1, 9))
def test_lines_do_not_depend_on_the_blocks_that_are_read(
    text: bytes, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    monkeypatch.setattr(line_index, "_BLOCK", block)
    assert lines_of(LineFile(path)) == expected_lines(text)


def index_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.pystrat-lines")


def test_the_index_is_cached_beside_the_file_in_eight_bytes_a_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("line\n" * 1000, encoding="utf-8")
    LineFile(path)
    index = index_beside(path)
    assert index.stat().st_size == 8 * 1001 + 64
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [index.name, "text"], "nothing is left aside"
    written = index.stat().st_mtime_ns
    assert lines_of(LineFile(path)) == ["line"] * 1000 and index.stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", ["shorter", "longer", "other magic", "empty"])
def test_a_broken_index_is_made_again(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a\nb\n", encoding="utf-8")
    LineFile(path)
    index = index_beside(path)
    whole = index.read_bytes()
    broken = {"shorter": whole[:-8], "longer": whole + whole[-8:], "other magic": b"x" + whole[1:], "empty": b""}
    index.write_bytes(broken[damage])
    assert lines_of(LineFile(path)) == ["a", "b"] and index.read_bytes() == whole


def test_an_index_of_another_version_of_the_file_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a\nb\n", encoding="utf-8")
    LineFile(path)
    path.write_text("abc\n", encoding="utf-8")
    assert lines_of(LineFile(path)) == ["abc"]


def test_where_the_folder_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache folder is next, then memory. A folder in the index's place is what even root cannot replace."""
    path, cache = tmp_path / "corpus" / "text", tmp_path / "cache"
    index_beside(path).mkdir(parents=True)
    path.write_text("a\nb\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert lines_of(LineFile(path)) == ["a", "b"]
    assert len(list((cache / "pystrat" / "lines").glob("*.pystrat-lines"))) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))  # a file: no folder can be made in it
    file = LineFile(path)
    assert lines_of(file) == ["a", "b"] and lines_of(pickle.loads(pickle.dumps(file))) == ["a", "b"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "")
    assert lines_of(LineFile(path)) == ["a", "b"]


def test_the_index_is_as_private_as_the_file(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a\n", encoding="utf-8")
    path.chmod(0o600)
    LineFile(path)
    assert index_beside(path).stat().st_mode & 0o777 == 0o600


def test_text_that_is_not_utf_8_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"fine\ncaf\xe9\n")
    file = LineFile(path)
    assert file.line(0) == "fine"
    with pytest.raises(ValueError, match=f"{path}, line 2, is not UTF-8: .*byte 0xe9"):
        file.line(1)


def test_a_file_far_larger_than_what_is_read_of_it(tmp_path: Path) -> None:
    """Offsets beyond 2^32: a sparse file of 4 GB whose last line is read.

    It takes some 20 seconds, since lines are found by reading the whole file, and no shorter one has such offsets.
    """
    path = tmp_path / "text"
    with open(path, "wb") as text:
        text.write(b"first\n")
        text.truncate(2**32)
        text.seek(0, os.SEEK_END)
        text.write(b"\nlast\n")
    file = LineFile(path)
    assert len(file) == 3 and file.line(0) == "first" and file.line(2) == "last"


# Files that change ----------------------------------------------------------------------------------------------------


def test_a_file_truncated_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a\nb\nccc\n", encoding="utf-8")
    file = LineFile(path)
    assert file.line(2) == "ccc"
    os.truncate(path, 5)
    with pytest.raises(RuntimeError, match="has changed since its lines were found"):
        file.line(1)
    with pytest.raises(RuntimeError, match="became shorter while it was read: line 3 is not there any more"):
        file.line(2)
    with pytest.raises(RuntimeError, match="has changed since its lines were found"):
        file.check()


@pytest.mark.parametrize("change", ["longer", "as long", "another file"])
def test_a_changed_file_is_refused_at_opening_and_at_the_next_epoch(change: str, tmp_path: Path) -> None:
    path = tmp_path / "news.txt"
    path.write_text("a\nb\n", encoding="utf-8")
    mixture = CorpusMixtureBatchSampler(tmp_path, 2, suffixes=[".txt"], sample=2, seed=1)
    file, pickled = LineFile(path), pickle.dumps(mixture.dataset())
    list(mixture)
    if change == "another file":
        (tmp_path / "new").write_text("a\nb\n", encoding="utf-8")
        os.utime(tmp_path / "new", ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
        os.replace(tmp_path / "new", path)
    else:
        path.write_text("a\nb\nc\n" if change == "longer" else "b\na\n", encoding="utf-8")
        os.utime(path, ns=(0, 0))
    for read in (lambda: file.line(0), lambda: pickle.loads(pickled), lambda: next(iter(mixture)), mixture.batches):
        with pytest.raises(RuntimeError, match="news.txt has changed since its lines were found"):
            read()


def test_a_reading_process_is_told_and_does_not_die(tmp_path: Path) -> None:
    (tmp_path / "news.txt").write_text("0123456789\n" * 1000, encoding="utf-8")
    mixture = CorpusMixtureBatchSampler(tmp_path, 10, suffixes=[".txt"], sample=1000, seed=1, shuffle=False)
    loader = DataLoader(mixture.dataset(), batch_sampler=mixture, num_workers=1, prefetch_factor=2)
    with pytest.raises(RuntimeError, match="became shorter while it was read"):
        for place, _ in enumerate(loader):
            if place == 5:
                os.truncate(tmp_path / "news.txt", 300)


# The dataset ----------------------------------------------------------------------------------------------------------


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


ORDER = ["IT1", "IT2", "MSDN", "colloquial", "empty", "generic", "news"]
RULES = ["IT,MSDN 20", "colloquial 10", "generic 65", "* 5"]


def test_positions_are_the_lines_of_all_files_in_order(corpus: Path) -> None:
    dataset = CorpusDataset(corpus)
    assert [file.name for file in dataset.files] == ORDER and len(dataset) == 1054
    assert dataset[0] == ("IT1 0 src", "IT1 0 tgt")
    assert dataset[30] == ("IT2 0 src", "IT2 0 tgt")
    assert dataset[104] == ("generic 0 src", "generic 0 tgt"), "an empty file has no position"
    assert dataset[1053] == ("news 49 src", "news 49 tgt")
    assert [dataset.find(position) for position in (29, 30, 103, 104)] == [(0, 29), (1, 0), (3, 3), (5, 0)]
    assert len(list(dataset)) == 1054
    for outside in (-1, 1054):
        with pytest.raises(IndexError):
            dataset[outside]


def test_names_are_sorted_by_their_bytes(tmp_path: Path) -> None:
    for name in ("b", "B", "a-b", "a", "é", "ab"):
        (tmp_path / f"{name}.txt").write_text("x\n", encoding="utf-8")
    dataset = CorpusDataset(tmp_path, [".txt"])
    assert [file.name for file in dataset.files] == ["B", "a", "a-b", "ab", "b", "é"]


def test_given_files_stand_in_the_given_order(corpus: Path) -> None:
    dataset = CorpusDataset([corpus / "news.src", str(corpus / "IT2.src")])
    assert dataset[0] == ("news 0 src", "news 0 tgt") and dataset[50] == ("IT2 0 src", "IT2 0 tgt")


def test_text_alone_and_three_sides(corpus: Path) -> None:
    assert CorpusDataset(corpus, [".tgt"])[0] == ("IT1 0 tgt",)
    for name in ORDER:
        (corpus / f"{name}.tag").write_bytes((corpus / f"{name}.src").read_bytes())
    assert CorpusDataset(corpus, [".tag", ".tgt", ".src"])[0] == ("IT1 0 src", "IT1 0 tgt", "IT1 0 src")


def test_transform_is_the_place_for_a_tokeniser(corpus: Path) -> None:
    dataset = CorpusDataset(corpus, transform=lambda lines: [line.split() for line in lines])
    assert dataset[0] == [["IT1", "0", "src"], ["IT1", "0", "tgt"]]


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_missing_partner_is_an_error_that_names_both(corpus: Path, side: str) -> None:
    (corpus / f"news.{side}").unlink()
    other = "tgt" if side == "src" else "src"
    message = f"must have a file of each suffix. Got '{corpus}/news.{other}' without '{corpus}/news.{side}' instead."
    with pytest.raises(ValueError) as refused:
        CorpusDataset(corpus)
    assert message in str(refused.value)


def test_unequal_files_are_an_error_that_names_both_and_the_counts(corpus: Path) -> None:
    with open(corpus / "news.tgt", "a", encoding="utf-8") as text:
        text.write("one more")
    message = f"Got 50 lines in '{corpus}/news.src' and 51 lines in '{corpus}/news.tgt' instead."
    with pytest.raises(ValueError) as refused:
        CorpusMixtureBatchSampler(corpus, 10, sample=100)
    assert message in str(refused.value) and str(refused.value).startswith("The 'source' parameter")


@pytest.mark.parametrize(
    ("source", "suffixes", "message"),
    [
        ("nowhere", [".src"], "'source' parameter must be a folder or a list of files. Got '"),
        ("", [".txt"], "must have files that end in '.txt'. Got none"),
        (["news.tgt"], [".src", ".tgt"], "must list files that end in '.src'. Got '"),
        (["other.src"], [".src", ".tgt"], "must have a file of each suffix. Got no file '"),
        (["other.src"], [".src"], "other.src' instead."),
        ("", ".src", "'suffixes' parameter must be different endings of names"),
        ("", [".src", ".src"], "Got ('.src', '.src')"),
        ("", [""], "Got ('')"),
        ("", [], "Got ()"),
    ],
)
def test_refused(corpus: Path, source: Any, suffixes: Any, message: str) -> None:
    where = [corpus / name for name in source] if isinstance(source, list) else corpus / source
    with pytest.raises((TypeError, ValueError)) as refused:
        CorpusDataset(where, suffixes)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("source", "got"), [(3, "3"), ([3], "a list with 3"), ([None], "a list with nothing"), (b"x", "1 value")]
)
def test_what_is_no_path_is_refused(source: Any, got: str) -> None:
    with pytest.raises(TypeError) as refused:
        CorpusDataset(source)
    required = "must be a folder or a list of files"
    assert str(refused.value) == f"The 'source' parameter {required}. Got {got} instead."


def test_an_inode_of_64_bits(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb")
    version = line_index.FileVersion(3, 7, 2**64 - 1)
    with open(path, "rb") as text:
        for _ in range(2):  # written, and read
            assert line_index.offsets_of(path, text, version).tolist() == [0, 2, 3]
    (tmp_path / "text").unlink()
    with open(tmp_path / ".text.pystrat-lines", "rb") as index:
        head = line_index.read_index_head(index.read(64), 64 + 8 * 3)
    assert head is not None and head["inode"] == 2**64 - 1


# The mixture ----------------------------------------------------------------------------------------------------------


def mixture_of(corpus: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    return CorpusMixtureBatchSampler(corpus, 16, **{"sample": 200, "rules": RULES, "seed": 1, **parameters})


def test_every_epoch_holds_what_the_plan_says(corpus: Path) -> None:
    mixture = mixture_of(corpus)
    dataset = mixture.dataset()
    assert {file.name: file.drawn for file in mixture.plan.files} == {
        **{"IT1": 12, "IT2": 4, "MSDN": 24, "colloquial": 20, "empty": 0, "generic": 130, "news": 10}
    }
    for epoch in range(3):
        rows = mixture.batches(epoch).rows
        files = [dataset.find(row)[0] for row in rows]
        assert np.bincount(files, minlength=7).tolist() == [file.drawn for file in mixture.plan.files]
    assert [len(batch) for batch in mixture.batches(0)] == [16] * 12 + [8]


def test_lines_are_drawn_as_r_draws_them(corpus: Path) -> None:
    parameters = {"rules": ["IT1 *", "news 1", "generic 2", "* 0.000001"], "sample": 130}
    mixture, in_order = mixture_of(corpus, **parameters), mixture_of(corpus, shuffle=False, **parameters)
    drawn = {file.name: file.drawn for file in mixture.plan.files}
    assert drawn == {"IT1": 0, "IT2": 1, "MSDN": 1, "colloquial": 1, "empty": 0, "generic": 67, "news": 34}
    for epoch in range(2):
        stream = NaiveStream(epoch_seed(1, epoch))
        parts = [np.arange(30)]
        for first, lines, count in ((30, 10, 1), (40, 60, 1), (100, 4, 1), (104, 900, 67), (1004, 50, 34)):
            parts.append(first + stream.indices(lines, count))
        positions = np.concatenate(parts)
        assert mixture.batches(epoch).rows.tolist() == positions[stream.permutation(134)].tolist()
        assert in_order.batches(epoch).rows.tolist() == sorted(positions.tolist())


def test_frequencies_within_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n" * 40, encoding="utf-8")
    mixture = CorpusMixtureBatchSampler(tmp_path, 1000, suffixes=[".txt"], sample=40_000, seed=1)
    counts = np.bincount(mixture.batches(0).rows, minlength=40)
    assert ((counts - 1000) ** 2 / 1000).sum() < 39 + 5 * np.sqrt(2 * 39)


def test_files_that_no_rule_covers_are_named_in_a_warning(corpus: Path) -> None:
    with pytest.warns(UserWarning, match="are left out: 'IT1', 'IT2', 'colloquial', 'empty', 'generic'.") as warned:
        mixture = mixture_of(corpus, rules=["news 1", "MSDN 1"])
    assert warned[0].filename == __file__
    assert {mixture.dataset().find(row)[0] for row in mixture.batches(0).rows} == {2, 6}


def test_threads_that_read_first_at_once_share_one_descriptor(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} {number}\n" for number in range(50)))
    before, wrong = len(os.listdir("/proc/self/fd")), []

    def read(files: list[LineFile], start: threading.Barrier) -> None:
        start.wait()
        for number in range(50):
            for file, name in zip(files, "ab"):
                found = file.line(number)
                if found != f"{name} {number}":
                    wrong.append(found)

    def read_in_threads() -> None:
        files, start = [LineFile(tmp_path / f"{name}.txt") for name in "ab"], threading.Barrier(6)
        threads = [threading.Thread(target=read, args=(files, start)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            read_in_threads()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong and len(os.listdir("/proc/self/fd")) == before


def read_in_workers(corpus: str, method: str) -> None:
    """Compare what workers deliver with what this process reads; run in a process of its own."""
    mixture = CorpusMixtureBatchSampler(corpus, 16, sample=200, rules=RULES, seed=1)
    dataset = mixture.dataset()
    dataset[0]  # the descriptors that a fork inherits are open already
    expected = [[dataset[row] for row in batch] for epoch in range(2) for batch in mixture.batches(epoch)]
    loader: Any = DataLoader(
        dataset, batch_sampler=mixture, num_workers=2, multiprocessing_context=method, collate_fn=list
    )
    assert [batch for _ in range(2) for batch in loader] == expected
    print("equal")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_read_the_same(corpus: Path, method: str) -> None:
    code = f"from tests.corpus.test_corpus import read_in_workers; read_in_workers({str(corpus)!r}, {method!r})"
    program = f"if __name__ == '__main__':\n    {code}\n"
    script = corpus / "script.py"
    script.write_text(program, encoding="utf-8")
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.stdout == "equal\n", done.stderr


# The command line -----------------------------------------------------------------------------------------------------


def test_the_dry_run(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = corpus / "rules.txt"
    rules.write_text("\n".join(RULES[:3]) + "\nMSDN *\n", encoding="utf-8")
    options = ["--suffix", ".src,.tgt", "--rules", str(rules), "--sample", "200"]
    assert main(["corpus", "plan", str(corpus), *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "file        lines  rule  uniform    share  drawn  kept",
        "IT1            30     1   3.02 %  15.79 %     23     0",
        "IT2            10     1   1.01 %   5.26 %      8     0",
        "MSDN           60     4   0.00 %   0.00 %      0    60",
        "colloquial      4     2   0.40 %  10.53 %     15     0",
        "empty           0     -   0.00 %   0.00 %      0     0",
        "generic       900     3  90.54 %  68.42 %     96     0",
        "news           50     -   5.03 %   0.00 %      0     0",
        "total        1054                            142    60",
        "An epoch has 202 lines.",
        "No rule covers empty, news: left out.",
    ]
    assert main(["corpus", "plan", str(corpus), "--sample", "0.5"]) == 0
    assert "An epoch has 527 lines." in capsys.readouterr().out


def test_the_dry_run_leaves_out_long_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.src").write_text("w\n" + "w w w\n" * 2, encoding="ascii")
    (tmp_path / "a.tgt").write_text("w w\n" * 2 + "w\n", encoding="ascii")
    for limit, excluded in (("2", "2"), ("3,1", "2"), ("3,3", "0")):
        assert main(["corpus", "plan", str(tmp_path), "--sample", "3", "--max-length", limit]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["a", "3", excluded]
    assert main(["corpus", "plan", str(tmp_path), "--sample", "3", "--max-length", "1,2,3"]) == 2
    assert "'--max-length' option must have one number for each side, 2" in capsys.readouterr().err


def test_an_error_takes_one_line(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "plan", str(corpus), "--sample", "1.0"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("pystrat: The '--sample' option must be a share")
    assert told.err.count("\n") == 1


def test_a_sample_that_is_no_number(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["corpus", "plan", str(corpus), "--sample", "abc"])
    told = "argument --sample: must be a number, such as 100000 or 0.1. Got 'abc' instead."
    assert capsys.readouterr().err.endswith(f"error: {told}\n")


def test_names_that_are_no_text_are_shown(tmp_path: Path) -> None:
    """Also where the output takes nothing but UTF-8; the plan keeps the name with which the file is found."""
    for name in (b"caf\xe9.txt", b"caf\xc3\xa9.txt"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as text:
            text.write(b"a line\n")
    (tmp_path / "rules").write_bytes(b"caf\xc3 1\n")
    command = [sys.executable, "-m", "pystrat", "corpus", "plan", str(tmp_path), "--suffix", ".txt", "--sample", "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [*command, "--rules", str(tmp_path / "rules")], capture_output=True, env=environment, check=True
    )
    told = done.stdout.decode("utf-8")
    assert [line.split()[0] for line in told.splitlines()[1:3]] == ["café", "caf\\xe9"]
    assert "No rule covers caf\\xe9: left out." in told
    with pytest.warns(UserWarning, match=r"left out: 'caf\\xe9'\.$"):
        mixture = CorpusMixtureBatchSampler(tmp_path, 1, suffixes=[".txt"], sample=1, rules=tmp_path / "rules")
    assert mixture.plan.table()["file"].tolist() == ["café", "caf\udce9"]


def test_a_request_of_no_files_is_refused() -> None:
    nothing = {name: np.empty(0) for name in ("lines", "drawn", "kept")}
    with pytest.raises(ValueError, match="The 'lines' parameter must have numbers of lines of each file."):
        core.plan("mixture", {"batch_size": 8, "shuffle": True, "epoch_end": "sample"}, nothing, ())
