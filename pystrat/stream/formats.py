"""Readers of CSV files and of JSON lines, whose rows can also be held as texts that are parsed later.

A reader is a function that takes a source, such as the path of a file, and returns an iterable of its rows. For other
formats, use their libraries: for Parquet ``lambda path: pyarrow.parquet.read_table(path).to_pylist()``, for WebDataset
an iterator over the samples of a tar archive.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import os
from itertools import chain, islice
from typing import IO, Any, Callable, Iterator, Mapping, Optional, Protocol, Sequence, Union

from pystrat.entries import named_by_function
from pystrat.messages import count_of

PathLike = Union[str, "os.PathLike[str]"]
_OPENERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@named_by_function
def read_csv(path: PathLike) -> Iterator[dict[str, str]]:
    """Iterate over the rows of a CSV file with a header, as dicts of texts.

    Parameters
    ----------
    path : path
        A file in UTF-8; with the ending ``.gz``, ``.bz2`` or ``.xz`` it is read as compressed.

    Raises
    ------
    ValueError
        If two columns have the same name, or a line has a different number of fields than the header.
    OSError
        If the file cannot be read.

    Notes
    -----
    Fields follow RFC 4180, as Python's ``csv`` reads them in its strict mode: a quoted field may span lines.
    """
    with _open(path) as text:
        lines = csv.reader(text, strict=True)
        header = _header_of(lines)
        for line in lines:
            if len(line) != len(header):
                required, got = count_of(len(header), "field"), count_of(len(line), "field")
                raise ValueError(f"Line {lines.line_num} must have {required}. Got {got} instead.")
            yield dict(zip(header, line))


@named_by_function
def read_json_lines(path: PathLike) -> Iterator[Any]:
    """Iterate over the values of a file of JSON lines, one per line.

    Parameters
    ----------
    path : path
        A file in UTF-8; with the ending ``.gz``, ``.bz2`` or ``.xz`` it is read as compressed.

    Raises
    ------
    ValueError
        If a line is not valid JSON.
    OSError
        If the file cannot be read.
    """
    with _open(path) as text:
        yield from map(json.loads, text)


class Texts(Protocol):
    """The rows of a file as texts, which are much faster to hold in memory than parsed rows."""

    def chunks(self, size: int) -> Iterator[list[Any]]:
        """Iterate over the texts of the rows, one for each row, in lists of at most `size`."""

    def parse(self, texts: Sequence[Any]) -> list[Any]:
        """Return the rows of texts from `chunks`, in any order, as the reader returns them."""


def texts_of(read: Callable[[Any], Any], path: PathLike) -> Optional[Texts]:
    """Return the texts of a file if the reader is one of this module, else None."""
    return _CsvTexts(path) if read is read_csv else _JsonTexts(path) if read is read_json_lines else None


class _CsvTexts:
    """The rows of a CSV file as lines; from the first lines with a quote on, where fields may span lines, as fields."""

    def __init__(self, path: PathLike) -> None:
        self._path = path
        self._header: list[str] = []
        self._has_fields = False

    def chunks(self, size: int) -> Iterator[list[Any]]:
        with _open(self._path) as text:
            self._header = _header_of(csv.reader(text, strict=True))
            while lines := list(islice(text, size)):
                if '"' in "".join(lines):
                    break
                yield lines
            rest = csv.reader(chain(lines, text), strict=True)
            while fields := list(islice(rest, size)):
                self._has_fields = True
                yield fields

    def parse(self, texts: Sequence[Any]) -> list[Any]:
        header = self._header
        parsed: Iterator[list[str]] = csv.reader(texts, strict=True)
        if self._has_fields:
            parsed = (text if isinstance(text, list) else next(csv.reader([text], strict=True)) for text in texts)
        rows = [dict(zip(header, fields)) for fields in parsed if len(fields) == len(header)]
        if len(rows) < len(texts):
            raise ValueError("Each line must have as many fields as the header.")
        return rows


class _JsonTexts:
    """The values of a file of JSON lines, as lines."""

    def __init__(self, path: PathLike) -> None:
        self._path = path

    def chunks(self, size: int) -> Iterator[list[str]]:
        with _open(self._path) as text:
            while lines := list(islice(text, size)):
                yield lines

    def parse(self, texts: Sequence[str]) -> list[Any]:
        return list(map(json.loads, texts))


def _header_of(lines: Iterator[list[str]]) -> list[str]:
    """Return the first line of a CSV file, the names of its columns."""
    header: list[str] = next(lines, [])
    if not header or len(set(header)) < len(header):
        raise ValueError("The header must have a name of its own for each column.")
    return header


def _open(path: PathLike) -> IO[str]:
    opener = _OPENERS.get(os.path.splitext(os.fspath(path))[1], open)
    file: IO[str] = opener(path, mode="rt", encoding="utf-8-sig", newline="")  # without the byte order mark
    return file
