"""The lines of the files that can be drawn: those that are not too long, and that the user accepts."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.corpus.files import ParallelFile
from pystrat.corpus.lengths import limited_lengths, lines_in_order
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_integer, refused_type, refused_value, show


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
    allowed: Optional[NDArray[np.bool_]],
    accept: Optional[Callable[[tuple[str, ...]], bool]],
) -> Optional[Population]:
    """Return the remaining lines; None if there are no limits.

    Parameters
    ----------
    files : sequence of ParallelFile
    allowed : numpy.ndarray of bool, optional
        Whether each line is not too long, as `limited_lengths` returns it.
    accept : callable, optional
        Called with the lines of the positions that are not too long.

    Raises
    ------
    TypeError
        If `accept` returns anything but true or false.
    """
    if allowed is None and accept is None:
        return None
    remains = np.ones(sum(map(len, files)), dtype=np.bool_) if allowed is None else allowed
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
    limits = check_max_length(max_length, len(files[0].sides))
    allowed = None if limits is None else limited_lengths(lengths, files, limits)[1]
    return find_population(files, allowed, check_accept(accept))


def check_max_length(max_length: Any, n_sides: int) -> Union[None, int, list[int]]:
    """Return a number of tokens, one for each side as a list, or None."""
    if max_length is None:
        return None
    if isinstance(max_length, (list, tuple)) or (isinstance(max_length, np.ndarray) and max_length.ndim == 1):
        if len(max_length) != n_sides:
            required = f"have one number for each side, {n_sides}, or be one number"
            raise refused_value("max_length", required, show(max_length))
        return [check_integer(limit, "max_length", minimum=0, maximum=MAX_COUNT) for limit in max_length]
    return check_integer(max_length, "max_length", minimum=0, maximum=MAX_COUNT)


def check_accept(accept: Any) -> Any:
    """Return a function of the lines of a position, or None."""
    if accept is not None and not callable(accept):
        raise refused_type("accept", "be a function, or nothing", show(accept))
    return accept
