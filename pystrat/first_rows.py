"""The first and the last rows of a long table as text."""

from __future__ import annotations

from pystrat.lazy_pandas import pd

MOST = 20


def first_rows(table: pd.DataFrame, *, index: bool = True) -> str:
    """Return a table as text; of more than 20 rows, the first and the last 10, and how many are between them."""
    left = len(table) - MOST
    shown = table if left <= 0 else pd.concat([table[: MOST // 2], table[-MOST // 2 :]])
    lines = [line.rstrip() for line in shown.to_string(index=index).splitlines()]
    if left > 0:
        lines.insert(len(lines) - MOST // 2, f"... and {left} more")
    return "\n".join(lines)
