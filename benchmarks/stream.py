"""A stream of files beside reading the same files without sampling, and how its time and memory grow.

Arguments: rows (200,000) and files (50).
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from functools import partial
from itertools import chain, islice
from pathlib import Path
from random import random
from typing import Any, Callable, Iterable, Iterator

import numpy as np
from rounds import head, interleaved, show, show_ratio, ratio

from pystrat.stream import StratifiedStream, count_sources, read_csv, read_json_lines

ROUNDS = 5
COLUMNS = 10
NAMES = ["label", *(f"x{column}" for column in range(COLUMNS))]
BATCH = 100
BUFFER = 4_000  # rows of a shuffle buffer: as many as a file has by default
READERS: dict[str, Callable[[Path], Any]] = {"CSV": read_csv, "JSON lines": read_json_lines}
READING = "reading alone"
BUFFERED = f"reading with a shuffle buffer of {BUFFER:,} rows"


def write(folder: Path, n_rows: int, n_files: int, kind: str) -> list[Path]:
    """Write rows of numbers, 3 % of them positive, to files of equal size."""
    random = np.random.default_rng(1)
    paths = [folder / f"{kind}-{n_rows}-{n_files}-{number}" for number in range(n_files)]
    for path in paths:
        values = random.normal(size=(n_rows // n_files, COLUMNS)).round(6)
        labels = np.where(random.random(len(values)) < 0.03, "positive", "negative")
        rows = [dict(zip(NAMES, [label, *row])) for label, row in zip(labels.tolist(), values.tolist())]
        with open(path, "w", encoding="utf-8") as file:
            if kind == "CSV":
                file.write(",".join(NAMES) + "\n")
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
    lines = stream_of_lines(paths, kind)
    return {
        **epochs,
        "with counts, of lines that are parsed in batches": lambda: count(map(PARSERS[kind], lines)),
        READING: lambda: count(plain_batches(paths, read)),
        BUFFERED: lambda: count(buffered_batches(paths, read)),
    }


def stream_of_lines(paths: list[Path], kind: str) -> StratifiedStream:
    """Return a stream whose rows are lines: light to hold, and not parsed before they are in a batch."""
    read, stratum = LINES[kind]
    counts = count_sources(paths, read=read, stratum=stratum)
    return StratifiedStream(paths, 1, read=read, stratum=stratum, counts=counts, min_batch_size=BATCH, seed=1)


def lines_of_csv(path: Path) -> Iterator[str]:
    with open(path, encoding="utf-8") as lines:
        next(lines)
        yield from lines


def lines_of_json(path: Path) -> Iterator[str]:
    with open(path, encoding="utf-8") as lines:
        yield from lines


# How lines are read, and how the stratum of one is found without parsing it.
LINES: dict[str, Any] = {
    "CSV": (lines_of_csv, lambda line: line.partition(",")[0]),
    "JSON lines": (lines_of_json, lambda line: line.split('"', 4)[3]),
}
PARSERS: dict[str, Callable[[list[str]], list[Any]]] = {
    "CSV": lambda lines: [dict(zip(NAMES, fields)) for fields in csv.reader(lines)],
    "JSON lines": lambda lines: [json.loads(line) for line in lines],
}


def plain_batches(paths: list[Path], read: Callable[[Path], Any]) -> Iterator[list[Any]]:
    rows = chain.from_iterable(map(read, paths))
    while batch := list(islice(rows, BATCH)):
        yield batch


def buffered_batches(paths: list[Path], read: Callable[[Path], Any]) -> Iterator[list[Any]]:
    """Iterate over batches that are shuffled as in WebDataset: each row takes the place of a random one of a buffer."""
    rows = chain.from_iterable(map(read, paths))
    buffer = list(islice(rows, BUFFER))
    batch = []
    for row in rows:
        place = int(random() * BUFFER)
        batch.append(buffer[place])
        buffer[place] = row
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch + buffer


def count(batches: Iterable[list[Any]]) -> int:
    return sum(len(batch) for batch in batches)


def main(n_rows: int, n_files: int) -> None:
    head()
    with tempfile.TemporaryDirectory() as folder:
        for kind in READERS:
            contestants = streams(write(Path(folder), n_rows, n_files, kind), kind)
            timings = interleaved(contestants, rounds=ROUNDS)
            for name in [name for name in contestants if name not in (READING, BUFFERED)]:
                claim = f"a stream of {kind} {name}, over {READING}, {n_rows:,} rows, {n_files} files"
                show_ratio(claim, timings, name, READING, 2)
            claim = f"a stream of {kind} with counts, over {BUFFERED}, {n_rows:,} rows, {n_files} files"
            show_ratio(claim, timings, "with counts", BUFFERED)
        doubled = streams(write(Path(folder), 2 * n_rows, 2 * n_files, "JSON lines"), "JSON lines")
        growth = interleaved({"once": contestants["with counts"], "twice": doubled["with counts"]}, rounds=ROUNDS)
        show(f"a stream of twice as many files, {n_files} and {2 * n_files} files", ratio(growth, "twice", "once"), 2.8)


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if sys.argv[1:] else (200_000, 50)))
