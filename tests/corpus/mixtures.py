"""Mixtures of files of so many lines, with and without files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable, Mapping

import numpy as np

from pystrat.corpus import CorpusMixtureBatchSampler
from tests.inside import kinds


def write_lines(folder: Path, lines: Iterable[int]) -> Path:
    """Write files with so many lines, called f0.txt, f1.txt, ..."""
    for place, size in enumerate(lines):
        (folder / f"f{place}.txt").write_text("".join(f"f{place} {line}\n" for line in range(size)), encoding="utf-8")
    return folder


def mixture_of(folder: Path, **given: Any) -> CorpusMixtureBatchSampler:
    """Return a mixture of these files."""
    return CorpusMixtureBatchSampler(folder, **{"batch_size": 8, "suffixes": [".txt"], "seed": 1, **given})


def instance_of(lines: Any, *, weights: Any = None, seed: int = 1, **given: Any) -> Any:
    """Return what draws a mixture of files with so many lines, whose weights are numbers or "*", without files."""
    defaults = {"batch_size": 8, "assign": "shuffled", "epoch_end": "sample", "shuffle": True}
    parts = kinds.check("mixture", {**defaults, **given, "weights": weights})
    parts["lines"] = np.array(lines, dtype=np.float64)
    if weights is not None:
        table = weights if isinstance(weights, Mapping) else {0: weights}
        parts["file_weights"] = np.array(
            [np.inf if one == "*" else one for each in table.values() for one in each], float
        )
        if len(table) > 1:
            parts["begins"] = np.array(list(table), dtype=np.float64)
    return kinds.Instance("mixture", parts, seed, [f"f{file}" for file in range(len(lines))])


def drawn(lines: Any, **given: Any) -> list[int]:
    """Return the lines that an epoch draws of each file."""
    return [int(count) for count in instance_of(lines, **given).describe()["drawn"]]


def batches_of(instance: Any, epoch: int) -> list[list[int]]:
    found = instance.draw(epoch)
    return [rows.tolist() for rows in np.split(found["rows"], found["offsets"][1:-1])]
