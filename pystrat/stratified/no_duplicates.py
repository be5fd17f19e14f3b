"""Batches without two rows that share a value of a key, such as a query or a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import Wanted, check_same_rows
from pystrat.columns import Column, check_n_rows, check_text, number_columns, read_columns
from pystrat.core_sampler import CoreBatchSampler, arguments_of, data_of, labels_of
from pystrat.plan import table_ends
from pystrat.lazy_pandas import pd
from pystrat.messages import count_of, range_of, refused_type, refused_value, shortened
from pystrat.strata import STRATA, check_missing, encode_strata
from pystrat.value_names import Names, names_index


@dataclass(frozen=True, eq=False)
class NoDuplicatesPlan:
    """The number of batches of an epoch, and the most frequent values, which limit the size of the batches.

    Attributes
    ----------
    n_batches : int
        B, the number of batches of an epoch over all replicas.
    n_rows : int
        The rows of the dataset.
    keys : tuple of str
        The names of the keys; only one, of all columns, if values count in all of them.
    values : numpy.ndarray of int64, shape (number of keys,)
        The number of different values of each key.
    largest : numpy.ndarray of int64, shape (number of keys,)
        The rows with its most frequent value.
    frequent : tuple of str
        This value, as text of at most 100 characters; a longer one ends with "...".
    """

    n_batches: int
    n_rows: int
    keys: tuple[str, ...]
    values: NDArray[np.int64]
    largest: NDArray[np.int64]
    frequent: tuple[str, ...]

    @property
    def size_range(self) -> tuple[int, int]:
        """The smallest and the largest size of a batch."""
        return self.n_rows // self.n_batches, -(-self.n_rows // self.n_batches)

    def table(self) -> pd.DataFrame:
        """Return one row per key: its number of "values", and the rows of the "largest", which is "frequent"."""
        columns = {"values": self.values, "largest": self.largest, "frequent": list(self.frequent)}
        return pd.DataFrame(columns, index=names_index(self.keys, "key"))

    def summary(self) -> str:
        """Describe the plan in a few lines."""
        batches = f"{count_of(self.n_batches, 'batch')} of {range_of(self.size_range, 'row')}"
        return f"{batches}, no two with the same value\n{table_ends(self.table())}"


class NoDuplicatesBatchSampler(CoreBatchSampler):
    """Batch sampler whose batches never hold two rows that share a value of a key, such as a query or a document.

    For losses that take the other rows of a batch as negatives, such as the multiple negatives ranking loss and
    InfoNCE: a row with the same query or document would be a false negative. Pass it to a PyTorch
    ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_no_duplicates()`` returns the
    same batches, row for row, from the same seed. docs/no-duplicates.md is a guide.

    Parameters
    ----------
    keys : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        One value per row, or several columns, each of them a key. Values may be text, numbers, logical values or dates,
        none of them missing.
    batch_size : int
        The largest number of rows in a batch. Batches are smaller, with a warning, if a value is too frequent.
    across_columns : bool, default False
        Whether a value counts in all columns. If False, two rows are alike if they have the same value in the same
        column. If True, they are also alike if a value of one is a value of the other in another column; all columns
        must then have values of one kind, such as text. A row may have a value twice.
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns, optional
        As in `StratifiedBatchSampler`, without missing values, for batches that also hold rows of every stratum. Only
        for a single key.
    min_samples_per_stratum : int, optional
        The minimum m: every batch has at least m rows of every stratum. Required with `strata`.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`, but the number of batches is rounded up.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row exactly once.
    * No batch has two rows that are alike.
    * Batch sizes differ by at most 1, and larger batches come first. Within a batch, rows are ordered as in the epoch.
    * With `strata`, every batch has the floor or the ceiling of its share of each stratum.

    **One key or two.** An epoch of n rows has ``max(ceil(n / batch_size), c)`` batches, where c is the number of rows
    with the most frequent value. Fewer batches are impossible. With one key, the rows are sorted by stratum and value,
    in the order of the epoch, and dealt to the batches in turn. With two, or if values have rows of several strata, the
    rows are the edges of a graph between both, and batches are colors: edges with a common end have different colors
    (D. Konig, 1916), and all colors have the same number of edges, to within one (D. de Werra, 1971).

    **Three keys and more, or values that count in all columns.** The number B is the smallest of at least ``ceil(n /
    batch_size)`` with ``(B - D) * (n // B) >= min(D * o, S)``. Here every row is like at most D others, ``o = ceil(n /
    B) - 1``, and S is the sum of ``count - 1`` over the most frequent values, o for each column. Row i of the epoch,
    from 0, goes to the first batch from ``i mod B`` on that has room for it and no row like it. If there is none, it
    takes the place of a row that goes to a batch with room; for this B, there is always such a row. Fewer batches are
    often possible; this number is enough for every order. For small data or very frequent values, it can be a multiple
    of the least one. If counting D would visit more than 2^26 rows, a bound replaces it: the sum, over the values of a
    row, of the number of other rows with this value.

    The name is that of the batch sampler of sentence-transformers, where values count in all columns. There, the number
    of batches is not known before the epoch, and the last batches are small, or left out with ``drop_last=True``.

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
        arguments = arguments_of(locals(), without=("keys", "strata"))
        settings = self._plan_of(arguments)
        check_same_rows([("keys", keys), ("strata", strata)])
        titles, numbered = _number_keys(keys)
        if settings["across_columns"] and len(numbered) > 1:
            titles = (", ".join(titles),)
            codes, names = _number_across(numbered)
        else:
            codes = np.concatenate([column.codes for column in numbered])
            names = [column.names for column in numbered]
        data: dict[str, NDArray[Any]] = {
            "keys": codes.astype(np.int32),
            "n_columns": np.array([len(numbered)], dtype=np.float64),
            "n_values": np.array([len(of_key) for of_key in names], dtype=np.float64),
        }
        encoded = None if strata is None else encode_strata(strata, missing=None)
        if encoded is not None:
            data.update(data_of(encoded))

        def name_of(of: str, *places: str) -> str:
            if of == "stratum" and encoded is not None:
                return f"'{encoded.shown[int(places[0])]}'"
            return shortened(names[int(places[0])][int(places[1])])

        parts = self._plan_of(settings, data, name_of)
        largest, frequent = parts.pop("largest"), parts.pop("frequent")
        shown = tuple(shortened(of_key[int(place)]) for of_key, place in zip(names, frequent))
        self._parameters = {name: value for name, value in settings.items() if name != "seed"}
        self._adopt(
            parts,
            {**labels_of(self._parameters), "keys": titles, "frequent": shown, "largest": largest},
            seed=seed,
            num_replicas=num_replicas,
            rank=rank,
        )
        self._plan: NoDuplicatesPlan = NoDuplicatesPlan(
            n_batches=parts["n_batches"],
            n_rows=len(numbered[0].codes),
            keys=titles,
            values=data["n_values"].astype(np.int64),
            largest=largest.astype(np.int64),
            frequent=shown,
        )

    def _rows_of_data(self) -> int:
        return self._plan.n_rows

    @property
    def plan(self) -> NoDuplicatesPlan:
        """The plan: the number of batches, and the most frequent values."""
        return self._plan

    @property
    def parameters(self) -> dict[str, Any]:
        """The checked parameters, except the keys, the strata, the seed and the rank."""
        return dict(self._parameters)

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"{type(self).__name__}({count_of(plan.n_rows, 'row')}, keys={', '.join(plan.keys)!r}, "
            f"{count_of(plan.n_batches, 'batch')} of {range_of(plan.size_range, 'row')}, "
            f"seed={self._seed}, epoch={self.epoch})"
        )


def _number_keys(keys: Any) -> tuple[tuple[str, ...], list[Column]]:
    """Number the values of each key by itself; return the names of the keys as well, a vector's being "keys"."""

    def refuse(got: str, advice: Optional[str] = None) -> TypeError:
        return refused_type("keys", "have columns whose names are Unicode text", got, advice)

    columns = read_columns(keys, Wanted("keys", STRATA.required, STRATA.advice))
    check_n_rows(len(next(iter(columns.values()))), "keys")
    numbered = number_columns(columns, "keys")
    check_missing(numbered, None, "keys")
    titles = tuple("keys" if title is None else str(title) for title in columns)
    check_text(titles, refuse)
    return titles, numbered


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
