"""Complete tables from files, or errors that name the invalid line."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Callable, Optional

from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, refused_value, show
from pystrat.regular_files import kind_of

_READERS = {".dta": "read_stata", ".parquet": "read_parquet", ".feather": "read_feather"}
_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zip": lambda data: _only_member(data),
}
_DAMAGED = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def read_table(path: Path, *, na_values: Optional[list[str]] = None, delimiter: str = ",") -> pd.DataFrame:
    """Read a table from a file: CSV, also compressed, Stata, or, with pyarrow, Parquet or Feather.

    Parameters
    ----------
    path : pathlib.Path
        The suffix determines the format: ``.csv``, optionally followed by ``.gz``, ``.bz2``, ``.xz`` or ``.zip``, or
        ``.dta``, ``.parquet`` or ``.feather``.
    na_values : list of str, optional
        The fields of a CSV file that are missing. By default those of ``pandas.read_csv``: empty ones, NA, NaN and
        others.
    delimiter : str, default ","
        The character between the fields of a CSV file.

    Returns
    -------
    pandas.DataFrame
        One row for each row of the file, in its order.

    Raises
    ------
    ValueError
        If the suffix is another one, the file is not a regular file, or is damaged; if a CSV file is not UTF-8, has a
        NUL, names a column twice, or has a line with more or fewer fields than the first one.
    ImportError
        If pandas needs a package that is not installed.
    OSError
        If the file cannot be opened.
    """
    suffixes = path.suffixes
    compression = "" if suffixes[-1:] == [".csv"] else suffixes[-1] if suffixes[-2:-1] == [".csv"] else "none"
    if path.suffix not in _READERS and compression not in _DECOMPRESS:
        known = ", ".join([".csv", *(f".csv{name}" for name in _DECOMPRESS if name), *_READERS])
        raise ValueError(f"{path}: the name must end in one of {known}.")
    kind = kind_of(path.stat())
    if kind != "regular file":
        raise ValueError(f"{path}: must be a regular file, not a {kind}.")
    if path.suffix in _READERS:
        return _read_with_pandas(path, _READERS[path.suffix])
    return _read_csv(path, compression, na_values, delimiter)


def _read_with_pandas(path: Path, reader: str) -> pd.DataFrame:
    with path.open("rb"):  # its error is better than that of a reader
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # pandas calls what newer releases of pyarrow deprecate
            table = getattr(pd, reader)(path)
    except ImportError as error:
        raise ImportError(f"{path}: to read it, pandas needs pyarrow, which is not installed.") from error
    except MemoryError:
        raise
    except Exception as error:  # readers raise various errors for a damaged file
        raise ValueError(f"{path}: cannot be read, so it may be damaged ({type(error).__name__}: {error}).") from error
    assert isinstance(table, pd.DataFrame)
    return table


def _read_csv(path: Path, compression: str, na_values: Optional[list[str]], delimiter: str) -> pd.DataFrame:
    if len(delimiter) != 1:
        raise refused_value("delimiter", "be one character", show(delimiter))
    data = path.read_bytes()
    try:
        text = _DECOMPRESS[compression](data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: must be UTF-8, and the byte {error.start} is not.") from error
    except _DAMAGED as error:
        raise ValueError(f"{path}: cannot be decompressed, so it may be damaged or cut short ({error}).") from error
    n_rows = _check_lines(text, path, delimiter)
    table = pd.read_csv(
        io.StringIO(text, newline=""),
        index_col=False,
        skip_blank_lines=False,
        keep_default_na=na_values is None,
        na_values=na_values,
        sep=delimiter,
        low_memory=False,  # else the type of a column could change within the file
    )
    if len(table) != n_rows:
        raise ValueError(f"{path}: has {count_of(n_rows, 'line')} of data, of which {len(table)} could be read.")
    return table


def _check_lines(text: str, path: Path, delimiter: str) -> int:
    """Return the number of rows below the header; refuse lines that pandas would shift, rename, fill in or drop."""
    if "\0" in text:
        raise ValueError(f"{path}: line {text.count(chr(10), 0, text.index(chr(0))) + 1} has a NUL, which is not text.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    n_rows, header = -1, list[str]()
    try:
        for fields in reader:
            fields = fields or [""]  # a blank line is one empty field
            if n_rows < 0:
                header = _check_header(fields, path)
            elif len(fields) != len(header):
                found, wanted = count_of(len(fields), "field"), len(header)
                raise ValueError(f"{path}: line {reader.line_num} has {found}, and the first line has {wanted}.")
            n_rows += 1
    except csv.Error as error:
        raise ValueError(f"{path}: line {reader.line_num} is not a line of a CSV file ({error}).") from error
    if n_rows < 0:
        raise ValueError(f"{path}: is empty.")
    return n_rows


def _check_header(names: list[str], path: Path) -> list[str]:
    seen = set[str]()
    for name in names:
        if name and name in seen:  # R writes row names into a column without a name
            raise ValueError(f"{path}: the first line must name each column once, and has '{name}' twice.")
        seen.add(name)
    return names


def _only_member(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.namelist()
        if len(members) != 1:
            raise ValueError(f"it holds {count_of(len(members), 'file')}, and must hold one")
        return archive.read(members[0])
