"""Tables from files: every line counts, and invalid content is refused by line or by file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pystrat.cli import main
from pystrat.tables import read_table

TEXT = 'id,sex,"with, comma"\n1,f,"a\nb"\n2,,NA\n3,m,"say ""x"""\n'


def written(folder: Path, content: "str | bytes", name: str = "table.csv") -> Path:
    file = folder / name
    file.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return file


def zipped(folder: Path, *members: str) -> bytes:
    with zipfile.ZipFile(folder / "made.zip", "w") as archive:
        for member in members:
            archive.writestr(member, TEXT)
    return (folder / "made.zip").read_bytes()


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zip"])
def test_a_file_is_read_compressed_or_not_and_refused_if_it_was_cut_short(suffix: str, tmp_path: Path) -> None:
    data = TEXT.encode("utf-8")
    packed = {"": data, ".gz": gzip.compress(data), ".bz2": bz2.compress(data), ".xz": lzma.compress(data)}
    content = zipped(tmp_path, "table.csv") if suffix == ".zip" else packed[suffix]
    table = read_table(written(tmp_path, content, f"table.csv{suffix}"))
    assert list(table.columns) == ["id", "sex", "with, comma"] and table["id"].tolist() == [1, 2, 3]
    assert table["sex"].isna().tolist() == [False, True, False]
    assert table["with, comma"].replace({np.nan: None}).tolist() == [
        "a\nb",
        None,
        'say "x"',
    ], "as pandas.read_csv reads them"
    for length in range(len(content) if suffix else 0):
        with pytest.raises(ValueError, match="cannot be decompressed, so it may be damaged|is empty"):
            read_table(written(tmp_path, content[:length], f"table.csv{suffix}"))


def test_an_archive_of_several_files_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, zipped(tmp_path, "a.csv", "b.csv"), "table.csv.zip")
    with pytest.raises(ValueError, match="it holds 2 files, and must hold one"):
        read_table(file)


def test_a_stata_file_is_read_and_a_damaged_one_refused(tmp_path: Path) -> None:
    file = tmp_path / "table.dta"
    pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_stata(file, write_index=False)
    assert read_table(file)["x"].tolist() == [1, 2]
    whole = file.read_bytes()
    for length in range(0, len(whole), 97):
        file.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="table.dta: cannot be read, so it may be damaged"):
            read_table(file)


def test_blank_lines_names_of_rows_and_long_columns_are_read_as_they_are(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "x\na\n\nb\n\n"))
    assert table["x"].fillna("missing").tolist() == ["a", "missing", "b", "missing"]
    table = read_table(written(tmp_path, '"","x"\n"1",3\n"2",4\n'))
    assert table["x"].tolist() == [3, 4], "a file of R has names of rows"
    values = [*map(str, range(300_000)), "text"]
    table = read_table(written(tmp_path, "x,y\n" + "\n".join(f"{value},1" for value in values)))
    assert set(map(type, table["x"])) == {str} and np.all(table["y"] == 1), "a column has one type, however long it is"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields, and the first line has 2"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2 has 3 fields, and the first line has 2"),
        ("a,b\n1,2\n\n3,4\n", "line 3 has 1 field, and the first line has 2"),
        ('a,b\n"x\ny",2\n3\n', "line 4 has 1 field, and the first line has 2"),
        ("a,b,a\n1,2,3\n", "must name each column once, and has 'a' twice"),
        ('a,b\n"1,2\n', "is not a line of a CSV file"),
        ('a,b\n"1"x,2\n', "line 2 is not a line of a CSV file"),
        ("a,b\n1,2\n0\0,3\n", "line 3 has a NUL"),
        (b"a,b\n1,\xff\n", "must be UTF-8, and the byte 6 is not"),
    ],
)
def test_what_would_shift_or_lose_rows_is_refused_by_line(content: "str | bytes", message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"table.csv: .*{message}"):
        read_table(written(tmp_path, content))


def test_an_output_never_overwrites_the_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "x\n" + "a\nb\n" * 5)
    (tmp_path / "link.csv").symlink_to(file)
    size = ["--strata", "x", "--min-samples-per-stratum", "1"]
    for command in (["batches", str(file), *size, "--out"], ["plan", str(file), *size, "--plot"]):
        for out in (file, tmp_path / "link.csv"):
            assert main([*command, str(out)]) == 2
            refused = f"The '{command[-1]}' option must not be a file that is read. Got '{out}' instead."
            assert refused in capsys.readouterr().err
    assert file.read_text() == "x\n" + "a\nb\n" * 5


def test_names_in_a_file_do_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "x\n" + "\x1b[31mred\nb\n" * 5)
    assert main(["plan", str(file), "--strata", "x", "--min-samples-per-stratum", "1"]) == 0
    assert main(["plan", str(file), "--strata", "\x1b[2J", "--min-samples-per-stratum", "1"]) == 2
    told = capsys.readouterr()
    assert "\\x1b[31mred" in told.out and "\\x1b[2J" in told.err and "\x1b" not in told.out + told.err
