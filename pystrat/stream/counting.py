"""The number of rows of each stratum in each source: the table from which the batches of a stream follow."""

from __future__ import annotations

import os
from operator import attrgetter
from typing import Any, Callable, Collection, Iterable, Mapping, Sequence, Union

from pystrat.core.counts_by_shard import ShardCounts, bound, count_shard, read_counts, shown_names
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import refused_type, refused_value, show
from pystrat.stream.reading import Source, SourceReader


def count_sources(
    sources: Union[Iterable[Any], Mapping[str, Any]],
    *,
    read: Callable[[Any], Iterable[Any]],
    stratum: Union[Callable[[Any], Any], Any],
) -> pd.DataFrame:
    """Count the rows of each stratum (columns) in each source (rows), reading all of them once.

    Parameters
    ----------
    sources, read, stratum
        As in `StratifiedStream`, which also accepts the same table from a query. A source may have no rows.
    """
    reader, counted = SourceReader(read, stratum), []
    for source in sorted(name_sources(sources), key=attrgetter("name")):
        strata = [stratum for _, of_chunk in reader.chunks(source) for stratum in of_chunk]
        counted.append(count_shard(strata, source.name, "source"))
    return bound(counted, "strata").to_frame()


def name_sources(sources: Any) -> list[Source]:
    """Return the sources with their names, in order."""
    required = "be a list of paths, or a dict of sources by name"
    if isinstance(sources, (str, bytes)) or not isinstance(sources, Collection):
        raise refused_type("sources", required, show(sources), "A single one goes in a list.")
    if not 0 < len(sources) <= MAX_COUNT:
        raise refused_value("sources", f"have 1 to {MAX_COUNT} sources", str(len(sources)))
    names = [os.fspath(source) if isinstance(source, os.PathLike) else source for source in sources]
    for name in names:
        if not isinstance(name, str) or not name:
            raise refused_type("sources", "name each source by a text that is not empty", show(name))
    contents = sources.values() if isinstance(sources, Mapping) else sources
    return list(map(Source, shown_names(names, "sources", noun="source"), contents))


def counts_of_sources(counts: Any, names: Sequence[str]) -> ShardCounts:
    """Return the counts of the sources of these names, in their order; the table may have further sources."""
    read = read_counts(counts, may_lack_strata=True)
    place_of = {source: place for place, source in enumerate(read.shards)}
    for name in names:
        if name not in place_of:
            raise refused_value("counts", "have a row for each source", f"none for {show(name)}")
    table = read.table[[place_of[name] for name in names]]
    present = table.any(axis=0)  # a stratum that only other sources have does not count
    if not present.any():
        raise refused_value("counts", "have at least one row of data", "none")
    return ShardCounts(table[:, present], names, read.values[present])
