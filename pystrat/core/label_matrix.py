"""Labels of rows with any number of labels, as a logical matrix and the names of the labels."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import list_of, plain_array
from pystrat.core.lazy_pandas import is_frame, pd
from pystrat.core.messages import count_of, refused_type, refused_value, show
from pystrat.core.recipe import compact
from pystrat.core.strata import Strata, encode_strata

_VALUES = "hold 0 and 1, or text"
_ADVICE = "Use 1 for rows that have the label and 0 for the others, or turn the column into text, of which each value "
_ADVICE += "is a label."


def as_label_matrix(labels: Any) -> tuple[NDArray[np.bool_], tuple[Any, ...]]:
    """Return labels in any form of `MultilabelBatchSampler` as a matrix, and their names, such as "color=red"."""
    rows = listed_rows(labels)
    if rows is not None:
        matrix, found = _of_lists(rows)
        return matrix, tuple(found.values.tolist())
    if not is_frame(labels):
        array = plain_array(labels.toarray() if hasattr(labels, "toarray") else labels, "labels")
        if array.ndim != 2:
            required = "be a matrix with one row per row of the dataset"
            got = count_of(array.ndim, "dimension") if array.ndim else show(array.item())
            raise refused_type("labels", required, got, "Labels that are numbers go in a set for each row: {3, 17}.")
        labels = pd.DataFrame(array)
    for length, noun in zip(labels.shape, ("row", "column")):
        if length == 0:
            raise refused_value("labels", f"have at least one {noun}", f"0 {noun}s")
    names, array = tuple(labels), plain_array(labels, "labels")
    if array.dtype.kind not in "biuf":
        columns = [_of_column(name, labels.iloc[:, place]) for place, name in enumerate(labels)]
        names = tuple(name for _, own in columns for name in own)
        array = np.concatenate([part for part, _ in columns], axis=1)
    wrong = np.argwhere((array != 0) & (array != 1))
    if len(wrong):
        row, column = wrong[0]
        got = f"{show(array[row, column].item())} in column '{names[column]}'"
        raise refused_value("labels", _VALUES, got, _ADVICE)
    return np.ascontiguousarray(array == 1), names


def data_of_labels(labels: Any) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Return what the core takes, the label set of each row and the labels of each set, and the names of the labels."""
    matrix, names = as_label_matrix(labels)
    codes = np.zeros(len(matrix), dtype=np.int64)
    for begin in range(0, matrix.shape[1], 31):  # with the codes before, 31 labels are below 2^63
        block = matrix[:, begin : begin + 31]
        codes = pd.factorize(codes << 31 | block @ (1 << np.arange(block.shape[1])))[0]
    first = np.flatnonzero(~pd.Series(codes).duplicated())
    sets = matrix[first].view(np.uint8).reshape(-1)
    return {"codes": compact(codes, len(first)), "n_strata": len(first), "sets": sets}, names


def listed_rows(labels: Any) -> Optional[list[Any]]:
    """Return the rows if each is a list or a set of the labels that it has; None if the labels have another form."""
    if isinstance(labels, Sequence) and not isinstance(labels, (str, bytes, list, tuple)):
        labels = list_of(labels)
    if not isinstance(labels, (list, tuple)) and getattr(labels, "dtype", None) != object:
        return None
    held = next((row for row in labels if isinstance(row, (set, frozenset)) or (_is_list(row) and len(row))), None)
    is_named = isinstance(held, (set, frozenset)) or (held is not None and isinstance(held[0], (str, bytes)))
    return list(labels) if is_named and getattr(labels, "ndim", 1) == 1 else None


def _is_list(row: Any) -> bool:
    return isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _of_lists(rows: Sequence[Any], where: str = "") -> tuple[NDArray[np.bool_], Strata]:
    """Return whether each row has each label, and the labels, in order of first appearance; a set is sorted."""
    lists: list[Any] = []
    for row in rows:
        is_set = isinstance(row, (set, frozenset))
        if not is_set and not _is_list(row):
            required = "have a list or a set of labels for each row"
            raise refused_type("labels", required, show(row) + where, "Give a row without labels an empty list.")
        lists.append(sorted(row, key=lambda label: (type(label).__name__, label)) if is_set else row)
    return _matrix([label for row in lists for label in row], list(map(len, lists)), where)


def _matrix(labels: Any, lengths: Any, where: str) -> tuple[NDArray[np.bool_], Strata]:
    """Return whether each row has each label, from the labels row after row, and how many each row has.

    Digits, which are numbers of a file that were read as text, are refused.
    """
    found = encode_strata(labels, missing=None, name="labels")
    if set(found.names) <= {"0", "1"}:
        raise refused_type("labels", _VALUES, f"the text '{found.names[0]}'{where}", "Turn the column into numbers.")
    matrix = np.zeros((len(lengths), len(found.values)), dtype=bool)
    matrix[np.repeat(np.arange(len(lengths)), lengths), found.codes] = True
    return matrix, found


def _of_column(name: Any, column: pd.Series) -> tuple[NDArray[Any], list[Any]]:
    """Return a column of 0 and 1 as doubles, with NaN for missing, or a column for each value of text; and names."""
    where, rows, types = f" in column '{name}'", listed_rows(column), pd.api.types
    column = column.infer_objects()
    if types.is_numeric_dtype(column) and not types.is_complex_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)[:, np.newaxis], [name]
    if rows is None and types.infer_dtype(column, skipna=True) not in ("string", "bytes", "categorical"):
        raise refused_type("labels", _VALUES, f"{column.dtype} values{where}", _ADVICE)
    ones = np.ones(len(column), dtype=np.int64)
    matrix, found = _matrix({name: column}, ones, where) if rows is None else _of_lists(rows, where)
    return matrix, [f"{name}={value}" for value in found.names]
