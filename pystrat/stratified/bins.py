"""Quantile bins of a numeric target, to be used as strata; the same bins in Python and R."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.core.columns import numbers_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_integer, show_number


def bin_target(values: Any, n_bins: int = 10) -> pd.Categorical:
    """Bin a numeric target into quantiles, to be used as strata.

    The R function ``rbridge::bin_target()`` returns the same bins, row for row, with the same names.

    Parameters
    ----------
    values : list, numpy.ndarray, pandas Series or torch tensor
        One number per row. None, NaN and pandas.NA are missing. Infinite values are allowed.
    n_bins : int, default 10
        The number of bins. Ties may result in fewer bins.

    Returns
    -------
    pandas.Categorical
        The bin of each row, missing if the value is missing. The categories are ordered, and named by the smallest and
        the largest value in the bin, such as ``[1, 2.5]``, with 15 digits, or 17 if two bins would share a name.

    Notes
    -----
    Let L of the n values that are not missing be less than v, and U be less than or equal to v. Then v is in bin
    ``floor(n_bins * (L + U) / (2 * n))``, that of the middle of the rows with this value. Empty bins are removed. So
    the rows of a bin differ from ``n / n_bins`` by less than the largest number of rows that share one value.

    Examples
    --------
    >>> from pystrat import bin_target
    >>> list(bin_target([2.5, 1, 40, 7, 3, 100], n_bins=3))
    ['[1, 2.5]', '[1, 2.5]', '[40, 100]', '[3, 7]', '[3, 7]', '[40, 100]']
    """
    n_bins = check_integer(n_bins, "n_bins", minimum=1)
    numbers = numbers_of(values, "values")
    missing = np.isnan(numbers)
    distinct, places, counts = np.unique(numbers[~missing], return_inverse=True, return_counts=True)
    n_rows = int(counts.sum())
    middles = 2 * np.cumsum(counts) - counts  # L + U
    bins = min(n_bins, n_rows) * middles // (2 * n_rows)  # from n_rows bins on, every distinct value has its own
    bins = np.unique(bins, return_inverse=True)[1]
    codes = np.full(len(numbers), -1, dtype=np.int64)
    codes[~missing] = bins[places]
    return pd.Categorical.from_codes(codes, categories=_names(distinct, bins), ordered=True)


def _names(distinct: NDArray[np.float64], bins: NDArray[np.int64]) -> list[str]:
    """Name each bin by its smallest and largest value, with as many digits as it takes to distinguish the bins."""
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    last = np.append(first[1:], len(bins)) - 1
    bounds = list(zip(distinct[first], distinct[last]))
    names, exact = (
        [f"[{show_number(low, digits)}, {show_number(high, digits)}]" for low, high in bounds] for digits in (15, 17)
    )
    return names if len(set(names)) == len(names) else exact
