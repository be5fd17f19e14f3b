"""Seeds: checked, or drawn from OS entropy; those of epochs, and what they draw."""

from __future__ import annotations

import secrets
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.limits import MAX_COUNT, MAX_EPOCH, MAX_SEED, SEED_MODULUS
from pystrat.core.messages import check_integer, refused_value, show

_EPOCH_STEP = 1_327_217_885


def check_seed(seed: Any, *, rank: Optional[int] = None) -> int:
    """Return a valid seed; if None, one that is drawn from OS entropy, unless this process is one of several ranks."""
    if seed is None and rank is not None:
        advice = "Pass the same seed on all ranks, so that they draw the same epoch."
        raise refused_value("seed", "be given together with 'rank'", show(seed), advice)
    return check_integer(secrets.randbelow(MAX_SEED + 1) if seed is None else seed, "seed", minimum=0, maximum=MAX_SEED)


def epoch_seed(seed: int, epoch: int) -> int:
    """Return the seed of an epoch; the sequences of two seeds overlap only after millions of epochs."""
    return (seed + _EPOCH_STEP * epoch) % SEED_MODULUS


def epoch_permutation(n_rows: int, *, seed: int, epoch: int = 0) -> NDArray[np.int32]:
    """Return the epoch order of `n_rows` rows, an array of int32: R's ``set.seed(s); sample.int(n_rows) - 1``.

    Parameters
    ----------
    n_rows : int
        From 0 to 2^31 - 1.
    seed : int
        From 0 to 2147483646.
    epoch : int, default 0
        From 0 to 6700000.
    """
    n_rows = check_integer(n_rows, "n_rows", minimum=0, maximum=MAX_COUNT)
    seed = check_integer(seed, "seed", minimum=0, maximum=MAX_SEED)
    epoch = check_integer(epoch, "epoch", minimum=0, maximum=MAX_EPOCH)
    rows: NDArray[np.int32] = _core.call("permutation", {"n_rows": n_rows, "seed": epoch_seed(seed, epoch)})["rows"]
    return rows
