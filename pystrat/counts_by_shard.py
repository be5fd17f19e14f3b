"""The table of counts: the number of rows of each stratum in each shard.

It is all that processes need to know about each other's rows. A shard is a part of the data that one process holds as a
whole, such as a file. Shards and strata have names, because no process sees the strata of all rows to number them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.lazy_pandas import is_frame, is_loaded, pd
from pystrat.limits import MAX_EXACT
from pystrat.messages import check_iterable, refusals, refused_type, refused_value, show
from pystrat.strata import encode_strata, first_repeated, titled
from pystrat.value_names import names_index

Key = tuple[str, tuple[str, ...]]  # the name of a stratum, and what its columns hold
Place = tuple[int, int]  # a table, and one of its columns

_WHOLE_NUMBERS = "hold whole numbers from 0 that add up to less than 2^53"
_TABLE = "be a DataFrame with a row for each shard and a column for each stratum"


class Values(NamedTuple):
    """The strata by the values that the user passed, and what the columns of the values hold, such as text."""

    index: pd.Index
    kinds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """The rows of each stratum in each shard.

    Attributes
    ----------
    table : numpy.ndarray of int64, shape (number of shards, number of strata)
    shards : sequence of str
        The names of the shards, each once.
    strata : sequence of str
        The names of the strata, each once.
    kinds : sequence of tuple of str
        What the columns of each stratum hold, if that is known; empty if the table was given.
    values : Values, optional
        The values of the strata, for tables that are returned; None if these show the names.
    """

    table: NDArray[np.int64]
    shards: Sequence[str]
    strata: Sequence[str]
    kinds: Sequence[tuple[str, ...]] = ()
    values: Optional[Values] = None

    @property
    def keys(self) -> list[Key]:
        """What distinguishes the strata: their names and kinds."""
        return list(zip(self.strata, self.kinds or [()] * len(self.strata)))

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame."""
        return pd.DataFrame(self.table.copy(), index=names_index(self.shards, "shard"), columns=self.labels())

    def labels(self) -> pd.Index:
        """Return the values of the strata, or their names."""
        return names_index(self.strata, "stratum") if self.values is None else self.values.index


def read_counts(counts: Any, name: str = "counts", *, may_lack_strata: bool = False) -> ShardCounts:
    """Check a table of counts.

    Parameters
    ----------
    counts : pandas.DataFrame
        The number of rows of each stratum (columns) in each shard (rows): whole numbers with a sum below 2^53.
    name : str, default "counts"
        The name of the parameter, for error messages.
    may_lack_strata : bool, default False
        Whether there may be no column, because no shard has a row.

    Raises
    ------
    TypeError
        If `counts` is not a DataFrame of numbers.
    ValueError
        If it has no shards or no strata, names one twice, or holds anything but whole numbers from 0.
    """
    if not is_frame(counts):
        raise refused_type(name, _TABLE, show(counts))
    has_strata = counts.shape[1] > 0
    if len(counts) == 0 or not (has_strata or may_lack_strata):
        got = f"{len(counts)} x {counts.shape[1]} values"
        advice = "Bind it with the tables of other processes." if len(counts) else None
        raise refused_value(name, "have at least one shard and one stratum", got, advice)
    shards = shown_names(counts.index, name, noun="shard")
    if not has_strata:
        return ShardCounts(_whole_numbers(counts, name), shards, ())
    strata, kinds = _named(counts.columns, name, noun="stratum")
    values = Values(counts.columns, kinds) if kinds != ("text",) else None
    return ShardCounts(_whole_numbers(counts, name), shards, strata, values=values)


def shown_names(labels: Any, name: str, *, noun: str) -> tuple[str, ...]:
    """Return how labels of shards or strata are shown; refuse no labels, and two that are shown in the same way."""
    return _named(labels, name, noun=noun)[0]


