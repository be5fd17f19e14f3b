"""Any line of a text file at once.

The text is not mapped into memory: a process that reads from a map dies by a signal when the file shrinks, while
``pread`` says that there is less than expected. Nor is a handle shared between processes, whose reads would move each
other's place.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterable, Union

from pystrat.messages import count_of
from pystrat.corpus.line_index import FileVersion, offsets_of


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
            self._offsets = offsets_of(self.path, text, self._version)
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
