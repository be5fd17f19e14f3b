"""Batches without duplicates in plain Python, slow and as the documents describe it, and their golden vectors.

``python -m tests.reference.golden_no_duplicates`` writes ``tests/golden/no_duplicates.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from math import ceil
from typing import Any, Iterator, Optional, Sequence

from tests.reference.golden_vectors import GOLDEN
from tests.reference.naive_groups import Coloring, dealt_in_turn
from tests.reference.naive_random import epoch_order

Rows = Sequence[Sequence[Any]]  # the values of each row

ABOUT = (
    "Batches without two rows that share a value. 'keys' has a list for each column; or with 'multipliers' and "
    "'moduli', the value of column k in row i, from 0, is i * i * multipliers[k] mod moduli[k]. Rows are counted from "
    "0. Written by tests/reference/golden_no_duplicates.py."
)


def rows_of(columns: Sequence[Sequence[Any]], across_columns: bool) -> list[list[Any]]:
    """Return what each row has: values, or values with the number of their column."""
    return [list(row) if across_columns else list(enumerate(row)) for row in zip(*columns)]


def are_alike(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return not set(left).isdisjoint(right)


def naive_number(columns: Sequence[Sequence[Any]], batch_size: int, across_columns: bool, replicas: int = 1) -> int:
    """Return the number of batches; one that exceeds the rows if there is none."""
    rows = rows_of(columns, across_columns)
    n_rows, n_columns = len(rows), len(columns)
    counts: dict[Any, int] = {}
    for row in rows:
        for value in set(row):
            counts[value] = counts.get(value, 0) + 1
    n_batches = ceil(ceil(n_rows / batch_size) / replicas) * replicas
    if n_columns == 1 or (n_columns == 2 and not across_columns):
        return max(n_batches, ceil(max(counts.values()) / replicas) * replicas)
    most = max(sum(are_alike(row, other) for other in rows) - 1 for row in rows)
    others = sorted((count - 1 for count in counts.values()), reverse=True)
    while n_batches <= n_rows:
        besides = ceil(n_rows / n_batches) - 1
        frequent = sum(others[: besides * n_columns])
        if (n_batches - most) * (n_rows // n_batches) >= min(most * besides, frequent):
            break
        n_batches += replicas
    return n_batches


def naive_batches(
    order: Sequence[int],
    columns: Sequence[Sequence[Any]],
    n_batches: int,
    across_columns: bool,
    strata: Optional[Sequence[Any]] = None,
) -> list[list[int]]:
    """Return the batches of an epoch."""
    if len(columns) == 1 or (len(columns) == 2 and not across_columns):
        inner = list(columns[-1])
        outer = list(columns[0]) if len(columns) == 2 else list(strata) if strata is not None else [0] * len(inner)
        outer = [outer.index(label) for label in outer]  # sorted in order of first appearance
        is_nested = len(set(zip(outer, inner))) == len(set(inner))
        deal = dealt_in_turn if is_nested else lambda *rows: Coloring(*rows).colors
        found = deal(order, outer, inner, n_batches)
        return [[row for row, batch in zip(order, found) if batch == number] for number in range(n_batches)]
    batches = dealt_apart(order, rows_of(columns, across_columns), n_batches)
    return [sorted(batch, key=list(order).index) for batch in batches]


def dealt_apart(order: Sequence[int], rows: Rows, n_batches: int) -> list[list[int]]:
    """Return the batches, of which each has the rows in its places."""
    sizes = [len(rows) // n_batches + (batch < len(rows) % n_batches) for batch in range(n_batches)]
    batches: list[list[int]] = [[] for _ in range(n_batches)]

    def fits(row: int, batch: int) -> bool:
        return not any(are_alike(rows[row], rows[other]) for other in batches[batch])

    def exchange(row: int, around: Sequence[int]) -> None:
        with_room = next(batch for batch in around if len(batches[batch]) < sizes[batch])
        for batch in around:
            if len(batches[batch]) == sizes[batch] and fits(row, batch):
                for place, other in enumerate(batches[batch]):
                    if fits(other, with_room):
                        batches[batch][place] = row
                        batches[with_room].append(other)
                        return
        raise AssertionError("no row can be exchanged")

    for place, row in enumerate(order):
        around = [(place + step) % n_batches for step in range(n_batches)]
        batch = next((batch for batch in around if len(batches[batch]) < sizes[batch] and fits(row, batch)), None)
        if batch is None:
            exchange(row, around)
        else:
            batches[batch].append(row)
    return batches


def columns_of(given: dict[str, Any]) -> list[list[Any]]:
    """Return the columns of a case."""
    if "keys" in given:
        columns: list[list[Any]] = given["keys"]
        return columns
    numbers = zip(given["multipliers"], given["moduli"])
    return [[row * row * times % modulus for row in range(given["length"])] for times, modulus in numbers]


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    queries = ["a", "a", "b", "b", "c", "d", "e", "e"]
    documents = ["p", "q", "q", "r", "p", "s", "a", "t"]
    pairs: dict[str, Any] = {"keys": [queries, documents]}
    yield _case("one key", {"keys": [queries]}, 3)
    yield _case("one key with a frequent value", {"keys": [[1, 2, 1, 3, 1, 1, 4, 1, 5]]}, 4)
    yield _case("two keys", pairs, 3)
    yield _case("two keys, replicas", pairs, 3, num_replicas=4)
    yield _case("two keys across columns", pairs, 3, across_columns=True)
    strata = ["x", "x", "y", "y", "x", "y", "y", "x"]
    yield _case("one key and strata", {"keys": [queries]}, 3, strata=strata, min_samples_per_stratum=1)
    within = ["x", "y", "y", "x", "x", "y", "x", "y"]
    yield _case("one key within strata", {"keys": [documents]}, 4, strata=within, min_samples_per_stratum=2)
    yield _case("many rows of two keys", _made(300, [3, 7], [101, 60]), 16)
    yield _case("many rows of three keys", _made(300, [3, 7, 1], [101, 257, 499]), 16)
    yield _case("three keys with frequent values", _made(120, [3, 7, 1], [101, 257, 12]), 30)
    yield _case("many rows across columns", _made(300, [3, 7], [401, 257]), 25, across_columns=True, num_replicas=2)
    yield _case("few rows of three keys", {"keys": [[0, 1, 2, 3, 0], [4, 4, 5, 6, 7], [1, 1, 1, 2, 3]]}, 5)


def _case(name: str, rows: dict[str, Any], batch_size: int, **parameters: Any) -> dict[str, Any]:
    return {"name": name, "rows": rows, "parameters": {"batch_size": batch_size, "seed": 1, **parameters}}


def _made(length: int, multipliers: list[int], moduli: list[int]) -> dict[str, Any]:
    return {"length": length, "multipliers": multipliers, "moduli": moduli}


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what a case must give, in epochs 0 and 6700000."""
    columns, given = columns_of(case["rows"]), case["parameters"]
    across_columns = given.get("across_columns", False)
    n_batches = naive_number(columns, given["batch_size"], across_columns, given.get("num_replicas", 1))
    epochs = []
    for epoch in (0, 6_700_000):
        order = epoch_order(len(columns[0]), given["seed"], epoch)
        epochs.append(naive_batches(order, columns, n_batches, across_columns, given.get("strata")))
    return {"n_batches": n_batches, "epochs": epochs}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "no_duplicates.json").write_text(as_text(), encoding="utf-8")
