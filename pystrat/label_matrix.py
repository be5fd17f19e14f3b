"""Labels of rows with any number of labels, as a logical matrix and the names of the labels."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import Wanted, as_doubles, as_vector, list_of, plain_array
from pystrat.columns import Column, number_column
from pystrat.lazy_pandas import is_frame, pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refused_type, refused_value, show

_REQUIRED = "hold 0 and 1, or text"
_ADVICE = (
    "Use 1 for rows that have the label and 0 for the others, or turn the column into text, of which each value is a "
    "label."
)
_ADVICE_ON_DIGITS = "Turn the column into numbers."
_ADVICE_ON_LISTS = "Labels that are numbers go in a set for each row, such as {3, 17}."


def as_label_matrix(labels: Any) -> tuple[NDArray[np.bool_], tuple[Any, ...]]:
    """Return the labels as a logical matrix with one row per row of the dataset, and their names.

    The names are those of the columns of a table as the user passed them, and otherwise the positions of the columns.
    That of a value of text is text, such as "color=red". Labels that rows list are their own names.

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        1 or True if the row has the label, else 0 or False. In a column of text or categories, each value is a label,
        in order of first appearance. Or, for each row, a list of text or a set, the labels that the row has.
    """
    names: Optional[tuple[Any, ...]] = None
    if isinstance(labels, Sequence) and not isinstance(labels, (str, bytes, list, tuple)):
        labels = list_of(labels)
    rows = listed_rows(labels)
    if rows is not None:
        array, names = _of_lists(rows, "")
    elif is_frame(labels):
        columns = (labels.iloc[:, place] for place in range(labels.shape[1]))
        array, names = _of_columns(zip(labels.columns, columns), len(labels))
    elif hasattr(labels, "toarray"):
        if hasattr(labels, "getnnz"):
            _check_columns(labels)
        array = labels.toarray()
    elif isinstance(labels, (list, tuple)) or hasattr(labels, "ndim"):
        array = plain_array(labels, "labels")
    else:
        raise refused_type("labels", "be a matrix with one row per row of the dataset", show(labels))
    if array.ndim == 2 and array.size and array.dtype.kind in "OUS":
        array, names = _of_columns(enumerate(array.T), len(array))
    if array.ndim != 2:
        advice = _ADVICE_ON_LISTS if array.ndim == 1 and len(array) and _is_list(array[0]) else None
        got = f"{count_of(array.ndim, 'dimension')}"
        raise refused_type("labels", "be a matrix with one row per row of the dataset", got, advice)
    for length, noun in zip(array.shape, ("row", "column")):
        if length == 0:
            raise refused_value("labels", f"have at least one {noun}", f"0 {noun}s")
    if len(array) > MAX_COUNT:
        raise refused_value("labels", f"have at most {MAX_COUNT} rows", count_of(len(array), "row"))
    if array.dtype.kind not in "biuf":
        raise refused_type("labels", _REQUIRED, f"{array.dtype} values", _ADVICE)
    matrix: NDArray[np.bool_] = array == 1
    other = ~matrix & (array != 0)
    names = names or tuple(range(matrix.shape[1]))
    if other.any():
        row, column = np.unravel_index(other.argmax(), other.shape)
        got = f"{show(array[row, column].item())} in column '{names[column]}'"
        raise refused_value("labels", _REQUIRED, got, _ADVICE)
    return np.ascontiguousarray(matrix), names


def data_of_labels(labels: Any) -> tuple[dict[str, NDArray[Any]], tuple[Any, ...]]:
    """Return the labels as the core takes them, and their names."""
    matrix, names = as_label_matrix(labels)
    n_labels = np.array([len(names)], dtype=np.float64)
    return {"labels": matrix.view(np.uint8).reshape(-1), "n_labels": n_labels}, names


def _check_columns(labels: Any) -> None:
    """Refuse a sparse matrix with a label that no row has, before it takes the memory of a dense matrix."""
    rows = np.asarray(labels.getnnz(axis=0))
    empty = np.flatnonzero(rows == 0)
    if labels.shape[0] and len(empty):
        raise no_row_of(str(empty[0]))


def no_row_of(label: str) -> ValueError:
    """Return the error about a label that no row has."""
    return refused_value("labels", "have a row of every label", f"no row of label '{label}'", "Leave the label out.")


def _of_columns(columns: Iterable[tuple[Any, Any]], n_rows: int) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """Return columns of 0 and 1 as doubles, and a column of each value of text; and the names of all.

    Missing numbers become NaN, which is refused later.
    """
    parts: list[NDArray[Any]] = []
    names: list[Any] = []
    for name, column in columns:
        where, rows = f" in column '{name}'", listed_rows(column)
        if rows is not None or _is_text(column):
            matrix, values = _of_values(column, where) if rows is None else _of_lists(rows, where)
            parts.append(matrix)
            names += [f"{name}={value}" for value in values]
        else:
            parts.append(_of_numbers(column, name))
            names.append(name)
    return (np.concatenate(parts, axis=1) if parts else np.empty((n_rows, 0))), tuple(names)


def _is_text(column: Any) -> bool:
    if not isinstance(column.dtype, np.dtype):
        return isinstance(column.dtype, (pd.CategoricalDtype, pd.StringDtype)) or column.dtype == object
    return column.dtype.kind in "OUS"


def _of_values(column: Any, where: str) -> tuple[NDArray[Any], Sequence[str]]:
    """Return whether each row has each value of a column of text or categories, and the values as text."""
    is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
    numbered = number_column(as_vector(column, Wanted("labels", _REQUIRED)), "labels", where, required=_REQUIRED)
    if numbered.kind != "text" and not is_categorical:
        raise refused_type("labels", _REQUIRED, f"{column.dtype} values{where}", _ADVICE)
    _check_values(numbered, where, "row")
    return numbered.codes[:, np.newaxis] == np.arange(len(numbered.values)), numbered.names


def listed_rows(labels: Any) -> Optional[list[Any]]:
    """Return the rows if each is a list or a set of the labels that it has; None if the labels have another form."""
    if not isinstance(labels, (list, tuple)) and getattr(labels, "dtype", None) != object:
        return None
    if getattr(labels, "ndim", 1) != 1:
        return None
    rows = list(labels)
    held = next((row for row in rows if isinstance(row, (set, frozenset)) or (_is_list(row) and len(row))), None)
    are_names = isinstance(held, (set, frozenset)) or (held is not None and isinstance(held[0], (str, bytes)))
    return rows if are_names else None


def _is_list(row: Any) -> bool:
    return isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _of_lists(rows: Sequence[Any], where: str) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """Return whether each row has each label, and the labels, in order of first appearance; those of a set sorted."""
    for row in rows:
        if not isinstance(row, (set, frozenset)) and not _is_list(row):
            required = "have a list or a set of labels for each row"
            raise refused_type("labels", required, show(row) + where, "Give a row without labels an empty list.")
    values = [
        value for row in rows for value in (sorted(row, key=_sorting_key) if isinstance(row, (set, frozenset)) else row)
    ]
    numbered = number_column(as_vector(values, Wanted("labels", _REQUIRED)), "labels", where)
    _check_values(numbered, where, "label")
    matrix = np.zeros((len(rows), len(numbered.values)), dtype=bool)
    matrix[np.repeat(np.arange(len(rows)), [len(row) for row in rows]), numbered.codes] = True
    return matrix, tuple(numbered.values.tolist())


def _sorting_key(label: Any) -> tuple[str, Any]:
    return type(label).__name__, "" if label is None else label


def _check_values(numbered: Column, where: str, noun: str) -> None:
    n_missing = int((numbered.codes < 0).sum())
    if n_missing:
        got = f"{n_missing} missing of {count_of(len(numbered.codes), noun)}{where}"
        raise refused_value("labels", "have no missing values", got)
    if numbered.kind == "text" and set(numbered.names) <= {"0", "1"}:  # of a file that was read as text
        raise refused_type("labels", _REQUIRED, f"the text '{numbered.names[0]}'{where}", _ADVICE_ON_DIGITS)


def _of_numbers(column: Any, name: Any) -> NDArray[Any]:
    types = pd.api.types
    dtype = column.dtype
    if not (types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype)) or types.is_complex_dtype(dtype):
        raise refused_type("labels", _REQUIRED, f"{dtype} values in column '{name}'", _ADVICE)
    return as_doubles(column)[:, np.newaxis]
