"""What the targets of the Makefile need: the lines of tools/requirements.txt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable, NamedTuple

TABLE = Path(__file__).resolve().parents[1] / "requirements.txt"
TARGETS = ("demo", "test-python", "test-r", "check", "bench", "site")


class Requirement(NamedTuple):
    """One line of the table; `name` and `debian` may be a dash."""

    target: str
    kind: str
    name: str
    debian: str

    @property
    def distribution(self) -> str:
        """The name on PyPI or CRAN."""
        return re.split("/|>=", self.name)[0]

    @property
    def module(self) -> str:
        """The name to import."""
        return self.name.partition(">=")[0].partition("/")[2] or self.distribution

    @property
    def least(self) -> str:
        """The least version, or nothing."""
        return self.name.partition(">=")[2]


def with_demo(targets: Iterable[str]) -> set[str]:
    """Return these targets with the one that all but the site need."""
    return set(targets) if set(targets) == {"site"} else {"demo", *targets}


def required(targets: Iterable[str]) -> list[Requirement]:
    """Return the requirements of these targets, in the order of the table, each once."""
    wanted = with_demo(targets)
    rows = [Requirement(*line.split()) for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    chosen = {row[1:]: row for row in reversed(rows) if row.target in wanted}
    return list(reversed(list(chosen.values())))
