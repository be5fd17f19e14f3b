"""Conversion of lists, arrays, pandas objects and tensors to plain arrays, for all array parameters.

Tensors may have any dtype and device, and may require gradients; torch itself is not imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence

import numpy as np

from pystrat.lazy_pandas import is_frame, is_loaded, pd
from pystrat.limits import MAX_COUNT
from pystrat.messages import count_of, refused_type, refused_value, show

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


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

    Numbers keep their dtype, in native byte order. If some numbers of pandas or of a masked array are missing, all
    become doubles, with NaN for the missing ones. Anything else with missing values, numpy's StringDType, and lists of
    unequal lengths become arrays of objects; so does anything that is not an array, with 0 dimensions.
    """
    if isinstance(values, range):
        _check_range(values, name)
    array = values if type(values) is np.ndarray else _array_of(values, name)
    if array.ndim:
        _check_length(len(array), name)
    if array.dtype.kind == "T":  # text of any length, of numpy 2, which pandas has no functions for
        return array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def row_array(values: Any, name: str) -> NDArray[Any]:
    """Return what `plain_array` does for a parameter with one value per row, which may have the shape (n, 1)."""
    return _without_unit_axis(plain_array(values, name))


def as_vector(values: Any, wanted: Wanted) -> Any:
    """Return values of shape (n,) or (n, 1) as a vector of pandas or numpy, without inspecting the items.

    Unlike `plain_array`, it preserves the distinction between kinds of values: pandas' own dtypes, and the objects of a
    list, which may hold tensors, arrays or lists of one value each.
    """
    if is_loaded() and isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return _vector_of_pandas(values, wanted)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise wanted.refusal(show(values))
    if isinstance(values, range):
        _check_range(values, wanted.name)
        return np.arange(values.start, values.stop, values.step)
    if isinstance(values, np.ma.MaskedArray):
        return _one_dimensional(_objects_of_masked(values), wanted)
    if holds_tensors(values) or isinstance(values, memoryview) or hasattr(values, "__array__"):
        return _one_dimensional(plain_array(values, wanted.name), wanted)
    if isinstance(values, (list, tuple)):
        # An object array preserves what numpy would coerce, such as the logical value in [True, "a"].
        return objects_of(list(map(_only_value, values)) if all(map(_has_one_value, values)) else values)
    if isinstance(values, Sequence):
        return as_vector(list_of(values), wanted)
    raise wanted.refusal(show(values))


def own_index(values: Any) -> Optional[pd.Index]:
    """Return the index of a Series or DataFrame; None if it is the default one, 0, 1, ..., or there is none."""
    if not is_loaded() or not isinstance(values, (pd.Series, pd.DataFrame)):
        return None
    return None if values.index.equals(pd.RangeIndex(len(values))) else values.index


def as_mapping(values: Any, name: str) -> Any:
    """Return a Series of numbers of known things, such as strata, as a mapping; anything else as it is."""
    if not (is_loaded() and isinstance(values, pd.Series)):
        return values
    if not values.index.is_unique:
        raise refused_value(name, "name each of them once", "a Series with a name twice")
    return dict(values.items())


def check_same_rows(given: Iterable[tuple[str, Any]]) -> None:
    """Refuse pandas objects with a value for each row, and their parameters, whose indexes are those of other rows."""
    first: Optional[tuple[str, Any]] = None
    for name, values in given:
        if is_loaded() and isinstance(values, (pd.Series, pd.DataFrame)):
            first = first or (name, values.index)
            if len(values) == len(first[1]) and not values.index.equals(first[1]):
                required = f"have the index of '{first[0]}' if both have one" if name != first[0] else "have one index"
                advice = "If the rows are in the same order, pass to_numpy() of them."
                raise refused_value(name, required, "another one", advice)


