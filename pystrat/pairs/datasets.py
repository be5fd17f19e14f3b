"""The items of pair numbers for a training loop: users, items, labels, and features of both."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import float64_of, holds_tensors, in_order_of, own_index, plain_array
from pystrat.lazy_pandas import pd
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import check_integer, count_of, refused_type, refused_value, show
from pystrat.pairs.codes import check_ids, check_table, split_numbers
from pystrat.pairs.sampler import decode_pairs


class FeatureLookup:
    """Features by id, looked up for many ids at once.

    Parameters
    ----------
    features : array_like, shape (n, ...), or mapping
        The features of each id. Kept, not copied. A mapping, such as a dict, has the features of each id by its id, and
        so does a Series or DataFrame with an index of its own.
    ids : array_like, shape (n,), optional
        The ids, all different: integers, text or anything that pandas indexes. By default 0, 1, ..., n - 1. Among
        integers, a whole double is also an id. Left out if `features` is a mapping.
    default : array_like, optional
        The features of unknown ids: one value, or an array of the shape of an id's features. If not given, an unknown
        id raises an error. Numbers must fit the dtype of the features, in which floats are rounded; text may be longer
        than that of the features. If the features are integers and the default is not whole, all features become
        doubles.

    Raises
    ------
    TypeError, ValueError
        If ids repeat or differ in number from the features, or are given beside a mapping; or if the default has
        another shape or type, or a value that does not fit the dtype of the features.

    Examples
    --------
    >>> from pystrat import FeatureLookup
    >>> ages = FeatureLookup([31, 54], ids=["ann", "bob"], default=-1)
    >>> ages(["bob", "eve", "bob"])
    array([54, -1, 54])
    >>> FeatureLookup({"ann": 31, "bob": 54})(["bob", "ann"])
    array([54, 31])
    """

    def __init__(self, features: Any, ids: Any = None, *, default: Any = None) -> None:
        if isinstance(features, Mapping):
            if ids is not None:
                raise refused_value("ids", "be left out if the features are a mapping", show(ids))
            features, ids = list(features.values()), list(features)
        elif ids is None:
            ids = own_index(features)
        else:
            features = in_order_of(features, [ids], "features")
        self._features = plain_array(features, "features")
        if self._features.ndim == 0:
            raise refused_type("features", "have one row for each id", show(features))
        self._index: Optional[pd.Index] = None
        if ids is not None:
            self._index = _as_index(ids)
            if len(self._index) != len(self._features):
                required = f"have one id for each row of features, {len(self._features)}"
                raise refused_value("ids", required, show(self._index))
        self._default: Optional[NDArray[Any]] = None
        if default is not None:
            self._default = self._check_default(default)

    def _check_default(self, default: Any) -> NDArray[Any]:
        shape = self._features.shape[1:]
        found = plain_array(default, "default")
        if found.shape not in ((), shape):
            required = f"be one value, or of the shape of an id's features, {shape}"
            raise refused_value("default", required, f"an array of shape {found.shape}")
        if self._features.dtype.kind in "iu" and found.dtype.kind == "f":
            found = self._as_numbers_of_features(found)
        kept = self._features.dtype
        if not _is_of_kind(found.dtype, kept):
            required = f"be of the features' type, {kept}"
            raise refused_type("default", required, f"{found.dtype} values")
        if kept.kind in "US":
            return np.broadcast_to(found.astype(np.result_type(found.dtype, kept)), shape)
        with np.errstate(over="ignore"):
            cast = found.astype(kept)
        changed = _is_changed(found, cast)
        if changed.any():
            required = f"be a value that the features' type, {kept}, holds"
            raise refused_value("default", required, show(found[changed].flat[0]))
        return np.broadcast_to(cast, shape)

    def _as_numbers_of_features(self, default: NDArray[Any]) -> NDArray[Any]:
        """Return a floating-point default of integer features as integers; if it is not whole, make them doubles."""
        whole = np.isfinite(default) & (default == np.trunc(default))
        if whole.all():
            outside = abs(default) >= 2.0**63
            if outside.any():
                required = f"be a value that the features' type, {self._features.dtype}, holds"
                raise refused_value("default", required, show(default[outside].flat[0]))
            return default.astype(np.int64)
        if len(self._features) and max(-int(self._features.min()), int(self._features.max())) > MAX_EXACT:
            required = "be whole, because doubles do not hold all features exactly"
            raise refused_value("default", required, show(default[~whole].flat[0]))
        self._features = self._features.astype(np.float64)
        return default

    @property
    def has_ids(self) -> bool:
        """Whether ids were given; otherwise they are 0, 1, ..."""
        return self._index is not None

    def __call__(self, ids: Any) -> NDArray[Any]:
        """Return the features of ids, shape (number of ids, ...), or without the first axis for a single id.

        Raises
        ------
        ValueError
            If an id is unknown and there is no default; the message names the first. Also if doubles are looked up
            among integers, or integers among doubles, beyond 2^53, where several integers are the same double.
        """
        wanted = _as_ids(ids) if self.has_ids else plain_array(ids, "ids")
        rows = self._rows(wanted.reshape(-1))
        unknown = rows < 0
        if not unknown.any():
            known: NDArray[Any] = self._features[rows.reshape(wanted.shape)]
            return known
        if self._default is None:
            got = show(wanted.reshape(-1)[unknown][0])
            raise refused_value("ids", "be known if no default is given", got)
        found = self._features[np.where(unknown, 0, rows)] if len(self._features) else self._empty(len(rows))
        found = found.astype(self._default.dtype, copy=False)  # text may be longer than that of the features
        found[unknown] = self._default
        filled: NDArray[Any] = found.reshape(wanted.shape + self._features.shape[1:])[()]
        return filled

    def _rows(self, ids: NDArray[Any]) -> NDArray[np.intp]:
        """Return the rows of ids, -1 for unknown ones."""
        if self._index is not None:
            return self._rows_of_index(self._index, ids)
        if ids.size and ids.dtype.kind not in "iu":
            raise refused_type("ids", "hold integers from 0", f"{ids.dtype} values")
        return np.where((ids >= 0) & (ids < len(self._features)), ids, -1).astype(np.intp)

    def _rows_of_index(self, index: pd.Index, ids: NDArray[Any]) -> NDArray[np.intp]:
        """Return the rows of ids. pandas would round integers to doubles if both occur; these are compared exactly."""
        if {index.dtype.kind, ids.dtype.kind} not in ({"i", "f"}, {"u", "f"}):
            return _indexed(index, ids)
        values = float64_of(ids)
        finite = np.isfinite(values)
        ambiguous = finite & (abs(values) >= 2.0**53)
        if ambiguous.any():
            required = "be below 2^53, to be exact, if doubles are compared with integers"
            raise refused_value("ids", required, show(ids[ambiguous][0]))
        if ids.dtype.kind != "f":
            return _indexed(index, ids)
        whole = finite & (values == np.trunc(values))
        rows = np.full(ids.shape, -1, dtype=np.intp)
        rows[whole] = _indexed(index, values[whole].astype(np.int64))
        return rows

    def _empty(self, count: int) -> NDArray[Any]:
        return np.empty((count, *self._features.shape[1:]), dtype=self._features.dtype)


class PairDataset:
    """Map-style dataset of all pairs of a user and an item, by pair number, for `NegativePairBatchSampler`.

    Parameters
    ----------
    n_users, n_items : int
        The total numbers of users and items: the sampler's `n_users` and `n_items`, because pair numbers depend on the
        number of items. At most 2^31 - 1 each, and 2^52 pairs.
    user_features, item_features : array_like or FeatureLookup, optional
        The features of each code: an array whose row c belongs to code c, or a lookup. A lookup is called with codes,
        or with ids if it has its own ids and they are given here, too. If a Series or DataFrame has an index of its
        own, this has the ids, or the codes, and decides.
    user_ids, item_ids : array_like, optional
        The ids by code, one for each: the sampler's `user_ids` and `item_ids`.

    Raises
    ------
    TypeError, ValueError
        If a number of users or items is invalid, or an array of features or ids does not have one row for each of them.
        Ids that a lookup does not know raise an error when they are looked up.

    Notes
    -----
    ``DataLoader(dataset, sampler=sampler, batch_size=None)`` requests a whole batch at once and turns its arrays into
    tensors: nothing is done pair by pair. ``DataLoader(dataset, batch_sampler=sampler)`` returns the same batches,
    collated from single pairs. Use this form with libraries that create loaders anew, such as accelerate and Lightning.

    It has no length: if a PyTorch sampler replaced the sampler, it would go through all possible pairs, each once as a
    positive and once as a negative. Without a length, such samplers fail at once.

    An item is a dict with ``user`` and ``item``, codes as int64, ``label``, 1 or 0 as float32, and, if given,
    ``user_id``, ``item_id``, ``user_features`` and ``item_features``. One number returns single values, several numbers
    return arrays. Ids that are text stay arrays or lists of text, because tensors cannot hold text.

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
        check_table(self.n_users, self.n_items)
        self._users = Side(self.n_users, user_ids, user_features, "user")
        self._items = Side(self.n_items, item_ids, item_features, "item")

    def __getitem__(self, numbers: Union[int, Any]) -> dict[str, Any]:
        users, items, labels = decode_pairs(numbers, self.n_items)
        if (users >= self.n_users).any():
            raise IndexError(f"there is no user {users.max()}: {type(self).__name__} has {self.n_users}")
        pairs: dict[str, Any] = {"user": users, "item": items, "label": labels.astype(np.float32)}
        return {
            **pairs,
            **self._users.ids_of(users, "user"),
            **self._items.ids_of(items, "item"),
            **self._users.features_of(users, "user"),
            **self._items.features_of(items, "item"),
        }


