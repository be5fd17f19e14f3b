"""The cases of streams: their settings, and what the rules in words give for them."""

from __future__ import annotations

import json
from typing import Any

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_stream import stream_batches, taken_batches

SOURCES = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))["sources"]  # of cases without their own


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with its batches."""
    settings, sources = case["settings"], case.get("sources", SOURCES)
    given = {"n_lanes": settings["lanes"], "together": settings.get("shuffle_sources", 1)}
    given.update(mean=settings.get("mean_batch_size"), seed=case["seed"], epoch=case["epoch"])
    if "shares" in settings:
        batches = taken_batches(sources, shares=list(settings["shares"].values()), **given)
    elif "balance" in settings:
        batches = taken_batches(sources, balance=settings["balance"], **given)
    else:
        least = {"least": settings.get("min_samples_per_stratum", 1), "least_rows": settings.get("min_batch_size", 1)}
        batches = stream_batches(sources, counted=case["counted"], **least, **given)
    return {**case, "batches": [list(map(list, batch)) for batch in batches]}
