"""The cases of declared trees: their tables and specifications, and what a naive tree gives for them."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import Any

import yaml

from tests.reference.golden_vectors import cut, joined
from tests.reference.naive_tree import NaiveEpochs, comparable


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with what a naive tree gives; the warnings of the constructor are those that the case has."""
    given = case["input"]
    naive = NaiveEpochs(table_of(given), specification_of(given), given["parameters"])
    epochs = [naive.epoch(epoch) for epoch in given["epochs"]]
    expected = {
        "n_batches": len(naive.offsets) - 1,
        "warnings": case.get("expected", {}).get("warnings", []),
        "rows": cut(joined(rows for rows, _ in epochs)),
        "offsets": cut(naive.offsets * len(epochs)),
        "aux": {name: [item for _, values in epochs for item in values[name]] for name in naive.functions},
    }
    return {"input": given, "expected": expected}


def table_of(case: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a case; days and times are times in UTC."""
    return {name: _column(values) for name, values in case["table"].items()}


def _column(values: Any) -> list[Any]:
    if not isinstance(values, dict):
        return list(values)
    if "times" in values:
        return [time_of(text) for text in values["times"]]
    return [text and comparable(date.fromisoformat(text)) for text in values["days"]]


def specification_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the specification of a case as a mapping."""
    spec = case["spec"]
    read: dict[str, Any] = yaml.safe_load(spec) if isinstance(spec, str) else moments_in(spec)
    return read


def moments_in(spec: Any) -> Any:
    """Return a specification with days and times in place of what stands for them in JSON."""
    if isinstance(spec, list):
        return [moments_in(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if set(spec) == {"day"}:
        return date.fromisoformat(spec["day"])
    if set(spec) == {"time"}:
        return time_of(spec["time"])
    return {key: moments_in(value) for key, value in spec.items()}


def time_of(text: Any) -> Any:
    """Return the time that a text stands for, in UTC; None if there is none."""
    if text is None:
        return None
    moment = datetime.strptime(text.replace("Z", "+00:00"), "%Y-%m-%dT%H:%M:%S" + (".%f" if "." in text else "") + "%z")
    return moment.astimezone(timezone.utc)
