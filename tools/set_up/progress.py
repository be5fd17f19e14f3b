"""The progress of set-up: the running stage, the number of stages, and an estimate of the remaining time."""

from __future__ import annotations

import time


class Progress:
    """Print each stage as it begins, with the remaining time, estimated from the time of the stages before.

    Parameters
    ----------
    expected : dict of str to float
        The stages in order, with the seconds that each takes on two idle cores; 0 if it runs beside another one.
    """

    def __init__(self, expected: dict[str, float]) -> None:
        self._expected = dict(expected)
        self._done = dict.fromkeys(expected, 0.0)
        self._began = time.monotonic()

    def expect(self, stage: str, seconds: float) -> None:
        """Replace the estimate for a stage."""
        self._expected[stage] = seconds

    def report(self, stage: str, what: str, fraction: float = 0.0) -> None:
        """Print what a stage is about to do, when this fraction of it is done."""
        self._done[stage] = fraction
        place = list(self._expected).index(stage) + 1
        print(f"set-up: stage {place} of {len(self._expected)}, {self._time_left()}: {what}", flush=True)

    def end(self, stage: str) -> None:
        """Count a stage as done."""
        self._done[stage] = 1.0

    def _time_left(self) -> str:
        done = sum(seconds * self._done[stage] for stage, seconds in self._expected.items())
        left = sum(self._expected.values()) - done
        # The first seconds are a poor measure of the speed of this machine.
        pace = (time.monotonic() - self._began) / done if done > 15 else 1.0
        minutes = round(left * pace / 60)
        if minutes < 1:
            return "less than a minute left"
        return f"about {minutes} minute{'s' if minutes > 1 else ''} left"
