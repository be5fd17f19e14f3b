"""Files of text that belong together line by line, such as a text and its translation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence, Union

from pystrat.messages import check_list, count_of, refused_type, refused_value, show
from pystrat.corpus.line_file import LineFile
from pystrat.corpus.line_index import INDEX_SUFFIX
from pystrat.regular_files import kind_of

PathLike = Union[str, "os.PathLike[str]"]
Paths = Sequence[PathLike]
Source = Union[PathLike, Paths]


class ParallelFile:
    """Files that belong together line by line, such as a text and its translation.

    Attributes
    ----------
    name : str
        The name that rules match: the one that the files share, without folder and suffix; or the whole name of the
        first file, if the files were listed.
    label : str
        The name in plans: `name`, preceded by as many folders as distinguish it from other files with that name.
    sides : tuple of LineFile
        One file for each suffix, all with the same number of lines.
    """

    def __init__(self, found: _Found, label: str) -> None:
        self.name = found.name
        self.label = label
        for path, parameter in zip(found.paths, found.parameters):
            kind = kind_of(path.stat())
            if kind != "regular file":
                raise refused_value(parameter, "have regular files", f"the {kind} '{path}'")
        self.sides = tuple(LineFile(path) for path in found.paths)
        for side, parameter in zip(self.sides[1:], found.parameters[1:]):
            if len(side) != len(self):
                required = "have parallel files with the same number of lines"
                here, there = count_of(len(self), "line"), count_of(len(side), "line")
                raise refused_value(parameter, required, f"{here} in '{found.paths[0]}' and {there} in '{side.path}'")

    def __len__(self) -> int:
        return len(self.sides[0])


class _Found(NamedTuple):
    """Existing files that belong together: their name, their paths, and the parameter of each path."""

    name: str
    paths: tuple[Path, ...]
    parameters: tuple[str, ...]


def open_files(source: Source, suffixes: Sequence[str], targets: Optional[Paths] = None) -> tuple[ParallelFile, ...]:
    """Open the files of a folder, or given files.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files (not those in subfolders) with one of the suffixes are taken in the byte order of their
        names without suffix; or files with the first suffix, taken in the given order. With `targets`, files of any
        names.
    suffixes : sequence of str
        The suffixes of files that belong together, such as ``(".src", ".tgt")``, or one for text alone, which is empty
        for listed files of any names. With `targets`, two names for the sides.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order.

    Raises
    ------
    TypeError, ValueError
        If there are no files, one of a pair is missing or is not a regular file, or their numbers of lines differ; the
        message names the file, or both.
    OSError
        If a file cannot be read.
    """
    suffixes = check_suffixes(suffixes, source, targets)
    found = _find_by_suffix(source, suffixes) if targets is None else _find_pairs(source, targets, suffixes)
    return tuple(ParallelFile(files, label) for files, label in zip(found, _labels(found)))


def _find_by_suffix(source: Source, suffixes: tuple[str, ...]) -> list[_Found]:
    if isinstance(source, (str, os.PathLike)):
        folder = Path(source)
        if not folder.is_dir():
            raise refused_value("source", "be a folder or a list of files", show(str(folder)))
        names = [(folder, name) for name in sorted(_names_in(folder, suffixes), key=os.fsencode)]
    else:
        paths = check_list(source, "source", required="be a folder or a list of files", kinds=(str, os.PathLike))
        names = [_split_name(Path(path), suffixes[0]) for path in paths]
    if not names:
        raise refused_value("source", f"have files that end in '{suffixes[0]}'", "none")
    return [_find_sides(folder, name, suffixes) for folder, name in names]


def _find_sides(folder: Path, name: str, suffixes: tuple[str, ...]) -> _Found:
    paths = tuple(folder / f"{name}{suffix}" for suffix in suffixes)
    there = [path for path in paths if path.exists() and not path.is_dir()]
    for path in paths:
        if path not in there:
            got = f"'{there[0]}' without '{path}'" if there else f"no file '{path}'"
            raise refused_value("source", "have a file of each suffix", got)
    return _Found(name, paths, ("source",) * len(paths))


def _find_pairs(source: Any, targets: Any, suffixes: tuple[str, ...]) -> list[_Found]:
    """Return the pairs of two lists of files."""
    first = _check_listed(source, "source", "be a list of files if 'targets' is given")
    second = _check_listed(targets, "targets", "be a list of files, one for each of 'source'")
    if len(second) != len(first):
        required = f"have one file for each of 'source', {len(first)}"
        raise refused_value("targets", required, count_of(len(second), "file"))
    if len(suffixes) != 2:
        required = "name the two sides if 'targets' is given, such as ('.src', '.tgt')"
        raise refused_value("suffixes", required, _show_all(suffixes))
    places: dict[tuple[str, ...], int] = {}
    for place, pair in enumerate(zip(first, second), start=1):
        real = tuple(os.path.realpath(path) for path in pair)
        if real[0] == real[1]:
            raise refused_value("targets", "be other files than those of 'source'", f"'{pair[1]}' for itself")
        if real in places:
            got = f"'{pair[0]}' with '{pair[1]}' as pairs {places[real]} and {place}"
            raise refused_value("targets", "make each pair once", got)
        places[real] = place
    return [_Found(pair[0].name, pair, ("source", "targets")) for pair in zip(first, second)]


def _check_listed(paths: Any, parameter: str, required: str) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        raise refused_type(parameter, required, show(str(paths)))
    listed = [Path(path) for path in check_list(paths, parameter, required=required, kinds=(str, os.PathLike))]
    if not listed:
        raise refused_value(parameter, "list at least one file", "none")
    for path in listed:
        if not path.exists():
            raise refused_value(parameter, "list files that exist", f"no file '{path}'")
    return listed


def _labels(found: Sequence[_Found]) -> list[str]:
    """Return the names of files; equal names are preceded by as many folders as distinguish their paths.

    If a path occurs more than once, the second occurrence is followed by " (2)", and so on.
    """
    labels = [files.name for files in found]
    places_of: dict[str, list[int]] = {}
    for place, name in enumerate(labels):
        places_of.setdefault(name, []).append(place)
    for name, places in places_of.items():
        seen: dict[str, int] = {}
        for place, folders in zip(places, _telling_folders([found[place].paths[0] for place in places])):
            label = "/".join([*folders, name])
            seen[label] = seen.get(label, 0) + 1
            labels[place] = label if seen[label] == 1 else f"{label} ({seen[label]})"
    return labels


def _telling_folders(paths: Sequence[Path]) -> list[tuple[str, ...]]:
    """Return the innermost folders of each path, as many as it takes to distinguish different paths."""
    folders = [path.absolute().parent for path in paths]
    parts = [(folder.anchor.rstrip("/\\"), *folder.parts[1:]) for folder in folders]
    tails: list[tuple[str, ...]] = [()] * len(parts)
    depth = 0
    while len(set(tails)) < len(set(parts)):
        depth += 1
        tails = [part[max(0, len(part) - depth) :] for part in parts]
    return tails


def check_suffixes(suffixes: Any, source: Source, targets: Optional[Paths]) -> tuple[str, ...]:
    """Return the suffixes, one for each side of the lines; an empty one takes listed files as they are."""
    is_listed = targets is None and not isinstance(source, (str, os.PathLike))
    required = "be different endings of names, such as ('.src', '.tgt')"
    if isinstance(suffixes, str):
        raise refused_type("suffixes", required, show(suffixes), f"A single one goes in a list: [{show(suffixes)}].")
    known = tuple(check_list(suffixes, "suffixes", required=required, kinds=(str,)))
    if is_listed and known == ("",):
        return known
    if not known or len(set(known)) != len(known) or not all(known):
        raise refused_value("suffixes", required, _show_all(known))
    return known


def _show_all(texts: Sequence[str]) -> str:
    return "(" + ", ".join(map(show, texts)) + ")"


def _names_in(folder: Path, suffixes: tuple[str, ...]) -> set[str]:
    """Return the names, without suffix, of all files of a folder that have one of the suffixes."""
    with os.scandir(folder) as entries:
        files = [entry.name for entry in entries if not entry.is_dir() and not entry.name.endswith(INDEX_SUFFIX)]
    return {name[: -len(suffix)] for name in files for suffix in suffixes if name.endswith(suffix)}


def _split_name(path: Path, suffix: str) -> tuple[Path, str]:
    if not path.name.endswith(suffix):
        advice = "To take files of any names, without partners, pass one empty text as 'suffixes'."
        raise refused_value("source", f"list files that end in '{suffix}'", show(str(path)), advice)
    return path.parent, path.name[: len(path.name) - len(suffix)]
