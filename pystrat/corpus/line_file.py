"""Random access to the lines of a text file, which detects changes of the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat._progress import progress
from pystrat.corpus._lines import WordCounter
from pystrat.messages import count_of
from pystrat.corpus.line_index import FileVersion, offsets_of
from pystrat.regular_files import check_regular, open_regular

_BLOCK = 1 << 22  # bytes of text that are scanned at a time


class LineFile:
    """The lines of a text file, by number.

    Only ``\\n`` ends a line; one ``\\r`` before it is not part of the line; a last line without ``\\n`` counts.

    Parameters
    ----------
    path : path
        A regular file of text in UTF-8, of any size.

    Raises
    ------
    ValueError
        If the path is anything else, such as a FIFO.
    OSError
        If the file cannot be read.

    Notes
    -----
    * Every read ends with a check of the file of that name: if its size, modification time or inode differs from that
      of its index, the read raises an error, and its lines are not returned.
    * The index is made if it is missing, damaged or of another version of the file. It is stored beside the text if
      that folder is writable, else in the user's cache folder, else in memory. It takes 8 bytes of memory per line.
    * Each process that reads opens the file itself, even after a fork, and threads may read at the same time. Lines are
      read by ``pread``: other processes would move a shared file position, and a memory map of a file that shrinks ends
      the process with a signal.
    * A pickle contains the path and the version of the file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = Path(path).absolute()
        check_regular(self.path, "path")
        self._open_index()

    def _open_index(self) -> None:
        self._name = os.fspath(self.path)  # system calls are faster with it than with a Path
        self._opened: Optional[_OpenFile] = None
        descriptor = open_regular(self.path)
        if descriptor is None:
            raise self._change()
        with open(descriptor, "rb") as text:
            self._version = FileVersion.of(os.fstat(descriptor))
            self._offsets = offsets_of(self.path, text, self._version)
            self._refuse_other(os.fstat(descriptor))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def version(self) -> str:
        """The version of the indexed file, as text that R has too: size, modification time and inode."""
        return f"{self._version.size} {self._version.modified} {self._version.inode}"

    def check(self) -> None:
        """Raise RuntimeError if the file of this name is not the one that was indexed."""
        try:
            status = os.stat(self._name)
        except FileNotFoundError:
            raise self._change() from None
        self._refuse_other(status)

    def line(self, number: int) -> str:
        """Return a line; see `lines`."""
        self._refuse_missing(number)
        found = self._read(self._own_file(), number)
        self.check()
        return self._decode(found, number)

    def lines(self, numbers: Sequence[int]) -> list[str]:
        """Return several lines, checking the version of the file once.

        Parameters
        ----------
        numbers : sequence of int
            From 0, in any order.

        Raises
        ------
        IndexError
            If a line does not exist.
        RuntimeError
            If the file has changed since it was indexed.
        ValueError
            If a line is not UTF-8; the message names the file and the line.
        """
        for number in numbers:
            self._refuse_missing(number)
        opened = self._own_file()
        found = [self._read(opened, number) for number in numbers]
        self.check()  # afterwards: what was read before a change is valid, and what was read after it is refused
        return [self._decode(line, number) for line, number in zip(found, numbers)]

    def word_counts(self) -> NDArray[np.int32]:
        """Return the number of words, separated by ASCII whitespace, in each line; shape (number of lines,).

        Raises
        ------
        RuntimeError
            If the file has changed since it was indexed.
        """
        opened = self._own_file()
        counter = WordCounter()
        begins = range(0, self._version.size, _BLOCK)
        found = [
            counter.take(os.pread(opened.descriptor, _BLOCK, begin))
            for begin in progress(begins, f"counting words of {self.path}", len(begins))
        ]
        counts: NDArray[np.int32] = np.concatenate([*found, counter.rest()])
        self.check()
        if len(counts) != len(self):  # the file was written to while it was read
            raise self._change()
        return counts

    def _refuse_missing(self, number: int) -> None:
        if not 0 <= number < len(self):
            raise IndexError(f"{self.path} has {count_of(len(self), 'line')}: there is no line {number + 1}.")

    def _read(self, opened: "_OpenFile", number: int) -> bytes:
        begin, end = int(self._offsets[number]), int(self._offsets[number + 1])
        found = os.pread(opened.descriptor, end - begin, begin)
        if len(found) != end - begin:
            raise RuntimeError(
                f"{self.path} became shorter while it was read: line {number + 1} is not there any more."
            )
        return found

    def _decode(self, line: bytes, number: int) -> str:
        if line.endswith(b"\n"):
            line = line[:-1]
            if line.endswith(b"\r"):
                line = line[:-1]
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}, line {number + 1}, is not UTF-8: {error}.") from None

    def _own_file(self) -> "_OpenFile":
        """Return the file, opened by this process.

        If several threads need it first at once, each opens it; the one that is stored last stays open.
        """
        opened = self._opened
        if opened is None or opened.process != os.getpid():
            opened = self._open()
            self._opened = opened
        return opened

    def _open(self) -> "_OpenFile":
        try:
            descriptor = open_regular(self.path)
        except FileNotFoundError:
            descriptor = None
        if descriptor is None:
            raise self._change()
        opened = _OpenFile(descriptor)
        self._refuse_other(os.fstat(descriptor))
        return opened

    def _refuse_other(self, status: os.stat_result) -> None:
        size, modified, inode = self._version
        if status.st_size != size or status.st_mtime_ns != modified or status.st_ino != inode:
            raise self._change()

    def _change(self) -> RuntimeError:
        return RuntimeError(
            f"{self.path} has changed since its lines were found (size, time of modification or inode). "
            "Make the sampler and the dataset anew."
        )

    def close(self) -> None:
        """Close the file once no thread reads it; the next read opens it again."""
        self._opened = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "_version": self._version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path = state["path"]
        self._open_index()
        told: FileVersion = state["_version"]
        if self._version != told:
            raise self._change()


class _OpenFile:
    """An open file and the process that opened it.

    It is closed when its last reader releases it. If a thread closed it while another one reads, the system could have
    given its descriptor to another file.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.process = os.getpid()

    def __del__(self) -> None:
        os.close(self.descriptor)
