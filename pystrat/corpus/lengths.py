"""The lengths of lines in tokens, and the lines that limits leave."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.corpus.line_table import LineTable
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import check_integer, refused_type, refused_value, show


def line_lengths(by: Any, table: LineTable) -> NDArray[Any]:
    """Return the length of each line: its words on the longest side, or by a function of its sides."""
    if isinstance(by, str) and by == "words":
        return np.asarray(table.word_counts().max(axis=1, initial=0))
    if not callable(by):
        raise refused_type("by", "be 'words', or a function of the lines of a position", show(by))
    return np.array([by(lines) for _, lines in table.in_order(np.arange(len(table)), "finding the lengths of lines")])


def remaining_lines(table: LineTable, max_length: Any, accept: Any) -> Optional[NDArray[np.int32]]:
    """Return the lines that are neither too long nor rejected; None if there are no limits."""
    check_function(accept, "accept")
    if max_length is None and accept is None:
        return None
    remains = np.ones(len(table), dtype=np.bool_)
    if max_length is not None:
        n_sides = len(table.found[0].paths)
        limits = list(max_length) if isinstance(max_length, (list, tuple, np.ndarray)) else [max_length] * n_sides
        if len(limits) != n_sides:
            required = f"have one number for each side, {n_sides}, or be one number"
            raise refused_value("max_length", required, show(max_length))
        limits = [check_integer(limit, "max_length", minimum=0, maximum=MAX_COUNT) for limit in limits]
        remains = (table.word_counts() <= limits).all(axis=1)
    if accept is not None:
        for place, lines in table.in_order(np.flatnonzero(remains), "asking which lines to accept"):
            accepted = accept(lines)
            if not isinstance(accepted, (bool, np.bool_)):
                raise refused_type("accept", "return true or false for the lines of a position", show(accepted))
            remains[place] = accepted
    return np.flatnonzero(remains).astype(np.int32)


def check_function(function: Any, name: str) -> Any:
    """Return a function, or None."""
    if function is not None and not callable(function):
        raise refused_type(name, "be a function, or nothing", show(function))
    return function
