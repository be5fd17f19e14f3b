"""A stream of files beside reading the same files without sampling, and how its time and memory grow.

Arguments: rows (200,000) and files (50).
"""

from __future__ import annotations

import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Callable

import numpy as np
from rounds import head, interleaved, show, show_ratio, ratio

from pystrat.stream import StratifiedStream, count_sources, read_csv, read_json_lines

ROUNDS = 5
COLUMNS = 10
BATCH = 100
READERS: dict[str, Callable[[Path], Any]] = {"CSV": read_csv, "JSON lines": read_json_lines}


def write(folder: Path, n_rows: int, n_files: int, kind: str) -> list[Path]:
    """Write rows of numbers, 3 % of them positive, to files of equal size."""
    random = np.random.default_rng(1)
    paths = [folder / f"{kind}-{n_rows}-{n_files}-{number}" for number in range(n_files)]
    for path in paths:
        values = random.normal(size=(n_rows // n_files, COLUMNS)).round(6)
        labels = np.where(random.random(len(values)) < 0.03, "positive", "negative")
        names = ["label", *(f"x{column}" for column in range(COLUMNS))]
        rows = [dict(zip(names, [label, *row])) for label, row in zip(labels.tolist(), values.tolist())]
        with open(path, "w", encoding="utf-8") as file:
            if kind == "CSV":
                file.write(",".join(names) + "\n")
                file.writelines(",".join(map(str, row.values())) + "\n" for row in rows)
            else:
                file.writelines(json.dumps(row) + "\n" for row in rows)
    return paths


def streams(paths: list[Path], kind: str) -> dict[str, Callable[[], Any]]:
    """Return what is timed: an epoch of each stream, and the same rows in batches without sampling."""
    read = READERS[kind]
    counts = count_sources(paths, read=read, stratum="label")
    common: dict[str, Any] = {"read": read, "stratum": "label", "min_batch_size": BATCH, "seed": 1}
    contestants = {
        "with counts": StratifiedStream(paths, 1, counts=counts, **common),
        "with counts, in order": StratifiedStream(paths, 1, counts=counts, shuffle=False, **common),
        "without counts": StratifiedStream(paths, 1, strata=["negative", "positive"], **common),
    }
    epochs = {name: partial(count, stream) for name, stream in contestants.items()}
    return {**epochs, "reading alone": lambda: count(plain_batches(paths, read))}


def plain_batches(paths: list[Path], read: Callable[[Path], Any]) -> Any:
    batch = []
    for path in paths:
        for row in read(path):
            batch.append(row)
            if len(batch) == BATCH:
                yield batch
                batch = []
    yield batch


def count(batches: Any) -> int:
    return sum(len(batch) for batch in batches)


def main(n_rows: int, n_files: int) -> None:
    head()
    with tempfile.TemporaryDirectory() as folder:
        for kind in READERS:
            contestants = streams(write(Path(folder), n_rows, n_files, kind), kind)
            timings = interleaved(contestants, rounds=ROUNDS)
            for name in list(contestants)[:-1]:
                claim = f"a stream of {kind} {name}, over reading alone, {n_rows:,} rows, {n_files} files"
                show_ratio(claim, timings, name, "reading alone", 1.3)
        doubled = streams(write(Path(folder), 2 * n_rows, 2 * n_files, "JSON lines"), "JSON lines")
        growth = interleaved({"once": contestants["with counts"], "twice": doubled["with counts"]}, rounds=ROUNDS)
        show(f"a stream of twice as many files, {n_files} and {2 * n_files} files", ratio(growth, "twice", "once"), 2.8)


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if sys.argv[1:] else (200_000, 50)))
