"""Progress of long work, by tqdm where it is installed; nothing is shown where standard error is no terminal."""

from __future__ import annotations

from typing import Iterable, Optional, TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], description: str, total: Optional[int] = None) -> Iterable[Item]:
    """Return the same items, with a bar while they are taken, where that is longer than a second.

    How many they are is their length, unless `total` says it.
    """
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return items
    shown: Iterable[Item] = tqdm(items, desc=description, total=total, delay=1, leave=False, disable=None)
    return shown
