"""Batches that keep the rows of a group together, or apart, with a minimum of rows of every stratum."""

from __future__ import annotations

from typing import Any, Optional

from pystrat import _core
from pystrat.arrays import check_same_rows
from pystrat.core_sampler import arguments_of, data_of, data_of_groups
from pystrat.messages import count_of, range_of
from pystrat.plan import Plan
from pystrat.strata import encode_strata
from pystrat.stratified.ranged import RangedBatchSampler


class StratifiedGroupBatchSampler(RangedBatchSampler):
    """Batch sampler that keeps the rows of a group together, or apart, with a minimum of rows of every stratum.

    For rows that belong together, such as the images of a patient or the events of a session. Pass it to a PyTorch
    ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_stratified_group()`` returns the
    same batches, row for row, from the same seed. docs/groups.md is a guide.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        As in `StratifiedBatchSampler`.
    min_samples_per_stratum : int, optional
        The minimum m: every batch has at least m rows of every stratum. Give either it or `mean_batch_size`.
    groups : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The group of each row, without missing values. With several columns, every combination that occurs is a group.
    mean_batch_size : int, optional
        The mean number of rows per batch. An epoch of n rows has ``max(1, round-half-up(n / mean_batch_size))``
        batches, but with "together" no more than there are groups. The minimum m is then the largest that this number
        of batches allows.
    keep : {"together", "apart"}, default "together"
        "together": all rows of a group are in one batch. "apart": the rows of a group are spread over the batches as
        evenly as possible. The rows of a group may have different strata.
    rare : {"error", "warn", "allow"}, default "error"
        What to do if a stratum has fewer than m rows: raise an error, or put all rows into one batch, with or without a
        warning. With `mean_batch_size`, what to do if there are more batches than rows of a stratum, or with "together"
        than groups of it: raise an error, or make batches without the stratum, with or without a warning. Each epoch
        then shuffles the batches, so that the rows of the stratum are in other batches each time.
    missing : {"error", "stratum", "drop"}, default "error"
        As in `StratifiedBatchSampler`.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits every row once.
    * In every epoch, every batch has at least m rows of each stratum that is not rare, and between the ``fewest`` and
      the ``most`` of ``plan.table()``.
    * Together: all rows of a group are in one batch. Within a batch, rows are ordered by stratum, then by group in the
      order of dealing, then as in the epoch. The rows of a group are side by side, even if they have several strata.
    * Apart: every batch has the floor or the ceiling of its share of each stratum and of each group. Batch sizes differ
      by at most 1, and larger batches come first. Within a batch, rows are ordered by stratum, then as in the epoch.

    **Together, each group with one stratum.** A group of at least m rows is called large. If a stratum has L large
    groups, and its other groups have N rows in total and at most g each, then ``L + (N + g - d) // (M + g - d)``
    batches always keep the minimum. Here d is the greatest common divisor of the sizes of the other groups, and M is
    the smallest multiple of d that is at least m. For more batches, there are groups with the same L, N, g and d for
    which the minimum fails. The number of batches B is the smallest of these numbers over the strata. If every group
    has one row, it is that of `StratifiedBatchSampler`.

    The groups of a stratum are dealt in the order of their first rows in the epoch, except that the first B large
    groups come before all others. Each group goes to the batch with the fewest rows of its stratum. Ties are broken by
    the number of rows of earlier strata, then by the number of the batch. Batch sizes therefore differ, and change from
    epoch to epoch.

    **Together, with groups of several strata.** If every batch holds at least m rows of a stratum, it holds a large
    group, or at least m rows of the others. There are therefore at most ``L + N // m`` batches; the smallest of these
    numbers over the strata is ``plan.most_batches``. A search finds the number of batches B, which need not be the
    largest possible one. It tries numbers from this bound down: one after another if there are at most 16, else by
    halving the range. The lower end is the number that the rule above ensures if each group counts for its rarest
    stratum only. For each number, it deals the groups, the rarest stratum first and its large groups first, to the
    batch with the fewest rows of this stratum. Then it repairs the batches: it moves a group to a batch that lacks rows
    of a stratum, or exchanges two groups, if all batches together do not lack more rows afterwards. It tries at most
    100 changes for each group, and 2097152 in all; fewer if changes help so rarely that many batches would still lack
    rows. The batches that it finds are a part of the recipe. B does not depend on the seed.

    An epoch deals the groups in its own order, and repairs the batches in the same way. If the repair fails, the epoch
    begins with the batches of the recipe, in a random order, and makes 20 random moves and exchanges for each group
    that keep the minimum, or as many as it finds in the same number of tries. No batch exceeds the largest batch of the
    recipe, or the size that the rows would have if the largest group were added to a mean batch of the others.

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
    >>> sampler = StratifiedGroupBatchSampler(
    ...     sick, 2, groups=patients, keep="apart", seed=1
    ... )
    >>> [[patients[row] for row in batch] for batch in sampler]
    [['b', 'a', 'a', 'c', 'd'], ['a', 'b', 'd', 'c', 'd']]

    Groups may have rows of several strata:

    >>> sampler = StratifiedGroupBatchSampler([0, 1] * 5, 2, groups=patients, seed=1)
    >>> sampler.plan.n_batches, sampler.plan.most_batches
    (2, 2)
    """

    _kind = "stratified_group"

    def __init__(
        self,
        strata: Any,
        min_samples_per_stratum: Optional[int] = None,
        *,
        groups: Any,
        mean_batch_size: Optional[int] = None,
        keep: str = "together",
        rare: str = "error",
        missing: str = "error",
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("strata", "groups"))
        settings = self._plan_of(arguments)
        check_same_rows([("strata", strata), ("groups", groups)])
        encoded = encode_strata(strata, missing=settings["missing"])
        numbered = encode_strata(groups, missing=None, name="groups")
        data = {**data_of(encoded), **data_of_groups(numbered)}
        parts = self._plan_of(settings, data, encoded.shown)
        self._adopt_plan(arguments, settings, parts, encoded.values)
        found = _core.call("group_plan", {}, dict(self._recipe().parts))
        self._plan = _plan_of_groups(parts["n_batches"], settings["keep"], found, encoded.values)

    @property
    def plan(self) -> Plan:
        """The plan: the number of batches, and the fewest and the most rows of each stratum in a batch."""
        return self._plan

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"{type(self).__name__}({count_of(int(plan.counts.sum()), 'row')}, "
            f"{count_of(len(plan.counts), 'stratum')}, {count_of(int(self._parts['n_groups']), 'group')}, "
            f"keep={plan.keep!r}, {count_of(plan.n_batches, 'batch')}, "
            f"min_samples_per_stratum={plan.min_samples_per_stratum}, seed={self._seed}, epoch={self.epoch})"
        )


def _plan_of_groups(n_batches: int, keep: str, found: dict[str, Any], strata: Any) -> Plan:
    """Return the plan of what the core says about the groups."""
    columns = {name: found.pop(name) for name in ("rows", "groups", "largest", "fewest", "most")}
    least, most, n_rows = int(columns["fewest"].min()), found["most_of_batch"], int(columns["rows"].sum())
    held = f"every batch holds at least {count_of(least, 'row')} of every stratum"
    sizes = n_rows // n_batches, most
    if keep == "apart":
        held += f", and at most {count_of(found['most_of_group'], 'row')} of a group"
    else:
        fewest, others = int(columns["fewest"].sum()), n_batches - 1
        sizes = max(fewest, n_rows - others * most), min(most, n_rows - others * fewest)
    if found["mixed"] and least > 0:
        possible = found["most_batches"]
        held += f"; at most {count_of(possible, 'batch')} {'is' if possible == 1 else 'are'} possible"
    heading = f"{count_of(n_batches, 'batch')} of {range_of(sizes, 'row')}, groups {keep}\n{held}"
    numbers = {"keep": keep, "size_range": sizes, "min_samples_per_stratum": least, **found}
    return Plan(heading, n_batches, strata, columns, **numbers)
