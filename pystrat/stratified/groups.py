"""Batches that keep the rows of a group together, or apart, with a minimum of rows of every stratum."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pystrat.base import Batches, epoch_permutation
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, count_of, refused_value, show
from pystrat.rare_strata import RARE_CHOICES, check_one_minimum, warn_of_rare
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.strata import encode_strata
from pystrat.stratified._groups import deal_apart, deal_together
from pystrat.stratified.group_plan import GroupPlan, Groups, groups_of, plan_of_groups, refuse_crossing
from pystrat.stratified.ranged import RangedBatchSampler
from pystrat.stratified.sampler import MISSING_CHOICES

KEEP_CHOICES = ("together", "apart")


class StratifiedGroupBatchSampler(RangedBatchSampler):
    """Batch sampler that keeps the rows of a group together, or apart, with a minimum of rows of every stratum.

    For rows that belong together, such as the images of a patient or the events of a session. Pass it to a PyTorch
    ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_stratified_group()`` returns the
    same batches, row for row, from the same seed.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        As in `StratifiedBatchSampler`.
    min_samples_per_stratum : int
        The minimum m: every batch has at least m rows of every stratum.
    groups : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The group of each row, without missing values. With several columns, every combination that occurs is a group.
    keep : {"together", "apart"}, default "together"
        "together": all rows of a group are in one batch, and must have the same stratum. "apart": the rows of a group
        are spread over the batches as evenly as possible, and may have different strata.
    rare : {"error", "warn", "allow"}, default "error"
        What to do if a stratum has fewer than m rows: refuse it, or put all rows into one batch, with or without a
        warning.
    missing : {"error", "stratum", "drop"}, default "error"
        What to do with rows that have a missing value in the strata: refuse them, treat missing as a value of its own,
        or never sample them.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded down to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid; if a stratum is rare; or, with "together", if a group has rows of several strata.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row once.
    * In every epoch, every batch has at least m rows of each stratum, and between the ``fewest`` and the ``most`` of
      ``plan.table()``.
    * Together: all rows of a group are in one batch. Within a batch, rows are ordered by stratum, then by group in the
      order of dealing, then as in the epoch.
    * Apart: every batch has the floor or the ceiling of its share of each stratum and of each group. Batch sizes differ
      by at most 1, and larger batches come first. Within a batch, rows are ordered by stratum, then as in the epoch.

    **Together.** A group of at least m rows is called large. If a stratum has L large groups, and its other groups have
    N rows in total and at most g each, then ``L + (N + g - d) // (M + g - d)`` batches always keep the minimum. Here d
    is the greatest common divisor of the sizes of the other groups, and M the smallest multiple of d that is at least
    m. For more batches, there are groups with the same L, N, g and d for which the minimum fails. The number of batches
    B is the smallest of these numbers over the strata. If every group has one row, it is that of
    `StratifiedBatchSampler`.

    The groups of a stratum are dealt in the order of their first rows in the epoch, except that the first B large
    groups come before all others. Each group goes to the batch with the fewest rows of its stratum. Ties are broken by
    the number of rows of earlier strata, then by the number of the batch. Batch sizes therefore differ, and change from
    epoch to epoch.

    **Apart.** The number of batches is that of `StratifiedBatchSampler`. If each group has rows of only one stratum,
    the rows are sorted by stratum and group, with the groups in the order of the epoch, and dealt to the batches in
    turn. Otherwise, the rows are the edges of a graph of strata and groups. They are colored in the order of the epoch,
    such that the colors of every stratum and of every group are as equal as possible. Such a coloring always exists
    (D. de Werra, "Equitable colorations of graphs", 1971).

    The name is that of scikit-learn's ``StratifiedGroupKFold``, which does not split groups either.

    Examples
    --------
    >>> from pystrat import StratifiedGroupBatchSampler
    >>> patients = ["a", "a", "a", "b", "b", "c", "c", "d", "d", "d"]
    >>> sick = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    >>> sampler = StratifiedGroupBatchSampler(sick, 2, groups=patients, seed=1)
    >>> [[patients[row] for row in batch] for batch in sampler]
    [['b', 'b', 'd', 'd', 'd'], ['a', 'a', 'a', 'c', 'c']]
    >>> sampler = StratifiedGroupBatchSampler(sick, 2, groups=patients, keep="apart", seed=1)
    >>> [[patients[row] for row in batch] for batch in sampler]
    [['b', 'a', 'a', 'c', 'd'], ['a', 'b', 'd', 'c', 'd']]
    """

    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: int,
        groups: Any,
        *,
        keep: str = "together",
        rare: str = "error",
        missing: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        minimum = check_one_minimum(min_samples_per_stratum)
        keep = check_choice(keep, "keep", choices=KEEP_CHOICES)
        rare = check_choice(rare, "rare", choices=RARE_CHOICES)
        missing = check_choice(missing, "missing", choices=MISSING_CHOICES)
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        encoded = encode_strata(strata, missing=missing)
        numbered = encode_strata(groups, missing=None, name="groups")
        if numbered.n_rows != encoded.n_rows:
            required = f"have one value for each row of 'strata', {encoded.n_rows}"
            raise refused_value("groups", required, count_of(numbered.n_rows, "value"))
        self._codes, self._group_codes = encoded.codes, numbered.codes
        self._n_groups = len(numbered.counts)
        found = groups_of(encoded.codes, len(encoded.counts), numbered.codes, self._n_groups)
        if keep == "together":
            refuse_crossing(encoded, found, numbered.shown)
        self._groups: Optional[Groups] = found
        self._plan: GroupPlan = plan_of_groups(
            encoded, found, min(minimum, MAX_COUNT), keep=keep, rare=rare, num_replicas=self.num_replicas or 1
        )
        self._parameters = {
            "min_samples_per_stratum": minimum,
            "keep": keep,
            "rare": rare,
            "missing": missing,
            "num_replicas": self.num_replicas,
        }
        if rare == "warn":
            warn_of_rare(encoded.counts, minimum, "all rows are in one batch", stacklevel=2)

    @property
    def parameters(self) -> dict[str, Any]:
        """The checked parameters, except the strata, the groups, the seed and the rank."""
        return dict(self._parameters)

    @property
    def plan(self) -> GroupPlan:
        """The plan: the number of batches, and the fewest and the most rows of each stratum in a batch."""
        return self._plan

    def _epoch_batches(self, epoch: int) -> Batches:
        plan, groups = self._plan, self._known_groups()
        order = epoch_permutation(len(groups.codes), seed=self._seed, epoch=epoch)
        if plan.keep == "apart":
            strata, counts = self._codes.astype(np.int32), plan.counts.astype(np.int32)
            nested = groups.crossing < 0
            return Batches(*deal_apart(order, strata, groups.codes, counts, groups.sizes, plan.n_batches, nested))
        minimum, n_strata = plan.min_samples_per_stratum, len(plan.counts)
        dealt = deal_together(order, groups.codes, groups.sizes, groups.strata, n_strata, plan.n_batches, minimum)
        return Batches(*dealt)

    def _known_groups(self) -> Groups:
        """Return the groups; compute them again if the sampler was pickled."""
        if self._groups is None:
            self._groups = groups_of(self._codes, len(self._plan.counts), self._group_codes, self._n_groups)
        return self._groups

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed from the rest."""
        return {**self.__dict__, "_groups": None}

    def _recipe(self) -> Recipe:
        plan = self._plan
        parts = {
            "codes": compact(self._codes, len(plan.counts)),
            "n_strata": len(plan.counts),
            "groups": compact(self._group_codes, self._n_groups),
            "n_groups": self._n_groups,
            "n_batches": plan.n_batches,
            "min_samples_per_stratum": plan.min_samples_per_stratum,
            "together": plan.keep == "together",
        }
        settings = {name: show(value) for name, value in self._parameters.items() if value is not None}
        return make_recipe("stratified_group", seed=self._seed, parts=parts, labels={**settings, "names": plan.shown})

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"{type(self).__name__}({count_of(int(plan.counts.sum()), 'row')}, "
            f"{count_of(len(plan.counts), 'stratum')}, "
            f"{count_of(self._n_groups, 'group')}, keep={plan.keep!r}, {count_of(plan.n_batches, 'batch')}, "
            f"min_samples_per_stratum={plan.min_samples_per_stratum}, seed={self._seed}, epoch={self.epoch})"
        )
