"""Readers of CSV files and of JSON lines, from beginning to end. For other formats, use their libraries."""

from __future__ import annotations

import csv
import json
import os
from importlib import import_module
from typing import IO, Any, Iterator, Union

_MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstandard"}
PathLike = Union[str, "os.PathLike[str]"]


def read_csv(path: PathLike) -> Iterator[dict[str, str]]:
    """Iterate over the rows of a CSV file with a header, as dicts of texts; blank lines are left out.

    Fields follow RFC 4180, as Python's ``csv`` reads them in its strict mode. Each line has as many as the header.

    Parameters
    ----------
    path : path
        A file in UTF-8. One that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is read as compressed; the last one
        needs the package zstandard.
    """
    with _opened(path) as text:
        lines = csv.reader(text, strict=True)
        header: list[str] = next(lines, [])
        if not header or len(set(header)) < len(header):
            raise ValueError("The header must have a name of its own for each column.")
        for line in lines:
            if line and len(line) != len(header):
                raise ValueError(f"Line {lines.line_num} must have as many fields as the header, {len(header)}.")
            if line:
                yield dict(zip(header, line))


def read_json_lines(path: PathLike) -> Iterator[Any]:
    """Iterate over the values of a file of JSON lines, one per line; `path` and blank lines are as in `read_csv`."""
    with _opened(path) as text:
        for line in text:
            if not line.isspace():
                yield json.loads(line)


def _opened(path: PathLike) -> IO[str]:
    module = import_module(_MODULES.get(os.path.splitext(path)[1].lower(), "io"))
    file: IO[str] = module.open(path, mode="rt", encoding="utf-8-sig", newline="")  # without the byte order mark
    return file
