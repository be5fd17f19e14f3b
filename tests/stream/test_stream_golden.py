"""Every case of tests/golden/stream.json, which the tests of the R package read as well."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from pystrat.stream import StratifiedStream, count_sources
from tests.reference.golden_vectors import GOLDEN

CONTENT = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))
STRATA = CONTENT["strata"]


@pytest.mark.parametrize("case", CONTENT["cases"])
def test_batches(case: dict[str, Any]) -> None:
    sources = case.get("sources", CONTENT["sources"])

    def read(source: int) -> list[tuple[int, int]]:
        return [(source, row) for row in range(len(sources[source]))]

    def stratum(row: tuple[int, int]) -> str:
        name: str = STRATA[sources[row[0]][row[1]]]
        return name

    counts = pd.DataFrame([[codes.count(code) for code in range(len(STRATA))] for codes in sources], columns=STRATA)
    counted = count_sources(range(len(sources)), read=read, stratum=stratum)
    assert counted[STRATA].to_numpy().tolist() == counts.to_numpy().tolist()
    known: dict[str, Any] = {"counts": counts} if case["counted"] else {"strata": STRATA}
    stream = StratifiedStream(
        range(len(sources)),
        read=read,
        stratum=stratum,
        shuffle=case["seed"] is not None,
        seed=case["seed"] or 0,
        **known,
        **case["settings"],
    )
    stream.set_epoch(case["epoch"])
    assert [list(map(list, batch)) for batch in stream] == case["batches"]


@pytest.mark.parametrize("case", CONTENT["buffers"])
def test_rows_that_a_lane_may_hold(case: dict[str, Any]) -> None:
    names = [f"{number:03d}" for number in range(len(case["counts"]))]  # sorted, as sources are
    counts = pd.DataFrame(case["counts"], columns=STRATA, index=names)
    given = {name: case[name] for name in ("lanes", "min_samples_per_stratum")}
    given["shuffle_sources"] = case.get("shuffle_sources", 1)
    stream = StratifiedStream(counts.index, read=iter, stratum=int, counts=counts, **given)
    assert stream.buffer_needed == case["needed"]
