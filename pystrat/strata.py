"""Strata: the code of each row, and the distinct values as an index of pandas, the keys of tables and of mappings.

The first step of the one-way flow strata -> plan -> order -> batches.
"""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Collection, Hashable, Iterable, Mapping, Optional, Sequence

import numpy as np

from pystrat.arrays import Wanted, is_missing
from pystrat.columns import Column, check_n_rows, factorize_numbers, nothing_but_missing, number_columns, read_columns
from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, refused_type, refused_value, show
from pystrat.value_names import Names, exact_name_of, name_of, parts_of, written

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

STRATA = Wanted("strata", "be a vector or a table of columns", "Several columns go in a DataFrame or a dict.")
_NOUNS = {"class": "classes", "stratum": "strata", "shard": "shards"}


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a dataset.

    Attributes
    ----------
    codes : numpy.ndarray, shape (n_rows,)
        The number of each row's stratum, from 0 in order of first appearance; for dropped rows, the number of strata.
        uint8, uint16 or int32, the smallest type that fits.
    values : pandas.Index
        The values of the strata in order of first appearance; of several columns, a MultiIndex.
    """

    codes: NDArray[Any]
    values: pd.Index

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each stratum, counted on first access."""
        counts = np.bincount(self.codes, minlength=len(self.values))[: len(self.values)]
        counts.setflags(write=False)
        return counts

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strata, see `pystrat.value_names`. Two strata may share a name, never a code."""
        return tuple(self.shown)

    @property
    def exact_names(self) -> list[str]:
        """The names as tables of names require them: no other value of the same kind has the name."""
        return [*map(exact_name_of, self.values)]

    @property
    def shown(self) -> Names:
        """The same, made on access."""
        return Names(self.values)

    @property
    def n_rows(self) -> int:
        """The number of rows of the dataset, including dropped ones."""
        return len(self.codes)


def encode_strata(
    strata: Any, *, missing: Optional[str] = "error", name: str = "strata", may_be_empty: bool = False
) -> Strata:
    """Number the strata of a dataset.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, pyarrow Table, or dict
        One value per row, or several columns, in which case each combination that occurs is a stratum. A column holds
        logical values, numbers, text or dates; bytes are read as UTF-8. Numbers are equal if they are equal as doubles.
        The dtype of a column does not matter.
    missing : {"error", "stratum", "drop", None}, default "error"
        What to do with rows that have a missing value (None, NaN, NaT, pandas.NA): raise an error, treat missing as a
        value of its column, or drop them. None refuses them for samplers without this choice.
    name : str, default "strata"
        The name of the parameter, for error messages.
    may_be_empty : bool, default False
        Whether no rows are accepted; they have no strata.

    Returns
    -------
    Strata
    """
    columns = read_columns(strata, Wanted(name, STRATA.required, STRATA.advice))
    n_rows = len(next(iter(columns.values())))
    if n_rows == 0 and may_be_empty:
        return Strata(np.empty(0, dtype=np.uint8), pd.Index([], dtype=object))
    check_n_rows(n_rows, name)
    numbered = number_columns(columns, name)
    lacks = check_missing(numbered, missing, name)
    left_out = lacks if missing == "drop" else None
    codes, levels = _combine(numbered, lacks is not None, left_out)
    values = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
    if not len(values):
        raise nothing_but_missing(n_rows, name)
    if name == STRATA.name:
        _warn_of_measurements(numbered, n_rows)
    titles = list(strata.names if isinstance(strata, pd.MultiIndex) else columns)
    if list(values.names) != titles:
        values = values.set_names(titles if len(levels) > 1 else titles[0])
    return Strata(_compact(codes, len(values), any_dropped=left_out is not None), values)


def check_missing(columns: Sequence[Column], missing: Optional[str], name: str) -> Optional[NDArray[np.bool_]]:
    """Return whether each row has a missing value, None if no row has one; or refuse such rows."""
    lacks: NDArray[np.bool_] = np.logical_or.reduce([column.codes < 0 for column in columns])
    if not lacks.any():
        return None
    if missing in ("error", None):
        raise refused_value(
            name,
            "have no missing values",
            f"{lacks.sum()} missing of {count_of(len(lacks), 'row')}",
            "Set 'missing' to 'stratum' or 'drop'." if missing else "Leave these rows out of the dataset.",
        )
    return lacks


def _warn_of_measurements(columns: Sequence[Column], n_rows: int) -> None:
    """Warn of a column of numbers that are not whole, if nearly each of them is a stratum."""
    for column in columns:
        n_values = len(column.values)
        if column.kind != "number" or n_values < max(20, n_rows / 10):
            continue
        doubles = np.asarray(column.values, dtype=np.float64)
        if not (doubles == np.floor(doubles)).all():
            warnings.warn(
                f"The '{STRATA.name}' parameter has {n_values} different numbers in {count_of(n_rows, 'row')}, and "
                "each is a stratum. Of numbers bin_target() makes strata.",
                stacklevel=4,
            )


def _combine(
    columns: Sequence[Column], any_missing: bool, left_out: Optional[NDArray[np.bool_]]
) -> tuple[NDArray[np.int64], list[pd.Index]]:
    """Number the combinations that occur, -1 for rows that are left out; return their values in each column as well.

    The combinations are numbered again after every column, so the codes stay below the number of rows.
    """
    if len(columns) == 1 and (left_out is not None or not any_missing):
        return columns[0].codes, [columns[0].values]
    codes = np.zeros(len(columns[0].codes), dtype=np.int64)
    places: list[NDArray[np.int64]] = []
    for column in columns:
        width = len(column.values) + 1
        codes, found = factorize_numbers(codes * width + column.codes + 1, left_out)
        places = [of_column[found // width] for of_column in places] + [found % width - 1]
    return codes, [column.values_at(of_column) for column, of_column in zip(columns, places)]


def _compact(codes: NDArray[Any], n_strata: int, *, any_dropped: bool) -> NDArray[Any]:
    """Return codes in the smallest type; dropped rows, whose codes are negative, get the last one."""
    n_codes = n_strata + any_dropped
    dtype = np.uint8 if n_codes <= 2**8 else np.uint16 if n_codes <= 2**16 else np.int32
    return (np.where(codes < 0, n_strata, codes) if any_dropped else codes).astype(dtype)


# Strata that users name by their values --------------------------------------------------------------------------


def identity_of(key: Any, parameter: str) -> Hashable:
    """Return what a value, or a tuple of those of several columns, has in common with its equals only.

    Python's True equals 1, but they are different values of strata; all missing values are one.
    """
    return tuple(_identity(part, parameter) for part in parts_of(key))


def _identity(value: Any, parameter: str) -> tuple[bool, Any]:
    known = (str, bytes, numbers.Real, np.number, np.bool_, np.datetime64, date, pd.Interval, pd.Period)
    if not isinstance(value, known) and value is not None and value is not pd.NA and value is not pd.NaT:
        raise refused_type(parameter, "name a class by its label", show(value))
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    elif isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    return isinstance(value, (bool, np.bool_)), None if is_missing(value) else value


def shown_key(key: Any) -> str:
    """Return a key as messages show it: 1, 'text', or (1, 'text')."""
    bare = (bool, np.bool_, np.number, int, float)
    shown = [
        written(part) if isinstance(part, (*bare, pd.Interval)) or is_missing(part) else show(name_of(part))
        for part in parts_of(key)
    ]
    return f"({', '.join(shown)})" if isinstance(key, tuple) else shown[0]


def listed_keys(keys: Sequence[Any]) -> str:
    """Return the first ten keys as text for a message."""
    return ", ".join(map(shown_key, keys[:10])) + ", ..." * (len(keys) > 10)


def check_keys(keys: Iterable[Any], parameter: str, *, noun: str = "class") -> list[Hashable]:
    """Return the identities of keys; refuse two that are equal."""
    found: dict[Hashable, Any] = {}
    for key in keys:
        identity = identity_of(key, parameter)
        if identity in found:
            raise refused_value(parameter, f"name each {noun} once", f"{shown_key(key)} twice")
        found[identity] = key
    return list(found)


def strata_of_keys(keys: Iterable[Any], values: pd.Index, parameter: str, *, noun: str = "class") -> list[int]:
    """Return the codes of the strata with these values; `noun` is the word for a stratum in messages."""
    codes = {identity_of(value, parameter): code for code, value in enumerate(values)}
    found = []
    for key in keys:
        code = codes.get(identity_of(key, parameter))
        if code is None:
            required = f"name one of the {_NOUNS[noun]}, {listed_keys(values)}"
            raise refused_value(parameter, required, shown_key(key), _advice(key, values))
        found.append(code)
    return found


def _advice(key: Any, values: pd.Index) -> Optional[str]:
    """Return the value that a text shows, if there is one."""
    meant = [value for value in values if isinstance(key, str) and name_of(value) == key]
    return f"Use {shown_key(meant[0])} instead, the value itself." if len(meant) == 1 else None


def by_value(named: Mapping[str, Any], values: pd.Index) -> dict[Any, Any]:
    """Return numbers of strata by their values, from those by their names, as a command line has them.

    A name of no stratum, or of several strata, is kept, so that the sampler refuses it.
    """
    names = list(Names(values))
    counts = Counter(names)
    known = {name: value for name, value in zip(names, values) if counts[name] == 1}
    return {known.get(name, name): number for name, number in named.items()}


# Strata and shards that users name by text -----------------------------------------------------------------------


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


# Tables by the values of the strata ------------------------------------------------------------------------------


def sorted_frame(columns: Mapping[str, NDArray[Any]], values: pd.Index) -> pd.DataFrame:
    """Return columns with one row per stratum, sorted by the values, the missing one last."""
    return pd.DataFrame(columns, index=titled(values)).sort_index(kind="stable")


def titled(values: pd.Index) -> pd.Index:
    """Return the values of strata; those of a vector have the name "stratum"."""
    return values.rename("stratum") if values.nlevels == 1 and values.name is None else values


def sorted_series(of_strata: NDArray[Any], values: pd.Index, name: str) -> pd.Series:
    """Return numbers of strata by their values, sorted; `name` is that of the numbers."""
    return pd.Series(of_strata, index=values, name=name).sort_index(kind="stable")


def sorted_batches(counts: NDArray[np.int64], values: pd.Index) -> pd.DataFrame:
    """Return counts, shape (number of batches, number of strata), by the values of the strata, sorted."""
    batches = pd.RangeIndex(len(counts), name="batch")
    return pd.DataFrame(counts, index=batches, columns=values).sort_index(axis=1, kind="stable")
