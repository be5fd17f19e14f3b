"""Progress bars for long work, if tqdm is installed and standard error is a terminal."""

from __future__ import annotations

from typing import Iterable, Optional, TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], description: str, total: Optional[int] = None) -> Iterable[Item]:
    """Return the same items, `total` of them, by default their length, with a progress bar after the first second."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return items
    shown: Iterable[Item] = tqdm(items, desc=description, total=total, delay=1, leave=False, disable=None)
    return shown
