"""Measuring side by side: the contestants take turns, round after round, and only their ratios are reported."""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from typing import Any, Callable, Optional


@dataclass(frozen=True)
class Timing:
    """Seconds of one contestant, a value a round."""

    seconds: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def interleaved(contestants: dict[str, Callable[[], Any]], *, rounds: int) -> dict[str, Timing]:
    """Run all contestants in turn, `rounds` times after one run to warm up, and return their timings.

    Each begins after a collection of garbage, which looks at what the contestants leave behind alone: one that looked
    at all the modules' objects would fill the caches with them.
    """
    for run in contestants.values():
        run()
    gc.collect()
    gc.freeze()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for place in range(rounds):
        # Every other round goes backwards: what ran just before, warm code among it, helps neither side of a ratio.
        for name in list(contestants)[:: -1 if place % 2 else 1]:
            gc.collect()
            begin = time.perf_counter()
            contestants[name]()
            seconds[name].append(time.perf_counter() - begin)
    return {name: Timing(values) for name, values in seconds.items()}


def ratio(timings: dict[str, Timing], ours: str, theirs: str) -> tuple[float, float, float]:
    """Return the median of the rounds' ratios and their quartiles: both sides of a ratio ran next to each other."""
    ratios = [mine / other for mine, other in zip(timings[ours].seconds, timings[theirs].seconds)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")  # never beyond what was measured
    return middle, low, high


def show(claim: str, found: tuple[float, float, float], reach: Optional[float] = None) -> None:
    """Print one line of the table of results; `reach` is the largest ratio aimed at, where there is one."""
    middle, low, high = found
    aim, verdict = ("", "") if reach is None else (f"{reach:g}", "reached" if middle <= reach else "NOT reached")
    print(f"| {claim} | {middle:.2f} | {low:.2f} to {high:.2f} | {aim} | {verdict} |", flush=True)


def show_ratio(claim: str, timings: dict[str, Timing], ours: str, theirs: str, reach: Optional[float] = None) -> None:
    """Print the line of one contestant over another."""
    show(claim, ratio(timings, ours, theirs), reach)


def head() -> None:
    """Print the head of the table of results."""
    print("| what | ratio | quartiles | at most | |\n| --- | --- | --- | --- | --- |")
