"""Any line of a text file at once: where its lines begin, found once, and the lines read from there.

An index is a file of 8 bytes a line, mapped into memory, beside the text or in the user's cache folder. The text itself
is not mapped: a process that reads from a map dies by a signal when the file shrinks, while ``pread`` says that there
is less than expected. Nor is a handle shared between processes, whose reads would move each other's place.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Iterable, Iterator, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.messages import count_of
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


class LineFile:
    """The lines of a text file, by number.

    Only ``\\n`` ends a line; one ``\\r`` before it is no part of the line; a last line without ``\\n`` counts.

    Parameters
    ----------
    path : path
        A file of text in UTF-8, of any size.

    Raises
    ------
    OSError
        Where the file cannot be read.

    Notes
    -----
    * The index is made when it is missing or of another version of the file (size, time of modification, inode), beside
      the text where that folder can be written to, else in the user's cache folder, else in memory. It is written aside
      and renamed into place, so that no process sees half of one.
    * Each process that reads opens the file for itself, also after a fork, and refuses it if it has changed.
    * Pickled, it is its path and the version of the file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = Path(path).absolute()
        self._open_index()

    def _open_index(self) -> None:
        with open(self.path, "rb") as text:
            self._version = FileVersion.of(os.fstat(text.fileno()))
            self._offsets = _offsets_of(self.path, text, self._version)
            self._refuse_other(os.fstat(text.fileno()))
        # By process, since a fork inherits those of its parent. Threads change it in single steps of a dict.
        self._descriptors: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def version(self) -> str:
        """The version of the file that was indexed, as text that R has too: size, time of modification and inode."""
        return f"{self._version.size} {self._version.modified} {self._version.inode}"

    def check(self) -> None:
        """Raise RuntimeError where the file is not the one that was indexed."""
        self._refuse_other(os.stat(self.path))

    def line(self, number: int) -> str:
        """Return a line.

        Parameters
        ----------
        number : int
            From 0.

        Raises
        ------
        IndexError
            Where there is no such line.
        RuntimeError
            Where the file has changed since it was indexed.
        ValueError
            Where the line is not UTF-8; the message names the file and the line.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"{self.path} has {count_of(len(self), 'line')}: there is no line {number + 1}.")
        begin, end = int(self._offsets[number]), int(self._offsets[number + 1])
        found = os.pread(self._own_descriptor(), end - begin, begin)
        if len(found) != end - begin:
            raise RuntimeError(
                f"{self.path} became shorter while it was read: line {number + 1} is not there any more."
            )
        if found.endswith(b"\n"):
            found = found[:-1]
            if found.endswith(b"\r"):
                found = found[:-1]
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}, line {number + 1}, is not UTF-8: {error}.") from None

    def _own_descriptor(self) -> int:
        """Return this process's descriptor of the file."""
        process = os.getpid()
        descriptor = self._descriptors.get(process)
        if descriptor is None:
            self._close(other for other in list(self._descriptors) if other != process)  # what a fork inherited
            opened = os.open(self.path, os.O_RDONLY)
            try:
                self._refuse_other(os.fstat(opened))
                descriptor = self._descriptors.setdefault(process, opened)
            finally:
                if descriptor != opened:  # refused, or another thread was first
                    os.close(opened)
        return descriptor

    def _refuse_other(self, status: os.stat_result) -> None:
        if FileVersion.of(status) != self._version:
            raise RuntimeError(
                f"{self.path} has changed since its lines were found (size, time of modification or inode). "
                "Make the sampler and the dataset anew."
            )

    def close(self) -> None:
        """Close the descriptors, opened here or inherited by a fork; the next read opens the file again."""
        self._close(list(self._descriptors))

    def _close(self, processes: Iterable[int]) -> None:
        for process in processes:
            descriptor = self._descriptors.pop(process, None)
            if descriptor is not None:
                os.close(descriptor)

    def __del__(self) -> None:
        if hasattr(self, "_descriptors"):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "_version": self._version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path = state["path"]
        self._open_index()
        told: FileVersion = state["_version"]
        found, self._version = self._version, told
        if found != told:
            self._refuse_other(os.stat(self.path))


def cache_folder() -> Optional[Path]:
    """Return the user's cache folder for indices of files whose own folder cannot be written to; None without home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "pystrat" / "lines" if os.path.isabs(base) else None


def _offsets_of(path: Path, text: BinaryIO, version: FileVersion) -> NDArray[np.int64]:
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
