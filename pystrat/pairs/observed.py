"""Shared by the samplers of observed pairs: users and items, by code and by id."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core_sampler import CoreBatchSampler, labels_of
from pystrat.pairs.codes import Ids, codes_of


class ObservedPairsBatchSampler(CoreBatchSampler):
    """Base class of the samplers of observed pairs."""

    _user_ids: Optional[Ids]
    _item_ids: Optional[Ids]

    def _plan_pairs(
        self, arguments: Mapping[str, Any], users: Any, items: Any, data: Mapping[str, NDArray[Any]] = {}
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parts of the recipe, and the checked arguments. `data` are made of some of these."""
        settings = self._plan_of(dict(arguments), data)
        wanted = dict(settings)
        codes = {}
        codes["users"], self._user_ids = codes_of(users, settings["n_users"], "users")
        codes["items"], self._item_ids = codes_of(items, settings["n_items"], "items")
        for name, ids in (("n_users", self._user_ids), ("n_items", self._item_ids)):
            if ids is not None:
                wanted[name] = len(ids.values)
        return self._plan_of(wanted, {**data, **codes}, self._user_ids.names if self._user_ids else ()), settings

    @property
    def n_users(self) -> int:
        """The total number of users."""
        return int(self._parts["n_users"])

    @property
    def n_items(self) -> int:
        """The total number of items."""
        return int(self._parts["n_items"])

    @property
    def user_ids(self) -> Optional[NDArray[Any]]:
        """The ids of the users by code, read-only; None if users were given as codes."""
        return None if self._user_ids is None else self._user_ids.values

    @property
    def item_ids(self) -> Optional[NDArray[Any]]:
        """The ids of the items by code, read-only; None if items were given as codes."""
        return None if self._item_ids is None else self._item_ids.values

    @property
    def n_positives(self) -> int:
        """The number of positives of an epoch, including repeated ones."""
        return len(self._parts["cells"])

    def _labels_of(self, shown: Mapping[str, Any], **further: Any) -> dict[str, Any]:
        """Return the labels of a recipe: settings, further labels, and the names of the ids, None for codes."""
        labels = labels_of(shown)
        ids = {"user_ids": self._user_ids, "item_ids": self._item_ids}
        return {**labels, **further, **{name: None if given is None else given.names for name, given in ids.items()}}

    def __getstate__(self) -> dict[str, Any]:
        # Sorted cells are stored as differences, which take fewer bytes.
        state = super().__getstate__()
        cells = state["_parts"]["cells"].astype(np.int64)
        gaps = np.diff(cells, prepend=-1)
        n_distinct = int(np.argmin(gaps > 0)) or len(cells)
        parts = (np.diff(part, prepend=0) for part in (cells[:n_distinct], cells[n_distinct:]))
        state["_gaps"] = [part.astype(np.min_scalar_type(int(part.max(initial=0)))) for part in parts]
        state["_parts"] = {**state["_parts"], "cells": None}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        cells = np.concatenate([np.cumsum(gaps, dtype=np.int64) for gaps in state.pop("_gaps")])
        self.__dict__.update(state)
        self._parts = {**self._parts, "cells": cells.astype(np.float64)}
