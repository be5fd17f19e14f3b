"""Strata that users name by their values, looked up among those of the dataset; and how messages show them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Collection, Iterable, Mapping, Optional, Sequence

import numpy as np

from pystrat.arrays import Wanted, as_vector
from pystrat.lazy_pandas import is_loaded, pd
from pystrat.messages import refused_type, refused_value, show
from pystrat.strata import Column, number_column
from pystrat.stratum_values import StratumNames, with_values


Identity = tuple[tuple[str, str], ...]  # of each column, the kind of a value, and text that no other value has
_MISSING = ("missing", "")
_NOUNS = {"class": "classes", "stratum": "strata", "shard": "shards"}


def _parts_of(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _column_of(value: Any, parameter: str) -> Column:
    """Return a value as the only one of a column."""
    if not isinstance(value, (list, tuple, range)) and np.ndim(value) == 0:
        try:
            values = pd.Categorical([value]) if is_loaded() and isinstance(value, (pd.Interval, pd.Period)) else [value]
            return number_column(as_vector(values, Wanted(parameter, "")), parameter)
        except TypeError:  # of a type that no stratum has; refused below, with what a key must be
            pass
    raise refused_type(parameter, "name a class by its label", show(value))


def _identity(value: Any, parameter: str) -> tuple[str, str]:
    column = _column_of(value, parameter)
    return (column.kind, column.exact_names()[0]) if len(column.values) else _MISSING


def identity_of(key: Any, parameter: str) -> Identity:
    """Return what a value, or a tuple of those of several columns, has in common with its equals only."""
    return tuple(_identity(value, parameter) for value in _parts_of(key))


def text_of(key: Any, parameter: str) -> str:
    """Return how a value, or a tuple of those of several columns, is shown as the name of a stratum."""
    return ", ".join(_column_of(value, parameter).show(0) for value in _parts_of(key))


def shown_key(key: Any, parameter: str) -> str:
    """Return a key as messages show it: 1, 'text', or (1, 'text')."""
    shown = []
    for value in _parts_of(key):
        column = _column_of(value, parameter)
        text = column.show(0)
        shown.append(text if column.kind in ("number", "boolean", "bin") or not len(column.values) else show(text))
    return f"({', '.join(shown)})" if isinstance(key, tuple) else shown[0]


def listed_keys(keys: Sequence[Any], parameter: str) -> str:
    """Return the first ten keys as text for a message."""
    return ", ".join(shown_key(key, parameter) for key in keys[:10]) + ", ..." * (len(keys) > 10)


def check_keys(keys: Iterable[Any], parameter: str, *, noun: str = "class") -> list[Identity]:
    """Return the identities of keys; refuse two that are equal."""
    found: dict[Identity, Any] = {}
    for key in keys:
        identity = identity_of(key, parameter)
        if identity in found:
            raise refused_value(parameter, f"name each {noun} once", f"{shown_key(key, parameter)} twice")
        found[identity] = key
    return list(found)


def strata_of_keys(keys: Iterable[Any], names: Sequence[str], parameter: str, *, noun: str = "class") -> list[int]:
    """Return the codes of the strata with these values; `noun` is the word for a stratum in messages."""
    strata = with_values(names)
    codes = {identity: code for code, identity in enumerate(_identities(strata))}
    found = []
    for key in keys:
        code = codes.get(identity_of(key, parameter))
        if code is None:
            known = [strata.value_of(code) for code in range(min(len(strata), 11))]
            required = f"name one of the {_NOUNS[noun]}, {listed_keys(known, parameter)}"
            raise refused_value(parameter, required, shown_key(key, parameter), _advice(key, strata, parameter))
        found.append(code)
    return found


def by_value(numbers: Mapping[str, Any], names: Sequence[str]) -> dict[Any, Any]:
    """Return numbers of strata by their values, from those by their names, as a command line has them.

    A name of no stratum, or of several strata, is kept, so that the sampler refuses it.
    """
    strata = with_values(names)
    counts = Counter(strata)
    values = {name: strata.value_of(code) for code, name in enumerate(strata) if counts[name] == 1}
    return {values.get(name, name): number for name, number in numbers.items()}


def _identities(strata: StratumNames) -> list[Identity]:
    columns = []
    for column in strata.columns:
        values = [value.decode() for value in column.values] if column.kind == "bytes" else column.values
        held = Column(np.empty(0, dtype=np.int64), values, column.kind)
        names = [(column.kind, name) for name in held.exact_names()] + [_MISSING]
        columns.append([names[place] for place in column.places.tolist()])
    return list(zip(*columns))


def _advice(key: Any, strata: StratumNames, parameter: str) -> Optional[str]:
    """Return the value that a text shows, if there is one."""
    names = list(strata)
    if not isinstance(key, str) or names.count(key) != 1:
        return None
    return f"Use {shown_key(strata.value_of(names.index(key)), parameter)} instead, the value itself."


def first_repeated(names: Sequence[str]) -> Optional[str]:
    """Return the first name that occurs more than once; None if there is none."""
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


def codes_of(wanted: Collection[str], names: Sequence[str], parameter: str, *, noun: str = "class") -> list[int]:
    """Return the codes of the strata with these names; `noun` is the word for a stratum in messages."""
    nouns = _NOUNS[noun]
    codes = {name: code for code, name in enumerate(names)}
    counts = Counter(names) if len(codes) < len(names) else None
    for name in wanted:
        if name not in codes:
            raise refused_value(parameter, f"name one of the {nouns}, {listed(names)}", show(name))
        if counts is not None and counts[name] > 1:
            got = f"{show(name)}, as which {counts[name]} {nouns} are shown,"
            advice = f"Recode the {nouns}, so that each is shown in its own way."
            raise refused_value(parameter, f"name a {noun} that no other is shown as", got, advice)
    return [codes[name] for name in wanted]


def listed(names: Sequence[str]) -> str:
    """Return the first ten names as text for a message."""
    return ", ".join(map(show, names[:10])) + ", ..." * (len(names) > 10)
