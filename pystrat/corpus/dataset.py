"""Parallel files of text as one dataset: line by line, file after file."""

from __future__ import annotations

import os
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Union

from pystrat.entries import named_by_class
from pystrat.messages import RefusedType, RefusedValue, check_integer, check_list, count_of, show
from pystrat.corpus.line_file import LineFile
from pystrat.corpus.line_index import INDEX_SUFFIX, kind_of

PathLike = Union[str, "os.PathLike[str]"]
Source = Union[PathLike, Sequence[PathLike]]


class ParallelFile:
    """Files that belong together line by line, such as a text and its translation.

    Attributes
    ----------
    name : str
        What their names have in common: the name without folder and suffix.
    sides : tuple of LineFile
        One file for each suffix, all with the same number of lines.
    """

    def __init__(self, folder: Path, name: str, suffixes: Sequence[str]) -> None:
        self.name = name
        paths = [folder / f"{name}{suffix}" for suffix in suffixes]
        there = [path for path in paths if path.exists() and not path.is_dir()]
        for path in paths:
            if path not in there:
                got = f"'{there[0]}' without '{path}'" if there else f"no file '{path}'"
                raise RefusedValue("source", "have a file of each suffix", got)
        for path in paths:
            kind = kind_of(path.stat())
            if kind != "regular file":
                raise RefusedValue("source", "have regular files", f"the {kind} '{path}'")
        self.sides = tuple(LineFile(path) for path in paths)
        for side in self.sides[1:]:
            if len(side) != len(self):
                required = "have parallel files with equally many lines"
                got = (
                    f"{count_of(len(self), 'line')} in '{paths[0]}' and {count_of(len(side), 'line')} in '{side.path}'"
                )
                raise RefusedValue("source", required, got)

    def __len__(self) -> int:
        return len(self.sides[0])


def open_files(source: Source, suffixes: Sequence[str]) -> tuple[ParallelFile, ...]:
    """Open the files of a folder, or those that are given.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files (none of folders within) with one of the suffixes are taken in the order of the bytes of
        their names without suffix; or files with the first suffix, taken in the given order.
    suffixes : sequence of str
        How the names of files that belong together end, such as ``(".src", ".tgt")``; one for text alone.

    Raises
    ------
    TypeError, ValueError
        If there are no files, one of a pair is missing or is not a regular file, or their numbers of lines differ; the
        message names the file, or both.
    OSError
        Where a file cannot be read.
    """
    suffixes = _check_suffixes(suffixes)
    if isinstance(source, (str, os.PathLike)):
        folder = Path(source)
        if not folder.is_dir():
            raise RefusedValue("source", "be a folder or a list of files", show(str(folder)))
        found = [(folder, name) for name in sorted(_names_in(folder, suffixes), key=os.fsencode)]
    else:
        paths = check_list(source, "source", required="be a folder or a list of files", kinds=(str, os.PathLike))
        found = [_split_name(Path(path), suffixes[0]) for path in paths]
    if not found:
        raise RefusedValue("source", f"have files that end in '{suffixes[0]}'", "none")
    return tuple(ParallelFile(folder, name, suffixes) for folder, name in found)


def _check_suffixes(suffixes: Any) -> tuple[str, ...]:
    required = "be different endings of names, such as ('.src', '.tgt')"
    if isinstance(suffixes, str):
        raise RefusedType("suffixes", required, show(suffixes))
    known = tuple(check_list(suffixes, "suffixes", required=required, kinds=(str,)))
    if not known or len(set(known)) != len(known) or not all(known):
        raise RefusedValue("suffixes", required, "(" + ", ".join(map(show, known)) + ")")
    return known


def _names_in(folder: Path, suffixes: tuple[str, ...]) -> set[str]:
    """Return the names, without suffix, of all files of a folder that have one of the suffixes."""
    with os.scandir(folder) as entries:
        files = [entry.name for entry in entries if not entry.is_dir() and not entry.name.endswith(INDEX_SUFFIX)]
    return {name[: -len(suffix)] for name in files for suffix in suffixes if name.endswith(suffix)}


def _split_name(path: Path, suffix: str) -> tuple[Path, str]:
    if not path.name.endswith(suffix):
        raise RefusedValue("source", f"list files that end in '{suffix}'", show(str(path)))
    return path.parent, path.name[: -len(suffix)]


