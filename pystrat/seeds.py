"""Seeds: checked, or drawn from OS entropy."""

from __future__ import annotations

import secrets
from typing import Any, Optional

from pystrat.limits import MAX_SEED
from pystrat.messages import check_integer, refused_value, show


def check_seed(seed: Any, *, rank: Optional[int] = None) -> int:
    """Return a valid seed; if None, one that is drawn from OS entropy, unless this process is one of several ranks."""
    if seed is None and rank is not None:
        advice = "Pass the same seed on all ranks, so that they draw the same epoch."
        raise refused_value("seed", "be given together with 'rank'", show(seed), advice)
    return check_integer(secrets.randbelow(MAX_SEED + 1) if seed is None else seed, "seed", minimum=0, maximum=MAX_SEED)
