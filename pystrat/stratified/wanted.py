"""The parameters that determine the plan, checked together, and the plan that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from pystrat.messages import check_choice, check_integer, count_of, refused_value, show
from pystrat.plan import ASSIGN_CHOICES, BatchPlan
from pystrat.plan_making import make_plan, plan_of_quotas, quotas_of
from pystrat.strata import Strata
from pystrat.stratum_names import check_names

RARE_CHOICES = ("error", "warn", "allow", "repeat")
DROP_CHOICES = ("balanced",)
_SHARED_OUT = ("shares", "balance", "drop")  # ways to share out batches of a size; at most one


@dataclass(frozen=True)
class Wanted:
    """The checked parameters of `StratifiedBatchSampler` that determine its plan."""

    min_samples_per_stratum: Union[int, Mapping[str, int], None]
    mean_batch_size: Optional[int]
    shares: Optional[Mapping[str, float]]
    balance: Union[str, int, None]
    drop: Optional[str]
    assign: str
    rare: str
    num_replicas: Optional[int]

    def plan(self, strata: Strata) -> BatchPlan:
        """Return the plan for some strata."""
        counts, names = strata.counts, strata.shown
        replicas = self.num_replicas or 1
        dealing: dict[str, Any] = {"assign": self.assign, "rare": self.rare, "num_replicas": replicas}
        minimum, size = self.min_samples_per_stratum, self.mean_batch_size
        if self.rare == "repeat" or any(getattr(self, name) is not None for name in _SHARED_OUT):
            return self._taken_plan(strata)
        if isinstance(minimum, Mapping):
            return plan_of_quotas(counts, names, quotas=quotas_of(minimum, names), **dealing)
        return make_plan(counts, names, min_samples_per_stratum=minimum, mean_batch_size=size, **dealing)

    def _taken_plan(self, strata: Strata) -> BatchPlan:
        """Return a plan whose epochs take rows less or more often than once."""
        from pystrat import plan_taken  # not needed by most samplers

        counts, names = strata.counts, strata.shown
        replicas, size = self.num_replicas or 1, self.mean_batch_size
        assert size is not None
        if self.shares is not None:
            return plan_taken.plan_of_shares(
                counts, names, shares=self.shares, mean_batch_size=size, num_replicas=replicas
            )
        if self.balance is not None:
            return plan_taken.plan_of_balance(
                counts, names, balance=self.balance, mean_batch_size=size, num_replicas=replicas
            )
        if self.drop is not None:
            return plan_taken.plan_of_one_size(counts, names, batch_size=size, num_replicas=replicas)
        assert self.min_samples_per_stratum is not None
        minimums = quotas_of(self.min_samples_per_stratum, names)
        return plan_taken.plan_of_repeats(counts, names, minimums=minimums, mean_batch_size=size, num_replicas=replicas)

    def warning(self, plan: BatchPlan) -> Optional[str]:
        """Return the warning about a stratum that has too few rows for every batch; None if there is none."""
        if self.rare != "warn":
            return None
        if isinstance(self.min_samples_per_stratum, Mapping):
            return self._warning_of_quotas(plan, self.min_samples_per_stratum)
        smallest = int(plan.counts.argmin())
        n_min = int(plan.counts[smallest])
        minimum, mean = self.min_samples_per_stratum, self.mean_batch_size
        if minimum is not None and minimum > n_min:
            told = f"the 'min_samples_per_stratum' parameter is {show(minimum)}: all rows are in one batch."
        elif mean is not None and plan.n_batches > n_min:
            told = f"the 'mean_batch_size' parameter makes {count_of(plan.n_batches, 'batch')}: some "
            told += "batches hold no row of it."
        else:
            return None
        has = f"'{plan.shown[smallest]}', has {count_of(n_min, 'row')}"
        return f"The smallest stratum, {has}, and {told}"

    def _warning_of_quotas(self, plan: BatchPlan, minimums: Mapping[str, int]) -> Optional[str]:
        short = (quotas_of(minimums, plan.shown) > plan.counts).nonzero()[0]
        if not len(short):
            return None
        name, n_rows = plan.shown[int(short[0])], int(plan.counts[short[0]])
        told = f"the 'min_samples_per_stratum' parameter asks for {show(minimums[name])}: all rows are in one batch."
        return f"The stratum '{name}' has {count_of(n_rows, 'row')}, and {told}"


def check_wanted(
    *,
    min_samples_per_stratum: Any,
    mean_batch_size: Any,
    shares: Any,
    balance: Any,
    drop: Any,
    assign: Any,
    rare: Any,
    num_replicas: Optional[int],
) -> Wanted:
    """Check the parameters that determine a plan, one by one and together."""
    rare = check_choice(rare, "rare", choices=RARE_CHOICES)
    given = {name: value for name, value in zip(_SHARED_OUT, (shares, balance, drop)) if value is not None}
    if given:
        _check_together(given, min_samples_per_stratum, mean_batch_size, rare)
    else:
        _check_size(min_samples_per_stratum, mean_batch_size, rare)
    if shares is not None or balance is not None:
        from pystrat.plan_taken import check_balance, check_shares

        shares = None if shares is None else check_shares(shares)
        balance = None if balance is None else check_balance(balance)
    return Wanted(
        min_samples_per_stratum=None if min_samples_per_stratum is None else _check_minimum(min_samples_per_stratum),
        mean_batch_size=(
            None if mean_batch_size is None else check_integer(mean_batch_size, "mean_batch_size", minimum=1)
        ),
        shares=shares,
        balance=balance,
        drop=None if drop is None else check_choice(drop, "drop", choices=DROP_CHOICES),
        assign=check_choice(assign, "assign", choices=ASSIGN_CHOICES),
        rare=rare,
        num_replicas=num_replicas,
    )


def _check_size(min_samples_per_stratum: Any, mean_batch_size: Any, rare: str) -> None:
    """Check that one of the two sizes is given, or both if rows of rare strata are repeated."""
    given = [size is not None for size in (min_samples_per_stratum, mean_batch_size)]
    got = "both" if all(given) else "one of them" if any(given) else "neither"
    if rare == "repeat" and not all(given):
        required = "be given together with 'mean_batch_size' if 'rare' is 'repeat'"
        raise refused_value("min_samples_per_stratum", required, got)
    if rare != "repeat" and sum(given) != 1:
        advice = "To have both, set 'rare' to 'repeat'." if all(given) else None
        raise refused_value("min_samples_per_stratum", "be given, or 'mean_batch_size', and not both", got, advice)


def _check_together(given: Mapping[str, Any], min_samples_per_stratum: Any, mean_batch_size: Any, rare: str) -> None:
    """Check that only one of 'shares', 'balance' and 'drop' is given, and what is given with it."""
    names = list(given)
    if len(names) > 1:
        raise refused_value(names[1], f"be left out if '{names[0]}' is given", show(given[names[1]]))
    (name,) = names
    if mean_batch_size is None:
        advice = None if min_samples_per_stratum is None else "Leave out 'min_samples_per_stratum'."
        raise refused_value(name, "be given together with 'mean_batch_size'", show(given[name]), advice)
    if min_samples_per_stratum is not None:
        required = f"be left out if '{name}' is given"
        raise refused_value("min_samples_per_stratum", required, show(min_samples_per_stratum))
    if rare != "error":
        raise refused_value("rare", f"be left out if '{name}' is given", show(rare))


def _check_minimum(min_samples_per_stratum: Any) -> Union[int, dict[str, int]]:
    """Return the minimum, or the minimum of each stratum by the name under which the stratum is shown."""
    parameter = "min_samples_per_stratum"
    if not isinstance(min_samples_per_stratum, Mapping):
        advice = "To choose the size of the batches instead, pass 'mean_batch_size'."
        return check_integer(min_samples_per_stratum, parameter, minimum=1, advice=advice)
    names = check_names(min_samples_per_stratum, parameter, noun="stratum")
    quotas = [check_integer(quota, parameter, minimum=0) for quota in min_samples_per_stratum.values()]
    if not any(quotas):
        raise refused_value(
            parameter, "ask for at least one row of some stratum", "0 of each" if quotas else "no stratum"
        )
    return dict(zip(names, quotas))
