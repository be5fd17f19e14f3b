"""Rows divided into parts, such as training, validation and test, each with its share of every stratum."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.arrays import Wanted, as_mapping, as_vector, check_same_rows, own_index
from pystrat.core.messages import show
from pystrat.core.seeds import check_seed
from pystrat.core.strata import data_of_groups, encode_strata

_SIZES = Wanted("sizes", "be shares that add up to 1, or numbers of rows")


def stratified_split(
    strata: Any, sizes: Any, *, groups: Any = None, missing: str = "error", seed: Optional[int] = None
) -> Union[list[NDArray[np.int64]], dict[Any, NDArray[np.int64]]]:
    """Divide rows into parts, such as training, validation and test, each with its share of every stratum.

    The rows of each part are in ascending order, counted from 0; by name if `sizes` is a mapping. A warning names the
    strata that are not in every part. The R function ``rbridge::stratified_split()`` returns the same rows, counted
    from 1. docs/splits.md is a guide.

    Parameters
    ----------
    sizes : list, numpy.ndarray, or mapping or pandas Series from the names of the parts to their sizes
        Shares, which are below 1 and add up to 1 (up to 1e-9), or numbers of rows, which are whole. If numbers of rows
        add up to less than all rows, the other rows are in no part.
    groups : optional
        The group of each row, as in `StratifiedGroupBatchSampler`. All rows of a group are in one part, or in none.
    strata, missing, seed
        As in `StratifiedBatchSampler`; dropped rows are in no part.

    Notes
    -----
    Let there be n rows, n_s of them in stratum s. Guarantees:

    * If `sizes` are numbers of rows, the parts have exactly these. Shares, read with 9 decimals and divided by their
      sum, give each part its share of n, rounded down, and one row more to the first ones of the largest remainders.
    * Part k of C_k rows has ``n_s * C_k / n`` rows of stratum s, rounded down or up (L. H. Cox, "A constructive
      procedure for unbiased controlled rounding", 1987).
    * With `groups`, no group is divided, no part is empty, and the numbers are about these: if the largest group has g
      rows, and no part is to have fewer, each part has more than ``C_k - g`` and fewer than ``C_k + g`` rows.

    Examples
    --------
    >>> from pystrat import stratified_split
    >>> labels = ["yes"] * 4 + ["no"] * 8
    >>> parts = stratified_split(labels, {"train": 0.5, "valid": 0.25, "test": 0.25}, seed=1)
    >>> {name: rows.tolist() for name, rows in parts.items()}
    {'train': [0, 3, 4, 6, 7, 8], 'valid': [1, 5, 10], 'test': [2, 9, 11]}
    """
    if own_index(sizes) is not None:
        sizes = as_mapping(sizes, "sizes")
    by_name = dict(sizes.items() if isinstance(sizes, Mapping) else enumerate(as_vector(sizes, _SIZES)))
    arguments = {"sizes": by_name, "missing": missing, "seed": seed}
    _core.call("stratified_split", arguments)
    check_same_rows([("strata", strata), ("groups", groups)])
    encoded = encode_strata(strata, missing=missing)
    data = {**encoded.data, **({} if groups is None else data_of_groups(groups))}

    def name_of(_: str, code: str) -> str:
        return show(encoded.names[int(code)])

    found = _core.call("stratified_split", {**arguments, "seed": check_seed(seed)}, data, name_of)
    for warning in found.get("warnings", ()):
        warnings.warn(warning, stacklevel=2)
    parts = np.split(found["rows"], found["offsets"][1:-1])
    return dict(zip(sizes, parts)) if isinstance(sizes, Mapping) else parts
