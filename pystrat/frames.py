"""Tables that are returned: the index of their names, and tables of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional

import numpy as np

from pystrat.lazy_pandas import pd

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


def names_index(names: Iterable[str], name: Optional[str] = None) -> pd.Index:
    """Return names as an index of Python strings.

    Its type is the same with all versions of pandas. The string type of pandas 3 also refuses some names, such as those
    of files that are not valid UTF-8.
    """
    return pd.Index(list(names), dtype=object, name=name)


def batches_frame(counts: NDArray[np.int64], names: Iterable[str]) -> pd.DataFrame:
    """Return counts, shape (number of batches, number of names), with one row per batch and one column per name."""
    return pd.DataFrame(counts, index=pd.RangeIndex(len(counts), name="batch"), columns=names_index(names))
