"""The number of batches and the plan, from the sizes of the strata and the user's request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

import numpy as np

from pystrat.limits import MAX_EXACT
from pystrat.messages import count_of, refused_value, show
from pystrat.plan import BatchPlan
from pystrat.sizes import round_to_replicas
from pystrat.stratum_names import codes_of

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

_RARE_ADVICE = "or set 'rare' to 'warn' or 'allow'."


def make_plan(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    min_samples_per_stratum: Optional[int] = None,
    mean_batch_size: Optional[int] = None,
    assign: str = "proportional",
    rare: str = "error",
    num_replicas: int = 1,
) -> BatchPlan:
    """Choose the number of batches.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    min_samples_per_stratum : int, optional
        The minimum m: ``max(1, n_min // m)`` batches.
    mean_batch_size : int, optional
        Used instead of the minimum: ``max(1, round-half-up(n / mean_batch_size))`` batches.
    assign : {"proportional", "even"}, default "proportional"
        How rows are assigned to batches.
    rare : {"error", "warn", "allow"}, default "error"
        What to do if the smallest stratum has too few rows: refuse it, or continue, with one batch for
        `min_samples_per_stratum` and with ``assign="even"`` for `mean_batch_size`. The caller emits the warning.
    num_replicas : int, default 1
        The number of batches is rounded down to a multiple of it.

    Returns
    -------
    BatchPlan

    Raises
    ------
    ValueError
        If a stratum is too rare, or there are fewer batches than replicas.
    """
    rule = _Rule(counts, strata, rare, num_replicas)
    if min_samples_per_stratum is not None:
        return BatchPlan(rule.batches_by_minimum(min_samples_per_stratum), counts, strata, assign)
    assert mean_batch_size is not None
    n_batches = rule.batches_by_mean(mean_batch_size)
    if n_batches > rule.n_min:
        assign = "even"
    return BatchPlan(n_batches, counts, strata, assign)


def quotas_of(min_samples_per_stratum: Union[int, Mapping[str, int]], strata: Sequence[str]) -> NDArray[np.int64]:
    """Return the minimum of each stratum, shape (number of strata,): one for all, or those that are named and 0."""
    if not isinstance(min_samples_per_stratum, Mapping):
        return np.full(len(strata), min(min_samples_per_stratum, MAX_EXACT), dtype=np.int64)
    quotas = np.zeros(len(strata), dtype=np.int64)
    codes = codes_of(min_samples_per_stratum, list(strata), "min_samples_per_stratum", noun="stratum")
    quotas[codes] = [min(quota, MAX_EXACT) for quota in min_samples_per_stratum.values()]
    return quotas


def plan_of_quotas(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    quotas: NDArray[np.int64],
    assign: str = "proportional",
    rare: str = "error",
    num_replicas: int = 1,
) -> BatchPlan:
    """Return the plan with the most batches that keep a minimum for each stratum.

    Parameters
    ----------
    counts, strata, assign, rare, num_replicas
        As in `make_plan`. Rows are dealt evenly if some stratum has fewer rows than there are batches.
    quotas : numpy.ndarray of int64, shape (number of strata,)
        The minimum of each stratum; 0 for none. At least one is above 0.

    Raises
    ------
    ValueError
        If a stratum has fewer rows than its minimum, or there are fewer batches than replicas.
    """
    promised = np.flatnonzero(quotas)
    batches_of = counts[promised] // quotas[promised]
    tightest = int(promised[batches_of.argmin()])
    n_rows, quota = int(counts[tightest]), int(quotas[tightest])
    n_batches = max(1, n_rows // quota)
    most = n_rows // num_replicas
    if quota > n_rows and rare == "error" and most > 0:
        required = f"ask for at most {count_of(most, 'row')} of '{strata[tightest]}', which has {n_rows}"
        raise refused_value("min_samples_per_stratum", required, show(quota), f"Lower it, {_RARE_ADVICE}")
    if n_batches < num_replicas:
        advice = f"Lower the number of '{strata[tightest]}' in 'min_samples_per_stratum' to at most {most}."
        if most == 0:
            advice = f"'{strata[tightest]}' has {count_of(n_rows, 'row')}."
        raise _too_many_replicas(n_batches, num_replicas, advice)
    n_batches = round_to_replicas(n_batches, num_replicas, "down")
    return BatchPlan(n_batches, counts, strata, "even" if n_batches > counts.min() else assign)


def batches_by_mean(n_rows: int, mean: int, num_replicas: int) -> int:
    """Return the number of batches of `mean` rows on average, rounded down to a multiple of the replicas."""
    n_batches = max(1, (2 * n_rows + mean) // (2 * mean))
    if n_batches < num_replicas:
        largest = 2 * n_rows // (2 * num_replicas - 1)
        advice = f"Lower 'mean_batch_size' to at most {largest}." if largest else None
        raise _too_many_replicas(n_batches, num_replicas, advice)
    return round_to_replicas(n_batches, num_replicas, "down")


def _too_many_replicas(n_batches: int, num_replicas: int, advice: Optional[str]) -> ValueError:
    return refused_value("num_replicas", f"be at most {n_batches}, the number of batches", show(num_replicas), advice)


def largest_minimum(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    batch_size: int,
    num_replicas: int = 1,
) -> int:
    """Return the largest minimum for which batches have at most `batch_size` rows on average.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    batch_size : int
        The largest mean number of rows in a batch.
    num_replicas : int
        The number of batches is rounded down to a multiple of it.

    Returns
    -------
    int
        m, from 1 to the size of the smallest stratum.

    Raises
    ------
    ValueError
        If no minimum allows batches of this size, because the smallest stratum has too few rows.
    """
    rule = _Rule(counts, strata, "error", num_replicas)
    return rule.n_min // rule.batches_by_batch_size(batch_size)


def even_plan(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    batch_size: int,
    num_replicas: int = 1,
    available: Optional[NDArray[np.int64]] = None,
) -> BatchPlan:
    """Return the plan with the fewest batches of at most `batch_size` rows, all strata dealt evenly to them.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    batch_size : int
        The largest number of rows in a batch.
    num_replicas : int
        The number of batches is rounded up to a multiple of it.
    available : numpy.ndarray of int64, shape (number of strata,), optional
        The number of rows of each stratum, if a parameter 'multiplier' keeps `counts` of them; for error messages.

    Returns
    -------
    BatchPlan
        With ``assign="even"``: batch sizes differ by at most 1, and each batch has a row of every stratum.

    Raises
    ------
    ValueError
        If the smallest stratum has fewer rows than there would be batches.
    """
    n_batches = _Rule(counts, strata, "error", num_replicas, available).batches_by_batch_size(batch_size)
    return BatchPlan(n_batches, counts, strata, "even", available)


class _Rule:
    """The exact number of batches, and every refusal, with a value that would work."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        strata: Sequence[str],
        rare: str,
        num_replicas: int,
        available: Optional[NDArray[np.int64]] = None,
    ) -> None:
        self._strata = strata
        self._smallest, self._left_out = int(counts.argmin()), 0
        if available is not None:
            left_out = available - counts
            # Among strata of the same size, choose one that is whole: keeping more rows of the others would not help.
            self._smallest = int(np.lexsort((left_out > 0, counts))[0])
            self._left_out = int(left_out[self._smallest])
        self.n_rows = int(counts.sum())
        self.n_min = int(counts[self._smallest])
        self.rare = rare
        self.num_replicas = num_replicas
        self.is_kept_part = self._left_out > 0

    @property
    def smallest(self) -> str:
        """The smallest stratum, as shown in messages."""
        has = f"has {count_of(self.n_min, 'row')}"
        if self.is_kept_part:
            has = f"keeps {self.n_min} of {count_of(self.n_min + self._left_out, 'row')}"
        return f"'{self._strata[self._smallest]}', {has}"

    def batches_by_minimum(self, minimum: int) -> int:
        largest = self.n_min // self.num_replicas
        if minimum > self.n_min and self.rare == "error" and largest > 0:
            required = f"be at most {largest}: the smallest stratum, {self.smallest}"
            raise self._refuse("min_samples_per_stratum", required, show(minimum), f"Lower it, {_RARE_ADVICE}")
        n_batches = max(1, self.n_min // minimum)
        if n_batches < self.num_replicas:
            advice = f"Lower 'min_samples_per_stratum' to at most {largest}."
            if largest == 0:
                advice = f"The smallest stratum, {self.smallest}."
            raise _too_many_replicas(n_batches, self.num_replicas, advice)
        return round_to_replicas(n_batches, self.num_replicas, "down")

    def batches_by_mean(self, mean: int) -> int:
        n_batches = batches_by_mean(self.n_rows, mean, self.num_replicas)
        if n_batches > self.n_min and self.rare == "error":
            raise self._mean_too_small(mean, n_batches)
        return n_batches

    def batches_by_batch_size(self, batch_size: int) -> int:
        n_batches = round_to_replicas(-(-self.n_rows // batch_size), self.num_replicas, "up")
        if n_batches <= self.n_min:
            return n_batches
        most = round_to_replicas(self.n_min, self.num_replicas, "down")
        if most == 0:
            required = f"be at most {self.n_min}: the smallest stratum, {self.smallest}"
            advice = "Lower it, or raise 'multiplier'." if self.is_kept_part else "Lower it."
            raise self._refuse("num_replicas", required, show(self.num_replicas), advice)
        required = (
            f"be at least {-(-self.n_rows // most)}, for at most {count_of(most, 'batch')}: "
            f"the smallest stratum, {self.smallest}"
        )
        got = f"{show(batch_size)}, for {count_of(n_batches, 'batch')},"
        raise self._refuse(
            "batch_size", required, got, "Raise it, or 'multiplier'." if self.is_kept_part else "Raise it."
        )

    def _mean_too_small(self, mean: int, n_batches: int) -> ValueError:
        most = round_to_replicas(self.n_min, self.num_replicas, "down")
        if most == 0:
            required = f"be at most {self.n_min}: the smallest stratum, {self.smallest}"
            advice = f"Lower it, {_RARE_ADVICE}"
            return self._refuse("num_replicas", required, show(self.num_replicas), advice)
        # The least mean whose rounded number of batches is still below most + num_replicas.
        least = 2 * self.n_rows // (2 * (most + self.num_replicas - 1) + 1) + 1
        required = (
            f"be at least {least}, for at most {count_of(most, 'batch')}: " f"the smallest stratum, {self.smallest}"
        )
        got = f"{show(mean)}, for {count_of(n_batches, 'batch')},"
        return self._refuse("mean_batch_size", required, got, f"Raise it, {_RARE_ADVICE}")

    def _refuse(self, name: str, required: str, got: str, advice: Optional[str]) -> ValueError:
        return refused_value(name, required, got, advice)
