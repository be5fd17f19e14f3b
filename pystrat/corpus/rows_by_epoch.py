"""Rows that only some epochs visit: a table by first epoch, as the core takes it."""

from __future__ import annotations

import numbers
from typing import Any, Mapping

import numpy as np

from pystrat.limits import MAX_EPOCH
from pystrat.messages import is_number, refused_type, refused_value, show
from pystrat.row_arguments import row_positions


def data_of_rows(rows: Any) -> dict[str, Any]:
    """Return the rows of all epochs; empty if none are given.

    Parameters
    ----------
    rows : mapping from int to array_like of int, array_like of int, or None
    """
    if rows is None:
        return {}
    table = _read_table(rows) if isinstance(rows, Mapping) else {0: rows}
    begins = sorted(table)
    lists = [row_positions(table[begin], "rows") for begin in begins]
    if any(len(of_stage) == 0 for of_stage in lists):
        raise refused_value("rows", "have rows for each epoch", "0 values")
    return {
        "rows": np.concatenate(lists),
        "begins": np.array(begins, dtype=np.float64),
        "n_candidates": np.array([len(of_stage) for of_stage in lists], dtype=np.float64),
    }


def _read_table(rows: Mapping[Any, Any]) -> dict[int, Any]:
    """Return a table of rows by the first epoch in which they are visited."""
    for epoch in rows:
        is_integer = is_number(epoch) and isinstance(epoch, numbers.Integral)
        if not is_integer or not 0 <= epoch <= MAX_EPOCH:
            required = f"be a table from epochs, integers from 0 to {MAX_EPOCH}, to rows"
            raise refused_type("rows", required, f"the epoch {show(epoch)}")
    if 0 not in rows:
        got = f"a table from epoch {min(rows)} on" if rows else "an empty table"
        raise refused_value("rows", "have rows from epoch 0 on", got)
    return {int(epoch): given for epoch, given in rows.items()}
