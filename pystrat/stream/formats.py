"""Readers of CSV files and of JSON lines, whose rows can also be held as texts that are parsed later.

Files are read from beginning to end, so they may be compressed and need no line index.

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
from abc import abstractmethod
from inspect import GEN_CREATED, getgeneratorstate
from itertools import islice, repeat
from operator import contains
from typing import IO, Any, Callable, Generator, Iterator, Mapping, Sequence, Union

from pystrat.messages import count_of

PathLike = Union[str, "os.PathLike[str]"]
_OPENERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


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
    return _CsvRows(path)


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
    return _JsonRows(path)


class FileRows(Iterator[Any]):
    """The rows of a file, which can also be read as texts: texts are much faster to hold in memory than parsed rows.

    A generator that does not refer to this object reads the rows, so that the file is closed as soon as neither of them
    is used.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = path
        self._rows = self._read(path)

    def __iter__(self) -> Iterator[Any]:
        return self._rows  # faster than calls of __next__

    def __next__(self) -> Any:
        return next(self._rows)

    def close(self) -> None:
        """Close the file, as that of a generator."""
        self._rows.close()

    @staticmethod
    @abstractmethod
    def _read(path: PathLike) -> Generator[Any, None, None]:
        """Iterate over the rows."""

    def texts(self, size: int) -> Iterator[list[str]]:
        """Iterate over the texts of the rows, one for each row, in lists of at most `size`.

        Raises an error if the rows cannot be read as texts, or not only as texts.
        """
        if getgeneratorstate(self._rows) != GEN_CREATED or not os.path.isfile(self._path):
            raise ValueError("Rows have been read, or the source can be read only once.")
        with _open(self._path) as text:
            yield from self._texts_of(text, size)

    def _texts_of(self, text: IO[str], size: int) -> Iterator[list[str]]:
        while lines := list(islice(text, size)):
            yield lines

    @abstractmethod
    def parse(self, texts: Sequence[str]) -> list[Any]:
        """Return the rows of texts, in any order, after all texts have been read."""


class _CsvRows(FileRows):
    """Texts are lines. A file with quotes has none, because its fields may span lines."""

    @staticmethod
    def _read(path: PathLike) -> Generator[dict[str, str], None, None]:
        with _open(path) as text:
            lines = csv.reader(text, strict=True)
            header = _header_of(lines)
            for line in lines:
                if len(line) != len(header):
                    required, got = count_of(len(header), "field"), count_of(len(line), "field")
                    raise ValueError(f"Line {lines.line_num} must have {required}. Got {got} instead.")
                yield dict(zip(header, line))

    def _texts_of(self, text: IO[str], size: int) -> Iterator[list[str]]:
        self._header = _header_of(csv.reader(text, strict=True))
        for lines in super()._texts_of(text, size):
            if any(map(contains, lines, repeat('"'))):
                raise ValueError("A line has a quote.")
            yield lines

    def parse(self, texts: Sequence[str]) -> list[Any]:
        header = self._header
        rows = [dict(zip(header, fields)) for fields in csv.reader(texts, strict=True) if len(fields) == len(header)]
        if len(rows) < len(texts):
            raise ValueError("Each line must have as many fields as the header.")
        return rows


class _JsonRows(FileRows):
    """Texts are lines."""

    @staticmethod
    def _read(path: PathLike) -> Generator[Any, None, None]:
        with _open(path) as text:
            yield from map(json.loads, text)

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
