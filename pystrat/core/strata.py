"""Strata: the code of each row, and the distinct values as an index of pandas, the keys of tables and of mappings."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Hashable, Iterable, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted
from pystrat.core.columns import Column, check_n_rows, factorize_numbers, nothing_but_missing
from pystrat.core.columns import number_columns, read_columns
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, refused_type, refused_value, show
from pystrat.core.recipe import compact
from pystrat.core.value_names import Names, listed_keys, name_of, parts_of, shown_key

STRATA = Wanted("strata", "be a vector or a table of columns", "Several columns go in a DataFrame or a dict.")
_NOUNS = {"class": "classes", "stratum": "strata", "shard": "shards"}


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a dataset: the code of each row, uint8 or int32, and the values by code."""

    codes: NDArray[Any]  # from 0 in order of first appearance; of dropped rows, the number of strata
    values: pd.Index  # of several columns, a MultiIndex

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each stratum, counted on first access."""
        counts = np.bincount(self.codes, minlength=len(self.values))[: len(self.values)]
        counts.setflags(write=False)
        return counts

    @property
    def names(self) -> Names:
        """The names of the strata, made on access. Two strata may share a name, never a code."""
        return Names(self.values)

    @property
    def exact_names(self) -> list[str]:
        """The names as tables of names require them: no other value of the same kind has the name."""
        return [name_of(value, exact=True) for value in self.values]

    @property
    def data(self) -> dict[str, Any]:
        """The strata of rows as the core takes them."""
        return {"codes": self.codes, "n_strata": len(self.values)}


def data_of_groups(groups: Any) -> dict[str, Any]:
    """Return the groups of rows, numbered as strata are, as the core takes them."""
    numbered = encode_strata(groups, missing=None, name="groups")
    return {"groups": numbered.codes, "n_groups": len(numbered.values)}


def encode_strata(
    strata: Any, *, missing: Optional[str] = "error", name: str = "strata", may_be_empty: bool = False
) -> Strata:
    """Number the strata of a dataset: one value per row, or several columns, whose combinations are the strata.

    Rows that have a missing value are an "error", or missing is another value of its column ("stratum"), or they are
    left out ("drop"); None refuses them for samplers without this choice. `name` is that of the parameter. If it
    `may_be_empty`, no rows have no strata.
    """
    columns = read_columns(strata, Wanted(name, STRATA.required, STRATA.advice))
    n_rows = len(next(iter(columns.values())))
    if n_rows == 0 and may_be_empty:
        return Strata(np.empty(0, dtype=np.uint8), pd.Index([], dtype=object))
    check_n_rows(n_rows, name)
    numbered = number_columns(columns, name)
    lacks = check_missing(numbered, missing, name)
    codes, levels = _combine(numbered, lacks, missing == "drop")
    values = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
    if not len(values):
        raise nothing_but_missing(n_rows, name)
    if name == STRATA.name:
        _warn_of_measurements(numbered, n_rows)
    if missing == "drop" and lacks is not None:
        codes = np.where(lacks, len(values), codes)
    titles = list(strata.names if isinstance(strata, pd.MultiIndex) else columns)
    return Strata(compact(codes, len(values)), values.set_names(titles))


def check_missing(columns: Sequence[Column], missing: Optional[str], name: str) -> Optional[NDArray[np.bool_]]:
    """Return whether each row has a missing value, None if no row has one; or refuse such rows."""
    incomplete = [column.codes < 0 for column in columns if column.codes.min() < 0]
    if not incomplete:
        return None
    lacks: NDArray[np.bool_] = np.logical_or.reduce(incomplete)
    if missing in ("error", None):
        advice = "Set 'missing' to 'stratum' or 'drop'." if missing else "Leave these rows out of the dataset."
        got = f"{lacks.sum()} missing of {count_of(len(lacks), 'row')}"
        raise refused_value(name, "have no missing values", got, advice)
    return lacks


def _warn_of_measurements(columns: Sequence[Column], n_rows: int) -> None:
    """Warn of a column of numbers that are not whole, if nearly each of them is a stratum."""
    for column in columns:
        doubles = np.asarray(column.values if column.kind == "number" else [], dtype=np.float64)
        if len(doubles) >= max(20, n_rows / 10) and (doubles != np.floor(doubles)).any():
            warnings.warn(
                f"The '{STRATA.name}' parameter has {len(doubles)} different numbers in {count_of(n_rows, 'row')}, and "
                "each is a stratum. Of numbers bin_target() makes strata.",
                stacklevel=4,
            )


def _combine(
    columns: Sequence[Column], lacks: Optional[NDArray[np.bool_]], drop: bool
) -> tuple[NDArray[Any], list[pd.Index]]:
    """Number the combinations that occur; return their values in each column as well. Dropped rows have any number."""
    if len(columns) == 1 and (lacks is None or drop):
        return columns[0].codes, [columns[0].values]
    codes: NDArray[Any] = np.zeros(len(columns[0].codes), dtype=np.int64)
    places: list[NDArray[np.int64]] = []
    for column in columns:
        width = len(column.values) + 1
        joined = codes.astype(np.int64) * width + column.codes + 1
        codes, found = factorize_numbers(joined, lacks if drop else None)
        places = [of_column[found // width] for of_column in places] + [found % width - 1]
    return codes, [column.values_at(of_column) for column, of_column in zip(columns, places)]


# Strata that users name by their values --------------------------------------------------------------------------


def identity_of(key: Any, parameter: str) -> Hashable:
    """Return what a value, or a tuple of several, has in common with its equals only; True and 1 are two values."""
    return tuple(_identity(part, parameter) for part in parts_of(key))


def _identity(value: Any, parameter: str) -> tuple[bool, Any]:
    known = (str, bytes, numbers.Real, np.number, np.bool_, np.datetime64, date, pd.Interval, pd.Period)
    if not isinstance(value, known) and value is not None and value is not pd.NA and value is not pd.NaT:
        raise refused_type(parameter, "name a class by its label", show(value))
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    elif isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    return isinstance(value, (bool, np.bool_)), value if isinstance(value, str) or not pd.isna(value) else None


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
            meant = [value for value in values if isinstance(key, str) and name_of(value) == key]
            advice = f"Use {shown_key(meant[0])} instead, the value itself." if len(meant) == 1 else None
            raise refused_value(parameter, required, shown_key(key), advice)
        found.append(code)
    return found


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