def in_order_of(values: Any, known: Sequence[Any], name: str) -> Any:
    """Return values of known things, such as users, in the order of these: the index of a pandas object decides.

    Each of `known` has a label for each thing. The index must have the labels of one of them.
    """
    index = own_index(values)
    if index is None:
        return values
    for labels in known:
        places = index.get_indexer(pd.Index(labels)) if index.is_unique and len(index) == len(labels) else -1
        if np.min(places, initial=0) >= 0:
            return values.iloc[places]
    expected = list(known[0])
    outside, repeated = index[~index.isin(expected)], index[index.duplicated()]
    got = show(outside[0]) if len(outside) else f"{show(repeated[0])} twice" if len(repeated) else show(index)
    listed = ", ".join(map(show, expected[:10])) + ", ..." * (len(expected) > 10)
    advice = "To match by position, give to_numpy() of it."
    raise refused_value(name, f"have each of {listed} once in its index, if it has one", got, advice)


def objects_of(values: Sequence[Any]) -> NDArray[Any]:
    """Return a list as a one-dimensional array of its items."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def is_missing(values: Any) -> Any:
    """Return whether a value is missing, or which values of a vector: None, NaN, NaT, and NA of pandas."""
    dtype = getattr(values, "dtype", None)
    if isinstance(values, np.ndarray) and isinstance(dtype, np.dtype) and dtype.kind != "O":
        if dtype.kind in "mM":
            return np.isnat(values)
        return np.isnan(values) if dtype.kind in "fc" else np.zeros(values.shape, dtype=bool)
    if isinstance(values, (bool, int, str)):
        return False
    return pd.isna(values)


def as_doubles(values: Any) -> NDArray[np.float64]:
    """Return a pandas vector of numbers or logical values as doubles, with NaN for missing values."""
    present = ~np.asarray(pd.isna(values))
    doubles = np.full(len(values), np.nan)
    doubles[present] = values[present].to_numpy(dtype=np.float64)
    return doubles


def float64_of(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array of numbers as doubles, without a copy if possible; numbers beyond the range become infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(array, dtype=np.float64)


def for_kernel(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return an array for the compiled loops, which refuse read-only arrays; copy only if necessary."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = float64_of(array)
    contiguous = np.asarray(array, dtype=dtype, order="C")
    return contiguous if contiguous.flags.writeable else contiguous.copy()


def _check_range(values: range, name: str) -> None:
    """Refuse a range of too many rows; `len` of it may overflow."""
    _check_length(max(0, -(-(values.stop - values.start) // values.step)), name)


def _check_length(n_rows: int, name: str) -> None:
    """Refuse more rows than a dataset may have, such as those of a range, before they take memory."""
    if n_rows > MAX_COUNT:
        raise refused_value(name, f"have at most {MAX_COUNT} rows", count_of(n_rows, "row"))


def _array_of(values: Any, name: str) -> NDArray[Any]:
    if _is_tensor(values):
        return _of_tensor(values, name)
    if isinstance(values, (list, tuple)):
        items = [plain_array(value, name) for value in values] if holds_tensors(values) else values
        try:
            return np.asarray(items)
        except ValueError:  # lists of unequal lengths
            objects = np.empty(len(items), dtype=object)
            for place, value in enumerate(items):
                objects[place] = value
            return objects
    if is_frame(values):
        return _of_frame(values)
    if _is_extension(getattr(values, "dtype", None)):
        return _of_extension(values)
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        if values.dtype.kind not in "iuf":
            return _objects_of_masked(values)
        doubles: Any = values.astype(np.float64)
        return np.asarray(doubles.filled(np.nan))
    return np.asarray(values)


def _is_tensor(values: Any) -> bool:
    return hasattr(values, "detach") and hasattr(values, "cpu")


def holds_tensors(values: Any) -> bool:
    """Return whether this is a list of tensors, such as the losses of several steps; decided by the first item."""
    return isinstance(values, (list, tuple)) and len(values) > 0 and _is_tensor(values[0])


def _of_tensor(tensor: Any, name: str) -> NDArray[Any]:
    refuse_without_array(tensor, name)
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    if tensor.is_floating_point() and str(tensor.dtype) not in ("torch.float16", "torch.float32", "torch.float64"):
        tensor = tensor.float()  # numpy has no bfloat16; the conversion is exact
    array: NDArray[Any] = tensor.numpy()
    return array


def refuse_without_array(tensor: Any, name: str) -> None:
    """Refuse a tensor without a numpy equivalent: the caller knows whether its dense form fits into memory."""
    required = "be an array, or a dense tensor of numbers"
    if tensor.is_quantized:
        raise refused_type(name, required, "a quantized tensor", "Call its method dequantize().")
    if tensor.is_meta:
        raise refused_type(name, required, "a tensor without data")
    if not str(tensor.layout) == "torch.strided":
        raise refused_type(name, required, "a sparse tensor", "Call its method to_dense().")


def list_of(values: Sequence[Any]) -> list[Any]:
    """Return the items of a sequence; a column of a Hugging Face dataset reads them all at once only as a slice."""
    try:
        items = values[:]
    except Exception:  # of a sequence that has no slices
        items = None
    return items if isinstance(items, list) else list(values)


def _vector_of_pandas(values: Any, wanted: Wanted) -> Any:
    """Return a vector of pandas as one of its own dtypes, or as an array of numpy."""
    if isinstance(values, pd.MultiIndex):
        raise wanted.refusal(f"an index of {values.nlevels} levels", wanted.advice)
    # An array of numpy as an extension array, which is what `array` of most Series is. Older pandas names it otherwise.
    if isinstance(values, getattr(pd.arrays, "NumpyExtensionArray", None) or pd.arrays.PandasArray):
        return values.to_numpy()
    # Without the type, integers of 64 bits would become doubles.
    return np.asarray(values, dtype=values.dtype.subtype) if isinstance(values.dtype, pd.SparseDtype) else values


def _is_extension(dtype: Any) -> bool:
    """Return whether this is one of pandas' own dtypes, or another extension of them."""
    return is_loaded() and isinstance(dtype, pd.api.extensions.ExtensionDtype)