class TripleDataset:
    """Map-style dataset of triples of a user, a positive and negatives, for `TripleBatchSampler`.

    Parameters
    ----------
    n_users, n_items : int
        The total numbers of users and items: the sampler's `n_users` and `n_items`, as in `PairDataset`.
    negatives_per_positive : int, default 1
        As in the sampler.
    user_features, item_features, user_ids, item_ids : optional
        As in `PairDataset`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, as in `PairDataset`, or if the requested numbers are not those of whole triples.

    Notes
    -----
    It takes the numbers of one or more whole triples, and returns a dict with ``user`` and ``positive``, codes as int64
    of shape (b,), and ``negatives``, of shape (b, k). If given, there are also ``user_id``, ``positive_id``,
    ``negatives_id``, ``user_features``, ``positive_features`` and ``negatives_features``.

    ``DataLoader(dataset, sampler=sampler, batch_size=None)`` requests a whole batch at once and turns its arrays into
    tensors. ``DataLoader(dataset, batch_sampler=sampler)`` returns the same batches, collated from single triples, for
    libraries that create loaders anew.

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
        self.n_users = check_integer(n_users, "n_users", minimum=1, maximum=MAX_COUNT)
        self.n_items = check_integer(n_items, "n_items", minimum=1, maximum=MAX_COUNT)
        check_table(self.n_users, self.n_items)
        per_positive = check_integer(negatives_per_positive, "negatives_per_positive", minimum=1, maximum=MAX_COUNT)
        self.negatives_per_positive = per_positive
        self._users = Side(self.n_users, user_ids, user_features, "user")
        self._items = Side(self.n_items, item_ids, item_features, "item")

    def __getitem__(self, numbers: Any) -> dict[str, Any]:
        users, items, labels = split_numbers(numbers, self.n_items)
        group = self.negatives_per_positive + 1
        if users.ndim == 1 and len(users) % group == 0:
            users, items, labels = (part.reshape(-1, group) for part in (users, items, labels))
            of_one_user = (users == users[:, :1]).all() and (users < self.n_users).all()
            if of_one_user and (labels[:, 0] == 1).all() and not labels[:, 1:].any():
                return self._triples(users[:, 0], items[:, 0], items[:, 1:])
        required = f"hold whole triples of {self.n_users} users: a positive, then {group - 1} negatives of its user"
        raise refused_value("numbers", required, "others")

    def __getitems__(self, numbers: Any) -> list[dict[str, Any]]:
        """Return the triples one by one, for loaders that collate batches."""
        triples = self[numbers]
        return [{name: values[place] for name, values in triples.items()} for place in range(len(triples["user"]))]

    def _triples(
        self, users: NDArray[np.int64], positives: NDArray[np.int64], negatives: NDArray[np.int64]
    ) -> dict[str, Any]:
        told: dict[str, Any] = {"user": users, "positive": positives, "negatives": negatives}
        told.update(self._users.ids_of(users, "user"))
        told.update(self._users.features_of(users, "user"))
        for name, items in (("positive", positives), ("negatives", negatives)):
            told.update(self._items.ids_of(items, name))
            told.update(self._items.features_of(items, name))
        return told


class Side:
    """The ids and the features of the users of a dataset, or of its items.

    Parameters
    ----------
    count : int
        The total number of users or items.
    ids, features
        As in `PairDataset`.
    name : str
        ``"user"`` or ``"item"``.
    """

    def __init__(self, count: int, ids: Any, features: Any, name: str) -> None:
        self._ids = check_ids(ids, f"{name}_ids", count)
        self._features = _as_lookup(features, self._ids, count, f"{name}_features")

    def ids_of(self, codes: NDArray[np.int64], name: str) -> dict[str, Any]:
        """Return the ids of codes under this name; nothing if there are none."""
        return {} if self._ids is None else {f"{name}_id": self._ids[codes]}

    def features_of(self, codes: NDArray[np.int64], name: str) -> dict[str, Any]:
        """Return the features of codes under this name; nothing if there are none."""
        if self._features is None:
            return {}
        asked = codes if self._ids is None or not self._features.has_ids else self._ids[codes]
        return {f"{name}_features": self._features(asked)}


def _as_ids(ids: Any) -> NDArray[Any]:
    """Return ids of any shape as an array; of text, numpy's own type would drop a NUL at the end."""
    found = plain_array(ids, "ids")
    is_text = found.dtype.kind in "US" and isinstance(ids, (str, bytes, list, tuple))
    return np.array(ids, dtype=object) if is_text else found


