"""Users and items of observed pairs as codes, and pair numbers."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted, as_vector, in_order_of, own_index, plain_array
from pystrat.core.columns import number_column
from pystrat.core.lazy_pandas import is_loaded, pd
from pystrat.core.limits import MAX_COUNT, MAX_EXACT
from pystrat.core.messages import check_integer, count_of, refused_type, refused_value, show
from pystrat.core.row_arguments import row_values

_IDS = "hold codes, integers from 0, or ids, text or categories of one kind"


def coded(values: Any, count: Optional[int], name: str) -> tuple[NDArray[Any], Optional[NDArray[Any]], Any]:
    """Return codes, which the core checks; of ids, numbers in order of first appearance, the ids and their names."""
    is_categorical = is_loaded() and isinstance(getattr(values, "dtype", None), pd.CategoricalDtype)
    if not is_categorical and plain_array(values, name).dtype.kind not in "OUS":
        numbers = row_values(values, name, single=True)
        with np.errstate(invalid="ignore"):
            codes: NDArray[Any] = numbers.astype(np.int32)
        return codes if (codes == numbers).all() else numbers, None, None
    if count is not None:
        advice = "Give codes to count those without a positive."
        raise refused_value(f"n_{name}", f"be left out if '{name}' are ids", show(count), advice)
    column = number_column(as_vector(values, Wanted(name, _IDS)), name, required=_IDS)
    n_missing = int(np.count_nonzero(column.codes < 0))
    if n_missing:
        got = f"{n_missing} missing of {count_of(len(column.codes), 'row')}"
        raise refused_value(name, "have no missing values", got, "Leave these pairs out.")
    ids = np.array(column.values)
    ids.setflags(write=False)
    return column.codes.astype(np.int32), ids, column.names


def check_ids(ids: Any, name: str, count: Optional[int] = None) -> Optional[NDArray[Any]]:
    """Return ids by code, of which there are `count` if that is given. The index of a pandas object has the codes."""
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
    outside = found[(found < 0) | (found >= MAX_EXACT)]
    if outside.size:
        raise refused_value("numbers", required, show(outside[0]))
    whole = found.astype(np.int64)
    users, items = np.divmod(whole >> 1, n_items)
    return users, items, whole & 1


def decode_pairs(
    numbers: Any, n_items: int, *, user_ids: Any = None, item_ids: Any = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return users, items and labels of the pair numbers of `NegativePairBatchSampler`, as arrays of their shape.

    Parameters
    ----------
    numbers : array_like of int
        Of any shape.
    n_items : int
        The total number of items, as in the sampler.
    user_ids, item_ids : array_like, optional
        The ids by code, such as the sampler's, which are returned in place of codes from 0.

    Examples
    --------
    >>> from pystrat import decode_pairs
    >>> decode_pairs([7, 12], n_items=4)
    (array([0, 1]), array([3, 2]), array([1, 0]))
    """
    n_items = check_integer(n_items, "n_items", minimum=1, maximum=MAX_COUNT)
    known_users, known_items = check_ids(user_ids, "user_ids"), check_ids(item_ids, "item_ids", n_items)
    users, items, labels = split_numbers(numbers, n_items)
    if known_users is not None:
        if (users >= len(known_users)).any():
            required = f"be those of at most {count_of(len(known_users), 'user')}"
            raise refused_value("numbers", required, show(int(users.max()) + 1))
        users = known_users[users]
    return users, items if known_items is None else known_items[items], labels
