"""The first rows of a long table as text."""

from __future__ import annotations

from pystrat.lazy_pandas import pd

MOST = 20


def first_rows(table: pd.DataFrame, *, index: bool = True) -> str:
    """Return a table as text: its first 20 rows, and how many more there are."""
    lines = [line.rstrip() for line in table[:MOST].to_string(index=index).splitlines()]
    left = len(table) - MOST
    return "\n".join([*lines, *([f"... and {left} more"] if left > 0 else [])])
