"""Finding files of text that belong together line by line, such as a text and its translation."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat.core.messages import check_list, count_of, refused_type, refused_value, show

PathLike = Union[str, "os.PathLike[str]"]
Paths = Sequence[PathLike]
Source = Union[PathLike, Paths]
_FOLDER = "be a folder or a list of files"


class Found(NamedTuple):
    """Files that belong together: the name that rules match, their paths, and the parameter of each path."""

    name: str
    paths: tuple[Path, ...]
    parameters: tuple[str, ...]


def find_files(source: Source, suffixes: Sequence[str], targets: Optional[Paths] = None) -> list[Found]:
    """Return the files of a folder, or given files; the parameters are those of `CorpusMixtureBatchSampler`."""
    suffixes = _check_suffixes(suffixes, targets)
    if targets is not None:
        first = listed_files(source, "source", "be a list of files if 'targets' is given")
        second = listed_files(targets, "targets", "be a list of files, one for each of 'source'")
        if len(second) != len(first):
            required = f"have one file for each of 'source', {len(first)}"
            raise refused_value("targets", required, count_of(len(second), "file"))
        return [Found(pair[0].name, pair, ("source", "targets")) for pair in zip(first, second)]
    if isinstance(source, (str, os.PathLike)):
        folder = Path(source)
        if not folder.is_dir():
            raise refused_value("source", _FOLDER, show(str(folder)))
        files = [path.name for path in folder.iterdir() if not path.is_dir()]
        names = {name[: len(name) - len(suffix)] for name in files for suffix in suffixes if name.endswith(suffix)}
        bases = [(folder, name) for name in sorted(names, key=os.fsencode)]
    else:
        paths = [Path(path) for path in check_list(source, "source", required=_FOLDER, kinds=(str, os.PathLike))]
        for path in paths:
            if not path.name.endswith(suffixes[0]):
                advice = "To take files of any names, without partners, pass one empty text as 'suffixes'."
                raise refused_value("source", f"list files that end in '{suffixes[0]}'", show(str(path)), advice)
        bases = [(path.parent, path.name[: len(path.name) - len(suffixes[0])]) for path in paths]
    if not bases:
        raise refused_value("source", f"have files that end in '{suffixes[0]}'", "none")
    parameters = ("source",) * len(suffixes)
    return [
        Found(name, tuple((folder / f"{name}{suffix}").absolute() for suffix in suffixes), parameters)
        for folder, name in bases
    ]


def _check_suffixes(suffixes: Any, targets: Optional[Paths]) -> tuple[str, ...]:
    """Return the suffixes, one for each side of the lines; an empty one takes files as they are."""
    required = "be different endings of names, such as ('.src', '.tgt')"
    if isinstance(suffixes, str):
        raise refused_type("suffixes", required, show(suffixes), f"A single one goes in a list: [{show(suffixes)}].")
    known = tuple(check_list(suffixes, "suffixes", required=required, kinds=(str,)))
    shown = "(" + ", ".join(map(show, known)) + ")"
    if not known or len(set(known)) != len(known) or ("" in known and len(known) > 1):
        raise refused_value("suffixes", required, shown)
    if targets is not None and len(known) != 2:
        required = "name the two sides if 'targets' is given, such as ('.src', '.tgt')"
        raise refused_value("suffixes", required, shown)
    return known


def listed_files(paths: Any, parameter: str, required: str) -> list[Path]:
    """Return the absolute paths of a list of files."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise refused_type(parameter, required, show(os.fspath(paths)), "One file alone is a list of one.")
    listed = check_list(paths, parameter, required=required, kinds=(str, os.PathLike))
    if not listed:
        raise refused_value(parameter, "list at least one file", "none")
    return [Path(path).absolute() for path in listed]


def labels_of(found: Sequence[Found]) -> list[str]:
    """Return the names of files as plans show them, with their folders if several files have the name."""
    counts = Counter(each.name for each in found)
    return [shown_name(str(each.paths[0].parent / each.name) if counts[each.name] > 1 else each.name) for each in found]


def file_labels(found: Sequence[Found], versions: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return what a recipe says of files, side after side."""
    paths = [path for of_side in zip(*(each.paths for each in found)) for path in of_side]
    return {
        # As bytes, because a path may not be text in any encoding.
        "paths": np.frombuffer(b"\0".join(map(os.fsencode, paths)), dtype=np.uint8),
        "versions": [version for of_side in zip(*versions) for version in of_side],
    }


def shown_name(name: str) -> str:
    """Return the name of a file as text that any output accepts: bytes that are not characters as ``\\xe9``."""
    return os.fsencode(name).decode(sys.getfilesystemencoding(), "backslashreplace")