def _of_frame(frame: pd.DataFrame) -> NDArray[Any]:
    if not any(map(_is_extension, frame.dtypes)):
        return np.asarray(frame.to_numpy())
    columns = [plain_array(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return np.asarray(pd.DataFrame(dict(enumerate(columns))).to_numpy())


def _of_extension(values: Any) -> NDArray[Any]:
    """Return a vector of one of pandas' own dtypes as an array."""
    dtype = values.dtype
    if dtype.kind not in "iufb" or isinstance(dtype, (pd.SparseDtype, pd.CategoricalDtype)):
        return np.asarray(values)
    missing = np.asarray(pd.isna(values))
    if not missing.any():
        kept = getattr(
            dtype, "numpy_dtype", {"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}[dtype.kind]
        )
        return np.asarray(values, dtype=kept)
    return np.asarray(values, dtype=object) if dtype.kind == "b" else as_doubles(values)


def _objects_of_masked(values: Any) -> NDArray[Any]:
    """Return a masked array as objects, with None for masked values."""
    objects: NDArray[Any] = values.data.astype(object)
    objects[values.mask] = None
    return objects


def _has_one_value(item: Any) -> bool:
    return item.size == 1 if isinstance(item, np.ndarray) else isinstance(item, (list, tuple)) and len(item) == 1


def _only_value(item: Any) -> Any:
    return item.reshape(())[()] if isinstance(item, np.ndarray) else item[0]


def _without_unit_axis(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of shape (n, 1), as networks have labels, as n values; any other array as it is."""
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _one_dimensional(array: NDArray[Any], wanted: Wanted) -> NDArray[Any]:
    array = _without_unit_axis(array)
    if array.ndim != 1:
        shape = "x".join(str(length) for length in array.shape)
        got = f"an array of shape {shape}" if array.ndim else "a scalar"
        raise wanted.refusal(got, wanted.advice)
    return array
