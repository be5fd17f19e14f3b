"""Stratum codes, names and counts, from labels, columns or tables of columns.

Strata are numbered in order of first appearance, so that Python and R number them alike: sorting, locale, category
order and dtype have no influence. The first step of the one-way flow strata -> plan -> order -> batches.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, replace
from datetime import datetime, time, timezone
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union, overload

import numpy as np

from pystrat import _core, _kernels
from pystrat.arrays import (
    Wanted,
    as_doubles,
    as_vector,
    check_same_rows,
    float64_of,
    is_arrow_table,
    is_missing,
    objects_of,
    values_of_arrow,
)
from pystrat.lazy_pandas import is_frame, is_loaded, pd
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import count_of, number_name, refused_type, refused_value, show_number
from pystrat.stratum_values import ColumnOfStrata, StratumNames

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

_KINDS = "hold logical values, numbers, text or dates, one kind per column"
_ARRAY_KINDS = {"b": "boolean", "i": "number", "u": "number", "f": "number", "M": "date", "U": "text", "S": "bytes"}
_ITEM_DTYPES = {bool: np.bool_, int: np.int64, float: np.float64}
_OBJECT_KINDS = {
    "boolean": "boolean",
    "integer": "number",
    "floating": "number",
    "mixed-integer-float": "number",
    "string": "text",
    "bytes": "bytes",
    "date": "date",
    "datetime": "date",
    "datetime64": "date",
    "empty": "text",
}
_Refuse = Callable[..., TypeError]  # of what it is, and advice


_AS_TEXT = "Pass such numbers as text."
STRATA = Wanted("strata", "be a vector or a table of columns", "Several columns go in a DataFrame or a dict.")


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a dataset.

    Attributes
    ----------
    codes : numpy.ndarray, shape (n_rows,)
        The number of each row's stratum, from 0 in order of first appearance; for dropped rows, the number of strata.
        uint8, uint16 or int32, the smallest type that fits.
    shown : sequence of str
        The names, possibly made on access.
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum.
    kinds : tuple of str
        What each column holds, such as text; for dates, whether days, times, or times with a zone.
    """

    codes: NDArray[Any]
    shown: Sequence[str]
    counts: NDArray[np.int64]
    kinds: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strata: numbers as ``%.15g``, TRUE or FALSE, ISO dates, text unchanged, missing as NA.

        The values of several columns are joined by a comma. Two strata may share a name, never a code.
        """
        return tuple(self.shown)

    @property
    def n_rows(self) -> int:
        """The number of rows of the dataset, including dropped ones."""
        return len(self.codes)


class NumberNames(Sequence[str]):
    """The names of strata that are numbers, made on access: a number takes 8 bytes, its text about 60.

    Parameters
    ----------
    values : numpy.ndarray of integers or doubles, shape (number of strata,)
    """

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> str:
        ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]:
        ...

    def __getitem__(self, place: Union[int, slice]) -> Union[str, tuple[str, ...]]:
        if isinstance(place, slice):
            return tuple(NumberNames(self._values[place]))
        return show_number(self._values[place].item())

    def __iter__(self) -> Iterator[str]:
        return map(show_number, self._values.tolist())


@dataclass(frozen=True)
class Column:
    """One numbered column: `codes` is -1 if the value is missing, `values` has one entry per code.

    `given` has the values as the user passed them, which may be bytes, `missing` the first missing one, and `ranks` the
    places of ordered categories in their order.
    """

    codes: NDArray[np.int64]
    values: Any
    kind: str
    given: Any = None
    missing: Any = None
    ranks: Optional[NDArray[Any]] = None

    def exact_kind(self) -> str:
        """Return what the column holds, where `kind` is the same for days, times, and times with a zone."""
        return _kind_of_date(self.values[0]) if self.kind == "date" and len(self.values) else self.kind

    def show(self, code: int) -> str:
        """Return the value of a code as text, NA for missing."""
        return _name(self.values[code], self.kind) if 0 <= code < len(self.values) else "NA"

    def names(self) -> Sequence[str]:
        """Return each value as text."""
        if isinstance(self.values, np.ndarray) and self.values.dtype.kind in "iuf":
            return NumberNames(self.values)
        return tuple(_name(value, self.kind) for value in self.values)

    def exact_names(self) -> tuple[str, ...]:
        """Return each value as text that no other value of this kind has."""
        return tuple(_exact_name(value, self.kind) for value in self.values)


def encode_strata(
    strata: Any,
    *,
    missing: Optional[str] = "error",
    name: str = "strata",
    may_be_empty: bool = False,
    exact: bool = False,
) -> Strata:
    """Number the strata of a dataset.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, pyarrow Table, or dict
        One value per row, or several columns, in which case each combination that occurs is a stratum. A column holds
        logical values, numbers, text or dates; bytes are read as UTF-8. Numbers are equal if they are equal as doubles.
    missing : {"error", "stratum", "drop", None}, default "error"
        What to do with rows that have a missing value (None, NaN, NaT, pandas.NA): raise an error, treat missing as a
        value of its column, or drop them. None refuses them for samplers without this choice.
    name : str, default "strata"
        The name of the parameter, for error messages.
    may_be_empty : bool, default False
        Whether no rows are accepted; they have no strata.
    exact : bool, default False
        Whether strata with different values of the same kinds have different names, as tables of names require: numbers
        with up to 17 digits, times with fractions of a second, and text among several columns in double quotes if it
        has a comma.

    Returns
    -------
    Strata

    Raises
    ------
    TypeError
        If `strata` is not a vector or a table, or a column holds values of another kind or of several kinds.
    ValueError
        If there are no rows, too many, missing values that are not allowed, or columns of unequal length.

    Notes
    -----
    The dtype of a column does not matter: pandas' nullable, categorical, sparse and Arrow-backed columns, numpy's
    masked arrays and its StringDType are numbered like their values. Arrow-backed columns are read through the
    interface of all pandas extension arrays. The tests use an array that has only this interface, because they also run
    without pyarrow.
    """
    columns = _as_columns(strata, replace(STRATA, name=name))
    n_rows = _common_length(columns.values(), name)
    if n_rows == 0 and may_be_empty:
        return Strata(np.empty(0, dtype=np.uint8), (), np.empty(0, dtype=np.int64))
    named = len(columns) > 1 or _is_table(strata)
    numbered = _number_each(columns, name, named=named)
    n_missing = _check_missing(numbered, n_rows, missing, name)
    codes, parts = _combine(numbered, drop=missing == "drop")
    names = _names_of(numbered, parts, exact=exact)
    if not names:
        raise _nothing_but_missing(n_rows, name)
    titles = _titles(strata, columns) if named else [None]
    shown = StratumNames(
        names,
        [
            ColumnOfStrata(column.given, column.kind, column.ranks, column.missing, title, part)
            for column, title, part in zip(numbered, titles, parts)
        ],
    )
    if name == STRATA.name:
        _warn_of_measurements(numbered, n_rows)
    kinds = tuple(column.exact_kind() for column in numbered)
    return _compact(codes, shown, kinds, any_dropped=bool(n_missing) and missing == "drop")


def number_columns(table: Any, *, name: str) -> tuple[tuple[str, ...], list[Column]]:
    """Number the values of each column by itself, and refuse missing ones.

    Returns the names of the columns; a vector is one column, named as `name`.
    """

    def refuse(got: str, advice: Optional[str] = None) -> TypeError:
        return refused_type(name, "have columns whose names are Unicode text", got, advice)

    columns = _as_columns(table, replace(STRATA, name=name))
    n_rows = _common_length(columns.values(), name)
    named = len(columns) > 1 or _is_table(table)
    numbered = _number_each(columns, name, named=named)
    _check_missing(numbered, n_rows, None, name)
    titles = tuple(map(str, _titles(table, columns))) if named else (name,)
    _check_text(titles, refuse)
    return titles, numbered


def _number_each(columns: Mapping[Any, Any], name: str, *, named: bool) -> list[Column]:
    _check_n_rows(_common_length(columns.values(), name), name)
    return [
        number_column(values, name, f" in column '{column}'" if named else "") for column, values in columns.items()
    ]


def _check_missing(numbered: Sequence[Column], n_rows: int, missing: Optional[str], name: str) -> int:
    """Return the number of rows with a missing value, or refuse them."""
    n_missing = _count_missing(numbered, n_rows)
    if n_missing and missing in ("error", None):
        raise refused_value(
            name,
            "have no missing values",
            f"{n_missing} missing of {count_of(n_rows, 'row')}",
            "Set 'missing' to 'stratum' or 'drop'." if missing else "Leave these rows out of the dataset.",
        )
    return n_missing


def _warn_of_measurements(columns: Sequence[Column], n_rows: int) -> None:
    """Warn of a column of numbers that are not whole, if nearly each of them is a stratum."""
    for column in columns:
        n_values = len(column.values)
        if column.kind == "number" and n_values >= max(20, n_rows / 10) and not _are_whole(column.values):
            warnings.warn(
                f"The '{STRATA.name}' parameter has {n_values} different numbers in {count_of(n_rows, 'row')}, and "
                "each is a stratum. Of numbers bin_target() makes strata.",
                stacklevel=4,
            )


def _are_whole(numbers: Any) -> bool:
    doubles = float64_of(np.asarray(numbers))
    return bool(np.all(doubles == np.floor(doubles)))


def numbers_of(values: Any, name: str) -> NDArray[np.float64]:
    """Return a vector of numbers as doubles, NaN if missing; refuse anything else.

    Parameters
    ----------
    values : list, numpy.ndarray, pandas Series or torch tensor
        One number per row.
    name : str
        The name of the parameter, for error messages.

    Raises
    ------
    TypeError
        If `values` is not a vector, or holds values of another kind or numbers that do not fit into a double.
    ValueError
        If there are no rows, too many, or only missing ones.
    """
    wanted = Wanted(name, "be a vector of numbers")
    refuse = wanted.refusal
    vector = _of_items(as_vector(values, wanted))
    _check_n_rows(len(vector), name)
    if vector.dtype.kind == "V" and isinstance(vector.dtype, np.dtype):
        raise refuse(f"{vector.dtype} values")
    missing = np.asarray(is_missing(vector))
    if missing.all():
        raise _nothing_but_missing(len(vector), name)
    kind = _kind_of(vector, refuse)
    if kind != "number":
        raise refuse({"boolean": "logical values", "date": "dates"}.get(kind, kind))
    present = np.asarray(_as_doubles(vector, refuse)[~missing])
    if present.dtype.kind != "f":
        distinct = pd.unique(present) if present.dtype == object else _factorize(present)[1]
        _check_exact(distinct, lambda got, advice=None: refuse(got))  # text is no number
    numbers = np.full(len(vector), np.nan)
    numbers[~missing] = present
    return numbers


def _is_table(strata: Any) -> bool:
    return isinstance(strata, Mapping) or is_frame(strata) or _is_multi_index(strata) or is_arrow_table(strata)


def _is_multi_index(strata: Any) -> bool:
    return is_loaded() and isinstance(strata, pd.MultiIndex)


def _as_columns(strata: Any, wanted: Wanted) -> dict[Any, Any]:
    """Return the columns by name; a vector becomes the only column."""
    if is_arrow_table(strata):
        strata = dict(zip(_unique_names(strata.column_names), map(values_of_arrow, strata.columns)))
    elif _is_multi_index(strata):
        strata = strata.to_frame(index=False, name=range(strata.nlevels))
    if is_frame(strata):
        columns = {name: strata.iloc[:, place] for place, name in enumerate(_unique_names(strata.columns))}
    elif isinstance(strata, Mapping):
        columns = dict(strata)
    else:
        refuse_dataset(strata, wanted)
        return {"strata": as_vector(strata, wanted)}
    if not columns:
        raise refused_value(wanted.name, "have at least one column", "0 columns")
    check_same_rows((wanted.name, values) for values in columns.values())
    return {name: as_vector(values, wanted) for name, values in columns.items()}


def _titles(strata: Any, columns: Iterable[Any]) -> list[Any]:
    """Return the names of the columns of a table."""
    return list(strata.names if _is_multi_index(strata) else columns)


def refuse_dataset(values: Any, wanted: Wanted = STRATA) -> None:
    """Refuse a torch dataset; its labels are required instead."""
    data = sys.modules.get("torch.utils.data")
    if data is not None and isinstance(values, data.Dataset):
        got, advice = f"a dataset of class '{type(values).__name__}'", "pystrat.labels_of(dataset) returns its labels."
        raise wanted.refusal(got, advice)


def _unique_names(names: Iterable[Any]) -> list[Any]:
    """Make the names of columns unique, so that none is lost."""
    listed = list(names)
    if len(set(listed)) == len(listed):
        return listed
    return [(name, place) for place, name in enumerate(listed)]


def _common_length(columns: Iterable[Any], name: str) -> int:
    lengths = [len(column) for column in columns]
    n_rows = lengths[0]
    for length in lengths:
        if length != n_rows:
            raise refused_value(
                name,
                "have columns of equal length",
                f"lengths {n_rows} and {length}",
            )
    return n_rows


def _check_n_rows(n_rows: int, name: str) -> None:
    if n_rows == 0:
        raise refused_value(name, "have at least one row", "0 rows")
    if n_rows > MAX_COUNT:
        raise refused_value(name, f"have at most {MAX_COUNT} rows", count_of(n_rows, "row"))


def _nothing_but_missing(n_rows: int, name: str) -> ValueError:
    required = "have at least one row without missing values"
    return refused_value(name, required, f"{n_rows} missing of {count_of(n_rows, 'row')}")


def number_column(values: Any, name: str, where: str = "", *, required: str = _KINDS) -> Column:
    """Number the distinct values of one column in order of first appearance.

    Parameters
    ----------
    values : vector
        What `pystrat.arrays.as_vector` returns.
    name, where, required : str
        The names of the parameter and of the column, and what the values must be, for error messages.
    """

    def refuse(got: str, advice: Optional[str] = None) -> TypeError:
        return refused_type(name, required, got + where, advice)

    ranks = None
    if _is_categorical(values.dtype):
        codes, distinct, kind, ranks = _factorize_categorical(values, refuse)
    else:
        values = _of_items(values)
        kind = _kind_of(values, refuse)
        if kind == "date" and values.dtype == object and len(set(map(type, values))) > 1:
            # Before pandas compares a day with a Timestamp.
            _check_dates(np.asarray(values)[~is_missing(values)], refuse)
        if kind == "text":
            codes, distinct = _number_texts(values)
        else:
            codes, distinct = _factorize(_as_doubles(values, refuse) if kind == "number" else values)
    given = distinct
    if kind == "bytes":
        distinct = _decoded(distinct, refuse)
    elif kind == "text":
        _check_text(distinct, refuse)
    elif kind == "number":
        _check_exact(distinct, refuse)
    elif kind == "date":
        _check_dates(distinct, refuse)
    codes = np.asarray(codes, dtype=np.int64)
    return Column(codes, distinct, kind, given, _first_missing(values, codes), ranks)


def _first_missing(values: Any, codes: NDArray[np.int64]) -> Any:
    """Return the first missing value as the user passed it; None if there is none."""
    if not len(codes) or codes.min() >= 0:
        return None
    missing = values[int(codes.argmin()) :][:1]
    return (missing.tolist() if isinstance(values, np.ndarray) else list(missing))[0]


def _of_items(values: Any) -> Any:
    """Return objects that are all Python's numbers of one type, or logical values, as an array of them."""
    if not isinstance(values, np.ndarray) or values.dtype != object or not len(values):
        return values
    dtype = _ITEM_DTYPES.get(type(values[0]))
    if dtype is None or not all(len(_types(some)) == 1 for some in (values[:100], values)):  # often, the first few tell
        return values
    try:
        return values.astype(dtype)
    except OverflowError:  # an integer of more than 64 bits
        return values


