"""The rows of each stratum in each shard, a part of the data that one process holds as a whole, such as a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.lazy_pandas import is_frame, pd
from pystrat.core.limits import MAX_EXACT
from pystrat.core.messages import check_iterable, refusals, refused_type, refused_value, show
from pystrat.core.process_group import gather
from pystrat.core.strata import check_keys, encode_strata, identity_of, titled
from pystrat.core.value_names import name_of, names_index

_WHOLE_NUMBERS = "hold whole numbers from 0 that add up to less than 2^53"


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """The rows of each stratum in each shard."""

    table: NDArray[np.int64]  # of shape (number of shards, number of strata)
    shards: Sequence[str]  # their names, each once
    values: pd.Index  # of the strata

    @cached_property
    def strata(self) -> tuple[str, ...]:
        """The names of the strata."""
        return tuple(name_of(value, exact=True) for value in self.values)

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame."""
        return pd.DataFrame(self.table.copy(), index=names_index(self.shards, "shard"), columns=titled(self.values))


def read_counts(counts: Any, name: str = "counts", *, may_lack_strata: bool = False) -> ShardCounts:
    """Check a table of counts; only with `may_lack_strata` may it have no column, because no shard has a row."""
    if not is_frame(counts):
        raise refused_type(name, "be a DataFrame with a row for each shard and a column for each stratum", show(counts))
    if len(counts) == 0 or not (counts.shape[1] or may_lack_strata):
        advice = "Bind it with the tables of other processes." if len(counts) else None
        got = f"{len(counts)} x {counts.shape[1]} values"
        raise refused_value(name, "have at least one shard and one stratum", got, advice)
    for dtype in counts.dtypes:
        if dtype.kind not in "iuf":
            advice = "If a column names the shards, make it the index."
            raise refused_type(name, _WHOLE_NUMBERS, f"{dtype} values", advice)
    numbers = counts.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = ~((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < MAX_EXACT))
    if wrong.any():
        number = numbers[wrong][0]
        advice = "Fill what is missing with 0." if np.isnan(number) else None
        raise refused_value(name, _WHOLE_NUMBERS, show(number), advice)
    if numbers.sum() >= MAX_EXACT:  # below it, sums of doubles are exact
        raise refused_value(name, _WHOLE_NUMBERS, "more rows")
    shards = shown_names(counts.index, name, noun="shard")
    if counts.shape[1]:
        shown_names(counts.columns, name, noun="stratum")
    return ShardCounts(numbers.astype(np.int64), shards, counts.columns)


def shown_names(labels: Any, name: str, *, noun: str) -> tuple[str, ...]:
    """Return how labels of shards or strata are shown; refuse no labels, and two that are shown in the same way."""
    required = f"be a list with the name of each {noun}"
    if isinstance(labels, str) or getattr(labels, "ndim", 1) != 1:
        raise refused_type(name, required, show(labels))
    found = list(check_iterable(labels, name, required=required))
    if not found:
        raise refused_value(name, f"have at least one {noun}", "none")
    for label in found:
        identity_of(label, name)
    names = tuple(name_of(label, exact=True) for label in found)
    check_keys(names, name, noun=noun)
    return names


