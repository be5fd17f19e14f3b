"""Writes plain vectors to a file that R's ``readRDS()`` reads, without R.

The format is R's serialization, version 2, in XDR ("R Internals", section 1.8).
"""

from __future__ import annotations

import gzip
import io
import struct
from typing import Any, Mapping

import numpy as np

_NIL, _SYMBOL, _PAIRLIST, _CHARACTERS = 254, 1, 2, 9
_INTEGER, _DOUBLE, _TEXT, _LIST, _RAW = 13, 14, 16, 19, 24
_HAS_ATTRIBUTES, _HAS_TAG = 1 << 9, 1 << 10
_UTF8, _ASCII = 1 << 15, 1 << 18
_ARRAYS = {"uint8": (_RAW, "u1"), "int32": (_INTEGER, ">i4"), "float64": (_DOUBLE, ">f8")}


def rds_bytes(values: Mapping[str, Any]) -> bytes:
    """Return a named list in the format of ``saveRDS()``; the same values give the same bytes.

    Parameters
    ----------
    values : mapping from str to value
        A value is another such mapping, a sequence of str, or an array of uint8, int32 or float64.
    """
    # Written by R 4.0.0, and readable from R 2.3.0 on.
    stream = io.BytesIO()
    stream.write(b"X\n" + struct.pack(">3i", 2, 0x040000, 0x020300))
    _write(stream, values)
    compressed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=compressed, mtime=0) as file:
        file.write(stream.getbuffer())
    return compressed.getvalue()


def _write(stream: io.BytesIO, value: Any) -> None:
    if isinstance(value, np.ndarray):
        kind, dtype = _ARRAYS[value.dtype.name]
        stream.write(struct.pack(">2i", kind, len(value)))
        stream.write(value.astype(dtype).tobytes())
    elif isinstance(value, Mapping):
        _write_list(stream, value)
    else:
        _write_text(stream, value)


def _write_list(stream: io.BytesIO, values: Mapping[str, Any]) -> None:
    stream.write(struct.pack(">2i", _LIST | (_HAS_ATTRIBUTES if values else 0), len(values)))
    for value in values.values():
        _write(stream, value)
    if values:  # their names are an attribute
        stream.write(struct.pack(">2i", _PAIRLIST | _HAS_TAG, _SYMBOL))
        _write_characters(stream, "names")
        _write_text(stream, list(values))
        stream.write(struct.pack(">i", _NIL))


def _write_text(stream: io.BytesIO, texts: Any) -> None:
    stream.write(struct.pack(">2i", _TEXT, len(texts)))
    for text in texts:
        _write_characters(stream, text)


def _write_characters(stream: io.BytesIO, text: str) -> None:
    encoded = text.encode("utf-8")
    stream.write(struct.pack(">2i", _CHARACTERS | (_ASCII if text.isascii() else _UTF8), len(encoded)))
    stream.write(encoded)
