"""The specimens of all samplers that both languages call alike, in JSON that the tests of R read.

``python -m tests.reference.golden_specimens`` writes ``tests/golden/specimens.json`` afresh.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping, Optional

import pandas as pd

from tests.given_by_pystrat import GOLDEN
from tests.specimens import LINES, TEXT_FILES, Specimen, specimens
from tools.site.names import r_name

ABOUT = (
    "Valid calls of samplers: their names, the function in R, and its arguments. An argument is a value, or one of "
    "'factor', 'matrix' (column by column), 'file' (within the folder of the files, whose lines are counted), and "
    "a 'function' with 'arguments'. "
    "Written by tests/reference/golden_specimens.py."
)
FOLDER = Path("folder")


def file_in_r(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def in_r(value: Any) -> Any:
    """Return an argument as JSON for R."""
    if isinstance(value, dict):
        return {str(name): in_r(element) for name, element in value.items()}
    if isinstance(value, pd.DataFrame):
        rows, columns = ([str(label) for label in axis] for axis in value.axes)
        return {"matrix": value.to_numpy().ravel(order="F").tolist(), "rows": rows, "columns": columns}
    if isinstance(value, pd.Categorical):
        return {"factor": value.tolist()}
    if isinstance(value, Path):
        return {"file": file_in_r(value)}
    if isinstance(value, Specimen):
        return {"function": r_name(value.kind.__name__), "arguments": arguments_in_r(value)}
    if isinstance(value, list) and isinstance(value[0], Path):
        return {"file": [file_in_r(path) for path in value]}
    return value


def arguments_in_r(specimen: Specimen) -> dict[str, Any]:
    """Return the arguments of a call in R, where users and items count from 1."""
    seed = {} if "sampler" in specimen.arguments else {"seed": 1}
    arguments = {name: in_r(value) for name, value in {**seed, **specimen.arguments}.items()}
    for codes in {"users", "items"} & set(arguments):
        arguments[codes] = [code + 1 for code in arguments[codes]]
    return arguments


def are_alike(specimen: Specimen) -> bool:
    """Return whether both languages make a sampler, with a seed that is given."""
    return specimen.kind.__name__ != "TreeSampler" and specimen.arguments.get("seed", 1) is not None


def as_text(calls: Optional[Mapping[str, Specimen]] = None) -> str:
    """Return the text of the file, or of one with other calls: one call a line."""
    if calls is None:
        calls = {name: specimen for name, specimen in specimens(FOLDER).items() if are_alike(specimen)}
    lines = [
        json.dumps({"name": name, "function": r_name(specimen.kind.__name__), "arguments": arguments_in_r(specimen)})
        for name, specimen in calls.items()
    ]
    files = json.dumps({name: LINES for name in TEXT_FILES})
    return f'{{"about": {json.dumps(ABOUT)},\n"files": {files},\n"calls": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "specimens.json").write_text(as_text(), encoding="utf-8")