def _as_index(ids: Any) -> pd.Index:
    """Return the index of ids; refuse ids that pandas cannot look up, and ids that are not all different."""
    required = "be a vector of values that pandas indexes"
    is_list = isinstance(ids, (list, tuple)) and not holds_tensors(ids)  # numpy might convert it to text
    vector = ids if is_list else plain_array(ids, "ids")
    if not is_list and vector.ndim != 1:
        raise refused_type("ids", required, count_of(vector.ndim, "dimension"))
    try:
        index = pd.Index(vector if is_list else _as_pandas_has(vector))
        repeated = index[index.duplicated()]
    except (TypeError, ValueError, OverflowError):
        raise refused_type("ids", required, "other values") from None
    if len(repeated):
        raise refused_value("ids", "be all different", f"{show(repeated[0])} again")
    return index


def _indexed(index: pd.Index, ids: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows of ids, -1 for unknown ones; refuse ids that pandas cannot look up."""
    try:
        return np.asarray(index.get_indexer(_as_pandas_has(ids)))
    except (TypeError, ValueError, OverflowError):
        raise refused_type("ids", "hold values that pandas indexes", "other values") from None


def _as_pandas_has(ids: NDArray[Any]) -> NDArray[Any]:
    """Return ids unchanged, except that floats of a width that pandas does not index become doubles."""
    return float64_of(ids) if ids.dtype.kind == "f" and ids.dtype.itemsize not in (4, 8) else ids


def _as_lookup(features: Any, ids: Any, count: int, name: str) -> Optional[FeatureLookup]:
    """Return the lookup of features; refuse an array that does not have one row for each code.

    The index of a pandas object is that of the ids, or of the codes.
    """
    if features is None or isinstance(features, FeatureLookup):
        return features
    rows = np.atleast_1d(plain_array(features, name))
    if len(rows) != count:
        raise refused_value(name, f"have one value or one row for each of {count}", show(rows))
    known = ([] if ids is None else [ids]) + [range(count)]
    return FeatureLookup(np.atleast_1d(plain_array(in_order_of(features, known, name), name)))


def _is_of_kind(given: np.dtype[Any], kept: np.dtype[Any]) -> bool:
    """Return whether values of a type can occur among those of another: numbers among wider numbers, text in text."""
    kinds = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    if given.kind in kinds and kept.kind in kinds:
        return kinds[given.kind] <= kinds[kept.kind]
    if kept.kind in "US":
        return given.kind == kept.kind
    return bool(np.can_cast(given, kept, casting="same_kind"))


def _is_changed(found: NDArray[Any], cast: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each value changes in another type: integers and times that differ, numbers no longer finite."""
    if cast.dtype.kind in "fc":
        return np.asarray(np.isfinite(found) & ~np.isfinite(cast))
    if cast.dtype.kind in "biu":
        return np.asarray(found != cast)
    if cast.dtype.kind in "mM":
        return np.asarray((found != cast) & ~np.isnat(found))
    return np.zeros(found.shape, dtype=np.bool_)
