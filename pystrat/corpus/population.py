"""The lines of the files that can be drawn: those that are not too long, and that the user accepts."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.corpus.files import ParallelFile
from pystrat.corpus.lengths import line_lengths, lines_in_order
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_integer, refused_type, show


class Population(NamedTuple):
    """The remaining lines of files.

    Attributes
    ----------
    remains : numpy.ndarray of bool, shape (number of lines,)
        For each line of all files, file after file, whether it remains.
    counts : list of int
        The number of remaining lines of each file.
    """

    remains: NDArray[np.bool_]
    counts: list[int]

    def positions(self) -> NDArray[Any]:
        """Return the numbers, over all files, of the remaining lines; int32 if all lines fit."""
        found = np.flatnonzero(self.remains)
        return found.astype(np.int32) if len(self.remains) <= MAX_COUNT else found


def find_population(
    files: Sequence[ParallelFile],
    lengths: Optional[NDArray[np.int32]],
    max_length: Optional[int],
    accept: Optional[Callable[[tuple[str, ...]], bool]],
) -> Optional[Population]:
    """Return the remaining lines; None if there are no limits.

    Parameters
    ----------
    files : sequence of ParallelFile
    lengths : numpy.ndarray of int32, optional
        The lengths of all lines; required for `max_length`.
    max_length : int, optional
        As returned by `check_max_length`.
    accept : callable, optional
        Called with the lines of the positions that are not too long.

    Raises
    ------
    TypeError
        If `accept` returns anything but true or false.
    """
    if max_length is None and accept is None:
        return None
    remains = np.ones(sum(map(len, files)), dtype=np.bool_)
    if max_length is not None:
        assert lengths is not None
        remains = lengths <= max_length
    if accept is not None:
        for place, lines in lines_in_order(files, np.flatnonzero(remains), "asking which lines to accept"):
            accepted = accept(lines)
            if not isinstance(accepted, (bool, np.bool_)):
                raise refused_type("accept", "return true or false for the lines of a position", show(accepted))
            remains[place] = accepted
    ends = np.cumsum([len(file) for file in files])[:-1]
    return Population(remains, [int(part.sum()) for part in np.split(remains, ends)])


def limited_population(
    files: Sequence[ParallelFile], lengths: Any, max_length: Any, accept: Any
) -> Optional[Population]:
    """Return the remaining lines, like `find_population`, from the parameters that the user has given."""
    max_length = check_max_length(max_length)
    of_lines = None if max_length is None else line_lengths(lengths, files)
    return find_population(files, of_lines, max_length, check_accept(accept))


def check_max_length(max_length: Any) -> Optional[int]:
    """Return a number of tokens, or None."""
    return None if max_length is None else check_integer(max_length, "max_length", minimum=0, maximum=MAX_COUNT)


def check_accept(accept: Any) -> Any:
    """Return a function of the lines of a position, or None."""
    if accept is not None and not callable(accept):
        raise refused_type("accept", "be a function, or nothing", show(accept))
    return accept
