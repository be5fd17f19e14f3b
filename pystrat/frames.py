"""The index of names in the tables that are returned."""

from __future__ import annotations

from typing import Iterable, Optional

import pandas as pd


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of Python strings.

    Its type is the same with all versions of pandas. The string type of pandas 3 also refuses some names, such as those
    of files that are not valid UTF-8.
    """
    return pd.Index(list(names), dtype=object, name=name)
