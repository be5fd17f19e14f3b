"""Seeds: checked, or drawn from OS entropy."""

from __future__ import annotations

import secrets
from typing import Any

from pystrat.limits import MAX_SEED
from pystrat.messages import check_integer


def check_seed(seed: Any) -> int:
    """Return a valid seed; if None, one that is drawn from OS entropy."""
    return check_integer(secrets.randbelow(MAX_SEED + 1) if seed is None else seed, "seed", minimum=0, maximum=MAX_SEED)
