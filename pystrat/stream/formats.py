"""Readers of CSV files and of JSON lines.

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
from typing import IO, Any, Callable, Iterator, Mapping, Union

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
        header: list[str] = next(lines, [])
        if not header or len(set(header)) < len(header):
            raise ValueError("The header must have a name of its own for each column.")
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


def _open(path: PathLike) -> IO[str]:
    opener = _OPENERS.get(os.path.splitext(os.fspath(path))[1], open)
    file: IO[str] = opener(path, mode="rt", encoding="utf-8-sig", newline="")  # without the byte order mark
    return file