def _types(values: NDArray[Any]) -> set[type]:
    return set(map(type, values.tolist()))


def _number_texts(values: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number texts, each by all of its characters, which pandas does not."""
    codes = np.empty(len(values), dtype=np.int64)
    distinct = _kernels.number_texts(np.asarray(values, dtype=object).tolist(), codes)
    return codes, np.array(distinct, dtype=object)


def _factorize(values: Any) -> tuple[NDArray[Any], Any]:
    """Number the values; numpy dates by their ticks, because pandas supports only the range of nanoseconds."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        codes, ticks = _number_kept(values.view(np.int64), np.isnat(values))
        return codes, ticks.view(values.dtype)
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and (dtype.kind in "iub" or dtype == np.float64):
        return _factorize_numbers(np.asarray(values))
    # From a Series of objects, pandas would make an index of a guessed dtype.
    codes, distinct = pd.factorize(np.asarray(values) if dtype == object else values)
    return codes, distinct


def _factorize_numbers(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number an array of integers, doubles or logical values by their bits; NaN is missing."""
    if values.dtype.kind == "f":
        # 0 and -0 are equal, and only their bits differ.
        codes, bits = _number_kept((values + 0.0).view(np.int64), np.isnan(values))
        return codes, bits.view(np.float64)
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    codes, bits = number_integers(np.ascontiguousarray(values, dtype=wide).view(np.int64))
    return codes, bits.view(wide).astype(values.dtype, copy=False)


def number_integers(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number integers in order of first appearance; return the number of each, and the distinct ones."""
    # The core numbers doubles by their bits.
    found = _core.call("number_values", {}, {"values": np.ascontiguousarray(values).view(np.float64)})
    return found["codes"], found["values"].view(np.int64)


def _factorize_categorical(values: Any, refuse: _Refuse) -> tuple[NDArray[Any], Any, str, Optional[NDArray[Any]]]:
    """Number the categories that occur; return their places in the order, if they have one, as well."""
    categorical = values.array if isinstance(values, (pd.Series, pd.Index)) else values
    categories = categorical.categories
    is_binned = isinstance(categories.dtype, (pd.IntervalDtype, pd.PeriodDtype))
    kind = "bin" if is_binned else _kind_of(categories, refuse)
    positions = np.asarray(categorical.codes, dtype=np.float64)
    positions[positions < 0] = np.nan  # treated as missing by factorize
    codes, used = pd.factorize(positions)
    places = used.astype(np.int64)
    return codes, categories.take(places), kind, places if categorical.ordered else None


def _kind_of(values: Any, refuse: _Refuse) -> str:
    """Return what a column holds: boolean, number, text, date or bytes; refuse anything else."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _kind_of_objects(values, refuse) if dtype == object else _kind_of_dtype(dtype, refuse)
    if _is_categorical(dtype):
        raise refuse("categorical values")
    types = pd.api.types
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_complex_dtype(dtype):
        raise refuse("complex values")
    if types.is_numeric_dtype(dtype):
        return "number"
    if types.is_datetime64_any_dtype(dtype):
        return "date"
    if isinstance(dtype, pd.StringDtype):
        return "text"
    # An extension type, such as Arrow's, may hold anything, whatever its kind is.
    return _kind_of_objects(objects_of(list(values)), refuse)


def _is_categorical(dtype: Any) -> bool:
    return is_loaded() and isinstance(dtype, pd.CategoricalDtype)


def _kind_of_dtype(dtype: np.dtype[Any], refuse: _Refuse) -> str:
    """Return what an array of numpy holds, unless it holds objects."""
    if dtype.kind == "c":
        raise refuse("complex values")
    if dtype.kind not in _ARRAY_KINDS:
        raise refuse(f"{dtype} values")
    return _ARRAY_KINDS[dtype.kind]


def _kind_of_objects(values: Any, refuse: _Refuse) -> str:
    """Inspect the objects themselves: factorize alone would silently merge True, 1 and 1.0."""
    if not is_loaded() and _types(values) == {str}:
        return "text"
    types = pd.api.types
    inferred = types.infer_dtype(values, skipna=True)
    if inferred not in _OBJECT_KINDS:  # "mixed" is also the result for text and NaT
        inferred = types.infer_dtype(values[~is_missing(values)], skipna=False)
    if inferred in _OBJECT_KINDS:
        return _OBJECT_KINDS[inferred]
    if inferred.startswith("mixed"):
        held = {type(value).__name__ for value in values[~is_missing(values)]}
        raise refuse(f"{held.pop()} values" if len(held) == 1 else "a mix of kinds")
    raise refuse(f"{inferred} values")


def _as_doubles(values: Any, refuse: _Refuse) -> Any:
    """Return floating-point numbers as doubles, for which equality is defined; integers unchanged."""
    if getattr(values.dtype, "kind", "O") != "f":
        return values
    if not isinstance(values.dtype, np.dtype):
        return as_doubles(values)
    doubles = float64_of(values)
    if values.dtype.itemsize > 8 and not np.array_equal(doubles, values, equal_nan=True):
        raise refuse(f"{values.dtype} numbers that no double holds exactly")
    return doubles


def _check_exact(distinct: Any, refuse: _Refuse) -> None:
    """Refuse integers that R's doubles would merge with their neighbors, such as 2^53 + 1."""
    if _are_exact_integers(distinct):
        return
    numbers = np.asarray(distinct, dtype=object)
    try:
        inexact = float64_of(numbers).astype(object) != numbers
    except OverflowError:
        raise refuse("an integer that is too large for a double", _AS_TEXT) from None
    if inexact.any():
        raise refuse(f"the integer {numbers[inexact][0]}, which no double holds exactly,", _AS_TEXT)


def _are_exact_integers(distinct: Any) -> bool:
    """Return whether these are numpy integers from -2^53 to 2^53, which doubles hold exactly."""
    if not isinstance(distinct, np.ndarray) or distinct.dtype.kind not in "iu" or not len(distinct):
        return False
    return bool(-MAX_EXACT <= int(distinct.min()) and int(distinct.max()) <= MAX_EXACT)


def _check_dates(distinct: Any, refuse: _Refuse) -> None:
    """Refuse days among times, times with and without a zone, and numpy's of several units: equals would be two."""
    if getattr(distinct, "dtype", None) == object:
        forms = {
            (isinstance(value, datetime), getattr(value, "dtype", None), getattr(value, "tzinfo", None) is None)
            for value in distinct
        }
        if len(forms) > 1:
            raise refuse("a mix of kinds")


def _kind_of_date(value: Any) -> str:
    """Return what a date is: a time of numpy is one without a zone, whatever its unit."""
    if not isinstance(value, (datetime, np.datetime64)):
        return "day"
    return "time" if getattr(value, "tzinfo", None) is None else "time with a zone"


def _decoded(distinct: Any, refuse: _Refuse) -> NDArray[Any]:
    """Read bytes as UTF-8 text."""
    try:
        texts = np.array([value.decode("utf-8") for value in distinct], dtype=object)
    except UnicodeDecodeError as error:
        raise refuse(f"bytes that are not UTF-8, {error.object!r},") from None
    _check_text(texts, refuse)
    return texts


def _check_text(distinct: Any, refuse: _Refuse) -> None:
    """Refuse text that R cannot hold; it is enough to check the distinct values."""
    try:
        joined = "\n".join(distinct).encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = error.object[error.start : error.end]
        raise refuse(f"text that is not Unicode, with {surrogate!a},") from None
    if b"\0" in joined:
        first = next(value for value in distinct if "\0" in value)
        raise refuse(f"text with a NUL character, {first!a},")


def _name(value: Any, kind: str) -> str:
    """Return a value of a column as text, for tables and messages."""
    if kind == "boolean":
        return "TRUE" if value else "FALSE"
    if kind == "number":
        return show_number(value)
    if kind == "date":
        return _date_name(value)
    return str.__str__(value) if isinstance(value, str) else str(value)  # of a subclass, not how it shows itself


def _exact_name(value: Any, kind: str) -> str:
    """Return a value of a column as text that no other value of this kind has."""
    if kind == "number":
        return number_name(value)
    shown = _name(value, kind)
    fraction = _fraction_of(value) if kind == "date" else ""
    if not fraction:
        return shown
    return f"{shown if 'T' in shown else f'{shown}T00:00:00'}.{fraction}"


def _fraction_of(value: Any) -> str:
    """Return the digits of a time after the seconds, in groups of three, at least six; nothing for whole seconds."""
    if isinstance(value, np.datetime64):
        digits = str(value).partition(".")[2]
    else:
        digits = f"{getattr(value, 'microsecond', 0):06}{getattr(value, 'nanosecond', 0):03}"
    digits = digits.rstrip("0")
    return digits and digits.ljust(max(6, -(-len(digits) // 3) * 3), "0")


def _quoted(name: str) -> str:
    """Return the name of a value among several columns: if it has their separator, in double quotes."""
    return '"' + name.replace('"', '""') + '"' if ", " in name or name.startswith('"') else name


def _date_name(value: Any) -> str:
    """Return a date in ISO 8601; the time of day, in UTC, only if it is not midnight."""
    if isinstance(value, np.datetime64):
        seconds = value.astype("datetime64[s]")
        value = seconds.item()
        if isinstance(value, int):  # a year outside the range of Python's calendar
            return str(seconds)
    if not isinstance(value, datetime):
        return str(value.isoformat())
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc)
    value = value.replace(tzinfo=None)
    return value.date().isoformat() if value.time() == time() else value.isoformat(timespec="seconds")


def _count_missing(columns: Sequence[Column], n_rows: int) -> int:
    """Count the rows with a missing value in any column."""
    incomplete = [column.codes for column in columns if column.codes.min() < 0]
    if not incomplete:
        return 0
    missing = np.zeros(n_rows, dtype=bool)
    for codes in incomplete:
        missing |= codes < 0
    return int(missing.sum())


def _combine(columns: Sequence[Column], *, drop: bool) -> tuple[NDArray[Any], Sequence[Optional[NDArray[np.int64]]]]:
    """Number the combinations that occur; -1 for dropped rows. Return the place of the value in each column as well.

    The combinations are numbered again after every column, so the codes stay below the number of rows.
    """
    first = columns[0]
    if len(columns) == 1 and (drop or first.codes.min() >= 0):
        return first.codes, [None]
    left_out = np.zeros(len(first.codes), dtype=bool)
    codes = np.zeros(len(first.codes), dtype=np.int64)
    parts: list[NDArray[Any]] = []
    for column in columns:
        width = len(column.values) + 1
        if drop:
            left_out |= column.codes < 0
        codes, combinations = _number_kept(codes * width + column.codes + 1, left_out)
        parts = [part[combinations // width] for part in parts]
        parts.append(combinations % width - 1)
    return codes, parts


def _names_of(columns: Sequence[Column], parts: Sequence[Optional[NDArray[np.int64]]], *, exact: bool) -> Sequence[str]:
    """Return the names of strata, given the places of their values in the columns."""
    shown = [column.exact_names() if exact else column.names() for column in columns]
    if exact and len(columns) > 1:
        shown = [tuple(map(_quoted, names)) for names in shown]
    if parts[0] is None:
        return shown[0]
    # The place of missing is -1: the last one.
    texts = [np.array([*names, "NA"], dtype=object)[part] for names, part in zip(shown, parts)]
    return tuple(", ".join(row) for row in zip(*texts))


def _number_kept(values: NDArray[np.int64], left_out: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the values of the rows that are not left out; return the codes and the distinct values."""
    numbered, distinct = number_integers(values[~left_out])
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~left_out] = numbered
    return codes, distinct


def _compact(codes: NDArray[Any], names: Sequence[str], kinds: tuple[str, ...], *, any_dropped: bool) -> Strata:
    """Store the codes in the smallest type; dropped rows get the number of strata as theirs."""
    n_codes = len(names) + any_dropped
    dtype = np.uint8 if n_codes <= 2**8 else np.uint16 if n_codes <= 2**16 else np.int32
    compact = np.empty(len(codes), dtype=dtype)
    counts = np.zeros(n_codes, dtype=np.int64)
    _kernels.compact_codes(np.ascontiguousarray(codes, dtype=np.int64), compact, counts)
    return Strata(compact, names, counts[: len(names)], kinds)
