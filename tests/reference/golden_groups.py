"""The golden vectors of groups, in JSON that every language reads, computed without pystrat.

``python -m tests.reference.golden_groups`` writes ``tests/golden/groups.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional, Type

from tests.reference.golden_vectors import GOLDEN, cut, joined
from tests.reference.naive_groups import NaiveGroups

ABOUT = (
    "Batches of rows with groups. 'groups' of row i, from 0, is i * multiplier mod modulus, and 'strata' is the group "
    "modulo n_strata, or with a 'divisor' floor(i / divisor) modulo n_strata; or both are lists, in which null is a "
    "missing value. Rows are counted from 0, and long lists are cut as in batches.json. Written by "
    "tests/reference/golden_groups.py."
)


def labels_of(rows: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the strata and the groups of a case."""
    if "groups" in rows:
        return rows["strata"], rows["groups"]
    groups = [row * rows["multiplier"] % rows["modulus"] for row in range(rows["length"])]
    by = [row // rows["divisor"] for row in range(rows["length"])] if "divisor" in rows else groups
    return [number % rows["n_strata"] for number in by], groups


def expected_of(case: dict[str, Any], kind: Type[NaiveGroups] = NaiveGroups) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    naive = kind(*labels_of(case["rows"]), case["parameters"])
    drawn = [naive.batches(epoch) for epoch in case["epochs"]]
    return {
        "n_batches": naive.n_batches,
        "strata": naive.names,
        **naive.table(),
        "epochs": [{"sizes": cut(list(map(len, batches))), "rows": cut(joined(batches))} for batches in drawn],
    }


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    few: dict[str, list[Any]] = {
        "strata": ["b", "a", "a", "b", "b", "a", "b", "a", "b", "b", "a", "b"],
        "groups": [7, 3, 3, 7, 5, 4, 5, 6, 8, 1, 3, 2],
    }
    missing: dict[str, list[Any]] = {
        "strata": ["x", None, "y", "x", "y", None, "x"],
        "groups": ["p", "q", "r", "p", "s", "r", "t"],
    }
    yield _case("few rows", few, (0, 1, 6_700_000), 2)
    yield _case("few rows, one each", few, (0, 3), 1, seed=2**31 - 2)
    yield _case("few rows, replicas", few, (5,), 1, num_replicas=2)
    yield _case("a rare stratum", few, (0,), 9, rare="allow")
    yield _case("missing values dropped", missing, (0, 2), 1, missing="drop")
    yield _case("missing values as a stratum", _without(missing, 5), (0,), 1, missing="stratum")
    yield _case("equal groups", _made(4200, 601, 600, 3), (0,), 12)
    yield _case("many groups", _made(50_000, 7919, 9001, 7), (0, 2), 11)
    yield _case("large groups", _made(20_000, 7919, 40, 2), (1,), 100)
    yield _case("300 strata", _made(9000, 7919, 1201, 300), (1,), 3)

    crossing = {**few, "groups": [7, 3, 7, 3, 5, 4, 5, 6, 8, 1, 3, 2]}
    apart: list[tuple[str, dict[str, Any], int]] = [
        ("nested groups", few, 1),
        ("crossing groups", crossing, 1),
        ("crossing groups, 2 batches", crossing, 2),
        ("many nested groups", _made(30_000, 7919, 9001, 7), 11),
        ("300 nested strata", _made(9000, 7919, 1201, 300), 3),
    ]
    for name, rows, minimum in apart:
        yield _case(f"{name}, apart", rows, (0, 3), minimum, keep="apart")
    for minimum in (1, 40, 2300):
        yield _case(f"many crossing groups, apart, m = {minimum}", _crossing(), (0, 6_700_000), minimum, keep="apart")
    yield _case("missing values dropped, apart", missing, (1,), 1, keep="apart", missing="drop", num_replicas=2)
    for keep in ("together", "apart"):
        few_rows = few if keep == "together" else crossing
        yield _case(f"batches of 6 rows, {keep}", few_rows, (0, 3), None, mean_batch_size=6, keep=keep)
        yield _case(f"batches of 2 rows, {keep}", few_rows, (1,), None, mean_batch_size=2, keep=keep, rare="allow")
    yield _case("many groups, batches of 100 rows", _made(50_000, 7919, 9001, 7), (2,), None, mean_batch_size=100)


def _crossing() -> dict[str, int]:
    return {**_made(20_000, 7919, 3001, 3), "divisor": 5}


def _case(
    name: str, rows: dict[str, Any], epochs: tuple[int, ...], minimum: Optional[int], **parameters: Any
) -> dict[str, Any]:
    given = {} if minimum is None else {"min_samples_per_stratum": minimum}
    parameters = {**given, "seed": 1, **parameters}
    return {"name": name, "rows": rows, "parameters": parameters, "epochs": list(epochs)}


def _made(length: int, multiplier: int, modulus: int, n_strata: int) -> dict[str, int]:
    return {"length": length, "multiplier": multiplier, "modulus": modulus, "n_strata": n_strata}


def _without(rows: dict[str, list[Any]], place: int) -> dict[str, Any]:
    return {name: values[:place] + values[place + 1 :] for name, values in rows.items()}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "groups.json").write_text(as_text(), encoding="utf-8")
