"""One minimum for all strata, and strata with too few rows for it: refused, or accepted with or without a warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Mapping, Optional

from pystrat.messages import check_integer, count_of, refused_type, refused_value, show
from pystrat.strata import Strata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    import numpy as np
    from numpy.typing import NDArray

RARE_CHOICES = ("error", "warn", "allow")


def check_one_minimum(minimum: Any, *, maximum: Optional[int] = None) -> int:
    """Return the minimum of all strata; refuse a minimum for each stratum."""
    if isinstance(minimum, Mapping):
        advice = "Only the stratified batch sampler takes a minimum for each stratum."
        raise refused_type("min_samples_per_stratum", "be a positive integer", show(minimum), advice)
    return check_integer(minimum, "min_samples_per_stratum", minimum=1, maximum=maximum)


def refuse_rare(strata: Strata, minimum: int) -> None:
    """Refuse a minimum that the smallest stratum does not have."""
    smallest = int(strata.counts.argmin())
    rows = int(strata.counts[smallest])
    if rows < minimum:
        has = f"the smallest stratum, '{strata.shown[smallest]}', has {count_of(rows, 'row')}"
        advice = "Lower it, or set 'rare' to 'warn' or 'allow'."
        raise refused_value("min_samples_per_stratum", f"be at most {rows}: {has}", show(minimum), advice)


def warn_of_rare(counts: NDArray[np.int64], minimum: int, consequence: str, *, stacklevel: int) -> None:
    """Warn if strata have fewer rows than the minimum; `consequence` says what happens to them."""
    n_rare = int((counts < minimum).sum())
    if n_rare:
        strata = f"{n_rare} of {len(counts)} strata"
        warnings.warn(f"{strata} have fewer than {count_of(minimum, 'row')}: {consequence}.", stacklevel=stacklevel + 1)
