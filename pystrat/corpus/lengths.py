"""The lengths of lines in tokens, and the lines that limits leave."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import plain_array
from pystrat.corpus.line_table import LineTable
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_integer, is_number, refused_type, refused_value, show

Limits = Union[None, int, list[int]]


def line_lengths(lengths: Any, table: LineTable) -> NDArray[np.int32]:
    """Return the length of each line: its words on the longest side, by a function of its sides, or as given.

    With an array of shape (n, sides), or words, it has a column for each side.
    """
    n, n_sides = len(table), len(table.found[0].paths)
    required = f"be 'words', a function of the lines of a position, or whole numbers from 0 to {MAX_COUNT}, {n} of them"
    if lengths is None or (isinstance(lengths, str) and lengths == "words"):
        return table.word_counts()
    if callable(lengths):
        return _lengths_by(lengths, table)
    found = np.empty(0) if isinstance(lengths, str) else plain_array(lengths, "lengths")
    if found.shape not in ((n,), (n, n_sides)) or found.dtype.kind not in "iuf":
        raise refused_value("lengths", required, show(lengths))
    wrong = found[~((found >= 0) & (found <= MAX_COUNT) & (found == np.floor(found)))]
    if len(wrong):
        raise refused_value("lengths", required, show(wrong[0]))
    return found.astype(np.int32)


def _lengths_by(function: Callable[[tuple[str, ...]], Any], table: LineTable) -> NDArray[np.int32]:
    required = f"return a whole number from 0 to {MAX_COUNT} for the lines of a position"
    found = np.empty(len(table), dtype=np.int32)
    for place, lines in table.in_order(np.arange(len(table)), "finding the lengths of lines"):
        length = function(lines)
        if not is_number(length) or not 0 <= length <= MAX_COUNT or length != int(length):
            raise refused_type("lengths", required, show(length))
        found[place] = length
    return found


def remaining_lines(table: LineTable, lengths: Any, max_length: Any, accept: Any) -> Optional[NDArray[np.bool_]]:
    """Return whether each line is neither too long nor rejected; None if there are no limits."""
    if lengths is not None and max_length is None:
        raise refused_value("lengths", "be given together with 'max_length'", show(lengths))
    if max_length is None and accept is None:
        return None
    limits = check_max_length(max_length, len(table.found[0].paths))
    remains = np.ones(len(table), dtype=np.bool_)
    if limits is not None:
        found = line_lengths(lengths, table)
        if isinstance(limits, list) and found.ndim == 1:
            raise refused_value(
                "lengths", "be 'words' or have a column for each side if 'max_length' does", show(lengths)
            )
        remains = found <= limits if found.ndim == 1 else (found <= limits).all(axis=1)
    if accept is not None:
        for place, lines in table.in_order(np.flatnonzero(remains), "asking which lines to accept"):
            accepted = accept(lines)
            if not isinstance(accepted, (bool, np.bool_)):
                raise refused_type("accept", "return true or false for the lines of a position", show(accepted))
            remains[place] = accepted
    return remains


def check_max_length(max_length: Any, n_sides: int) -> Limits:
    """Return a number of tokens, one for each side as a list, or None."""
    if isinstance(max_length, (list, tuple, np.ndarray)):
        if len(max_length) != n_sides:
            required = f"have one number for each side, {n_sides}, or be one number"
            raise refused_value("max_length", required, show(max_length))
        return [check_integer(limit, "max_length", minimum=0, maximum=MAX_COUNT) for limit in max_length]
    return None if max_length is None else check_integer(max_length, "max_length", minimum=0, maximum=MAX_COUNT)


def check_function(function: Any, name: str) -> Any:
    """Return a function of the lines of a position, or None."""
    if function is not None and not callable(function):
        raise refused_type(name, "be a function, or nothing", show(function))
    return function
