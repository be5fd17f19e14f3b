"""Multipliers: how many rows are kept, as a multiple of others."""

from __future__ import annotations

from numbers import Rational
from typing import Any, Optional

from pystrat.messages import is_number


def ratio_of(number: Any) -> Optional[str]:
    """Return the numerator and the denominator of a fraction, in hexadecimal digits, which may be many."""
    if not is_number(number) or not isinstance(number, Rational):
        return None
    return f"{int(number.numerator):x}/{int(number.denominator):x}"
