"""Plans and epochs of mixtures, with and without files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray

from pystrat.corpus import CorpusPlan
from tests.inside import core


def plan_of(lines: Iterable[int], sample: Any = None, **chosen: Any) -> CorpusPlan:
    """Return the plan of files with so many lines, called f0, f1, ..."""
    counts = list(lines)
    return CorpusPlan([f"f{place}" for place in range(len(counts))], counts, sample, **chosen)


def drawn(plan: CorpusPlan) -> list[int]:
    return [file.drawn for file in plan.files]


def write_lines(folder: Path, lines: Iterable[int]) -> Path:
    """Write files with so many lines, called f0.txt, f1.txt, ..."""
    for place, size in enumerate(lines):
        (folder / f"f{place}.txt").write_text("a line\n" * size, encoding="utf-8")
    return folder


def mixture_of(
    lines: Any, drawn: Any, kept: Any, seed: int, *, shuffle: bool = True, replace: bool = True
) -> core.Instance:
    """Return what draws the epochs of a recipe with these numbers for each file."""
    parts = {
        "lines": np.array(lines, dtype=np.float64),
        "drawn": np.array(drawn, dtype=np.float64),
        "kept": np.array(kept, dtype=np.float64),
        "batch_size": np.array([1000.0]),
        "shuffle": np.array([shuffle], dtype=np.int32),
        "replace": np.array([replace], dtype=np.int32),
    }
    return core.Instance("mixture", parts, seed)


def drawn_lines(lines: Any, drawn: Any, kept: Any, seed: int, **how: bool) -> NDArray[Any]:
    """Return the lines of epoch 0 of such a recipe."""
    return mixture_of(lines, drawn, kept, seed, **how).draw(0)["rows"]