def _named(labels: Any, name: str, *, noun: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the same, and what the columns of the labels hold."""
    vectors = (list, tuple, np.ndarray) + ((pd.Series, pd.Index) if is_loaded() else ())
    is_vector = isinstance(labels, vectors) and getattr(labels, "ndim", 1) == 1
    if is_vector and len(labels) == 0:
        raise refused_value(name, f"have at least one {noun}", "none")
    encoded = encode_strata(labels, missing="stratum", name=name)
    shown = encoded.exact_names
    names = tuple(shown[code] for code in encoded.codes.tolist())
    repeated = first_repeated(names)
    if repeated is not None:
        raise refused_value(name, f"name each {noun} once", f"{show(repeated)} twice")
    return names, encoded.kinds


def _whole_numbers(counts: pd.DataFrame, name: str) -> NDArray[np.int64]:
    """Return the counts as integers."""
    required, types = _WHOLE_NUMBERS, pd.api.types
    for dtype in counts.dtypes:
        if not types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype):
            advice = "If a column names the shards, make it the index." if types.is_string_dtype(dtype) else None
            raise refused_type(name, required, f"{dtype} values", advice)
    with np.errstate(over="ignore"):
        numbers = counts.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        got = float(numbers[wrong][0])
        advice = "Fill what is missing with 0." if np.isnan(got) else None
        raise refused_value(name, required, show(got), advice)
    if numbers.sum() >= MAX_EXACT:  # below it, sums of doubles are exact
        raise refused_value(name, required, "more rows")
    whole: NDArray[np.int64] = numbers.astype(np.int64)
    return whole


def shard_counts(strata: Mapping[str, Any]) -> pd.DataFrame:
    """Count the rows of each stratum in each shard.

    The R function ``rbridge::shard_counts()`` returns the same table.

    Parameters
    ----------
    strata : mapping from str to strata
        The strata of the rows of each shard, by the name of the shard, such as ``{"part-1.csv": labels, ...}``. The
        strata of a shard have any form that `StratifiedBatchSampler` accepts, without missing values. A shard may have
        no rows.

    Returns
    -------
    pandas.DataFrame
        The number of rows of each stratum (columns) in each shard (rows). Shards are sorted by name, by code point;
        strata are in order of first appearance over the sorted shards. The columns are the values of the strata, those
        of several columns a MultiIndex. Bins, and values of several kinds in different shards, such as numbers and
        text, have their names instead. If no shard has a row, there are no columns; for a sampler, bind the table with
        those of other processes.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, or two strata have the same name, such as the number 1 and the text 1, or a day and
        its midnight.

    Notes
    -----
    Values of one kind are different strata if they differ at all, so their names have all digits: 0.1 + 0.2 is
    ``0.30000000000000004``, a time has its fraction of a second. With several columns, text with a comma is quoted.

    See Also
    --------
    bind_counts : Combine the tables of several processes.
    gather_counts : The table of all processes of a process group.

    Examples
    --------
    >>> from pystrat import shard_counts
    >>> shard_counts({"b.csv": ["yes", "no", "no"], "a.csv": ["no", "no"]}).to_dict("index")
    {'a.csv': {'no': 2, 'yes': 0}, 'b.csv': {'no': 2, 'yes': 1}}
    """
    return count_shards(strata).to_frame()


def count_shards(strata: Any) -> ShardCounts:
    """Count the argument of `shard_counts`."""
    if not isinstance(strata, Mapping):
        raise refused_type("strata", "map the name of each shard to the strata of its rows", show(strata))
    if not strata:
        raise refused_value("strata", "have at least one shard", "none")
    for shard in strata:
        if not isinstance(shard, str) or not shard:
            raise refused_type("strata", "name each shard by a text", show(shard))
    shards = shown_names(sorted(strata), "strata", noun="shard")
    counted = [_count(strata[shard], shard) for shard in shards]
    found: dict[Key, Place] = {}
    for part, counts in enumerate(counted):
        for place, key in enumerate(counts.keys):
            found.setdefault(key, (part, place))
    columns = {key: column for column, key in enumerate(found)}
    table = np.zeros((len(shards), len(columns)), dtype=np.int64)
    for row, counts in enumerate(counted):
        table[row, [columns[key] for key in counts.keys]] = counts.table
    return _of_keys(table, shards, found, counted, "strata")


def _count(strata: Any, shard: str) -> ShardCounts:
    """Return the counts of a shard, with strata in order of first appearance."""
    with refusals(f"of shard {show(shard)}"):
        encoded = encode_strata(strata, missing=None, may_be_empty=True)
    if not len(encoded.counts):
        return ShardCounts(encoded.counts, [shard], ())
    # Text and bins are one kind: a file may hold any of them as text.
    kinds = tuple("text" if kind == "bin" else kind for kind in encoded.kinds)
    names = encoded.exact_names
    values = None
    if "bin" not in encoded.kinds:  # no table that a user passes may have an index of intervals
        index = encoded.values.astype(object) if encoded.values.dtype == "category" else encoded.values
        values = Values(titled(index), encoded.kinds)
    return ShardCounts(encoded.counts, [shard], names, [kinds] * len(names), values)


def _of_keys(
    table: NDArray[np.int64], shards: Sequence[str], keys: Mapping[Key, Place], of: Sequence[ShardCounts], name: str
) -> ShardCounts:
    """Return the counts of strata of different names; refuse others, such as the number 1 and the text 1.

    `keys` has the place of each stratum: the table of `of`, and the column.
    """
    strata = tuple(stratum for stratum, _ in keys)
    repeated = first_repeated(strata)
    if repeated is not None:
        got = f"{show(repeated)} as the name of two"
        raise refused_value(name, "have strata of different names", got, "Recode them.")
    return ShardCounts(table, shards, strata, tuple(kinds for _, kinds in keys), _joined(list(keys.values()), of))


def _joined(places: Sequence[Place], tables: Sequence[ShardCounts]) -> Optional[Values]:
    """Return the values of the strata at these places; None if they are of several kinds, or some are unknown."""
    known = [counts.values for counts in tables if counts.values is not None]
    is_known = len(known) == sum(len(counts.strata) > 0 for counts in tables)
    if not known or not is_known or len({values.kinds for values in known}) > 1:
        return None
    index = known[0].index.append([values.index for values in known[1:]])
    if known[0].index.dtype == object:
        index = index.astype(object)  # pandas 3 gives text a type of its own
    begins = np.cumsum([0] + [len(counts.strata) for counts in tables])
    return Values(index[[begins[part] + place for part, place in places]], known[0].kinds)


def check_any_rows(counts: ShardCounts, name: str) -> ShardCounts:
    """Return counts of strata that have rows; refuse them if there are none."""
    if not counts.strata:
        raise refused_value(name, "have at least one row", "0 rows")
    return counts


def bind_counts(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Combine the tables of counts of several processes.

    The R function ``rbridge::bind_counts()`` returns the same table.

    Parameters
    ----------
    tables : iterable of pandas.DataFrame
        The result of `shard_counts` in each process. Each shard is in one of them. A table may have no columns.

    Returns
    -------
    pandas.DataFrame
        The result of `shard_counts` for all shards at once, whichever process held them. Strata without rows are left
        out.

    Raises
    ------
    TypeError, ValueError
        If a table is invalid, two of them have the same shard, or no shard has a row.

    Examples
    --------
    >>> from pystrat import bind_counts, shard_counts
    >>> first = shard_counts({"b.csv": ["yes", "no"]})
    >>> second = shard_counts({"a.csv": ["no", "no"]})
    >>> bind_counts([first, second]).to_dict("index")
    {'a.csv': {'no': 2, 'yes': 0}, 'b.csv': {'no': 1, 'yes': 1}}
    """
    required = "be a list of DataFrames, each with a row for each shard and a column for each stratum"
    read = []
    for table in check_iterable(tables, "tables", required=required):
        if not is_frame(table):  # before the next one is requested: the iterable may be endless
            raise refused_type("tables", required, f"a list with {show(table)}")
        read.append(read_counts(table, "tables", may_lack_strata=True))
    return bound(read, "tables").to_frame()


def bound(tables: Sequence[ShardCounts], name: str) -> ShardCounts:
    """Combine tables; `name` is the name of their parameter, for error messages."""
    places = {shard: (part, row) for part, counts in enumerate(tables) for row, shard in enumerate(counts.shards)}
    if not places:
        raise refused_value(name, "have at least one shard", "none")
    repeated = first_repeated([shard for counts in tables for shard in counts.shards])
    if repeated is not None:
        raise refused_value(name, "have each shard once", f"{show(repeated)} twice")
    if sum(int(counts.table.sum()) for counts in tables) >= MAX_EXACT:
        raise refused_value(name, _WHOLE_NUMBERS, "more rows")
    shards = sorted(places)
    found = _strata_in_order([places[shard] for shard in shards], tables)
    columns = {key: column for column, key in enumerate(found)}
    row_of = {shard: row for row, shard in enumerate(shards)}
    table = np.zeros((len(shards), len(columns)), dtype=np.int64)
    for counts in tables:
        kept = [(place, columns[key]) for place, key in enumerate(counts.keys) if key in columns]
        rows = [row_of[shard] for shard in counts.shards]
        table[np.ix_(rows, [column for _, column in kept])] = counts.table[:, [place for place, _ in kept]]
    return check_any_rows(_of_keys(table, tuple(shards), found, tables, name), name)


def _strata_in_order(places: Sequence[tuple[int, int]], tables: Sequence[ShardCounts]) -> dict[Key, Place]:
    """Return the place of each stratum: in order of first appearance over the shards at these places, (table, row).

    Within a shard, the order is that of its table. If `shard_counts` made the table, strata that earlier shards do not
    have are in order of first appearance.
    """
    found: dict[Key, Place] = {}
    keys = [counts.keys for counts in tables]
    unseen = [np.ones(len(counts.strata), dtype=bool) for counts in tables]
    for part, row in places:
        for place in np.flatnonzero(unseen[part] & (tables[part].table[row] > 0)).tolist():
            found.setdefault(keys[part][place], (part, place))
            unseen[part][place] = False
    return found
