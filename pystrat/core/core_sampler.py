"""Shared by the samplers whose rule is in the C core: it plans, checks and draws; Python holds arguments and recipe."""

from __future__ import annotations

import warnings
from typing import Any, Callable, ClassVar, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.arrays import as_mapping
from pystrat.core.base import BatchSampler
from pystrat.core.batches import Batches
from pystrat.core.columns import refuse_dataset
from pystrat.core.messages import count_of
from pystrat.core.recipe import Recipe, make_recipe
from pystrat.core.strata import STRATA, Strata


def arguments_of(given: Mapping[str, Any], *, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arguments of a constructor, its ``locals()``, except those in `without`, which are values of rows."""
    if "strata" in without:
        refuse_dataset(given["strata"], STRATA)
    return {
        name: as_mapping(value, name) for name, value in given.items() if name not in ("self", "__class__", *without)
    }


class KindBatchSampler(BatchSampler):
    """Base class of the samplers of a kind of the core: a constructor calls `_check`, then `_begin` with the data."""

    _kind: ClassVar[str]
    _parts: dict[str, Any]

    def _check(self, arguments: dict[str, Any]) -> None:
        """Check the arguments; `_parts` has those that are given, and `_parameters` all but the seed and the rank."""
        parts = _core.check(self._kind, arguments)
        names = [name for name in arguments if name not in ("seed", "rank")]
        self._parameters = {name: parts.get(name) for name in names}
        super().__init__(**{name: arguments[name] for name in ("seed", "num_replicas", "rank")})
        self._parts = parts

    def _begin(
        self,
        data: Mapping[str, Any] = {},
        names: Union[Sequence[Any], Callable[..., str]] = (),
        labels: Mapping[str, Any] = {},
        stacklevel: int = 3,
    ) -> None:
        """Plan. `names` are those of the strata, for messages."""
        self._parts.update(data)
        self._labels = labels
        self._instance = self._new_instance(names)
        for warning in self._instance.warnings:
            warnings.warn(warning, stacklevel=stacklevel)
        self._parts.update(self._instance.found)
        self._n_batches: int = self._instance.n_batches

    def _begin_strata(
        self, strata: Strata, data: Mapping[str, Any] = {}, stacklevel: int = 4
    ) -> dict[str, NDArray[Any]]:
        """Plan for the strata of all rows; return what the core says of the plan."""
        self._begin({**strata.data, **data}, strata.names, {"names": strata.names}, stacklevel)
        return self._instance.describe()

    @property
    def parameters(self) -> dict[str, Any]:
        """The checked parameters, except those with a value for each row, the seed and the rank."""
        return {name: dict(value) if isinstance(value, dict) else value for name, value in self._parameters.items()}

    def __repr__(self) -> str:
        n_rows = self._rows_of_data()
        shown = [] if n_rows is None or "n_rows" in self._parameters else [count_of(n_rows, "row")]
        shown.append(count_of(self._n_batches, "batch"))
        for name, value in self._parameters.items():
            if value is not None:
                shown.append(f"{name}={count_of(len(value), 'value') if isinstance(value, dict) else repr(value)}")
        return f"{type(self).__name__}({', '.join(shown)}, seed={self._seed}, epoch={self.epoch})"

    def _global_length(self) -> int:
        return self._epoch_length(self.epoch)

    def _epoch_length(self, epoch: int) -> int:
        return self._instance.batches_of(epoch)

    def _new_instance(self, names: Union[Sequence[Any], Callable[..., str]] = ()) -> _core.Instance:
        return _core.Instance(self._kind, self._parts, self._seed, names)

    def _rows_of_data(self) -> Optional[int]:
        if "codes" in self._parts:
            return len(self._parts["codes"])
        n_rows = self._parts.get("n_rows", self._parts.get("lines"))
        return None if n_rows is None else int(np.sum(n_rows))

    def _recipe(self) -> Optional[Recipe]:
        return make_recipe(self._kind, seed=self._seed, parts=self._parts, labels=self._labels)

    def _fingerprint(self) -> str:
        return self._instance.identify()

    def _epoch_batches(self, epoch: int) -> Batches:
        drawn = self._instance.draw(epoch)
        return Batches(drawn["rows"], drawn["offsets"])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_instance"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._instance = self._new_instance()
