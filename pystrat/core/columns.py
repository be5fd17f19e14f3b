"""Columns: their values, numbered in order of first appearance, whatever the locale, order of categories and dtype."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Callable, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.arrays import Wanted, as_vector, check_same_rows, objects_of, plain_array
from pystrat.core.lazy_pandas import is_frame, is_loaded, pd
from pystrat.core.limits import MAX_COUNT, MAX_EXACT
from pystrat.core.messages import count_of, refused_type, refused_value
from pystrat.core.value_names import Names, name_of

_REQUIRED = "hold logical values, numbers, text or dates, one kind per column"
_KINDS = {  # by what pandas infers
    **dict.fromkeys(["integer", "floating", "mixed-integer-float"], "number"),
    **dict.fromkeys(["string", "empty"], "text"),
    **dict.fromkeys(["date", "datetime", "datetime64"], "date"),
    "boolean": "boolean",
    "bytes": "bytes",
}
_Refuse = Callable[..., TypeError]  # of what it is, and advice


@dataclass(frozen=True, eq=False)
class Column:
    """A numbered column."""

    codes: NDArray[np.int32]  # of the value of each row, from 0 in order of first appearance; -1 if it is missing
    values: pd.Index  # the distinct ones; bytes are text, read as UTF-8
    kind: str  # of the values: boolean, number, text, date, or bin for intervals and periods
    missing: Any = None  # the first missing value as it was given, if there is one

    @property
    def names(self) -> Names:
        """The names of the values, made on access."""
        return Names(self.values)

    def show(self, code: int) -> str:
        """Return the name of the value of a code, NA for missing."""
        return name_of(self.values[code]) if 0 <= code < len(self.values) else "NA"

    def values_at(self, places: NDArray[np.int64]) -> pd.Index:
        """Return the values with these numbers; for -1, the missing one, which tables are asked for as it was given."""
        if np.min(places, initial=0) >= 0:
            return self.values.take(places)
        if self.values.dtype == object:
            return pd.Index(objects_of([*self.values, self.missing])[places], dtype=object)
        return pd.Index(pd.Series(self.values).reindex(places))


def read_columns(table: Any, wanted: Wanted) -> dict[Any, Any]:
    """Return the columns of a table as vectors, by name; a vector becomes the only column, named None."""
    if isinstance(table, getattr(sys.modules.get("pyarrow"), "Table", ())):
        table = table.to_pandas(integer_object_nulls=True)  # as doubles, large integers would be others
    if is_loaded() and isinstance(table, pd.MultiIndex):
        columns = [(name, table.get_level_values(place)) for place, name in enumerate(table.names)]
    elif is_frame(table) or isinstance(table, Mapping):
        columns = list(table.items())
    else:
        refuse_dataset(table, wanted)
        columns = [(None, table)]
    if not columns:
        raise refused_value(wanted.name, "have at least one column", "0 columns")
    if len({name for name, _ in columns}) < len(columns):  # none is lost
        columns = [((name, place), values) for place, (name, values) in enumerate(columns)]
    check_same_rows((wanted.name, values) for _, values in columns)
    vectors = {name: as_vector(values, wanted) for name, values in columns}
    lengths = list(dict.fromkeys(map(len, vectors.values())))
    if len(lengths) > 1:
        raise refused_value(wanted.name, "have columns of equal length", f"lengths {lengths[0]} and {lengths[1]}")
    return vectors


def refuse_dataset(values: Any, wanted: Wanted) -> None:
    """Refuse a torch dataset; its labels are required instead."""
    data = sys.modules.get("torch.utils.data")
    if data is not None and isinstance(values, data.Dataset):
        got, advice = f"a dataset of class '{type(values).__name__}'", "pystrat.labels_of(dataset) returns its labels."
        raise wanted.refusal(got, advice)


def check_n_rows(n_rows: int, name: str) -> None:
    """Refuse no rows, or more than a dataset may have."""
    if n_rows == 0:
        raise refused_value(name, "have at least one row", "0 rows")
    if n_rows > MAX_COUNT:
        raise refused_value(name, f"have at most {MAX_COUNT} rows", count_of(n_rows, "row"))


def number_columns(columns: Mapping[Any, Any], name: str) -> list[Column]:
    """Number the values of each column by itself."""
    return [
        number_column(values, name, "" if title is None else f" in column '{title}'")
        for title, values in columns.items()
    ]


def number_column(values: Any, name: str, where: str = "", *, required: str = _REQUIRED) -> Column:
    """Number the distinct values of a column, as `as_vector` returns it; `required` is what messages say it must do."""

    def refuse(got: str, advice: Optional[str] = None) -> TypeError:
        return refused_type(name, required, got + where, advice)

    if isinstance(values.dtype, pd.CategoricalDtype):
        number = partial(number_column, name=name, where=where, required=required)
        return _number_categories(pd.Categorical(values), number)
    kind = _kind_of(values, refuse)
    distinct: Any
    if kind in ("text", "bytes"):
        texts = np.asarray(values, dtype=object).tolist()
        if kind == "bytes":
            try:
                texts = [text.decode("utf-8") if isinstance(text, bytes) else text for text in texts]
            except UnicodeDecodeError as error:
                raise refuse(f"bytes that are not UTF-8, {error.object!r},") from None
        codes: NDArray[Any] = np.empty(len(texts), dtype=np.int64)
        found = _core.number_texts(texts, codes)  # by all characters of each text, which pandas does not compare
        for text in found:
            if "\0" in text:
                raise refuse(f"text with a NUL character, {text!a},")  # which R cannot hold
        kind, distinct = "text", objects_of(found)
    elif kind == "number":
        codes, distinct = factorize_numbers(_as_numbers(values, refuse))
        _check_exact(distinct, refuse)
    elif kind == "date":
        codes, distinct = pd.factorize(_as_dates(values, refuse))
    else:
        codes, distinct = pd.factorize(values if values.dtype == bool else np.asarray(values, dtype=object))
        distinct = distinct.astype(bool)
    missing = list(values[int(codes.argmin()) :][:1])[0] if len(codes) and codes.min() < 0 else None
    index = pd.Index(distinct, dtype=object if distinct.dtype == object else None)
    return Column(codes.astype(np.int32, copy=False), index, kind, missing)


def _number_categories(values: pd.Categorical, number: Callable[[Any], Column]) -> Column:
    """Number the categories that occur, whose values are those of a column; ordered ones stay so."""
    categories, kind = values.categories, "bin"
    if not isinstance(categories.dtype, (pd.IntervalDtype, pd.PeriodDtype)):
        held = number(categories)
        categories, kind = held.values, held.kind
    if values.ordered:
        categories = pd.CategoricalIndex(categories, categories, ordered=True)
    codes, places = factorize_numbers(values.codes, values.codes < 0)
    return Column(codes, categories.take(places), kind)


def factorize_numbers(
    values: NDArray[Any], left_out: Optional[NDArray[np.bool_]] = None
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Number integers or doubles, -1 for NaN and for rows that are left out; return the distinct ones."""
    wide = np.dtype({"f": np.float64, "u": np.uint64}.get(values.dtype.kind, np.int64))
    if wide.kind == "f":
        left_out, values = np.isnan(values), values + 0.0  # 0 and -0 are equal, and only their bits differ
    rows = ~left_out if left_out is not None and left_out.any() else None
    kept = values if rows is None else values[rows]
    found = _core.call("number_values", {}, {"values": np.ascontiguousarray(kept, dtype=wide).view(np.float64)})
    codes = found["codes"]
    if rows is not None:
        codes = np.full(len(values), -1, dtype=codes.dtype)
        codes[rows] = found["codes"]
    return codes, found["values"].view(wide).astype(values.dtype, copy=False)


