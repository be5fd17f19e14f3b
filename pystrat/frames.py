"""Tables that are returned: their indexes of names or of values of strata, and tables of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from pystrat.lazy_pandas import pd
from pystrat.stratum_values import with_values

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of Python strings.

    Its type is the same with all versions of pandas. The string type of pandas 3 also refuses some names, such as those
    of files that are not valid UTF-8.
    """
    return pd.Index(list(names), dtype=object, name=name)


def strata_series(numbers: NDArray[Any], strata: Sequence[str], name: str) -> pd.Series:
    """Return numbers of strata by their values, sorted; `name` is that of the numbers."""
    known = with_values(strata)
    return pd.Series(numbers[known.order()], index=known.keys(), name=name)


def strata_frame(columns: Mapping[str, NDArray[Any]], strata: Sequence[str]) -> pd.DataFrame:
    """Return columns with one row per stratum by their values, sorted."""
    known = with_values(strata)
    order = known.order()
    return pd.DataFrame({name: values[order] for name, values in columns.items()}, index=known.keys("stratum"))


def strata_batches_frame(counts: NDArray[np.int64], strata: Sequence[str]) -> pd.DataFrame:
    """Return counts, shape (number of batches, number of strata), by the values of the strata, sorted."""
    batches = pd.RangeIndex(len(counts), name="batch")
    if not len(strata):
        return pd.DataFrame(counts, index=batches)
    known = with_values(strata)
    return pd.DataFrame(counts[:, known.order()], index=batches, columns=known.keys())
