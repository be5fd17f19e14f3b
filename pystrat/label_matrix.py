"""Labels of rows with any number of labels, as a logical matrix and the names of the labels."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import as_doubles, plain_array
from pystrat.lazy_pandas import is_frame, pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refused_type, refused_value, show


def as_label_matrix(labels: Any) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Return the labels as a logical matrix with one row per row of the dataset, and their names.

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        1 or True if the row has the label, else 0 or False.

    Raises
    ------
    TypeError, ValueError
        If `labels` is not such a matrix, has no rows or no columns, or holds anything but 0 and 1.
    """
    names: Optional[tuple[str, ...]] = None
    if is_frame(labels):
        names = tuple(str(name) for name in labels.columns)
        array = _frame_to_array(labels)
    elif hasattr(labels, "toarray"):
        if hasattr(labels, "getnnz"):
            _check_columns(labels)
        array = labels.toarray()
    elif isinstance(labels, (list, tuple)) or hasattr(labels, "ndim"):
        array = plain_array(labels, "labels")
    else:
        raise refused_type("labels", "be a matrix with one row per row of the dataset", show(labels))
    if array.ndim != 2:
        got = f"{count_of(array.ndim, 'dimension')}"
        raise refused_type("labels", "be a matrix with one row per row of the dataset", got)
    for length, noun in zip(array.shape, ("row", "column")):
        if length == 0:
            raise refused_value("labels", f"have at least one {noun}", f"0 {noun}s")
    if len(array) > MAX_COUNT:
        raise refused_value("labels", f"have at most {MAX_COUNT} rows", count_of(len(array), "row"))
    if array.dtype.kind not in "biuf":
        raise refused_type("labels", "hold 0 and 1", f"{array.dtype} values")
    matrix: NDArray[np.bool_] = array == 1
    other = ~matrix & (array != 0)
    if other.any():
        raise refused_value("labels", "hold 0 and 1", show(array[other][0].item()))
    return np.ascontiguousarray(matrix), names or tuple(str(place) for place in range(matrix.shape[1]))


def _check_columns(labels: Any) -> None:
    """Refuse a sparse matrix with a label that no row has, before it takes the memory of a dense matrix."""
    rows = np.asarray(labels.getnnz(axis=0))
    empty = np.flatnonzero(rows == 0)
    if labels.shape[0] and len(empty):
        raise no_row_of(str(empty[0]))


def no_row_of(label: str) -> ValueError:
    """Return the error about a label that no row has."""
    return refused_value("labels", "have a row of every label", f"no row of label '{label}'", "Leave the label out.")


def _frame_to_array(frame: pd.DataFrame) -> NDArray[Any]:
    """Return the columns of a DataFrame as an array of doubles; missing values become NaN, which is refused later."""
    types = pd.api.types
    for name, dtype in zip(frame.columns, frame.dtypes):
        if not (types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype)) or types.is_complex_dtype(dtype):
            raise refused_type("labels", "hold 0 and 1", f"{dtype} values in column '{name}'")
    columns = [as_doubles(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return np.stack(columns, axis=1) if columns else np.empty(frame.shape)
