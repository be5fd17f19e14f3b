"""Shuffled rows of CSV and JSON lines, which are held as texts: the same batches and errors as from parsed rows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.stream import SourceError, StratifiedStream, count_sources, formats, read_csv, read_json_lines
from pystrat.stream.reading import CHUNK

READERS: dict[str, Callable[[Any], Any]] = {".csv": read_csv, ".jsonl": read_json_lines}


def parsed(path: Path) -> Any:
    """Iterate over rows as our readers do, but without texts: the stream holds the rows."""
    yield from READERS["".join(path.suffixes[:1])](path)


def lines_of(n_rows: int, ending: str) -> list[str]:
    """Return the lines of a file of rows; every fourth is positive."""
    rows = [{"x": str(row), "label": "yes" if row % 4 == 0 else "no"} for row in range(n_rows)]
    if ending == ".jsonl":
        return [json.dumps(row) + "\n" for row in rows]
    return ["x,label\n", *(f"{row['x']},{row['label']}\n" for row in rows)]


def both(paths: list[Path], **options: Any) -> list[StratifiedStream]:
    """Return a stream whose rows are held as texts, and one whose rows are held as they are."""
    read = READERS["".join(paths[0].suffixes[:1])]
    options = {"stratum": "label", "seed": 1, **options}
    return [StratifiedStream(paths, 1, read=reader, **options) for reader in (read, parsed)]


def known(paths: list[Path], has_counts: bool) -> dict[str, Any]:
    return {"counts": count_sources(paths, read=parsed, stratum="label")} if has_counts else {"strata": ["no", "yes"]}


@pytest.mark.parametrize("has_counts", [True, False])
@pytest.mark.parametrize("ending", READERS)
def test_texts_and_rows_make_the_same_batches(tmp_path: Path, ending: str, has_counts: bool) -> None:
    paths = [tmp_path / f"{name}{ending}" for name in range(3)]
    for path, n_rows in zip(paths, [2 * CHUNK + 1, 1, CHUNK]):
        path.write_text("".join(lines_of(n_rows, ending)))
    for together in (1, 2):
        texts, rows = map(list, both(paths, shuffle_sources=together, **known(paths, has_counts)))
        assert texts == rows and sum(map(len, texts)) == 3 * CHUNK + 2
    for stream in both(paths[:1], strata=["no", "yes"], buffer_size=CHUNK):
        with pytest.raises(SourceError, match=f"Got {2 * CHUNK} instead: {2 * CHUNK} of its own wait to be shuffled"):
            list(stream)


fields = st.text(st.sampled_from("ab,\"'\n\r\\ ;ü"), max_size=4)


@given(
    rows=st.lists(st.tuples(st.sampled_from(["no", "yes"]), fields), min_size=1, max_size=12),
    header=st.lists(fields.filter(bool), min_size=1, max_size=1).filter(lambda names: names != ["label"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    first=st.integers(0, 6),
)
def test_any_csv_file_makes_the_same_batches(tmp_path: Path, rows: Any, header: Any, quoting: int, first: int) -> None:
    """Fields with quotes, delimiters and line ends, after chunks of lines without any."""
    path = tmp_path / "a.csv"
    plain = [("no", "plain")] * (first * CHUNK // 3)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["label", *header], *plain])
        csv.writer(file, quoting=quoting).writerows(rows)
    texts, parsed_rows = map(list, both([path], strata=sorted({row[0] for row in plain + rows})))
    assert texts == parsed_rows
    assert sum(map(len, texts)) == len(plain) + len(rows)


@pytest.mark.parametrize("method, error", [("texts", MemoryError), ("parse", MemoryError), ("parse", OSError)])
def test_a_lack_of_memory_is_no_failing_source(tmp_path: Path, method: str, error: type, monkeypatch: Any) -> None:
    def lack(*_: Any) -> Any:
        raise error

    path = tmp_path / "a.csv"
    path.write_text("".join(lines_of(8, ".csv")))
    monkeypatch.setattr(formats._CsvRows, method, lack)
    with pytest.raises(MemoryError if error is MemoryError else SourceError):  # also if its rows can then be read
        list(both([path], strata=["no", "yes"])[0])


def edited(place: int, line: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [*lines[:place], line, *lines[place + 1 :]]


NO_NAME = "Row 0 of .* ValueError: The header must have a name of its own for each column."


@pytest.mark.parametrize(
    "ending, broken, message",
    [
        (".csv", edited(7, "1,no,2\n"), "Row 6 of .* ValueError: Line 8 must have 2 fields. Got 3 fields instead."),
        (".csv", edited(7, '1,"no\n'), "Row 6 of .* Error: unexpected end of data"),
        (
            ".csv",
            edited(0, "x,lable\n"),
            "Row 0 of .* name one of the entries of the row, 'x', 'lable'. Got 'label' in",
        ),
        (".csv", edited(7, "1,nay\n"), "stratum of row 6 .* must be one of 'yes', 'no'. Got 'nay' instead."),
        (".csv", edited(7, ""), "must have 1026 rows of 'no', as its counts say. Got 1025 instead."),
        (".csv", edited(7, "1,yes\n"), "must have 342 rows of 'yes', as its counts say. Got at least 343 instead."),
        (".csv", lambda lines: [*lines, "1,no\n"], "must have 1026 rows of 'no', .* Got at least 1027 instead."),
        (".csv", lambda lines: [*lines, "1,no\n", '"'], "must have 1026 rows of 'no', .* Got at least 1027 instead."),
        (".csv", lambda lines: [], NO_NAME),
        (".csv", edited(900, "\udcff,no\n"), "Row .* UnicodeDecodeError: "),
        (".jsonl", edited(6, "no json\n"), "Row 6 of .* JSONDecodeError: Expecting value"),
        (".jsonl", edited(6, '{"x": 1}\n'), "Row 6 of .* one of the entries of the row, 'x'. Got 'label' instead."),
        (".jsonl", lambda lines: lines[:-1], "must have 1026 rows of 'no', as its counts say. Got 1025 instead."),
    ],
)
def test_texts_and_rows_fail_alike(
    tmp_path: Path, ending: str, broken: Callable[[list[str]], list[str]], message: str
) -> None:
    path, other, lines = tmp_path / f"a{ending}", tmp_path / f"b{ending}", lines_of(1368, ending)
    for file in (path, other):
        file.write_text("".join(lines))
    counts = known([path, other], True)["counts"]
    path.write_text("".join(broken(lines)), encoding="utf-8", errors="surrogateescape")
    alone, together = {"counts": counts.loc[[str(path)]]}, {"counts": counts, "shuffle_sources": 2}
    for stream in both([path], **alone) + both([path, other], **together):
        with pytest.raises(SourceError, match=message):
            list(stream)
    path.unlink()
    for stream in both([path], **alone) + both([path, other], **together):
        with pytest.raises(SourceError, match="Row 0 of .* FileNotFoundError"):
            list(stream)
