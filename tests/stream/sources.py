"""Sources in memory: some that are the same in every process, and streams of any strata."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import numpy as np
import pandas as pd

from pystrat.stream import StratifiedStream, count_sources

Row = tuple[int, int, int]
NAMES = [f"source-{k}" for k in range(8)]


def rows_of(name: str) -> list[Row]:
    """Return the rows (source, number, label) of a source: 20 to 79, of which about a third has label 1."""
    number = NAMES.index(name)
    stream = np.random.default_rng(number)
    return [(number, row, int(stream.random() < 0.3)) for row in range(int(stream.integers(20, 80)))]


def read(name: str) -> Iterator[Row]:
    return iter(rows_of(name))


def label(row: Row) -> int:
    return row[2]


ALL_ROWS = sorted(row for name in NAMES for row in rows_of(name))
COUNTS = count_sources(NAMES, read=read, stratum=label)


def make_stream(**parameters: Any) -> StratifiedStream:
    """Return a stream of all sources with at least 2 rows of each label in a batch, in 4 lanes."""
    parameters = {"read": read, "stratum": label, "counts": COUNTS, "lanes": 4, "seed": 1, **parameters}
    return StratifiedStream(NAMES, **{"min_samples_per_stratum": 2, **parameters})


def declared(**parameters: Any) -> StratifiedStream:
    """Return such a stream without counts."""
    return make_stream(counts=None, strata=[0, 1], **parameters)


def stream_of(sources: Sequence[Sequence[int]], strata: Sequence[str], *, is_counted: bool, **given: Any) -> Any:
    """Return a stream of rows (source, number); the sources are the codes of the strata of their rows."""
    names = [f"{number:03d}" for number in range(len(sources))]  # sorted, as sources are
    table = [[list(codes).count(code) for code in range(len(strata))] for codes in sources]
    known = {"counts": pd.DataFrame(table, columns=strata, index=names)} if is_counted else {"strata": strata}
    return StratifiedStream(
        names,
        read=lambda name: [(int(name), row) for row in range(len(sources[int(name)]))],
        stratum=lambda row: strata[sources[row[0]][row[1]]],
        **known,
        **given,
    )