def _kind_of(values: Any, refuse: _Refuse) -> str:
    """Return what a vector holds: boolean, number, text, bytes or date; refuse anything else."""
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    if inferred not in _KINDS:  # "mixed" is also the result for text and NaT
        objects = np.asarray(values, dtype=object)
        objects = objects[~pd.isna(objects)]
        inferred = pd.api.types.infer_dtype(objects, skipna=False)
    if inferred in _KINDS:
        return _KINDS[inferred]
    if inferred.startswith("mixed"):
        held = {type(value).__name__ for value in objects}
        raise refuse(f"{held.pop()} values" if len(held) == 1 else "a mix of kinds")
    raise refuse(f"{inferred} values")


def _as_dates(values: Any, refuse: _Refuse) -> Any:
    """Return days or times; refuse a mix of days and times, or of zones and none, whose equals are two."""
    if values.dtype.kind != "M":
        values = np.asarray(values, dtype=object)
        present = values[~pd.isna(values)]
        if len({(type(value) is date, getattr(value, "tzinfo", None) is not None) for value in present}) > 1:
            raise refuse("a mix of kinds")
        if not any(isinstance(value, np.datetime64) for value in present):
            return values
    try:
        return pd.DatetimeIndex(values)
    except pd.errors.OutOfBoundsDatetime:
        raise refuse("dates that pandas does not hold") from None


