"""The names of values: how messages, plots, tables of names and R show them."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from typing import Any, Iterable, Optional, Sequence

import numpy as np

from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import is_number, show, show_number


class Names(Sequence[str]):
    """The names of the values of an index, made on access: a number takes 8 bytes, its text about 60."""

    def __init__(self, values: pd.Index) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        found = self._values[place]
        return [*map(name_of, found)] if isinstance(place, slice) else name_of(found)


def name_of(value: Any, *, exact: bool = False) -> str:
    """Return the name of a value, or of those of several columns; no other value of its kind has the `exact` name."""
    names = [_name(part, exact) for part in parts_of(value)]
    return ", ".join(map(_quoted, names) if exact and len(names) > 1 else names)


def parts_of(value: Any) -> tuple[Any, ...]:
    """Return the values of the columns; a tuple has those of several."""
    return value if isinstance(value, tuple) else (value,)


def _name(value: Any, exact: bool) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if pd.isna(value):
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if is_number(value):
        shown = show_number(value)
        return show_number(value, 17) if exact and float(shown) != float(value) else shown
    if isinstance(value, datetime):
        return _time_name(value, exact)
    return value.isoformat() if isinstance(value, date) else str(value)


def _time_name(value: datetime, exact: bool) -> str:
    """Return a time in ISO 8601 and UTC; of midnight, the date."""
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    if exact or value.time() == time():
        return value.isoformat().removesuffix("T00:00:00")
    return value.isoformat(timespec="seconds")


def _quoted(name: str) -> str:
    """Return the name of a value among several columns: if it has their separator, in double quotes."""
    return '"' + name.replace('"', '""') + '"' if ", " in name or name.startswith('"') else name


def shown_key(key: Any) -> str:
    """Return a key as messages show it: 1, 'text', or (1, 'text')."""
    shown = [_shown_part(part) for part in parts_of(key)]
    return f"({', '.join(shown)})" if isinstance(key, tuple) else shown[0]


def _shown_part(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    is_bare = isinstance(value, (np.number, int, float, pd.Interval)) or (not isinstance(value, str) and pd.isna(value))
    return name_of(value) if is_bare else show(name_of(value))


def listed_keys(keys: Sequence[Any]) -> str:
    """Return the first ten keys as text for a message."""
    return ", ".join(map(shown_key, keys[:10])) + ", ..." * (len(keys) > 10)


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of objects: the string type of pandas 3 refuses names of files that are not UTF-8."""
    return pd.Index(list(names), dtype=object, name=name)
