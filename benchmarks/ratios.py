"""The ratios that the scripts print: read from their output, kept in ratios.csv, and read again for the pages."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

FOLDER = Path(__file__).parent
FILE = FOLDER / "ratios.csv"


class Ratio(NamedTuple):
    """One ratio: the script, what it says, the median, the quartiles, and the largest value that is aimed at.

    Numbers are texts as they were printed; what there is not is empty.
    """

    script: str
    what: str
    ratio: str
    low: str
    high: str
    limit: str

    @property
    def is_missed(self) -> bool:
        return bool(self.limit) and float(self.ratio) > float(self.limit)


def parsed(script: str, printed: str) -> Optional[Ratio]:
    """Return the ratio of one printed line, or None if it is not the line of a ratio."""
    cells = [cell.strip() for cell in printed.strip().strip("|").split("|")]
    if not printed.startswith("| ") or cells[1] in ("ratio", "---"):
        return None
    what, ratio, quartiles, limit = [*cells, "", ""][:4]
    low, _, high = quartiles.partition(" to ")
    return Ratio(script, what, ratio, low, high, limit)


def read() -> list[Ratio]:
    with FILE.open(encoding="utf-8", newline="") as lines:
        return [Ratio(**row) for row in csv.DictReader(lines)]


def write(ratios: Iterable[Ratio]) -> None:
    with FILE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(Ratio._fields)
        writer.writerows(ratios)
