"""Shared by the samplers of observed pairs: users and items, by code and by id."""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import NDArray

from pystrat.base import BatchSampler
from pystrat.pairs.codes import Ids
from pystrat.pairs.negatives import PositivePairs


class ObservedPairsBatchSampler(BatchSampler):
    """Base class of the samplers of observed pairs; a subclass sets these attributes in its constructor."""

    _positives: PositivePairs
    _user_ids: Optional[Ids]
    _item_ids: Optional[Ids]

    @property
    def n_users(self) -> int:
        """The total number of users."""
        return self._positives.n_users

    @property
    def n_items(self) -> int:
        """The total number of items."""
        return self._positives.n_items

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
        return len(self._positives)

    def _id_labels(self) -> dict[str, Any]:
        """Return the names of the ids in the form of a recipe, None for codes."""
        ids = {"user_ids": self._user_ids, "item_ids": self._item_ids}
        return {name: None if given is None else given.names for name, given in ids.items()}
