"""The stratified batch sampler: at least m rows of every stratum in every batch, every row once an epoch."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Optional

from pystrat.base import Batches, epoch_seed
from pystrat.entries import named_by_class, named_by_function
from pystrat.messages import RefusedValue, check_choice, check_flag, check_integer, count_of, show
from pystrat.plan import ASSIGN_CHOICES, BatchPlan
from pystrat.plan_making import largest_minimum, make_plan
from pystrat.planned import PlannedBatchSampler
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import encode_strata

RARE_CHOICES = ("error", "warn", "allow")
MISSING_CHOICES = ("error", "stratum", "drop")


class StratifiedBatchSampler(PlannedBatchSampler):
    """Batch sampler that guarantees a minimum number of rows of every stratum in every batch.

    For a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_stratified()``
    gives the same batches, row for row, from the same seed.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        One value a row of the dataset, at most 2^31 - 1 rows. Of several columns every combination that occurs is a
        stratum.
    min_samples_per_stratum : int, optional
        The promise m: every batch holds at least m rows of every stratum. With n_min rows in the smallest stratum an
        epoch has ``max(1, n_min // m)`` batches. Exactly one of this and `mean_batch_size` is given.
    mean_batch_size : int, optional
        Rows of a batch on average: an epoch has ``max(1, round-half-up(n / mean_batch_size))`` batches, and the promise
        is what follows, ``n_min // n_batches``.
    shuffle : bool, default True
        False keeps the dataset's order within each stratum, in every epoch.
    seed : int, optional
        From 0 to 2147483646. None draws one from the system's entropy; ``.seed`` tells it.
    assign : {"proportional", "even"}, default "proportional"
        "proportional" puts the row of rank i of a stratum of n_s rows into batch ``ceil(i * n_batches / n_s)``. "even"
        deals the rows, stratum by stratum, to the batches in turn: batch sizes then differ by at most 1, however many
        strata there are. Both keep the promise.
    rare : {"error", "warn", "allow"}, default "error"
        What to do where the smallest stratum has fewer rows than the promise, or than there are batches of
        `mean_batch_size`: refuse, naming the stratum and what would work; or go on, with a warning or without, with one
        batch in the first case and ``assign="even"`` in the second.
    missing : {"error", "stratum", "drop"}, default "error"
        What to do with rows that have a missing value: refuse, make missing a value of its own, or never sample them.
    num_replicas : int, optional
        The number of processes that share an epoch: the number of batches is rounded down to a multiple of it, so
        batches grow and the promise holds.
    rank : int, optional
        Which of the replicas this is, from 0. None gives all batches in global order.

    Raises
    ------
    TypeError, ValueError
        Where a parameter is refused, before any work; the message names the parameter, the value and what to do.

    Warns
    -----
    UserWarning
        Where a stratum is rare and ``rare="warn"``.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Every row that is not dropped is visited exactly once an epoch.
    * Every batch holds at least `plan.min_samples_per_stratum` rows of every stratum.
    * Every batch holds the floor or the ceiling of n_s / n_batches rows of each stratum, the same in every epoch.
    * No batch is empty.
    * Within a batch the rows stand stratum by stratum, in order of first appearance of the strata in the dataset.
    * All numbers are exact integers, whatever the sizes.
    * Pickled, it takes one byte a row for up to 256 strata (dropped rows count as one more).

    The method was published for R by T. D. Hocking ("Custom torch sampler with mlr3torch", 2025): shuffle, rank within
    the stratum, batch number in proportion to the rank. The float formula there can put too few rows into a batch; this
    is the same rule in integers.

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

    @named_by_class
    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: Optional[int] = None,
        *,
        mean_batch_size: Optional[int] = None,
        shuffle: bool = True,
        seed: Optional[int] = None,
        assign: str = "proportional",
        rare: str = "error",
        missing: str = "error",
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        minimum, mean = _check_size(min_samples_per_stratum, mean_batch_size)
        shuffle = check_flag(shuffle, "shuffle")
        assign = check_choice(assign, "assign", choices=ASSIGN_CHOICES)
        rare = check_choice(rare, "rare", choices=RARE_CHOICES)
        missing = check_choice(missing, "missing", choices=MISSING_CHOICES)
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._parameters = {
            "min_samples_per_stratum": minimum,
            "mean_batch_size": mean,
            "shuffle": shuffle,
            "assign": assign,
            "rare": rare,
            "missing": missing,
            "num_replicas": self.num_replicas,
        }
        encoded = encode_strata(strata, missing=missing)
        plan = make_plan(
            encoded.counts,
            encoded.shown,
            min_samples_per_stratum=minimum,
            mean_batch_size=mean,
            assign=assign,
            rare=rare,
            num_replicas=self.num_replicas or 1,
        )
        if rare == "warn":
            self._warn_of_rare(plan, minimum, mean)
        self._adopt(encoded, plan)

    def _warn_of_rare(self, plan: BatchPlan, minimum: Optional[int], mean: Optional[int]) -> None:
        """Warn if the smallest stratum cannot give every batch what it should."""
        smallest = int(plan.counts.argmin())
        n_min = int(plan.counts[smallest])
        if minimum is not None and minimum > n_min:
            told = f"'min_samples_per_stratum' of {type(self).__name__} is {show(minimum)}: all rows are in one batch."
        elif mean is not None and plan.n_batches > n_min:
            told = f"'mean_batch_size' of {type(self).__name__} makes {count_of(plan.n_batches, 'batch')}: some "
            told += "batches hold no row of it."
        else:
            return
        has = f"'{plan.shown[smallest]}', has {count_of(n_min, 'row')}"
        warnings.warn(f"The smallest stratum, {has}, and {told}", stacklevel=4)  # whoever called the constructor

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as they were given and checked, all but the strata, the seed and the rank."""
        return dict(self._parameters)

    def _epoch_batches(self, epoch: int) -> Batches:
        seed = epoch_seed(self._seed, epoch) if self._parameters["shuffle"] else None
        return self._scatter(seed, self._codes, self._counts)

    def _recipe(self) -> Recipe:
        plan, parameters = self._plan, self._parameters
        parts = {
            "codes": compact(self._codes, len(plan.counts)),
            "n_strata": len(plan.counts),
            "n_batches": plan.n_batches,
            "even": plan.assign == "even",
            "shuffle": parameters["shuffle"],
        }
        settings = {name: show(value) for name, value in parameters.items() if value is not None}
        return make_recipe("stratified", seed=self._seed, parts=parts, labels={**settings, "names": plan.shown})

    def _fingerprint(self) -> str:
        recipe = self._recipe()
        # The seed fixes nothing of batches in the order of the dataset.
        return (recipe if self._parameters["shuffle"] else replace(recipe, seed=0)).fingerprint()

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"{type(self).__name__}({plan.n_rows} rows, {len(plan.counts)} strata, {plan.n_batches} batches, "
            f"min_samples_per_stratum={plan.min_samples_per_stratum}, assign={plan.assign!r}, "
            f"shuffle={self._parameters['shuffle']}, seed={self._seed}, epoch={self.epoch})"
        )


def _check_size(min_samples_per_stratum: Any, mean_batch_size: Any) -> tuple[Optional[int], Optional[int]]:
    """Check that exactly one of the two sizes is given, and that it is a positive integer."""
    given = [size is not None for size in (min_samples_per_stratum, mean_batch_size)]
    if sum(given) != 1:
        required = "be given, or 'mean_batch_size', and not both"
        got = "both" if all(given) else "neither"
        raise RefusedValue("min_samples_per_stratum", required, got)
    if mean_batch_size is None:
        name = "min_samples_per_stratum"
        advice = "To choose the size of the batches instead, pass 'mean_batch_size'."
        return check_integer(min_samples_per_stratum, name, minimum=1, advice=advice), None
    return None, check_integer(mean_batch_size, "mean_batch_size", minimum=1)


@named_by_function
def min_samples_for_batch_size(
    strata: Any,
    batch_size: int,
    *,
    missing: str = "error",
    num_replicas: Optional[int] = None,
) -> int:
    """Choose the promise by the size of the batches.

    The R function ``rbridge::min_samples_for_batch_size()`` gives the same number.

    Parameters
    ----------
    strata, missing, num_replicas
        As `StratifiedBatchSampler` takes them.
    batch_size : int
        The largest mean number of rows in a batch.

    Returns
    -------
    int
        The largest `min_samples_per_stratum` of which batches have at most `batch_size` rows on average, and that every
        stratum can keep: from 1 to the rows of the smallest stratum.

    Raises
    ------
    TypeError, ValueError
        Where a parameter is refused, and where even a promise of 1 row gives larger batches; the message then names the
        smallest `batch_size` possible.

    Notes
    -----
    With n rows, n_min of them in the smallest stratum, at least ``B = ceil(n / batch_size)`` batches are needed, up to
    the next multiple of `num_replicas`, and the answer is ``n_min // B``: exact integers.

    With ``assign="even"`` no batch at all has more than `batch_size` rows; with ``assign="proportional"`` some may have
    more, each by less than the number of strata.

    Examples
    --------
    >>> from pystrat import min_samples_for_batch_size
    >>> labels = ["yes"] * 600 + ["no"] * 19400
    >>> min_samples_for_batch_size(labels, 100)
    3
    """
    batch_size = check_integer(batch_size, "batch_size", minimum=1)
    missing = check_choice(missing, "missing", choices=MISSING_CHOICES)
    if num_replicas is not None:
        num_replicas = check_integer(num_replicas, "num_replicas", minimum=1)
    encoded = encode_strata(strata, missing=missing)
    return largest_minimum(encoded.counts, encoded.shown, batch_size=batch_size, num_replicas=num_replicas or 1)
