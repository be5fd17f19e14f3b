"""The beginnings of the lines of a text file: found once, and stored in an index of 8 bytes per line.

An index is a file beside the text, or in the user's cache folder. It is read into memory and checked as a whole. It is
not memory-mapped, because a process that reads from a map is ended by a signal if the file shrinks.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Iterator, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat._progress import progress
from pystrat.corpus._lines import (
    INDEX_HEAD_SIZE,
    TEXT_END_SIZE,
    IndexCheck,
    hash_of_bytes,
    index_head,
    line_begins,
    read_index_head,
)
from pystrat.regular_files import open_regular

INDEX_SUFFIX = ".pystrat-lines"
_BLOCK = 1 << 22  # bytes of text that are scanned at a time
_CHECKED = 1 << 18  # numbers of an index that are checked at a time, so that interrupts are handled in between


class FileVersion(NamedTuple):
    """What changes if a file is replaced or written to."""

    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileVersion":
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


def cache_folder() -> Optional[Path]:
    """Return the user's cache folder for indices of files in read-only folders; None without a home folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "pystrat" / "lines" if os.path.isabs(base) else None


def offsets_of(path: Path, text: BinaryIO, version: FileVersion) -> NDArray[np.int64]:
    """Return the beginnings of the lines of an open text, and the end of the last one.

    They are read from an index if there is one of this version of the text; otherwise an index is made and, if
    possible, stored.
    """
    text_hash = _hash_of_ends(text, version.size)
    places = [path.with_name(f".{path.name}{INDEX_SUFFIX}")]
    folder = cache_folder()
    if folder is not None:
        places.append(folder / f"{hash_of_bytes(os.fsencode(path)):016x}{INDEX_SUFFIX}")
    for place in places:
        offsets = _read_index(place, version, text_hash)
        if offsets is not None:
            return offsets
    for place in places:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(place)
            _write_index(place, text, version, text_hash)
            offsets = _read_index(place, version, text_hash)
            if offsets is not None:
                return offsets
    return np.concatenate(list(_blocks_of_offsets(text)))


def _hash_of_ends(text: BinaryIO, size: int) -> int:
    """Return a hash of the first and the last bytes, which detects most changes that preserve the version of a file."""
    descriptor = text.fileno()
    first = os.pread(descriptor, TEXT_END_SIZE, 0)
    return hash_of_bytes(first + os.pread(descriptor, TEXT_END_SIZE, max(size - TEXT_END_SIZE, 0)))


def _read_index(place: Path, version: FileVersion, text_hash: int) -> Optional[NDArray[np.int64]]:
    """Read an index; None if it is missing, damaged or of another text."""
    try:
        descriptor = open_regular(place)
        if descriptor is None:
            return None
        with open(descriptor, "rb") as file:
            head = read_index_head(file.read(INDEX_HEAD_SIZE), os.fstat(descriptor).st_size)
            if head is None or head != _head_of(version, text_hash, head["n_lines"], head["number_hash"]):
                return None
            numbers = np.fromfile(file, "<i8", head["n_lines"] + 1)
    except OSError:
        return None
    return numbers.astype(np.int64, copy=False) if _is_whole(numbers, head) else None


def _is_whole(numbers: NDArray[np.int64], head: dict[str, int]) -> bool:
    """Return whether these are the numbers of an index with this head."""
    check = IndexCheck()
    for begin in range(0, len(numbers), _CHECKED):
        check.take(numbers[begin : begin + _CHECKED].view(np.uint8))
    return check.is_whole(head)


def _head_of(version: FileVersion, text_hash: int, n_lines: int, number_hash: int) -> dict[str, int]:
    return {**version._asdict(), "n_lines": n_lines, "text_hash": text_hash, "number_hash": number_hash}


def _write_index(place: Path, text: BinaryIO, version: FileVersion, text_hash: int) -> None:
    """Write an index to a temporary file, without holding it in memory, and rename it: no process sees half of one."""
    with _file_aside(place) as (file, aside):
        file.write(bytes(INDEX_HEAD_SIZE))
        check = IndexCheck()
        for block in _blocks_of_offsets(text):
            numbers = block.astype("<i8", copy=False).view(np.uint8)
            check.take(numbers)
            file.write(numbers.data)
        file.seek(0)
        file.write(index_head(_head_of(version, text_hash, check.n_lines, check.hash)))
        file.flush()
        os.fsync(file.fileno())  # raises an error if the disk is full and the file system noticed that late
        os.chmod(aside, os.fstat(text.fileno()).st_mode & 0o666)
        os.replace(aside, place)


@contextmanager
def _file_aside(place: Path) -> Iterator[tuple[BinaryIO, str]]:
    """Make a temporary file to be renamed to `place`, and lock it while it is written; delete it after an exception."""
    descriptor, aside = tempfile.mkstemp(prefix=f"{place.name}.", suffix=INDEX_SUFFIX, dir=place.parent)
    with open(descriptor, "wb") as file:
        try:
            _lock(descriptor)
            yield file, aside
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(aside)
            raise


def _remove_abandoned(place: Path) -> None:
    """Delete the temporary files of killed processes that were writing the index of `place`: those without a lock."""
    with os.scandir(place.parent) as entries:
        names = [entry.name for entry in entries]
    for name in names:
        if name.startswith(f"{place.name}.") and name.endswith(INDEX_SUFFIX):
            aside = place.with_name(name)
            with suppress(OSError):  # it belongs to another user, or another process deleted it
                descriptor = open_regular(aside)
                if descriptor is not None:
                    with open(descriptor, "rb"):
                        if _lock(descriptor):
                            os.unlink(aside)


def _lock(descriptor: int) -> bool:
    """Lock an open file against other processes until it is closed; return whether that was possible.

    The system releases the lock of a killed process.
    """
    import fcntl  # missing on Windows, where this module is imported but no text is read

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # already locked, or the file system has no locks
        return False
    return True


def _blocks_of_offsets(text: BinaryIO) -> Iterator[NDArray[np.int64]]:
    """Yield the beginnings of lines, and finally the end of the file, unless an empty last line begins there."""
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
