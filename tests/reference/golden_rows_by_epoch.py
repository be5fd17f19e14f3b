"""Epoch subsets of rows that follow the epoch, in plain Python."""

from __future__ import annotations

from typing import Any

from tests.reference.naive_random import NaiveStream, epoch_seed


def rows_of(case: dict[str, Any], epoch: int) -> list[int]:
    """Return the rows of an epoch."""
    sample, first = case["sample"], max(first for first in map(int, case["rows"]) if first <= epoch)
    among = case["rows"][str(first)]
    if case["method"] == "partition":
        step = max(1, len(among) // sample)
        line = [row for begin in range(step) for row in among[begin::step]]
        return [line[((epoch - first) * sample + place) % len(line)] for place in range(sample)]
    stream = NaiveStream(epoch_seed(case["seed"], epoch))
    draw: Any = stream.indices if case["method"] == "uniform" else stream.permutation
    return [among[place] for place in draw(len(among), sample)]


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with the rows of its first epochs."""
    return {**case, "drawn": [rows_of(case, epoch) for epoch in range(7)]}
