"""Codes of users and items, and the positives that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import float64_of, plain_array
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import RefusedType, RefusedValue, check_integer, count_of, show
from pystrat.pairs.negatives import PositivePairs

MAX_CELLS = MAX_EXACT // 2  # twice as many pair numbers, which a double holds exactly


def check_positives(users: Any, items: Any, n_users: Any, n_items: Any) -> PositivePairs:
    """Check codes and the size of the table."""
    user_codes, n_users = _check_codes(users, n_users, "users")
    item_codes, n_items = _check_codes(items, n_items, "items")
    if len(user_codes) != len(item_codes):
        required = f"have one value for each user code, {len(user_codes)}"
        raise RefusedValue("items", required, show(item_codes))
    check_table(n_users, n_items)
    return PositivePairs(user_codes, item_codes, n_users, n_items)


def check_table(n_users: int, n_items: int) -> None:
    """Refuse a table with more cells than pair numbers can tell apart."""
    if n_users * n_items > MAX_CELLS:
        required = f"be at most {MAX_CELLS // n_users} with {n_users} users, so that pair numbers stay below 2^53"
        raise RefusedValue("n_items", required, show(n_items))


def _check_codes(codes: Any, limit: Any, name: str) -> tuple[NDArray[np.int64], int]:
    """Return codes as int64 and how many there may be; refuse those that are none."""
    found = np.atleast_1d(plain_array(codes, name))
    if found.ndim != 1:
        raise RefusedValue(name, "be a vector of codes", count_of(found.ndim, "dimension"))
    if len(found) == 0:
        raise RefusedValue(name, "have at least one code", show(found))
    required, advice = "hold codes, integers from 0", "pandas.factorize() makes codes of any ids."
    if found.dtype.kind not in "iuf":
        raise RefusedType(name, required, f"{found.dtype} values", advice)
    if found.dtype.kind == "f":
        if (broken := found != np.trunc(found)).any():
            raise RefusedValue(name, required, show(found[broken][0]), advice)
        found = float64_of(found)  # narrower types cannot be compared with the largest code
    largest = MAX_COUNT - 1
    if limit is not None:
        largest = check_integer(limit, f"n_{name}", minimum=1, maximum=MAX_COUNT) - 1
    outside = (found < 0) | (found > largest)
    if outside.any():
        raise RefusedValue(name, f"hold codes from 0 to {largest}", show(found[outside][0]))
    return found.astype(np.int64), largest + 1 if limit is not None else int(found.max()) + 1
