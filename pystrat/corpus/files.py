"""Files of text that belong together line by line, such as a text and its translation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Sequence, Union

from pystrat.messages import RefusedType, RefusedValue, check_list, count_of, show
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
