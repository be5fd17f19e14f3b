"""The golden files that plain models complete, without pystrat.

A case is a line of a file, with what both languages are given and what they must give. To add a case, write its line
without what is expected, or with the message if it is refused, and run ``python -m tests.reference.golden NAME ...``.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Callable

from tests.reference import (
    golden_advice,
    golden_class_weights,
    golden_downsampling,
    golden_lengths,
    golden_mixtures,
    golden_replay,
    golden_rows_by_epoch,
    golden_sharded,
    golden_stream,
    golden_tree,
    golden_vectors,
    golden_vocabulary,
    golden_weighted,
    golden_weights_by_epoch,
)
from tests.reference.golden_density_weights import reference
from tests.reference.golden_vectors import GOLDEN

Case = dict[str, Any]
CASE = re.compile(r'^( *(?:"\w+": )?)(\{".*\})(?=,?$)', re.MULTILINE)  # a line


def of_input(model: Callable[[Case], Any]) -> Callable[[Case], Case]:
    """Return what gives a case of an input with what the model expects for it."""
    return lambda case: {"input": case["input"], "expected": model(case["input"])}


MODELS: dict[str, Callable[[Case], Case]] = {
    "advice": golden_advice.completed,
    "batches": of_input(golden_vectors.expected_of),
    "bins": of_input(golden_vectors.expected_bins),
    "class_weights": of_input(golden_class_weights.expected_of),
    "density_weights": of_input(lambda given: reference(given["values"], **given["parameters"]).tolist()),
    "downsampling": of_input(golden_downsampling.expected_of),
    "lengths": of_input(golden_lengths.expected_of),
    "mixtures": of_input(golden_mixtures.expected_of),
    "replay": golden_replay.completed,
    "rows_by_epoch": golden_rows_by_epoch.completed,
    "sharded": of_input(golden_sharded.expected_of),
    "stream": golden_stream.completed,
    "training": golden_vectors.completed_training,
    "tree": golden_tree.completed,
    "vocabulary": golden_vocabulary.completed,
    "wanted": of_input(golden_vectors.expected_of),
    "weighted": of_input(golden_weighted.expected_of),
    "weights_by_epoch": golden_weights_by_epoch.completed,
}


def cases_of(name: str) -> list[Case]:
    """Return the cases of a file that its model completes: all that are not refused."""
    content = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    parts = [part for value in content.values() for part in (value if isinstance(value, list) else [value])]
    return [part for part in parts if isinstance(part, dict) and not is_refused(part)]


def is_refused(case: Case) -> bool:
    return "error" in case.get("expected", {})


def completed(name: str, text: str) -> str:
    """Return the text of a file with what its model gives for each case that is not refused."""

    def line(found: re.Match[str]) -> str:
        case = json.loads(found[2])
        return found[1] + json.dumps(case if is_refused(case) else MODELS[name](case))

    return CASE.sub(line, text)


if __name__ == "__main__":
    for file in sys.argv[1:] or MODELS:
        path = GOLDEN / f"{file}.json"
        path.write_text(completed(file, path.read_text(encoding="utf-8")), encoding="utf-8")
