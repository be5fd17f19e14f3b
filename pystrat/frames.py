"""Names in the tables of pandas that are handed out."""

from __future__ import annotations

from typing import Iterable, Optional

import pandas as pd


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of pandas, or as a column.

    They remain Python's texts, because the text type of pandas 3 refuses some of them, such as the names of files that
    are not valid UTF-8.
    """
    return pd.Index(list(names), dtype=object, name=name)
