"""Readers, and what goes wrong in a source: the message names source and row, and nothing else is lost."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import re
import sys
import tarfile
import weakref
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader, get_worker_info

from pystrat.stream import SourceError, StratifiedStream, count_sources, read_csv, read_json_lines
from tests.training_libraries import installed

ROWS = [{"label": "yes" if row % 3 == 0 else "no", "text": f'line "{row}",\nand ü'} for row in range(12)]
DOCUMENT = Path(__file__).parents[2] / "docs" / "streams.md"


def write_csv(path: Path) -> Path:
    pd.DataFrame(ROWS).to_csv(path, index=False)
    return path


def write_json(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def stream_of(sources: Any, strata: Any, stratum: Any = "label", **given: Any) -> StratifiedStream:
    """Return a stream of sources that are lists of rows."""
    return StratifiedStream(sources, 1, **{"read": iter, "stratum": stratum, "strata": strata, **given})


@pytest.mark.parametrize("read, write", [(read_csv, write_csv), (read_json_lines, write_json)])
def test_rows_of_a_file_are_read_as_they_were_written(tmp_path: Path, read: Any, write: Any) -> None:
    path = write(tmp_path / "rows")
    assert list(read(path)) == ROWS == list(read(os.fspath(path)))
    path.write_bytes(path.read_bytes() + b"\n\n")
    assert list(read(path)) == ROWS, "blank lines at the end"
    marked = tmp_path / "marked"
    marked.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert list(read(marked)) == ROWS, "a byte order mark, as Excel writes it"
    for ending, module in {".gz": gzip, ".GZ": gzip, ".bz2": bz2, ".xz": lzma, ".zst": gzip}.items():
        packed = tmp_path / f"rows{ending}"
        with module.open(packed, "wb") as file:  # type: ignore[attr-defined]
            file.write(path.read_bytes())
        with mock.patch.dict(sys.modules, zstandard=gzip):  # which opens files as zstandard does
            assert list(read(packed)) == ROWS
    with contextlib.closing(read(path)) as rows:
        assert next(rows) == ROWS[0]
    for text, message in (
        ("", "header"),
        ("a,a\n1,2\n", "header"),
        ("a,b\n1,2\n1,2,3\n", "Line 3 must have as many fields as the header, 2."),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            list(read_csv(path))
    with pytest.raises(ImportError, match="zstandard"):
        with mock.patch.dict(sys.modules, zstandard=None):
            list(read(tmp_path / "rows.zst"))


def divided(rows: Any) -> Any:
    """Read the part of a worker, as webdataset and streaming datasets of Hugging Face do."""
    info: Any = get_worker_info()  # type: ignore[no-untyped-call]
    return rows if info is None else rows[info.id :: info.num_workers]


def test_counts_reveal_a_reader_that_divides_rows_among_workers() -> None:
    sources = {name: [row % 5 == 0 for row in range(40)] for name in "abcd"}
    counts = count_sources(sources, read=divided, stratum=bool)
    stream = stream_of(sources, None, bool, read=divided, counts=counts, lanes=2, seed=1)
    loader = DataLoader(stream, batch_size=None, collate_fn=list, num_workers=2)
    with pytest.raises(RuntimeError, match="A reader returns the same rows in every worker."):
        list(loader)


def write_tar(path: Path, rows: range) -> None:
    with tarfile.open(path, "w") as archive:
        for row in rows:
            text = str(int(row % 5 == 0)).encode()
            entry = tarfile.TarInfo(f"{row:04d}.cls")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))


@installed("webdataset")
@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")  # it closes none
@pytest.mark.parametrize("workers", [0, 2])
def test_the_reader_of_tar_archives(workers: int, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    (code,) = re.findall(r"```text\n(import webdataset.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(code, names)
    paths = [str(tmp_path / f"{part}.tar") for part in range(4)]
    for part, path in enumerate(paths):
        write_tar(Path(path), range(40 * part, 40 * part + 40))
    given: dict[str, Any] = {"read": names["read_tar"], "stratum": "cls"}
    counts = count_sources(paths, **given)
    stream = StratifiedStream(paths, 2, counts=counts, lanes=2, seed=1, **given)
    options: dict[str, Any] = {"multiprocessing_context": "fork"} if workers else {}
    loader = DataLoader(stream, batch_size=None, collate_fn=list, num_workers=workers, **options)
    assert sorted(int(row["__key__"]) for batch in loader for row in batch) == list(range(160))


@pytest.mark.parametrize("n_workers, is_counted", [(0, True), (0, False), (1, True)])
def test_a_row_that_cannot_be_read_is_named_and_the_epoch_goes_on_once_it_can(
    tmp_path: Path, n_workers: int, is_counted: bool
) -> None:
    paths = [write_json(tmp_path / f"{name}.jsonl") for name in "abc"]
    known: dict[str, Any] = {"strata": ["no", "yes"]}
    if is_counted:
        known = {"counts": count_sources(paths, read=read_json_lines, stratum="label")}

    def stream() -> StratifiedStream:
        return StratifiedStream(paths, 1, read=read_json_lines, stratum="label", shuffle=False, seed=1, **known)

    whole = list(stream())
    good = paths[1].read_text(encoding="utf-8")
    lines = good.splitlines(keepends=True)
    paths[1].write_text("".join(lines[:5]) + "no json\n" + "".join(lines[6:]), encoding="utf-8")
    broken, resumed, taken = stream(), stream(), []
    iterator = iter(DataLoader(broken, batch_size=None, collate_fn=list, num_workers=n_workers))
    for _ in range(1 if n_workers else 3):
        with pytest.raises(SourceError, match=r"The source '.*b.jsonl' cannot be read at row 5. JSONDecodeError: E"):
            for batch in iterator:
                taken.append(batch)
    resumed.set_epoch(0, len(taken))
    paths[1].write_text(good, encoding="utf-8")
    assert taken and taken + list(resumed) == whole
    assert n_workers or taken + list(iterator) == whole, "the same batch is read again"


class Ended:
    """A row whose stratum raises StopIteration, as ``next(...)`` of an iterator without items does."""

    def __getitem__(self, key: str) -> Any:
        raise StopIteration


NO = {"label": "no"}


@pytest.mark.parametrize(
    "read, message",
    [
        (open, "The source 'gone' cannot be read at row 0. FileNotFoundError: "),
        (lambda source: [NO, {"lable": "no"}], "at row 1. KeyError: 'label'"),
        (lambda source: [NO] * 1300 + [{"label": "nay"}], "stratum of row 1300 .* one of 'no', 'yes'. Got 'nay' inst"),
        (lambda source: [NO, {"label": ["no", "no"]}], "stratum of row 1 .* one of 'no', 'yes'. Got 2 values"),
        (lambda source: [NO, {"label": None}], "stratum of row 1 .* Got 'NA' instead"),
        (lambda source: [NO, {"label": True}], "stratum of row 1 .* Got 'TRUE' instead"),
        (lambda source: [NO, {"label": 0.1 + 0.2}], "stratum of row 1 .* Got '0.30000000000000004' instead"),
        (lambda source: [NO, Ended(), NO], "at row 1. StopIteration"),
    ],
)
def test_what_is_wrong_in_a_source_is_told_with_its_row(read: Any, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        list(StratifiedStream(["gone"], 1, read=read, stratum="label", strata=["no", "yes"]))
    if "stratum of row" not in message:  # any other stratum is counted
        with pytest.raises(SourceError, match=message):
            count_sources(["gone"], read=read, stratum="label")


def test_strata_are_known_by_their_names_whatever_their_type() -> None:
    """Counts of a query have texts or numbers; rows have what the reader makes of them."""
    values: list[list[Any]] = [[0, 1], [0.0, 1.0], ["0", "1"], [np.int64(0), np.float32(1)]]
    for rows in values:
        assert list(stream_of({"a": rows}, ["0", "1"], lambda row: row, shuffle=False)) == [rows]
    assert len(list(stream_of({"a": [True, False]}, [False, True], bool))) == 1
    tensors: Any = weakref.WeakSet()

    def tensor(row: int) -> Any:
        tensors.add(stratum := torch.tensor(row % 2))
        return stratum

    most = max(len(tensors) for _ in stream_of({"a": range(5000)}, [0, 1], tensor, shuffle=False))
    assert 0 < most < 2500  # they are not kept


def test_sources_in_a_dict_have_its_names_and_may_have_no_rows() -> None:
    rows = {"a": iter, "b": iter}  # functions, of which nothing but the name is the same in another process
    known = {"read": lambda source: source([0, 1]), "stratum": int}
    counts = count_sources(rows, **known)
    assert counts.to_dict("index") == {"a": {0: 1, 1: 1}, "b": {0: 1, 1: 1}}
    stream = StratifiedStream(rows, 1, counts=counts, seed=1, **known)
    assert [sorted(batch) for batch in stream] == [[0, 1], [0, 1]]
    none = count_sources({"b": [], "a": []}, read=iter, stratum=str)
    assert none.shape == (2, 0) and none.index.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="must have at least one row of data. Got none instead."):
        stream_of({"b": [], "a": []}, None, str, counts=none)
    counts = count_sources({"a": [0, 1], "b": []}, read=iter, stratum=int)
    message = "'b' must have 0 rows of '1', as its counts say. Got 1"
    for other, told in ([1], message), (None, "cannot be read"):
        with pytest.raises(SourceError, match=told):
            list(stream_of({"a": [0, 1], "b": other}, None, int, counts=counts))