def shard_counts(strata: Mapping[str, Any]) -> pd.DataFrame:
    """Count the rows of each stratum (columns) in each shard (rows).

    Shards are sorted by name, by code point; strata are in order of first appearance over them. If no shard has a row,
    there are no columns: bind the table with those of other processes. Two strata of the same name, such as the number
    1 and the text 1, are refused. The R function ``rbridge::shard_counts()`` returns the same.

    Parameters
    ----------
    strata : mapping from str to strata
        The strata of the rows of each shard, by the name of the shard, such as ``{"part-1.csv": labels, ...}``. They
        have any form that `StratifiedBatchSampler` accepts, without missing values. A shard may have no rows.

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
    for shard in strata:
        if not isinstance(shard, str) or not shard:
            raise refused_type("strata", "name each shard by a text", show(shard))
    names = shown_names(sorted(strata), "strata", noun="shard")
    return bound([count_shard(strata[name], name, "shard") for name in names], "strata")


def count_shard(strata: Any, name: str, noun: str) -> ShardCounts:
    """Count the strata of one shard, or of what messages call by another noun."""
    with refusals(f"of {noun} {show(name)}"):
        encoded = encode_strata(strata, missing=None, may_be_empty=True)
    return ShardCounts(encoded.counts[np.newaxis], [name], encoded.values)


def bind_counts(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Combine the tables of several processes, as ``rbridge::bind_counts()`` does in R.

    Parameters
    ----------
    tables : iterable of pandas.DataFrame
        The result of `shard_counts` in each process. Each shard is in one of them. A table may have no columns. Strata
        without rows are left out.

    Examples
    --------
    >>> from pystrat import bind_counts, shard_counts
    >>> tables = [shard_counts({"b.csv": ["yes", "no"]}), shard_counts({"a.csv": ["no", "no"]})]
    >>> bind_counts(tables).to_dict("index")
    {'a.csv': {'no': 2, 'yes': 0}, 'b.csv': {'no': 1, 'yes': 1}}
    """
    required = "be a list of DataFrames, each with a row for each shard and a column for each stratum"
    listed = check_iterable(tables, "tables", required=required)
    return _bound_frame([read_counts(table, "tables", may_lack_strata=True) for table in listed], "tables")


def bound(tables: Sequence[ShardCounts], name: str) -> ShardCounts:
    """Combine tables: shards by name, strata with rows in order of first appearance, in a shard as in its table."""
    held: dict[str, dict[str, int]] = {}  # the rows of each stratum in each shard, by their names
    values: dict[str, Any] = {}  # of the strata
    for counts in tables:
        for stratum, value in zip(counts.strata, counts.values):
            if len({identity_of(other, name) for other in (value, values.setdefault(stratum, value))}) > 1:
                got = f"{show(stratum)} as the name of two"
                raise refused_value(name, "have strata of different names", got, "Recode them.")
        for shard, row in zip(counts.shards, counts.table.tolist()):
            if shard in held:
                raise refused_value(name, "have each shard once", f"{show(shard)} twice")
            held[shard] = dict(zip(counts.strata, row))
    if not held:
        raise refused_value(name, "have at least one shard", "none")
    shards = sorted(held)
    strata = list(dict.fromkeys(stratum for shard in shards for stratum, rows in held[shard].items() if rows))
    table = np.array([[held[shard].get(stratum, 0) for stratum in strata] for shard in shards], dtype=np.int64)
    kept = [values[stratum] for stratum in strata]
    is_text = any(isinstance(value, str) for value in kept) or not kept
    titles = max((counts.values.names for counts in tables), key=len)  # an empty shard has none
    return ShardCounts(table, shards, pd.Index(kept, dtype=object if is_text else None).set_names(titles))


def _bound_frame(tables: Sequence[ShardCounts], name: str) -> pd.DataFrame:
    counts = bound(tables, name)
    if not len(counts.values):
        raise refused_value(name, "have at least one row", "0 rows")
    return counts.to_frame()


def gather_counts(strata: Mapping[str, Any], process_group: Optional[Any] = None) -> pd.DataFrame:
    """Count the rows of each stratum in each shard, over all processes.

    Every process of the group calls it with its own shards, and gets the table of all of them. If counting fails in a
    process, all raise an error. With the backend nccl, call ``torch.cuda.set_device`` before: the exchange is
    ``torch.distributed.all_gather_object``.

    Parameters
    ----------
    strata : mapping from str to strata
        The strata of the rows of each shard of this process, as in `shard_counts`; empty if it has none.
    process_group : torch.distributed.ProcessGroup, optional
        The processes; by default torch's default group. If no group runs, this process is the only one.

    Examples
    --------
    >>> from pystrat import gather_counts
    >>> gather_counts({"a.csv": ["no", "no", "yes"]}).to_dict("index")
    {'a.csv': {'no': 2, 'yes': 1}}
    """

    def counted() -> list[ShardCounts]:
        return [] if isinstance(strata, Mapping) and not strata else [count_shards(strata)]

    of_processes = gather(counted, process_group, "count its shards")
    return _bound_frame([counts for own in of_processes for counts in own], "strata")
