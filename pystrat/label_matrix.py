"""Labels of rows with any number of labels, as a logical matrix and the names of the labels."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import Wanted, as_doubles, as_vector, plain_array
from pystrat.columns import number_column
from pystrat.lazy_pandas import is_frame, pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refused_type, refused_value, show

_REQUIRED = "hold 0 and 1, or text"
_ADVICE = (
    "Use 1 for rows that have the label and 0 for the others, or turn the column into text, of which each value is a "
    "label."
)
_ADVICE_ON_DIGITS = "Turn the column into numbers."


def as_label_matrix(labels: Any) -> tuple[NDArray[np.bool_], tuple[Any, ...]]:
    """Return the labels as a logical matrix with one row per row of the dataset, and their names.

    The names are those of the columns of a table as the user passed them, and otherwise the positions of the columns.
    That of a value of text is text, such as "color=red".

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        1 or True if the row has the label, else 0 or False. In a column of text or categories, each value is a label,
        in order of first appearance.

    Raises
    ------
    TypeError, ValueError
        If `labels` is not such a matrix, has no rows or no columns, or holds anything but 0, 1 and text.
    """
    names: Optional[tuple[Any, ...]] = None
    if is_frame(labels):
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
        got = f"{count_of(array.ndim, 'dimension')}"
        raise refused_type("labels", "be a matrix with one row per row of the dataset", got)
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
        if _is_text(column):
            matrix, values = _of_values(column, f" in column '{name}'")
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
    n_missing = int((numbered.codes < 0).sum())
    if n_missing:
        got = f"{n_missing} missing of {count_of(len(numbered.codes), 'row')}{where}"
        raise refused_value("labels", "have no missing values", got)
    if set(numbered.names) <= {"0", "1"}:  # of a file that was read as text, for example
        raise refused_type("labels", _REQUIRED, f"the text '{numbered.names[0]}'{where}", _ADVICE_ON_DIGITS)
    return numbered.codes[:, np.newaxis] == np.arange(len(numbered.values)), numbered.names


def _of_numbers(column: Any, name: Any) -> NDArray[Any]:
    types = pd.api.types
    dtype = column.dtype
    if not (types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype)) or types.is_complex_dtype(dtype):
        raise refused_type("labels", _REQUIRED, f"{dtype} values in column '{name}'", _ADVICE)
    return as_doubles(column)[:, np.newaxis]
