"""Tree samplers and R: auxiliary values that go along with the rows, and specifications that R declares.

One crossing an epoch brings rows, offsets and one vector for each auxiliary value. Of a table that R holds, only the
used columns cross: as codes with their distinct values, or as numbers where they are weights.
"""

from __future__ import annotations

import warnings
from datetime import date, datetime, timedelta, timezone
from typing import Any, Mapping, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.tree import TreeBatchSampler
from pystrat.tree.specification import Specification, parse_specification
from rbridge.callbacks import EpochSource
from rbridge.guard import errors_as_values

_OWNER = "batch_sampler_tree"
# Named as R's function, so that every message has R's name for what the user called.
_SamplerOfR = type(_OWNER, (TreeBatchSampler,), {})
_FIRST_DAY, _FIRST_TIME = date(1970, 1, 1), datetime(1970, 1, 1, tzinfo=timezone.utc)


def tree_generator(sampler: TreeBatchSampler, r: Any) -> Any:
    """Return the R generator of a tree sampler of this process; `r` is the `rbridge.session.Session`."""
    source = EpochSource(sampler)

    def epoch_batches(epoch: Any) -> Any:
        number = int(epoch[0])
        rows, offsets = source.batches(number)
        values = {name: _crossing(values, r) for name, values in sampler.auxiliary_values(number).items()}
        return r.named_list(rows=rows, offsets=offsets, aux=r.named_list(**values))

    told = (float(source.n_batches), sampler.state_dict()["fingerprint"], source.n_rows)
    return r.call("tree_callback_generator", r.callback(epoch_batches), *told)


def _crossing(values: NDArray[Any], r: Any) -> Any:
    """Return auxiliary values in a form that crosses: doubles, logical values or text."""
    if values.dtype == object:
        return [str(value) for value in values]
    if values.dtype == bool:
        return r.rinterface.BoolSexpVector(values.tolist())
    return values.astype(np.float64)


class DeclaredTree:
    """A specification that R declares, and the samplers that R makes of it."""

    def __init__(self, spec: Any) -> None:
        self._specification: Specification = parse_specification(spec, _OWNER)

    def columns(self) -> dict[str, list[str]]:
        """Return the names of the columns that are compared or cloned, and of those that are weights."""
        return {"coded": self._specification.coded_columns(), "numbers": self._specification.number_columns()}

    def guarded_source(
        self,
        n_rows: float,
        coded: Mapping[str, Mapping[str, Any]],
        numbers: Mapping[str, Any],
        parameters: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Return the source of a table's batches, or the error, and the warnings, for R to raise."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            found = errors_as_values(self._source)(int(n_rows), coded, numbers, _plain(parameters))
        return {**found, "warnings": [str(warning.message) for warning in told]}

    def _source(
        self,
        n_rows: int,
        coded: Mapping[str, Mapping[str, Any]],
        numbers: Mapping[str, Any],
        parameters: Mapping[str, Any],
    ) -> "TreeSource":
        columns: dict[str, Any] = {name: np.asarray(values) for name, values in numbers.items()}
        columns.update({name: _column(**column) for name, column in coded.items()})
        table = pd.DataFrame(columns, index=pd.RangeIndex(n_rows))
        return TreeSource(_SamplerOfR(table, self._specification, **parameters))


class TreeSource(EpochSource):
    """The epochs of a tree sampler, with their auxiliary values."""

    def __init__(self, sampler: TreeBatchSampler) -> None:
        super().__init__(sampler, owner=_OWNER)
        self._tree_sampler = sampler

    def _crossing(self, epoch: int) -> Any:
        rows, offsets = self.batches(epoch)
        values = self._tree_sampler.auxiliary_values(epoch)
        # reticulate converts text only from a list.
        aux = {name: column.tolist() if column.dtype == object else column for name, column in values.items()}
        return {"rows": rows, "offsets": offsets, "aux": aux}


@errors_as_values
def guarded_tree(spec: Any) -> DeclaredTree:
    """Make a `DeclaredTree` for R's ``batch_sampler_tree``."""
    return DeclaredTree(spec)


def _column(codes: Any, values: Any, kind: str) -> pd.Categorical:
    """Put a column together from R's codes, counted from 0, -1 where missing."""
    if kind == "date":
        categories: Any = pd.Index([_FIRST_DAY + timedelta(days=day) for day in values], dtype=object)
    elif kind == "time":
        categories = pd.Index([time_of(seconds) for seconds in values], dtype=object)
    elif kind == "text":
        categories = pd.Index(list(values), dtype=object)
    else:
        categories = np.asarray(values, dtype=np.float64 if kind == "number" else bool)
    return pd.Categorical.from_codes(np.asarray(codes, dtype=np.int64), categories=categories)


def time_of(seconds: float) -> datetime:
    """Return R's time, seconds since 1970, to the microsecond."""
    return _FIRST_TIME + timedelta(microseconds=round(seconds * 1e6))


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return R's parameters; numbers of R are doubles."""

    def whole(value: Optional[Any]) -> Any:
        return int(value) if isinstance(value, float) and value.is_integer() else value

    return {name: whole(value) for name, value in parameters.items()}
