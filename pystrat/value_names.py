"""The names of values: how messages, plots, tables of names and R show them."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from typing import Any, Iterable, Optional, Sequence, Union, overload

import numpy as np

from pystrat.arrays import is_missing
from pystrat.lazy_pandas import pd
from pystrat.messages import is_number, number_name, show_number


class Names(Sequence[str]):
    """The names of values, made on access: a number takes 8 bytes, its text about 60.

    Parameters
    ----------
    values : pandas.Index
    """

    def __init__(self, values: pd.Index) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> str:
        ...

    @overload
    def __getitem__(self, place: slice) -> list[str]:
        ...

    def __getitem__(self, place: Union[int, slice]) -> Union[str, list[str]]:
        return [*map(name_of, self._values[place])] if isinstance(place, slice) else name_of(self._values[place])


def name_of(value: Any) -> str:
    """Return the name of a value, or of the values of several columns."""
    return ", ".join(map(_name, parts_of(value)))


def written(value: Any) -> str:
    """Return the name of a value, a logical one as Python writes it."""
    return str(bool(value)) if isinstance(value, (bool, np.bool_)) else _name(value)


def exact_name_of(value: Any) -> str:
    """Return the name of a value that no other value of its kind has, as tables of names require.

    Numbers have up to 17 digits, times have fractions of a second, and text among several columns is in double quotes
    if it has a comma.
    """
    parts = [_exact_name(part) for part in parts_of(value)]
    return parts[0] if len(parts) == 1 else ", ".join(map(_quoted, parts))


def parts_of(value: Any) -> tuple[Any, ...]:
    """Return the values of the columns; a tuple has those of several."""
    return value if isinstance(value, tuple) else (value,)


def _name(value: Any) -> str:
    if not isinstance(value, str) and is_missing(value):
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if is_number(value):
        return show_number(value)
    if isinstance(value, date):
        return _date_name(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _date_name(value: date) -> str:
    """Return a date in ISO 8601; the time of day, in UTC, only if it is not midnight."""
    if not isinstance(value, datetime):
        return value.isoformat()
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc)
    value = value.replace(tzinfo=None)
    return value.date().isoformat() if value.time() == time() else value.isoformat(timespec="seconds")


def _exact_name(value: Any) -> str:
    if is_number(value) and not is_missing(value):
        return number_name(value)
    shown = _name(value)
    digits = f"{getattr(value, 'microsecond', 0):06}{getattr(value, 'nanosecond', 0):03}".rstrip("0")
    if not digits or not isinstance(value, datetime) or is_missing(value):
        return shown
    fraction = digits.ljust(6 if len(digits) <= 6 else 9, "0")
    return f"{shown if 'T' in shown else f'{shown}T00:00:00'}.{fraction}"


def _quoted(name: str) -> str:
    """Return the name of a value among several columns: if it has their separator, in double quotes."""
    return '"' + name.replace('"', '""') + '"' if ", " in name or name.startswith('"') else name


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of Python strings.

    The string type of pandas 3 refuses some names, such as those of files that are not valid UTF-8.
    """
    return pd.Index(list(names), dtype=object, name=name)
