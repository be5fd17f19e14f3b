"""Fingerprints: texts that are equal for samplers with the same batches, and otherwise show what differs."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any, Sequence

import numpy as np

from pystrat import _kinds

_DIGITS = 16
_SCALARS = (type(None), bool, int, float, str, Fraction)
# What messages call the parts of recipes whose names are not those of parameters.
_SHOWN = {
    "other strata": "codes n_strata",
    "other labels": "sets",
    "other keys": "keys n_columns n_values",
    "other groups": "groups n_groups skeleton",
    "other pairs": "cells",
    "other counts": "counts table",
    "other files": "lines n_positive_files",
    "other numbers of rows": "n_rows batches blocks taken",
    "another tree": "parents names selections modes prunings repeats columns summed row_weights n_values column_codes "
    "taken numbers auxiliary functions first second",
    "another 'assign'": "even",
    "another 'balance'": "balanced",
    "another 'keep'": "together",
    "another 'min_samples_per_label'": "minimum",
    "another 'order'": "in_rounds",
    "another 'rows'": "n_candidates",
    "another 'rules'": "rule_weights file_rules",
    "another 'weights'": "begins weights_strata file_weights",
    "another number of batches, such as that of another 'num_replicas',": "n_batches",
}


def fingerprint_of(**texts: Sequence[str]) -> str:
    """Return the fingerprint of named lists of texts, the same as in R."""
    return " ".join(f"{name}={_digest_of(values)}" for name, values in texts.items())


def _digest_of(texts: Sequence[str]) -> str:
    content = np.frombuffer("\n".join(texts).encode("utf-8"), dtype=np.uint8)
    return str(_kinds.call("digest", {}, {"bytes": content})["digest"].tobytes().decode())


def fingerprint(kind: str, **parts: Any) -> str:
    """Return the fingerprint of a kind of sampler and of named parts, each with a digest of SHA-256.

    Parameters
    ----------
    kind : str
        The kind of sampler; samplers of different kinds never share batches.
    **parts : None, bool, int, float, str, Fraction, numpy.ndarray of numbers, or list or tuple of these
        The data and parameters that determine the batches, including the seed. The dtype and shape of an array count,
        its byte order does not.

    Examples
    --------
    >>> from pystrat.digest import fingerprint
    >>> fingerprint("windows", n_windows=3, seed=2)
    'kind=windows n_windows=3 seed=2'
    """
    return " ".join([f"kind={kind}", *(f"{name}={_shown(part)}" for name, part in parts.items())])


def difference(own: str, other: str) -> str:
    """Return the first thing in which another fingerprint differs: ``another seed, 3,`` or ``other strata``."""
    one, another = (dict(entry.partition("=")[::2] for entry in text.split(" ")) for text in (own, other))
    differing = [name for name in {**one, **another} if one.get(name) != another.get(name)]
    for name in ("kind", "seed"):
        if name in differing and name in another:
            return f"another {name}, {another[name]},"
    # The number of batches follows from the others.
    name = min(differing, key=lambda name: name == "n_batches")
    if name.startswith("sampler_"):
        return "another 'sampler'"
    return next((shown for shown, names in _SHOWN.items() if name in names.split()), f"another '{name}'")


def _shown(part: Any) -> str:
    """Return an integer as it is, and a digest of anything else."""
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        return str(int(part))
    return hashlib.sha256(_bytes_of(part)).hexdigest()[:_DIGITS]


def _bytes_of(part: Any) -> bytes:
    """Return bytes that differ between different parts: each with its type, and those of a list with their lengths."""
    if isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
        array = np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
        return f"array {array.dtype.str} {array.shape} ".encode("ascii") + array.tobytes()
    if isinstance(part, (list, tuple)):
        items = list(map(_bytes_of, part))
        return f"list {list(map(len, items))} ".encode("ascii") + b"".join(items)
    if isinstance(part, np.generic):
        return _bytes_of(part.item())
    if isinstance(part, _SCALARS):
        return f"{type(part).__name__} {part!a}".encode("ascii")
    raise TypeError(f"A fingerprint cannot have a part of class '{type(part).__name__}'.")
