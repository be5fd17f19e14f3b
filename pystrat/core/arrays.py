"""Conversion of lists, arrays, pandas objects and tensors to plain arrays, for all array parameters; without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.lazy_pandas import is_frame, is_loaded, pd
from pystrat.core.messages import refused_type, refused_value, show
from pystrat.core.value_names import listed_keys


@dataclass(frozen=True)
class Wanted:
    """The requirement for a vector parameter, for error messages."""

    name: str
    required: str
    advice: Optional[str] = None

    def refusal(self, got: str, advice: Optional[str] = None) -> TypeError:
        return refused_type(self.name, self.required, got, advice)


def plain_array(values: Any, name: str = "values") -> NDArray[Any]:
    """Return a list, array, table or tensor as a numpy array of any shape, without a copy if possible.

    Numbers keep their dtype, in native byte order; if some are missing, they become doubles with NaN. What numpy has no
    such array for becomes one of objects: others with missing values, text of any length, lists of unequal lengths.
    """
    if type(values) is np.ndarray and values.dtype.isnative and values.dtype.kind != "T":
        return values
    if _is_tensor(values):
        is_narrow = str(values.dtype) == "torch.bfloat16"  # which numpy has not
        values = (values.float() if is_narrow else values).numpy(force=True)
    elif isinstance(values, (list, tuple)):
        items = [plain_array(item, name) for item in values] if holds_tensors(values) else values
        try:
            values = np.asarray(items)
        except ValueError:  # lists of unequal lengths
            values = objects_of(items)
    elif is_frame(values) and any(map(_is_extension, values.dtypes)):
        values = pd.DataFrame({place: plain_array(column) for place, (_, column) in enumerate(values.items())})
    elif _is_extension(getattr(values, "dtype", None)):
        values = _of_extension(values)
    elif isinstance(values, np.ma.MaskedArray) and values.mask.any():
        missing: Any = np.nan if values.dtype.kind in "iuf" else None
        values = np.where(values.mask, missing, values.data)
    array = np.asarray(values)
    if array.dtype.kind == "T":  # text of any length, of numpy 2, which pandas has no functions for
        return array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def row_array(values: Any, name: str) -> NDArray[Any]:
    """Return what `plain_array` does for a parameter with one value per row, which may have the shape (n, 1)."""
    array = plain_array(values, name)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def as_vector(values: Any, wanted: Wanted) -> Any:
    """Return values of shape (n,) or (n, 1) as a vector of pandas or numpy, whose items keep their kinds."""
    kinds = (pd.Series, pd.Index, pd.api.extensions.ExtensionArray) if is_loaded() else ()
    if isinstance(values, kinds) and not isinstance(values, pd.MultiIndex):
        kept = pd.Series(values)
        is_dense = _is_extension(kept.dtype) and not isinstance(kept.dtype, pd.SparseDtype)
        return kept.array if is_dense else np.asarray(kept)
    if isinstance(values, Sequence) and not isinstance(values, (list, tuple, str, bytes, range, memoryview)):
        values = list_of(values)
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(object)
    if isinstance(values, (range, memoryview)) or holds_tensors(values) or hasattr(values, "__array__"):
        array = plain_array(values, wanted.name)
    elif isinstance(values, (list, tuple)):
        # An object array preserves what numpy would coerce, such as the logical value in [True, "a"].
        if all(isinstance(item, (list, tuple, np.ndarray)) and np.size(item) == 1 for item in values):
            values = [np.asarray(item, dtype=object).item() for item in values]
        return objects_of(values)
    else:
        raise wanted.refusal(show(values))
    if array.ndim == 2 and array.shape[1] == 1:  # as networks have labels
        return array[:, 0]
    if array.ndim != 1:
        got = f"an array of shape {'x'.join(map(str, array.shape))}" if array.ndim else "a scalar"
        raise wanted.refusal(got, wanted.advice)
    return array


def own_index(values: Any) -> Optional[pd.Index]:
    """Return the index of a Series or DataFrame; None if it is the default one, 0, 1, ..., or there is none."""
    if not _has_index(values) or values.index.equals(pd.RangeIndex(len(values))):
        return None
    return values.index


def _has_index(values: Any) -> bool:
    return is_loaded() and isinstance(values, (pd.Series, pd.DataFrame))


def as_mapping(values: Any, name: str) -> Any:
    """Return a Series of numbers of known things, such as strata, as a mapping; anything else as it is."""
    if not _has_index(values) or is_frame(values):
        return values
    if not values.index.is_unique:
        raise refused_value(name, "name each of them once", "a Series with a name twice")
    return dict(values.items())


def check_same_rows(given: Iterable[tuple[str, Any]]) -> None:
    """Refuse pandas objects with a value for each row, and their parameters, whose indexes are those of other rows."""
    indexes = [(name, values.index) for name, values in given if _has_index(values)]
    for name, index in indexes[1:]:
        first, expected = indexes[0]
        if len(index) == len(expected) and not index.equals(expected):
            required = f"have the index of '{first}' if both have one" if name != first else "have one index"
            advice = "If the rows are in the same order, pass to_numpy() of them."
            raise refused_value(name, required, "another one", advice)


def in_order_of(values: Any, known: Sequence[Any], name: str) -> Any:
    """Return values of known things in their order, which the index of a pandas object decides by `known` labels."""
    index = own_index(values)
    if index is None:
        return values
    for labels in known:
        places = index.get_indexer(pd.Index(labels)) if index.is_unique and len(index) == len(labels) else -1
        if np.min(places, initial=0) >= 0:
            return values.iloc[places]
    outside, repeated = index[~index.isin(list(known[0]))], index[index.duplicated()]
    got = show(outside[0]) if len(outside) else f"{show(repeated[0])} twice" if len(repeated) else show(index)
    required = f"have each of {listed_keys(known[0])} once in its index, if it has one"
    raise refused_value(name, required, got, "To match by position, give to_numpy() of it.")


def objects_of(values: Sequence[Any]) -> NDArray[Any]:
    """Return a list as a one-dimensional array of its items."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _is_tensor(values: Any) -> bool:
    return hasattr(values, "detach") and hasattr(values, "cpu")


def holds_tensors(values: Any) -> bool:
    """Return whether this is a list of tensors, such as the losses of several steps; decided by the first item."""
    return isinstance(values, (list, tuple)) and len(values) > 0 and _is_tensor(values[0])


def list_of(values: Sequence[Any]) -> list[Any]:
    """Return the items of a sequence; a column of a Hugging Face dataset reads them all at once only as a slice."""
    try:
        return list(values[:])
    except Exception:  # of a sequence that has no slices
        return list(values)


def _is_extension(dtype: Any) -> bool:
    """Return whether this is one of pandas' own dtypes, or another extension of them."""
    return is_loaded() and isinstance(dtype, pd.api.extensions.ExtensionDtype)


def _of_extension(values: Any) -> Any:
    """Return a vector of one of pandas' own dtypes as an array."""
    dtype, missing = values.dtype, pd.isna(values)
    if dtype.kind in "iuf" and missing.any():
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(values, dtype=None if missing.any() else getattr(dtype, "numpy_dtype", None))
