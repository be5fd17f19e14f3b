"""A short digest of what determines the batches of a sampler; equal for samplers with the same batches."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np

from pystrat import _core

_VERSION = 1  # of the digest; a new version invalidates all saved states
_DIGITS = 16
_SCALARS = (type(None), bool, int, float, str, Fraction)


def digest_of(**parts: Any) -> str:
    """Return a digest of named parts, as 16 hexadecimal digits, the same as in R.

    Parameters
    ----------
    **parts : None, bool, int, float, str, sequence of str, or numpy.ndarray of uint8, int32 or float64
        Parts that are None are left out. The shape of an array does not count.
    """
    named = {name: part for name, part in parts.items() if part is None or isinstance(part, (bool, int, float, str))}
    vectors = {name: part for name, part in parts.items() if name not in named}
    digest: bytes = _core.call("digest_parts", named, vectors)["digest"].tobytes()
    return digest.hex()


def fingerprint(kind: str, **parts: Any) -> str:
    """Return a digest of the kind of a sampler and of named parts, as 16 hexadecimal digits of SHA-256.

    Parameters
    ----------
    kind : str
        The kind of sampler; samplers of different kinds never share batches.
    **parts : None, bool, int, float, str, Fraction, numpy.ndarray of numbers, or list or tuple of these
        The data and parameters that determine the batches, including the seed. The dtype and shape of an array count,
        its byte order does not.

    Raises
    ------
    TypeError
        If a part has any other type: its text might contain an address that differs between processes.

    Examples
    --------
    >>> from pystrat.digest import fingerprint
    >>> one = fingerprint("windows", n_windows=3, seed=1)
    >>> one == fingerprint("windows", n_windows=3, seed=2)
    False
    """
    digest = hashlib.sha256()
    for name, part in {"kind": kind, "digest": _VERSION, **parts}.items():
        _add(digest, name)
        _add(digest, part)
    return digest.hexdigest()[:_DIGITS]


def _add(digest: Any, part: Any) -> None:
    """Add one part, with its type and length first, so that different parts never add the same bytes."""
    if isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
        array = np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
        digest.update(f"array {array.dtype.str} {array.shape} ".encode("ascii"))
        digest.update(array.data)
    elif isinstance(part, (list, tuple)):
        digest.update(f"list {len(part)} ".encode("ascii"))
        for item in part:
            _add(digest, item)
    elif isinstance(part, np.generic):
        _add(digest, part.item())
    elif isinstance(part, _SCALARS):
        text = ascii(part)
        digest.update(f"{type(part).__name__} {len(text)} {text} ".encode("ascii"))
    else:
        raise TypeError(f"A fingerprint cannot have a part of class '{type(part).__name__}'.")
