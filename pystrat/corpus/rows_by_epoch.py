"""Rows that only some epochs visit: a table by first epoch, as the core takes it."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from pystrat.epoch_table import read_epoch_table
from pystrat.messages import refused_value
from pystrat.row_arguments import row_positions


def data_of_rows(rows: Any) -> dict[str, Any]:
    """Return the rows of all epochs; empty if none are given.

    Parameters
    ----------
    rows : mapping from int to array_like of int, array_like of int, or None
    """
    if rows is None:
        return {}
    is_table = isinstance(rows, Mapping)
    table = read_epoch_table(rows, "rows", noun="rows", entry="rows") if is_table else {0: rows}
    lists = [row_positions(of_stage, "rows") for of_stage in table.values()]
    if any(len(of_stage) == 0 for of_stage in lists):
        raise refused_value("rows", "have rows for each epoch", "0 values")
    return {
        "rows": np.concatenate(lists),
        "begins": np.array(list(table), dtype=np.float64),
        "n_candidates": np.array([len(of_stage) for of_stage in lists], dtype=np.float64),
    }