def check_transform(transform: Any) -> Any:
    """Return a function of the lines of a position, or None."""
    if transform is not None and not callable(transform):
        raise RefusedType("transform", "be a function, or nothing", show(transform))
    return transform


class CorpusDataset:
    """Dataset of the lines of all files, in order.

    For a PyTorch ``DataLoader``, together with `CorpusMixtureBatchSampler` over the same files: its ``dataset()`` makes
    this one.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files are taken in the order of the bytes of their names, or files with the first suffix.
    suffixes : sequence of str, default (".src", ".tgt")
        The endings of files that belong together line by line; one alone for text that has no translation.
    transform : callable, optional
        Is called with the tuple of strings of a position, one for each suffix; what it returns is the item. The place
        for a tokeniser. For workers that are not forked it must be picklable.

    Raises
    ------
    TypeError, ValueError, OSError
        If a file is missing, is not a regular file, cannot be read or has another number of lines than its partner.

    Notes
    -----
    * Any line is read in constant time, also of files that are larger than memory; see `LineFile`.
    * Every item, and every batch of a ``DataLoader`` of PyTorch 2, ends with a look at the files that it was read from.
      If the size, time of modification or inode of one is another than when its lines were found, or if it is gone, a
      RuntimeError is raised instead. A change that keeps all three is not seen.
    * Each process opens the files for itself: one descriptor a file, and 8 bytes of memory a line.
    """

    @named_by_class
    def __init__(
        self,
        source: Source,
        suffixes: Sequence[str] = (".src", ".tgt"),
        *,
        transform: Optional[Callable[[tuple[str, ...]], Any]] = None,
    ) -> None:
        self._adopt(open_files(source, suffixes), check_transform(transform))

    @classmethod
    def of_files(
        cls, files: Sequence[ParallelFile], transform: Optional[Callable[[tuple[str, ...]], Any]] = None
    ) -> "CorpusDataset":
        """Make the dataset of files that are open already."""
        dataset = cls.__new__(cls)
        dataset._adopt(tuple(files), transform)
        return dataset

    def _adopt(self, files: tuple[ParallelFile, ...], transform: Optional[Callable[[tuple[str, ...]], Any]]) -> None:
        self.files = files
        self.transform = transform
        self._ends = list(accumulate(len(file) for file in files))

    def __len__(self) -> int:
        return self._ends[-1]

    @named_by_class
    def find(self, position: int) -> tuple[int, int]:
        """Return the file, by its place among the files, and the line in it, both from 0, of a position."""
        if type(position) is not int or not 0 <= position < len(self):
            position = check_integer(position, "position", minimum=0, maximum=len(self) - 1)
        file = bisect_right(self._ends, position)
        return file, position - (self._ends[file - 1] if file else 0)

    def lines(self, position: int) -> tuple[str, ...]:
        """Return the lines of a position, one for each suffix, as they are in the files."""
        file, line = self.find(position)
        return tuple(side.line(line) for side in self.files[file].sides)

    def _lines_at(self, positions: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the lines of several positions, with one look at the version of each file."""
        places_of: dict[int, list[int]] = {}
        numbers_of: dict[int, list[int]] = {}
        for place, position in enumerate(positions):
            file, number = self.find(position)
            places_of.setdefault(file, []).append(place)
            numbers_of.setdefault(file, []).append(number)
        found: list[tuple[str, ...]] = [()] * len(positions)
        for file, numbers in numbers_of.items():
            sides = [side.lines(numbers) for side in self.files[file].sides]
            for place, lines in zip(places_of[file], zip(*sides)):
                found[place] = lines
        return found

    def __getitem__(self, position: int) -> Any:
        self._refuse_outside(position)
        lines = self.lines(position)
        return lines if self.transform is None else self.transform(lines)

    def __getitems__(self, positions: Sequence[int]) -> list[Any]:
        """Return the items of a batch, which PyTorch asks for from version 2.0 on instead of one after the other."""
        for position in positions:
            self._refuse_outside(position)
        found = self._lines_at(positions)
        return found if self.transform is None else [self.transform(lines) for lines in found]

    def _refuse_outside(self, position: int) -> None:
        if not 0 <= position < len(self):
            raise IndexError(position)  # ends a loop over the dataset

    def __repr__(self) -> str:
        return f"{type(self).__name__}({count_of(len(self.files), 'file')}, {count_of(len(self), 'line')})"
