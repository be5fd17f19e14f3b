"""The items of pair numbers for a training loop: users, items, labels, and features of both."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import holds_tensors, in_order_of, own_index, plain_array
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import check_integer, refused_type, refused_value, show
from pystrat.pairs.codes import check_ids, split_numbers


class FeatureLookup:
    """Features by id, looked up for many ids at once, as pandas finds them in an index.

    Parameters
    ----------
    features : array_like, shape (n, ...), or mapping
        The features of each id; a mapping, a Series or a DataFrame with an index of its own has them by id.
    ids : array_like, shape (n,), optional
        The ids, all different: anything that pandas indexes. By default 0, 1, ..., n - 1.
    default : array_like, optional
        The features of unknown ids: one value, or an array of the shape of an id's features. If not given, an unknown
        id raises an error.

    Examples
    --------
    >>> from pystrat import FeatureLookup
    >>> ages = FeatureLookup([31, 54], ids=["ann", "bob"], default=-1)
    >>> ages(["bob", "eve", "bob"])
    array([54, -1, 54])
    """

    def __init__(self, features: Any, ids: Any = None, *, default: Any = None) -> None:
        if isinstance(features, Mapping):
            if ids is not None:
                raise refused_value("ids", "be left out if the features are a mapping", show(ids))
            features, ids = list(features.values()), list(features)
        elif ids is not None:
            features = in_order_of(features, [ids], "features")
        index = own_index(features) if ids is None else _index_of(ids)
        self.has_ids = index is not None
        rows = plain_array(features, "features")
        if rows.ndim == 0:
            raise refused_type("features", "have one row for each id", show(features))
        self._index = pd.RangeIndex(len(rows)) if index is None else index
        if len(self._index) != len(rows):
            raise refused_value("ids", f"have one id for each row of features, {len(rows)}", show(self._index))
        self._has_default = default is not None
        if self._has_default:  # the last row, to which the place of an unknown id, -1, refers
            last = np.broadcast_to(plain_array(default, "default"), (1, *rows.shape[1:]))
            rows = np.concatenate([rows, last])
        self._features = rows

    def __call__(self, ids: Any) -> NDArray[Any]:
        """Return the features of ids, shape (number of ids, ...), or without the first axis for a single id."""
        wanted = plain_array(ids, "ids")
        rows = self._index.get_indexer(_index_of(ids if isinstance(ids, list) and wanted.ndim == 1 else wanted.ravel()))
        if not self._has_default and (rows < 0).any():
            raise refused_value("ids", "be known if no default is given", show(wanted.ravel()[rows < 0][0]))
        found: NDArray[Any] = self._features[rows.reshape(wanted.shape)]
        return found


def _index_of(ids: Any) -> pd.Index:
    """Return ids as an index; numpy would make text of a list of text and numbers."""
    return pd.Index(ids if isinstance(ids, list) and not holds_tensors(ids) else plain_array(ids, "ids"))


def _side(count: int, ids: Any, features: Any, name: str) -> tuple[Optional[NDArray[Any]], Optional[FeatureLookup]]:
    """Return the ids and the features of the users of a dataset, or of its items; `name` is "user" or "item"."""
    ids = check_ids(ids, f"{name}_ids", count)
    if features is None or isinstance(features, FeatureLookup):
        return ids, features
    known = ([] if ids is None else [ids]) + [range(count)]
    rows = np.atleast_1d(plain_array(in_order_of(features, known, f"{name}_features"), f"{name}_features"))
    if len(rows) != count:
        raise refused_value(f"{name}_features", f"have one value or one row for each of {count}", show(rows))
    return ids, FeatureLookup(rows)


class PairDataset:
    """Map-style dataset of all pairs of a user and an item, by pair number, for `NegativePairBatchSampler`.

    Parameters
    ----------
    n_users, n_items : int
        The sampler's `n_users` and `n_items`: pair numbers depend on the number of items.
    user_features, item_features : array_like or FeatureLookup, optional
        The features of each code: an array whose row c belongs to code c, or a lookup. A lookup is called with ids if
        it has its own ids and they are given here, too, else with codes. An index of a Series or DataFrame decides.
    user_ids, item_ids : array_like, optional
        The ids by code, one for each: the sampler's `user_ids` and `item_ids`.

    Notes
    -----
    An item is a dict with ``user`` and ``item``, codes as int64, ``label``, 1 or 0 as float32, and, if given,
    ``user_id``, ``item_id``, ``user_features`` and ``item_features``; of several numbers, arrays. It has no length, so
    that a sampler of PyTorch, which would go through all pairs, fails at once.

    Examples
    --------
    >>> from pystrat import PairDataset
    >>> dataset = PairDataset(3, 4, item_features=[0.5, 1.5, 2.5, 3.5])
    >>> dataset[[7, 12]]["item_features"]
    array([3.5, 2.5])
    """

    def __init__(
        self,
        n_users: int,
        n_items: int,
        *,
        user_features: Any = None,
        item_features: Any = None,
        user_ids: Any = None,
        item_ids: Any = None,
    ) -> None:
        self.n_users = check_integer(n_users, "n_users", minimum=1, maximum=MAX_COUNT)
        self.n_items = check_integer(n_items, "n_items", minimum=1, maximum=MAX_COUNT)
        self._users = _side(self.n_users, user_ids, user_features, "user")
        self._items = _side(self.n_items, item_ids, item_features, "item")

    def __getitem__(self, numbers: Union[int, Any]) -> dict[str, Any]:
        users, items, labels = split_numbers(numbers, self.n_items)
        if (users >= self.n_users).any():
            raise IndexError(f"there is no user {users.max()}: {type(self).__name__} has {self.n_users}")
        return self._with_features({"user": users, "item": items}, label=labels.astype(np.float32))

    def _with_features(self, codes: dict[str, NDArray[np.int64]], **further: Any) -> dict[str, Any]:
        """Return codes by name, with the ids and the features of each; those of other names than "user" are items."""
        found = {**codes, **further}
        for name, of_name in codes.items():
            ids, features = self._users if name == "user" else self._items
            if ids is not None:
                found[f"{name}_id"] = ids[of_name]
            if features is not None:
                found[f"{name}_features"] = features(ids[of_name] if features.has_ids and ids is not None else of_name)
        return found


class TripleDataset(PairDataset):
    """Map-style dataset of triples of a user, a positive and negatives, for `TripleBatchSampler`.

    Parameters
    ----------
    n_users, n_items, user_features, item_features, user_ids, item_ids
        As in `PairDataset`.
    negatives_per_positive : int, default 1
        As in the sampler.

    Notes
    -----
    It takes the numbers of whole triples, and returns a dict with ``user`` and ``positive``, codes as int64 of shape
    (b,), ``negatives``, of shape (b, k), and, if given, the ids and features of each, such as ``negatives_id``.

    Examples
    --------
    >>> from pystrat import TripleDataset
    >>> dataset = TripleDataset(3, 4, negatives_per_positive=2)
    >>> dataset[[7, 0, 4, 9, 14, 10]]
    {'user': array([0, 1]), 'positive': array([3, 0]), 'negatives': array([[0, 2],
           [3, 1]])}
    """

    def __init__(
        self,
        n_users: int,
        n_items: int,
        *,
        negatives_per_positive: int = 1,
        user_features: Any = None,
        item_features: Any = None,
        user_ids: Any = None,
        item_ids: Any = None,
    ) -> None:
        of_users = {"user_features": user_features, "user_ids": user_ids}
        super().__init__(n_users, n_items, item_features=item_features, item_ids=item_ids, **of_users)
        name = "negatives_per_positive"
        self.negatives_per_positive = check_integer(negatives_per_positive, name, minimum=1, maximum=MAX_COUNT)

    def __getitem__(self, numbers: Any) -> dict[str, Any]:
        users, items, labels = split_numbers(numbers, self.n_items)
        group = self.negatives_per_positive + 1
        if users.ndim == 1 and len(users) % group == 0:
            users, items, labels = (part.reshape(-1, group) for part in (users, items, labels))
            of_one_user = (users == users[:, :1]).all() and (users < self.n_users).all()
            if of_one_user and (labels[:, 0] == 1).all() and not labels[:, 1:].any():
                codes = {"user": users[:, 0], "positive": items[:, 0], "negatives": items[:, 1:]}
                return self._with_features(codes)
        required = f"hold whole triples of {self.n_users} users: a positive, then {group - 1} negatives of its user"
        raise refused_value("numbers", required, "others")

    def __getitems__(self, numbers: Any) -> list[dict[str, Any]]:
        """Return the triples one by one, for loaders that collate batches."""
        triples = self[numbers]
        return [{name: values[place] for name, values in triples.items()} for place in range(len(triples["user"]))]
