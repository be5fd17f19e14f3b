"""The strata of a dataset by the values that the user passed: the keys of tables and of mappings."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Hashable, Iterator, Optional, Sequence, Union, overload

import numpy as np

from pystrat.lazy_pandas import pd

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ColumnOfStrata:
    """The values of one column in the strata.

    Attributes
    ----------
    values : vector
        The distinct values, as the user passed them.
    kind : str
        What they are, such as text.
    ranks : numpy.ndarray, optional
        The places of ordered categories in their order; None if the values themselves are sorted.
    missing : object
        How the user passed a missing value.
    name : hashable, optional
        The name of the column, if it has one.
    codes : numpy.ndarray of int64, shape (number of strata,), optional
        The place in `values` of each stratum, -1 if it is missing; None if stratum k has value k.
    """

    values: Any
    kind: str
    ranks: Optional[NDArray[Any]]
    missing: Any
    name: Optional[Hashable] = None
    codes: Optional[NDArray[np.int64]] = None

    @property
    def places(self) -> NDArray[np.int64]:
        """The place in `values` of each stratum, -1 if it is missing."""
        return np.arange(len(self.values)) if self.codes is None else self.codes

    def value_of(self, stratum: int) -> Any:
        """Return the value of a stratum."""
        place = self.places[stratum]
        return self.missing if place < 0 else self.values[place]

    def order_keys(self) -> NDArray[np.int64]:
        """Return integers that sort the strata as `numpy.unique` sorts values; missing comes last."""
        if self.ranks is None:
            ordered = _argsort(self.values)
        else:
            ordered = np.argsort(self.ranks)
        keys = np.full(len(self.values) + 1, len(self.values), dtype=np.int64)  # the last one is for missing
        keys[ordered] = np.arange(len(self.values))
        return keys[self.places]

    def index(self, strata: NDArray[np.int64]) -> pd.Index:
        """Return the values of some strata."""
        places = self.places[strata]
        is_array = isinstance(self.values, np.ndarray)
        if is_array and self.values.dtype == object and self.kind == "number":
            values: Any = np.append(self.values.astype(np.float64), np.nan)[places]
        elif self.kind == "text" or (is_array and self.values.dtype.kind in "OS"):
            # Text has this type with all versions of pandas; that of pandas 3 refuses some names.
            return self._index_of_objects(places)
        else:
            try:
                held = pd.Series(self.values)
            except pd.errors.OutOfBoundsDatetime:  # years that numpy holds
                return self._index_of_objects(places)
            values = held.reindex(places) if (places < 0).any() else held.iloc[places]
        return pd.Index(values, name=self.name)

    def _index_of_objects(self, places: NDArray[np.int64]) -> pd.Index:
        objects = np.empty(len(self.values) + 1, dtype=object)
        objects[:-1] = list(self.values)
        objects[-1] = self.missing
        if self.missing is None and (places < 0).any():
            # In text, pandas 3 replaces None by NaN, even when it looks up a key.
            objects[-1] = pd.Index(["", None])[1]
        return pd.Index(objects[places], dtype=object, name=self.name)


class StratumNames(Sequence[str]):
    """The names of strata, for messages and plots, with their values, the keys of tables.

    Parameters
    ----------
    names : sequence of str
        The names, possibly made on access.
    columns : sequence of ColumnOfStrata
        The values of the strata in each column.
    """

    def __init__(self, names: Sequence[str], columns: Sequence[ColumnOfStrata]) -> None:
        self._names, self.columns = names, tuple(columns)

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, place: int) -> str:
        ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]:
        ...

    def __getitem__(self, place: Union[int, slice]) -> Union[str, Sequence[str]]:
        return self._names[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __repr__(self) -> str:
        return reprlib.repr(list(self._names))

    def value_of(self, stratum: int) -> Any:
        """Return the value of a stratum; of several columns, a tuple."""
        values = tuple(column.value_of(stratum) for column in self.columns)
        return values if len(values) > 1 else values[0]

    def values(self) -> list[Any]:
        """Return the values of all strata, in order of their codes."""
        return [self.value_of(stratum) for stratum in range(len(self))]

    def order(self) -> NDArray[np.int64]:
        """Return the strata in the order of tables: sorted by the first column, then by the second, and so on."""
        order: NDArray[np.int64] = np.lexsort([column.order_keys() for column in reversed(self.columns)])
        return order

    def keys(self, name: Optional[str] = None) -> pd.Index:
        """Return the values of the strata in the order of tables; `name` is that of values without one."""
        return self._index(self.order(), name)

    def in_order_of_codes(self, name: str) -> pd.Index:
        """Return the same in order of the codes."""
        return self._index(np.arange(len(self)), name)

    def _index(self, order: NDArray[np.int64], name: Optional[str]) -> pd.Index:
        levels = [column.index(order) for column in self.columns]
        if len(levels) > 1:
            return pd.MultiIndex.from_arrays(levels, names=[level.name for level in levels])
        return levels[0] if levels[0].name is not None else levels[0].rename(name)


def with_values(names: Sequence[str]) -> StratumNames:
    """Return the names of strata with their values; if these are unknown, the names themselves, in their order."""
    if isinstance(names, StratumNames):
        return names
    values = np.empty(len(names), dtype=object)
    values[:] = list(names)
    return StratumNames(names, [ColumnOfStrata(values, "text", np.arange(len(names)), None)])


def _argsort(values: Any) -> NDArray[np.int64]:
    if not isinstance(values, np.ndarray):
        return np.asarray(pd.Index(values).argsort(), dtype=np.int64)
    if values.dtype == object:
        return np.array(sorted(range(len(values)), key=values.__getitem__), dtype=np.int64)
    return np.argsort(values, kind="stable")
