"""Files of text as one numbering of lines, with random access to any of them."""

from __future__ import annotations

import os
from itertools import accumulate
from pathlib import Path
from typing import Iterator, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.progress import progress
from pystrat.corpus.files import Found
from pystrat.core.messages import count_of, refused_value

BLOCK = 1 << 22  # bytes of text that are read at a time
_IS_BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_COMPRESSED_OR_UTF_16 = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\xff\xfe", b"\xfe\xff")


class LineTable:
    """The lines of files, numbered file after file, from 0.

    Only a newline ends a line; one ``\\r`` before it is dropped; a last line without a newline counts. A read opens the
    files that it needs, in whatever process or thread, and ends with a check: if the size or the modification time of
    a file differs from that at the beginning, a RuntimeError names the file, and no line of it is returned. `counts`
    are the numbers of lines of the files.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self.found = found
        self._files = [[_File(path, name) for path, name in zip(each.paths, each.parameters)] for each in found]
        self.check()
        self.counts = [len(sides[0].offsets) - 1 for sides in self._files]
        self._ends = list(accumulate(self.counts))
        for each, sides, count in zip(found, self._files, self.counts):
            for side, parameter in zip(sides, each.parameters):
                if len(side.offsets) - 1 != count:
                    here, there = count_of(count, "line"), count_of(len(side.offsets) - 1, "line")
                    got = f"{here} in '{each.paths[0]}' and {there} in '{side.path}'"
                    raise refused_value(parameter, "have parallel files with the same number of lines", got)

    def __len__(self) -> int:
        return self._ends[-1]

    def read(self, lines: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the text of lines, each with one entry for each side."""
        wanted = np.asarray(lines, dtype=np.int64)
        files = np.searchsorted(self._ends, wanted, side="right")
        texts: list[tuple[str, ...]] = [()] * len(lines)
        for file in np.unique(files).tolist():
            places = np.flatnonzero(files == file)
            numbers = (wanted[places] - self._ends[file] + self.counts[file]).tolist()
            for place, text in zip(places.tolist(), zip(*(side.read(numbers) for side in self._files[file]))):
                texts[place] = text
        return texts

    @property
    def versions(self) -> list[list[str]]:
        """For each file, the size and the modification time of each side, as text that R has too."""
        return [[f"{side.version[0]} {side.version[1]:.6f}" for side in sides] for sides in self._files]

    def in_order(self, lines: NDArray[np.int64], description: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield lines with their numbers, under a progress bar."""
        begins = range(0, len(lines), 4096)
        for begin in progress(begins, description, len(begins)):
            numbers = lines[begin : begin + 4096].tolist()
            yield from zip(numbers, self.read(numbers))

    def word_counts(self) -> NDArray[np.int32]:
        """Return the number of words, separated by ASCII whitespace, of each side of each line; shape (n, sides)."""
        files = progress(self._files, "counting words", len(self._files))
        found = [np.stack([side.word_counts() for side in sides], axis=1) for sides in files]
        self.check()
        return np.concatenate(found)

    def check(self, files: Optional[Sequence[int]] = None) -> None:
        """Raise RuntimeError if files, by default all, have changed since their lines were found."""
        for file in range(len(self._files)) if files is None else files:
            for side in self._files[file]:
                side.check()


class _File:
    """A file, where its lines begin and the last one ends, and its size and modification time."""

    def __init__(self, path: Path, parameter: str) -> None:
        if path.is_dir() or not path.exists():
            got = f"the folder '{path}'" if path.is_dir() else f"no file '{path}'"
            raise refused_value(parameter, "have regular files", got)
        self.path, self.version = str(path), _version(str(path))
        self.offsets = _offsets(path, parameter)

    def check(self) -> None:
        if _version(self.path) != self.version:
            raise RuntimeError(
                f"{self.path} has changed since its lines were found (size or time of modification). "
                "Make the sampler and the dataset anew."
            )

    def read(self, numbers: Sequence[int]) -> list[str]:
        parts = []
        with open(self.path, "rb", buffering=0) as text:
            for number in numbers:
                begin = self.offsets.item(number)
                text.seek(begin)
                parts.append(text.read(self.offsets.item(number + 1) - begin))
        self.check()  # what was read before a change is valid, but not after it
        return [_decoded(part, self.path, number) for part, number in zip(parts, numbers)]

    def word_counts(self) -> NDArray[np.int32]:
        offsets, begin = self.offsets, 0
        counts = np.empty(len(offsets) - 1, dtype=np.int32)
        with open(self.path, "rb", buffering=0) as text:
            while begin < len(counts):
                end = max(begin + 1, int(np.searchsorted(offsets, offsets[begin] + BLOCK)) - 1)
                blank = _IS_BLANK[np.frombuffer(text.read(int(offsets[end] - offsets[begin])), dtype=np.uint8)]
                is_first = ~blank
                is_first[1:] &= blank[:-1]
                words = np.searchsorted(np.flatnonzero(is_first), offsets[begin : end + 1] - offsets[begin])
                counts[begin:end] = np.diff(words)
                begin = end
        return counts


def _version(path: str) -> tuple[int, float]:
    status = os.stat(path)
    return status.st_size, status.st_mtime


def _offsets(path: Path, parameter: str) -> NDArray[np.int64]:
    parts, end, block = [np.zeros(1, dtype=np.int64)], 0, b"\n"
    with open(path, "rb", buffering=0) as text:
        n_blocks = -(-os.fstat(text.fileno()).st_size // BLOCK)
        for block in progress(iter(lambda: text.read(BLOCK), b""), f"finding lines of {path.name}", n_blocks):
            if end == 0 and block.startswith(_COMPRESSED_OR_UTF_16):
                got = f"the compressed or UTF-16 file '{path}'"
                raise refused_value(parameter, "have files of text in UTF-8", got, "Convert it to plain text.")
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
