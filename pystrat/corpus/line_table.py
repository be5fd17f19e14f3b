"""Files of text as one numbering of lines, with random access to any of them."""

from __future__ import annotations

import os
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Iterator, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat._progress import progress
from pystrat.corpus.files import Found
from pystrat.messages import count_of, refused_value
from pystrat.regular_files import kind_of

BLOCK = 1 << 22  # bytes of text that are read at a time
_IS_BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_BEGINNINGS = {
    b"\x1f\x8b": "compressed file",
    b"BZh": "compressed file",
    b"\xfd7zXZ": "compressed file",
    b"\x28\xb5\x2f\xfd": "compressed file",
    b"PK\x03\x04": "compressed file",
    b"\xff\xfe": "UTF-16 file",
    b"\xfe\xff": "UTF-16 file",
}


class LineTable:
    """The lines of files, numbered file after file, from 0.

    Only a newline ends a line; one ``\\r`` before it is dropped; a last line without a newline counts. Files may be
    larger than memory, of which a line takes 8 bytes per side. A read opens the files that it needs, in whatever
    process or thread, and ends with a check: if the size or the modification time of a file differs from that at the
    beginning, a RuntimeError names the file, and no line of it is returned.

    Parameters
    ----------
    found : sequence of Found
        Files that belong together line by line, one for each side.

    Attributes
    ----------
    found : sequence of Found
    counts : list of int
        The number of lines of each file.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self.found = found
        for each in found:
            for path, parameter in zip(each.paths, each.parameters):
                kind = kind_of(os.stat(path))
                if kind != "regular file":
                    raise refused_value(parameter, "have regular files", f"the {kind} '{path}'")
        self._paths = [[str(path) for path in each.paths] for each in found]
        self._versions = [[_version(path) for path in paths] for paths in self._paths]
        self._offsets = [[_offsets(path, name) for path, name in zip(each.paths, each.parameters)] for each in found]
        self.check()
        self.counts = [len(sides[0]) - 1 for sides in self._offsets]
        self._ends = list(accumulate(self.counts))
        for each, sides in zip(found, self._offsets):
            for path, parameter, side in zip(each.paths, each.parameters, sides):
                if len(side) != len(sides[0]):
                    required = "have parallel files with the same number of lines"
                    here, there = count_of(len(sides[0]) - 1, "line"), count_of(len(side) - 1, "line")
                    raise refused_value(parameter, required, f"{here} in '{each.paths[0]}' and {there} in '{path}'")

    def __len__(self) -> int:
        return self._ends[-1]

    def find(self, line: int) -> tuple[int, int]:
        """Return the file of a line and its number in it, both from 0."""
        file = bisect_right(self._ends, line)
        return file, line - (self._ends[file - 1] if file else 0)

    def read(self, lines: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the text of lines, each with one entry for each side."""
        places: dict[int, list[tuple[int, int]]] = {}
        for place, line in enumerate(lines):
            file, number = self.find(line)
            places.setdefault(file, []).append((place, number))
        texts: list[tuple[str, ...]] = [()] * len(lines)
        for file, wanted in places.items():
            numbers = [number for _, number in wanted]
            sides = [self._read(file, side, numbers) for side in range(len(self._offsets[file]))]
            for (place, _), text in zip(wanted, zip(*sides)):
                texts[place] = text
        return texts

    def _read(self, file: int, side: int, numbers: Sequence[int]) -> list[str]:
        offsets = self._offsets[file][side]
        path = self._paths[file][side]
        parts = []
        with open(path, "rb", buffering=0) as text:
            for number in numbers:
                begin = offsets.item(number)
                text.seek(begin)
                parts.append(text.read(offsets.item(number + 1) - begin))
        if _version(path) != self._versions[file][side]:  # what was read before a change is valid, but not after it
            raise _changed(path)
        return [_decoded(part, path, number) for part, number in zip(parts, numbers)]

    @property
    def versions(self) -> list[list[str]]:
        """For each file, the size and the modification time of each side, as text that R has too."""
        return [[f"{each[0]} {each[1]:.6f}" for each in sides] for sides in self._versions]

    def in_order(self, lines: NDArray[np.int64], description: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield lines with their numbers, under a progress bar."""
        begins = range(0, len(lines), 4096)
        for begin in progress(begins, description, len(begins)):
            numbers = lines[begin : begin + 4096].tolist()
            yield from zip(numbers, self.read(numbers))

    def word_counts(self) -> NDArray[np.int32]:
        """Return the number of words, separated by ASCII whitespace, of each side of each line; shape (n, sides)."""
        found = []
        for each, sides in zip(progress(self.found, "counting words", len(self.found)), self._offsets):
            found.append(np.stack([_words(path, side) for path, side in zip(each.paths, sides)], axis=1))
        self.check()
        return np.concatenate(found)

    def check(self, files: Optional[Sequence[int]] = None) -> None:
        """Raise RuntimeError if files, by default all, have changed since their lines were found."""
        for file in range(len(self.found)) if files is None else files:
            for path, version in zip(self._paths[file], self._versions[file]):
                if _version(path) != version:
                    raise _changed(path)


def _version(path: str) -> tuple[int, float]:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return -1, -1.0
    return status.st_size, status.st_mtime


def _changed(path: str) -> RuntimeError:
    return RuntimeError(
        f"{path} has changed since its lines were found (size or time of modification). "
        "Make the sampler and the dataset anew."
    )


def _offsets(path: Path, parameter: str) -> NDArray[np.int64]:
    """Return the beginnings of the lines of a file, and the end of the last one."""
    parts, end, block = [np.zeros(1, dtype=np.int64)], 0, b"\n"
    with open(path, "rb", buffering=0) as text:
        n_blocks = -(-os.fstat(text.fileno()).st_size // BLOCK)
        for block in progress(iter(lambda: text.read(BLOCK), b""), f"finding lines of {path.name}", n_blocks):
            for beginning, kind in _BEGINNINGS.items():
                if end == 0 and block.startswith(beginning):
                    raise refused_value(
                        parameter, "have files of text in UTF-8", f"the {kind} '{path}'", "Convert it to plain text."
                    )
            parts.append(np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + (end + 1))
            end += len(block)
    if not block.endswith(b"\n"):
        parts.append(np.array([end]))
    return np.concatenate(parts)


def _decoded(line: bytes, path: str, number: int) -> str:
    if line.endswith(b"\n"):
        line = line[:-2] if line.endswith(b"\r\n") else line[:-1]
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}, line {number + 1}, is not UTF-8: {error}.") from None


def _words(path: Path, offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the words of each line of a file."""
    counts = np.empty(len(offsets) - 1, dtype=np.int32)
    begin = 0
    with open(path, "rb", buffering=0) as text:
        while begin < len(counts):
            end = max(begin + 1, int(np.searchsorted(offsets, offsets[begin] + BLOCK)) - 1)
            blank = _IS_BLANK[np.frombuffer(text.read(int(offsets[end] - offsets[begin])), dtype=np.uint8)]
            is_first = ~blank
            is_first[1:] &= blank[:-1]
            words = np.searchsorted(np.flatnonzero(is_first), offsets[begin : end + 1] - offsets[begin])
            counts[begin:end] = np.diff(words)
            begin = end
    return counts
