"""The stratified batch sampler: at least m rows of every stratum in every batch, every row once per epoch."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np

from pystrat import _core
from pystrat.core.core_sampler import arguments_of
from pystrat.core.strata_weights import PlannedBatchSampler
from pystrat.core.strata import encode_strata


class StratifiedBatchSampler(PlannedBatchSampler):
    """Batch sampler with a minimum number of rows of every stratum in every batch.

    For imbalanced data, and for losses that need rows of every class in every batch. Pass it to a PyTorch
    ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_stratified()`` returns the same
    batches. docs/samplers.md shows which parameters to use for what; docs/stratified.md has all details. The method is
    that of T. D. Hocking ("Custom torch sampler with mlr3torch", 2025), in integers.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The stratum of each row of the dataset, usually its class. With several columns, each combination of values that
        occurs is a stratum.
    min_samples_per_stratum : int or mapping, optional
        The minimum m: every batch holds at least m rows of every stratum. An epoch has ``max(1, n_min // m)`` batches,
        where n_min is the size of the smallest stratum. A mapping, such as ``{1: 5, 0: 20}``, sets a minimum for each
        stratum that it names. Its keys are the values of the strata; for two columns, tuples such as ``(1, "a")``.
    mean_batch_size : int, optional
        The mean number of rows per batch. An epoch has ``max(1, round-half-up(n / mean_batch_size))`` batches. Give
        either `min_samples_per_stratum` or `mean_batch_size`; with ``rare="repeat"``, give both.
    shares : mapping, optional
        The share of each stratum in every batch of exactly `mean_batch_size` rows, as positive weights, such as
        ``{"positive": 1, "negative": 3}`` or ``labels.value_counts()``.
    temperature : float, optional
        At least 1: the share of a stratum of n rows is ``n^(1 / temperature)`` in every batch of exactly
        `mean_batch_size` rows. The higher it is, the more equal the shares.
    cap : int, optional
        A larger stratum counts as if it had this number of rows: its share is ``min(n, cap)``, with `temperature` to
        the power of 1 / temperature.
    balance : {"over", "under"} or int, optional
        Take the same number of rows of every stratum in each epoch: the size of the largest stratum ("over",
        oversampling), the size of the smallest ("under", undersampling), or a given number.
    drop : {"balanced"}, optional
        "balanced": every batch has exactly `mean_batch_size` rows; surplus rows are left out in turn.
    shuffle : bool, default True
        Whether to shuffle the rows in each epoch. If False, the rows of each stratum keep the order of the dataset.
    assign : {"proportional", "even"}, default "proportional"
        How rows are assigned to batches. "proportional" spreads each stratum evenly over the batches. With "even",
        batch sizes also differ by at most 1. The minimum holds with both.
    rare : {"error", "warn", "allow", "repeat"}, default "error"
        What to do if a stratum has too few rows for its minimum: raise an error that names a value that works, continue
        with or without a warning, or repeat its rows as often as necessary. Does not apply to `shares`, `temperature`,
        `cap`, `balance` and `drop`.
    missing : {"error", "stratum", "drop"}, default "error"
        What to do with rows that have a missing value: raise an error, treat missing as a value of its own, or never
        sample them.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`; the number of batches is rounded down to a multiple of `num_replicas`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row that is not dropped exactly once. With `shares`, `temperature`, `cap`, `balance`, `drop`
      and ``rare="repeat"``, rows are repeated or omitted, in turn.
    * No row occurs twice in a batch, and no batch is empty.
    * Every batch holds its share of each stratum, rounded down or up, the same in every epoch, and at least
      `plan.min_samples_per_stratum` rows. If a stratum has fewer rows than there are batches, each epoch shuffles the
      batches of the plan.

    Examples
    --------
    >>> from pystrat import StratifiedBatchSampler
    >>> labels = [1] * 6 + [0] * 14
    >>> sampler = StratifiedBatchSampler(labels, min_samples_per_stratum=2, seed=1)
    >>> len(sampler)
    3
    >>> [[labels[row] for row in batch] for batch in sampler]
    [[1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]
    """

    _kind = "stratified"

    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: Union[int, Mapping[Any, int], None] = None,
        *,
        mean_batch_size: Optional[int] = None,
        shares: Optional[Mapping[Any, float]] = None,
        temperature: Optional[float] = None,
        cap: Optional[int] = None,
        balance: Union[str, int, None] = None,
        drop: Optional[str] = None,
        shuffle: bool = True,
        seed: Optional[int] = None,
        assign: str = "proportional",
        rare: str = "error",
        missing: str = "error",
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("strata",))
        self._check(arguments)
        self._plan_strata(encode_strata(strata, missing=missing), arguments, noun="stratum")


def min_samples_for_batch_size(
    strata: Any, mean_batch_size: int, *, missing: str = "error", num_replicas: Optional[int] = None
) -> int:
    """Return the largest minimum for which batches have at most a given mean size. R has a function of this name.

    It is ``n_min // B`` for n rows, n_min of them in the smallest stratum, where B is ``ceil(n / mean_batch_size)``,
    rounded up to a multiple of `num_replicas`. With ``assign="even"``, no batch has more than `mean_batch_size` rows;
    else some may, each by less than the number of strata.

    Parameters
    ----------
    strata, missing, num_replicas : as in `StratifiedBatchSampler`
    mean_batch_size : int
        The largest mean number of rows in a batch.

    Examples
    --------
    >>> from pystrat import min_samples_for_batch_size
    >>> labels = ["yes"] * 600 + ["no"] * 19400
    >>> min_samples_for_batch_size(labels, 100)
    3
    """
    arguments = {"mean_batch_size": mean_batch_size, "missing": missing, "num_replicas": num_replicas}
    _core.call("min_samples_for_batch_size", arguments)
    encoded = encode_strata(strata, missing=missing)
    counts = {"counts": encoded.counts.astype(np.float64)}
    return int(_core.call("min_samples_for_batch_size", arguments, counts, encoded.names)["minimum"][0])
