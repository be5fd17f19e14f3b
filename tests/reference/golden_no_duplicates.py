"""Batches without duplicates in plain Python: slow, and as the documents describe it."""

from __future__ import annotations

from math import ceil
from typing import Any, Optional, Sequence

from tests.reference.naive_groups import Coloring, dealt_in_turn
from tests.reference.naive_random import epoch_order

Rows = Sequence[Sequence[Any]]  # the values of each row


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
        batches = [[row for row, batch in zip(order, found) if batch == number] for number in range(n_batches)]
        return [sorted(batch, key=lambda row: outer[row]) for batch in batches] if strata is not None else batches
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
