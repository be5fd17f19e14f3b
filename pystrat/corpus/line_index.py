"""Where the lines of a text file begin: found once, and kept in an index of 8 bytes a line.

An index is a file, mapped into memory, beside the text or in the user's cache folder.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat._progress import progress
from pystrat.corpus._draws import hash_of_bytes, line_begins

INDEX_SUFFIX = ".pystrat-lines"
_MAGIC = b"pystrat lines 1\n"
_HEAD = np.dtype([("magic", "S16"), ("size", "<i8"), ("modified", "<i8"), ("inode", "<u8"), ("lines", "<i8")])
_BLOCK = 1 << 22  # bytes of text that are looked through at a time


@dataclass(frozen=True)
class FileVersion:
    """What tells that a file is the one that was indexed."""

    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileVersion":
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


def cache_folder() -> Optional[Path]:
    """Return the user's cache folder for indices of files whose own folder cannot be written to; None without home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "pystrat" / "lines" if os.path.isabs(base) else None


def offsets_of(path: Path, text: BinaryIO, version: FileVersion) -> NDArray[np.int64]:
    """Return where the lines begin, and where the last one ends."""
    places = [path.with_name(f".{path.name}{INDEX_SUFFIX}")]
    folder = cache_folder()
    if folder is not None:
        places.append(folder / f"{hash_of_bytes(os.fsencode(path)):016x}{INDEX_SUFFIX}")
    for place in places:
        offsets = _read_index(place, version)
        if offsets is not None:
            return offsets
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            _write_index(place, text, version)
        except OSError:
            continue
        offsets = _read_index(place, version)
        if offsets is not None:
            return offsets
    return np.concatenate(list(_blocks_of_offsets(text)))


def _read_index(place: Path, version: FileVersion) -> Optional[NDArray[np.int64]]:
    """Map an index into memory; None where it is missing, broken or of another version of the file."""
    try:
        with open(place, "rb") as file:
            head = np.fromfile(file, dtype=_HEAD, count=1)
            told = [head[field].tolist() for field in _HEAD.names or ()] if len(head) else []
            expected = [[_MAGIC], [version.size], [version.modified], [version.inode]]
            if told[:4] != expected or os.fstat(file.fileno()).st_size != _HEAD.itemsize + 8 * (told[4][0] + 1):
                return None
            # As a plain array, of which a number is read several times faster.
            offsets: NDArray[np.int64] = np.memmap(file, "<i8", "r", _HEAD.itemsize).view(np.ndarray)
            return offsets
    except OSError:
        return None


def _write_index(place: Path, text: BinaryIO, version: FileVersion) -> None:
    """Write an index aside, without holding it in memory, and rename it into place."""
    descriptor, aside = tempfile.mkstemp(prefix=".", suffix=INDEX_SUFFIX, dir=place.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(bytes(_HEAD.itemsize))
            count = 0
            for block in _blocks_of_offsets(text):
                block.astype("<i8").tofile(file)
                count += len(block)
            head = (_MAGIC, version.size, version.modified, version.inode, count - 1)
            file.seek(0)
            np.array([head], dtype=_HEAD).tofile(file)
        os.chmod(aside, os.fstat(text.fileno()).st_mode & 0o666)
        os.replace(aside, place)
    except BaseException:
        os.unlink(aside)
        raise


def _blocks_of_offsets(text: BinaryIO) -> Iterator[NDArray[np.int64]]:
    """Yield where lines begin, and at last where the file ends, unless a line that begins there was never written."""
    text.seek(0)
    yield np.zeros(1, dtype=np.int64)
    read = 0
    block = b"\n"
    n_blocks = -(-os.fstat(text.fileno()).st_size // _BLOCK)
    for block in progress(iter(lambda: text.read(_BLOCK), b""), f"finding lines of {text.name}", n_blocks):
        yield line_begins(block, read)
        read += len(block)
    if not block.endswith(b"\n"):
        yield np.array([read], dtype=np.int64)
