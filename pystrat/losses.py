"""Losses for batches that hold rows of every stratum. torch is imported when a loss is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pystrat._aum import AUMLoss

__all__ = ["AUMLoss"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pystrat import _aum

    return getattr(_aum, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
