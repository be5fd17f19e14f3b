"""What a recipe says of the values of strata beside their names, so that tables in R have columns of their types."""

from __future__ import annotations

from typing import Any

import numpy as np

from pystrat.lazy_pandas import pd
from pystrat.value_names import exact_name_of, name_of

_EXACT = 10**15  # integers below it have up to 15 digits
_SMALL = 2**31  # and those below it are integers in R


def value_labels(values: pd.Index) -> dict[str, Any]:
    """Return the labels of a recipe for the values of strata; nothing for one column of text.

    * ``kinds``: what each column of strata holds; "ordered 3" is that of three ordered categories;
    * ``levels``: those categories, in order of the columns;
    * ``columns``: the names of the columns, if there are several.

    A column whose names do not give its values exactly is text.
    """
    columns = [values.get_level_values(place).dropna() for place in range(values.nlevels)]
    levels = [_levels_of(column) for column in columns]
    kinds = [f"ordered {len(of)}" if of else _kind_of(column) for column, of in zip(columns, levels)]
    if kinds == ["text"]:
        return {}
    found: dict[str, Any] = {"kinds": tuple(kinds)}
    if any(levels):
        found["levels"] = tuple(level for of_column in levels for level in of_column)
    if len(kinds) > 1:
        titles = [str(place if name is None else name) for place, name in enumerate(values.names, 1)]
        found["columns"] = tuple(t if _is_unicode(t) else str(place) for place, t in enumerate(titles, 1))
    return found


def _is_unicode(text: str) -> bool:
    return "\0" not in text and text.encode("utf-8", "replace") == text.encode("utf-8", "surrogatepass")


def _levels_of(column: pd.Index) -> list[str]:
    """Return ordered categories of text or of bins, as R's levels; none of other columns."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return []
    categories = column.remove_unused_categories().categories
    names = [name_of(value) for value in categories]
    is_text = categories.dtype == object or isinstance(categories.dtype, (pd.IntervalDtype, pd.PeriodDtype))
    return names if is_text and len(set(names)) == len(names) else []


def _kind_of(column: pd.Index) -> str:
    inferred = pd.api.types.infer_dtype(column.tolist())
    if inferred == "boolean":
        return "boolean"
    if inferred in ("integer", "floating"):
        doubles = np.asarray(column, dtype=np.float64)
        if inferred == "integer" and np.abs(doubles).max() < _EXACT:
            return "integer" if np.abs(doubles).max() < _SMALL else "double"
        return "double" if _are_exact(column) else "text"
    if inferred not in ("date", "datetime", "datetime64") or not _are_exact(column):
        return "text"
    return "day" if inferred == "date" else "time"


def _are_exact(column: pd.Index) -> bool:
    return all(name_of(value) == exact_name_of(value) for value in column)
