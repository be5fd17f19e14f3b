"""Fingerprints: texts that are equal for samplers with the same batches, and otherwise show what differs."""

from __future__ import annotations

from typing import Any

import numpy as np

from pystrat import _core


def digest_of(values: Any) -> str:
    """Return a digest of a vector of numbers or a list of texts, the same as in R."""
    numbers = values if isinstance(values, np.ndarray) else np.frombuffer("\n".join(values).encode(), dtype=np.uint8)
    return _text_of("digest", bytes=numbers)


def fingerprint_of(**parts: Any) -> str:
    """Return the fingerprint of named vectors of numbers and lists of texts, such as ``rows=4c5e... names=01f2...``."""
    return " ".join(f"{name}={digest_of(values)}" for name, values in parts.items())


def difference(own: str, other: str) -> str:
    """Return the first thing in which another fingerprint differs: ``another seed, 3,`` or ``other strata``."""
    return _text_of("difference", own=own, other=other)


def _text_of(kind: str, **data: Any) -> str:
    return _core.call(kind, {}, data)[kind].tobytes().decode()
