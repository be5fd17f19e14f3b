"""pandas, imported when it is first used, because that takes longer than importing numpy and this package."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any


class _LazyPandas:
    """Stands for the module: its attributes are looked up in pandas once."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("pandas"), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import pandas

    pd = pandas
else:
    pd = _LazyPandas()


def is_loaded() -> bool:
    """Return whether pandas was imported; before that, no object is of pandas."""
    return "pandas" in sys.modules


def is_frame(values: Any) -> bool:
    """Return whether these values are a DataFrame, without importing pandas to find out."""
    return is_loaded() and isinstance(values, pd.DataFrame)
