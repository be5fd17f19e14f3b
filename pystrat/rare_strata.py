"""Strata with too few rows for the minimum: refused, or accepted with or without a warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from pystrat.messages import RefusedValue, count_of, show
from pystrat.strata import Strata

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    import numpy as np
    from numpy.typing import NDArray

RARE_CHOICES = ("error", "warn", "allow")


def refuse_rare(strata: Strata, minimum: int) -> None:
    """Refuse a minimum that the smallest stratum does not have."""
    smallest = int(strata.counts.argmin())
    rows = int(strata.counts[smallest])
    if rows < minimum:
        has = f"the smallest stratum, '{strata.shown[smallest]}', has {count_of(rows, 'row')}"
        advice = "Lower it, or set 'rare' to 'warn' or 'allow'."
        raise RefusedValue("min_samples_per_stratum", f"be at most {rows}: {has}", show(minimum), advice)


def warn_of_rare(owner: str, counts: NDArray[np.int64], minimum: int, consequence: str, *, stacklevel: int) -> None:
    """Warn if strata have fewer rows than the minimum; `consequence` says what happens to them."""
    n_rare = int((counts < minimum).sum())
    if n_rare:
        strata = f"{n_rare} of {len(counts)} strata of {owner}"
        warnings.warn(f"{strata} have fewer than {count_of(minimum, 'row')}: {consequence}.", stacklevel=stacklevel + 1)
