"""The lengths of examples in tokens, for batches of examples of similar length."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat._progress import progress
from pystrat.arrays import float64_of, plain_array, row_array
from pystrat.corpus.files import ParallelFile
from pystrat.limits import MAX_COUNT
from pystrat.messages import is_number, refused_type, refused_value, show

_LINES_AT_A_TIME = 4096  # that are read for a user's function


def _read_lengths(lengths: Any, n: int) -> NDArray[np.int32]:
    """Return the lengths of `n` lines, which a user has given as numbers."""
    required = f"be {n} whole numbers from 0 to {MAX_COUNT}, one for each line"
    found = row_array(lengths, "lengths")
    if found.ndim != 1 or found.dtype.kind not in "iuf":
        raise refused_type("lengths", required, show(lengths))
    if len(found) != n:
        raise refused_value("lengths", required, show(found))
    _refuse_wrong(found, required)
    return found.astype(np.int32)


def line_lengths(lengths: Any, files: Sequence[ParallelFile]) -> NDArray[np.int32]:
    """Return the lengths of the lines of all files.

    Parameters
    ----------
    lengths : "words", callable, array of int, or None
        "words" and None count words separated by whitespace; for a pair, the longest side counts. A function receives
        the tuple of lines and returns their length.
    files : sequence of ParallelFile

    Raises
    ------
    TypeError, ValueError, RuntimeError
        If the lengths are invalid, or a file has changed since it was indexed.
    """
    if lengths is None or (isinstance(lengths, str) and lengths == "words"):
        return np.concatenate([_word_counts(file).max(axis=0) for file in files])
    if callable(lengths):
        return _lengths_by(lengths, files)
    if isinstance(lengths, str):
        required = "be 'words', a function of the lines of a position, or a number for each line"
        raise refused_value("lengths", required, show(lengths))
    return _read_lengths(lengths, sum(map(len, files)))


def limited_lengths(
    lengths: Any, files: Sequence[ParallelFile], max_length: Union[None, int, list[int]]
) -> tuple[NDArray[np.int32], Optional[NDArray[np.bool_]]]:
    """Return the lengths of the lines of all files, and whether each of them is allowed; None if all of them are.

    Parameters
    ----------
    lengths : "words", callable, array of int, or None
        As in `line_lengths`. With a limit for each side: words, or an array of int of shape (number of lines, sides).
    files : sequence of ParallelFile
    max_length : int, list of int, or None
        As returned by `check_max_length`.

    Raises
    ------
    TypeError, ValueError, RuntimeError
        As for `line_lengths`.
    """
    if not isinstance(max_length, list):
        of_lines = line_lengths(lengths, files)
        return of_lines, None if max_length is None else of_lines <= max_length
    of_sides = _side_lengths(lengths, files)
    return of_sides.max(axis=1), (of_sides <= max_length).all(axis=1)


def _side_lengths(lengths: Any, files: Sequence[ParallelFile]) -> NDArray[np.int32]:
    """Return the length of each side of the lines of all files; shape (number of lines, sides)."""
    n, n_sides = sum(map(len, files)), len(files[0].sides)
    if lengths is None or (isinstance(lengths, str) and lengths == "words"):
        return np.concatenate([_word_counts(file) for file in files], axis=1).T
    required = f"be 'words', or whole numbers of shape ({n}, {n_sides}), if 'max_length' has a limit for each side"
    found = np.empty(0) if callable(lengths) or isinstance(lengths, str) else plain_array(lengths, "lengths")
    if found.shape != (n, n_sides) or found.dtype.kind not in "iuf":
        raise refused_value("lengths", required, show(lengths))
    _refuse_wrong(found, required)
    return found.astype(np.int32)


def _word_counts(file: ParallelFile) -> NDArray[np.int32]:
    """Return the words of each side of the lines of a file; shape (sides, number of lines)."""
    return np.stack([side.word_counts() for side in file.sides])


def _lengths_by(function: Any, files: Sequence[ParallelFile]) -> NDArray[np.int32]:
    required = f"return a whole number from 0 to {MAX_COUNT} for the lines of a position"
    found = np.empty(sum(map(len, files)), dtype=np.int32)
    for place, lines in lines_in_order(files, np.arange(len(found)), "finding the lengths of lines"):
        length = function(lines)
        if not is_number(length):
            raise refused_type("lengths", required, show(length))
        _refuse_wrong(np.array([length]), required)
        found[place] = length
    return found


def lines_in_order(
    files: Sequence[ParallelFile], places: NDArray[np.int64], description: str
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield lines of the files, and the place of each.

    Parameters
    ----------
    files : sequence of ParallelFile
    places : numpy.ndarray of int64
        The numbers of lines over all files, ascending.
    description : str
        The label of the progress bar.
    """
    first = 0
    for file in progress(files, description, len(files)):
        of_file = places[int(np.searchsorted(places, first)) : int(np.searchsorted(places, first + len(file)))]
        for begin in range(0, len(of_file), _LINES_AT_A_TIME):
            some = of_file[begin : begin + _LINES_AT_A_TIME]
            numbers = (some - first).tolist()
            yield from zip(some.tolist(), zip(*(side.lines(numbers) for side in file.sides)))
        first += len(file)


def _refuse_wrong(found: NDArray[Any], required: str) -> None:
    """Refuse numbers that are not lengths."""
    numbers = found if found.dtype.kind in "iu" else float64_of(found)
    wrong = ~((numbers >= 0) & (numbers <= MAX_COUNT))
    if numbers.dtype.kind == "f":
        wrong |= numbers != np.floor(numbers)
    if wrong.any():
        raise refused_value("lengths", required, show(found[wrong][0]))