def _as_numbers(values: Any, refuse: _Refuse) -> NDArray[Any]:
    """Return numbers as integers, or as doubles, NaN if missing."""
    if values.dtype == object or (values.dtype.kind in "iu" and not isinstance(values, np.ndarray)):
        objects = np.asarray(values, dtype=object)
        missing = pd.isna(objects)
        try:
            if not missing.any() and pd.api.types.infer_dtype(objects) == "integer":
                return objects.astype(np.int64)
        except OverflowError:  # an integer of more than 64 bits
            pass
        _check_exact(objects[~missing], refuse)
        doubles = np.full(len(objects), np.nan)
        doubles[~missing] = objects[~missing]
        return doubles
    array = plain_array(values)
    return array if array.dtype.kind in "iu" else np.asarray(array, dtype=np.float64)


def _check_exact(numbers: NDArray[Any], refuse: _Refuse) -> None:
    """Refuse integers that R's doubles would merge with their neighbors, such as 2^53 + 1."""
    if numbers.dtype.kind == "f":
        return
    advice = "Pass such numbers as text."
    try:
        for number in numbers[(numbers < -MAX_EXACT) | (numbers > MAX_EXACT)]:
            if not isinstance(number, (float, np.floating)) and int(float(number)) != int(number):
                raise refuse(f"the integer {number}, which no double holds exactly,", advice)
    except OverflowError:
        raise refuse("an integer that is too large for a double", advice) from None


def numbers_of(values: Any, name: str) -> NDArray[np.float64]:
    """Return a vector of numbers, one per row, as doubles, NaN if missing; refuse anything else."""
    wanted = Wanted(name, "be a vector of numbers")

    def refuse(got: str, advice: Optional[str] = None) -> TypeError:
        return wanted.refusal(got)  # without the advice to pass text, which is no number

    vector = as_vector(values, wanted)
    check_n_rows(len(vector), name)
    if np.all(pd.isna(vector)):
        raise nothing_but_missing(len(vector), name)
    kind = "categorical values" if isinstance(vector.dtype, pd.CategoricalDtype) else _kind_of(vector, refuse)
    if kind != "number":
        raise refuse({"boolean": "logical values", "date": "dates"}.get(kind, kind))
    numbers = _as_numbers(vector, refuse)
    _check_exact(numbers, refuse)
    return np.asarray(numbers, dtype=np.float64)


def nothing_but_missing(n_rows: int, name: str) -> ValueError:
    """Return the error about rows that all have a missing value."""
    required = "have at least one row without missing values"
    return refused_value(name, required, f"{n_rows} missing of {count_of(n_rows, 'row')}")
