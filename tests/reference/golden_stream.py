"""The cases of streams: their settings, and what the rules in words give for them."""

from __future__ import annotations

import json
from typing import Any

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_stream import stream_batches

SOURCES = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))["sources"]  # of cases without their own


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with its batches."""
    settings = {name: value for name, value in case["settings"].items() if name != "rare"}
    chosen = {name: case[name] for name in ("counted", "seed", "epoch")}
    batches = stream_batches(case.get("sources", SOURCES), **chosen, **settings)
    return {**case, "batches": [list(map(list, batch)) for batch in batches]}
