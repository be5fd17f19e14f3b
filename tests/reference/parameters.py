"""The table of docs/parameters.md: the parameters that both packages may have, and their defaults."""

from __future__ import annotations

import ast
import re
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "parameters.md"
REQUIRED = "required"
_CONSTRUCTOR = re.compile(r"(?m)^\| `(\w+)`(?:, `(\w+)\(\)`)? \|(.*)\|")
_COMMON = ("batch_size", "min_samples_per_stratum", "mean_batch_size", "rare", "missing", "shuffle")
_ROW = re.compile(r"(?m)^\| `(\w+)` \| [^|]+ \| ([^|]+) \|")


def documented() -> dict[str, set[str]]:
    """Return the defaults of each parameter, as `default_of` writes them."""
    rows = _ROW.findall(DOCUMENT.read_text(encoding="utf-8"))
    assert len(rows) == len({name for name, _ in rows}) > 100, "one line for each parameter"
    quoted = r"`([^`]+)`|(required)"
    return {name: {default_of(a) if a else b for a, b in re.findall(quoted, cell)} for name, cell in rows}


def constructors() -> dict[str, set[str]]:
    """Return the parameters of each constructor, by its names in Python and in R, without those of all of them."""
    found: dict[str, set[str]] = {}
    table = DOCUMENT.read_text(encoding="utf-8").partition("## Constructors")[2]
    for python, r, cells in _CONSTRUCTOR.findall(table):
        *common, others = (cell.strip() for cell in cells.split("|"))
        assert len(common) == len(_COMMON) and set(common) <= {"", "yes"}
        parameters = {name for name, cell in zip(_COMMON, common) if cell} | set(re.findall(r"`(\w+)`", others))
        if "labels" in parameters:
            parameters = {name.replace("per_stratum", "per_label") for name in parameters}
        parameters |= {"seed"} | (set() if "shards" in parameters else {"num_replicas"})
        found.update({name: parameters for name in (python, r) if name})
    return found


def default_of(source: str) -> str:
    """Return a default of Python or R in one form, so that 15.0 and 15, or TRUE and True, are the same."""
    words = {"NULL": "None", "TRUE": "True", "FALSE": "False"}
    plain = re.sub(r"(?<=\d)L$", "", re.sub(r"^c\(", "(", words.get(source, source)))
    if re.fullmatch(r"\d+\^\d+", plain):
        base, power = plain.split("^")
        return repr(float(int(base) ** int(power)))
    value = ast.literal_eval(plain)
    return repr(float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value)
