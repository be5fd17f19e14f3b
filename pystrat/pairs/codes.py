"""Codes of users and items, as the core takes them, and their ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import Wanted, as_vector, float64_of, in_order_of, own_index, plain_array, row_array
from pystrat.columns import number_column
from pystrat.lazy_pandas import is_loaded, pd
from pystrat.limits import MAX_EXACT
from pystrat.messages import refused_type, refused_value, count_of, show

MAX_CELLS = MAX_EXACT // 2  # there are twice as many pair numbers, which must fit into doubles


_CODES = "hold codes, integers from 0"
_IDS = "hold codes, integers from 0, or ids, text or categories of one kind"
_ADVICE = "Ids are text or categories, in R a factor."


@dataclass(frozen=True)
class Ids:
    """The ids of users or items by code: in order of first appearance.

    Attributes
    ----------
    values : numpy.ndarray, shape (number of ids,)
        Read-only.
    names : sequence of str
        The name of each id, possibly made on access.
    """

    values: NDArray[Any]
    names: Sequence[str]


def codes_of(values: Any, count: Any, name: str) -> tuple[NDArray[np.float64], Optional[Ids]]:
    """Return the codes of users or of items, which the core checks, and the ids if these were given."""
    found = np.atleast_1d(row_array(values, name))
    if found.ndim != 1:
        raise refused_value(name, "be a vector of codes or ids", count_of(found.ndim, "dimension"))
    if len(found) == 0:
        raise refused_value(name, "have at least one code", show(found))
    is_categorical = is_loaded() and isinstance(getattr(values, "dtype", None), pd.CategoricalDtype)
    if not is_categorical and found.dtype.kind not in "OUS":
        if found.dtype.kind not in "iuf":
            raise refused_type(name, _CODES, f"{found.dtype} values", _ADVICE)
        return float64_of(found), None
    is_vector = hasattr(values, "__len__") and not isinstance(values, (str, bytes, Mapping))
    codes, ids = _number_ids(as_vector(values, Wanted(name, _IDS)) if is_vector else found, name)
    if count is not None:
        required = f"be left out if '{name}' are ids"
        raise refused_value(f"n_{name}", required, show(count), "Give codes to count those without a positive.")
    return float64_of(codes), ids


def check_table(n_users: int, n_items: int) -> None:
    """Refuse a table with more cells than pair numbers can distinguish."""
    if n_users * n_items > MAX_CELLS:
        required = f"be at most {MAX_CELLS // n_users} with {n_users} users, so that pair numbers stay below 2^53"
        raise refused_value("n_items", required, show(n_items))


def check_ids(ids: Any, name: str, count: Optional[int] = None) -> Optional[NDArray[Any]]:
    """Return the ids by code as an array; refuse anything but a vector, and other lengths than `count` if given.

    The index of a pandas object is that of the codes.
    """
    if ids is None:
        return None
    if own_index(ids) is not None:
        ids = in_order_of(ids, [range(len(ids))], name)
    vector = np.asarray(as_vector(ids, Wanted(name, "be a vector of ids")))
    if count is not None and len(vector) != count:
        raise refused_value(name, f"have one id for each of {count}", show(vector))
    return vector


def split_numbers(numbers: Any, n_items: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes of users and items and the labels of pair numbers; refuse invalid ones."""
    found = plain_array(numbers, "numbers")
    required = "hold pair numbers, integers from 0 to 2^53 - 1"
    if found.size and found.dtype.kind not in "iu":
        raise refused_type("numbers", required, f"{found.dtype} values")
    outside = (found < 0) | (found >= 2 * MAX_CELLS)
    if outside.any():
        raise refused_value("numbers", required, show(found[outside].flat[0]))
    whole = found.astype(np.int64)
    users, items = np.divmod(whole >> 1, n_items)
    return users, items, whole & 1


def _number_ids(vector: Any, name: str) -> tuple[NDArray[np.int64], Ids]:
    """Number ids in order of first appearance, like strata."""
    column = number_column(vector, name, required=_IDS)
    n_missing = int(np.count_nonzero(column.codes < 0))
    if n_missing:
        got = f"{n_missing} missing of {count_of(len(column.codes), 'row')}"
        raise refused_value(name, "have no missing values", got, "Leave these pairs out.")
    values = np.array(column.values)
    values.setflags(write=False)
    return column.codes, Ids(values, column.names)
