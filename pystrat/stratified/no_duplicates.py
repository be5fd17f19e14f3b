"""Batches without two rows that share a value of a key, such as a query or a document."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.arrays import Wanted, check_same_rows
from pystrat.core.columns import Column, check_n_rows, number_columns, read_columns
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, refused_value, shortened
from pystrat.core.plan import Plan
from pystrat.core.strata import STRATA, check_missing, encode_strata
from pystrat.core.value_names import Names, names_index


class NoDuplicatesBatchSampler(KindBatchSampler):
    """Batch sampler whose batches never hold two rows that share a value of a key, such as a query or a document.

    For losses that take the other rows of a batch as negatives, such as InfoNCE: a row with the same query or document
    would be a false negative. The R function ``rbridge::batch_sampler_no_duplicates()`` returns the same batches.
    docs/no-duplicates.md is a guide, with the rules.

    Parameters
    ----------
    keys : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        One value per row, or several columns, each of them a key. Values may be text, numbers, logical values or dates,
        none of them missing.
    batch_size : int
        The largest number of rows in a batch. Batches are smaller, with a warning, if a value is too frequent.
    across_columns : bool, default False
        Whether rows are also alike if a value of one is a value of the other in another column. All columns must then
        have values of one kind, such as text. A row may have a value twice.
    strata : optional
        As in `StratifiedBatchSampler`, without missing values. Only for a single key.
    min_samples_per_stratum : int, optional
        The minimum m: every batch has at least m rows of every stratum. Required with `strata`.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`, but the number of batches is rounded up.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row exactly once, and no batch has two rows that are alike.
    * Batch sizes differ by at most 1, and larger batches come first.
    * With `strata`, every batch has the floor or the ceiling of its share of each stratum.
    * With one key or two, an epoch of n rows has ``max(ceil(n / batch_size), c)`` batches, where c is the number of
      rows with the most frequent value. Fewer batches are impossible.

    Examples
    --------
    >>> from pystrat import NoDuplicatesBatchSampler
    >>> pairs = {
    ...     "query": ["a", "a", "b", "b", "c", "d"],
    ...     "document": ["p", "q", "q", "r", "p", "s"],
    ... }
    >>> sampler = NoDuplicatesBatchSampler(pairs, batch_size=3, seed=1)
    >>> for batch in sampler:
    ...     print([pairs["query"][row] + pairs["document"][row] for row in batch])
    ['ap', 'bq', 'ds']
    ['br', 'aq', 'cp']
    """

    _kind = "no_duplicates"

    def __init__(
        self,
        keys: Any,
        batch_size: int,
        *,
        across_columns: bool = False,
        strata: Any = None,
        min_samples_per_stratum: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("keys", "strata")))
        check_same_rows([("keys", keys), ("strata", strata)])
        titles, numbered = _number_keys(keys)
        self._n_rows = len(numbered[0].codes)
        if across_columns and len(numbered) > 1:
            titles = (", ".join(titles),)
            codes, names = _number_across(numbered)
        else:
            codes = np.concatenate([column.codes for column in numbered])
            names = [column.names for column in numbered]
        data: dict[str, Any] = {
            "keys": codes.astype(np.int32),
            "n_columns": len(numbered),
            "n_values": np.array([len(of_key) for of_key in names], dtype=np.float64),
        }
        shown: list[Sequence[str]] = [*names]  # as messages number them, those of strata first
        labels: dict[str, Any] = {"keys": titles}
        if strata is not None:
            encoded = encode_strata(strata, missing=None)
            data.update(codes=encoded.codes, n_strata=len(encoded.values))
            shown.insert(0, encoded.names)
            labels["names"] = encoded.names

        def name_of(_: str, number: str) -> str:
            ends = np.cumsum([len(of_key) for of_key in shown])
            key = int(np.searchsorted(ends, int(number), side="right"))
            return shortened(shown[key][int(number) - int(ends[key])])

        self._begin(data, name_of)
        found = self._instance.describe()
        frequent = [shortened(of_key[int(place)]) for of_key, place in zip(names, found["frequent"])]
        self._labels = {**labels, "frequent": frequent}
        sizes = self._n_rows // self._n_batches, -(-self._n_rows // self._n_batches)
        heading = f"{count_of(self._n_batches, 'batch')} of {count_of(sizes, 'row')}, no two with the same value"
        columns = {
            "values": data["n_values"].astype(np.int64),
            "largest": found["largest"].astype(np.int64),
            "frequent": frequent,
        }
        self._plan = Plan(heading, self._n_batches, names_index(titles, "key"), columns, size_range=sizes, noun="key")

    def _rows_of_data(self) -> int:
        return self._n_rows

    @property
    def plan(self) -> Plan:
        """The plan: the number of batches, and of each key the `values`, and the rows of the largest, `frequent`."""
        return self._plan


def _number_keys(keys: Any) -> tuple[tuple[str, ...], list[Column]]:
    """Number the values of each key by itself; return the names of the keys as well, a vector's being "keys"."""
    columns = read_columns(keys, Wanted("keys", STRATA.required, STRATA.advice))
    check_n_rows(len(next(iter(columns.values()))), "keys")
    numbered = number_columns(columns, "keys")
    check_missing(numbered, None, "keys")
    return tuple("keys" if title is None else str(title) for title in columns), numbered


def _number_across(columns: Sequence[Column]) -> tuple[NDArray[np.int64], list[Names]]:
    """Number the values of all columns together, column after column; return the numbers and the names."""
    kinds = [column.kind for column in columns]
    for kind in kinds:
        if kind != kinds[0]:
            required = "have columns of one kind if values count in all of them"
            raise refused_value("keys", required, f"{kinds[0]} and {kind}")
    indexes = [pd.Index(column.values.to_list()) if kinds[0] == "bin" else column.values for column in columns]
    codes, values = pd.factorize(indexes[0].append(indexes[1:]))
    ends = np.cumsum([len(column.values) for column in columns])
    numbered = [codes[end - len(column.values) : end][column.codes] for column, end in zip(columns, ends)]
    return np.concatenate(numbered), [Names(pd.Index(values))]
