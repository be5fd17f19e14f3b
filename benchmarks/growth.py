"""How the time of a constructor grows: at twice the size over the size itself, near 2 if it is linear."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
from rounds import head, interleaved, show_ratio

import pystrat
from pystrat.corpus import CorpusMixtureBatchSampler, CorpusPlan, RareEventBatchSampler

ROUNDS = 7
REACH = 2.8  # room for logarithms, and for memory that no longer fits a cache


def rows(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.arange(size) % 100, 1, seed=1)


def strata(size: int) -> Any:
    return pystrat.StratifiedBatchSampler(np.repeat(np.arange(size) / 7, 2), 1, seed=1)


def minimums(size: int) -> Any:
    labels = np.repeat(np.arange(size), 4)
    return pystrat.StratifiedBatchSampler(labels, {number: 1 + number % 2 for number in range(size)}, seed=1)


def shares(size: int) -> Any:
    labels = np.repeat(np.arange(size), 4)
    given = {number: 1.0 / size for number in range(size)}
    return pystrat.StratifiedBatchSampler(labels, shares=given, mean_batch_size=2 * size, seed=1)


def pairs_of_values(size: int) -> Any:
    columns = {"a": np.arange(size) % 499, "b": np.arange(size) % 307 / 7}
    return pystrat.StratifiedBatchSampler(columns, 1, seed=1)


def rows_with_labels(size: int) -> Any:
    labels = np.random.default_rng(1).random((size, 50)) < 0.1
    return pystrat.MultilabelBatchSampler(labels, 2, seed=1, rare="allow")


def labels_and_rows(size: int) -> Any:
    """The size is that of the matrix, whose sides are equal."""
    side = round(size**0.5)
    labels = np.random.default_rng(1).random((side, side)) < 0.1
    labels[0] = True
    return pystrat.MultilabelBatchSampler(labels, 1, seed=1, rare="allow")


def groups_together(size: int) -> Any:
    groups = np.arange(size) // 10
    return pystrat.StratifiedGroupBatchSampler(groups % 5, 1, groups=groups, seed=1)


def groups_apart(size: int) -> Any:
    return pystrat.StratifiedGroupBatchSampler(
        np.arange(size) % 5, 1, groups=np.arange(size) // 10, keep="apart", seed=1
    )


def subsets_of_rows(size: int) -> Any:
    return pystrat.StrataSubsetBatchSampler(np.arange(size) % 100, 10, 4, seed=1)


def subsets_of_strata(size: int) -> Any:
    return pystrat.StrataSubsetBatchSampler(np.repeat(np.arange(size), 4), 10, 4, seed=1)


def rows_of_shards(size: int) -> Any:
    labels = {name: np.arange(size // 10) % 5 for name in "abcdefghij"}
    counts = pystrat.shard_counts(labels)
    return pystrat.ShardedStratifiedBatchSampler(
        np.concatenate(list(labels.values())), 1, counts=counts, shards=list(labels), seed=1
    )


def shards(size: int) -> Any:
    counts = pd.DataFrame(np.full((size, 5), 4), index=[f"shard {number}" for number in range(size)])
    labels = np.tile(np.repeat(np.arange(5), 4), size)
    return pystrat.ShardedStratifiedBatchSampler(labels, 1, counts=counts, shards=counts.index, seed=1)


def uniform(size: int) -> Any:
    return pystrat.UniformBatchSampler(size, 256, seed=1)


def weights(size: int) -> Any:
    return pystrat.WeightedBatchSampler(np.arange(size) + 1.0, 256, seed=1)


def priorities(size: int) -> Any:
    return pystrat.PrioritizedBatchSampler(size, 256, seed=1)


def multipliers(size: int) -> Any:
    labels = np.repeat(np.arange(size), 2)
    return pystrat.DownsampledBatchSampler(labels, {number: 0.5 for number in range(size)}, 2 * size, seed=1)


def corrected_classes(size: int) -> Any:
    names = [f"class {number}" for number in range(size)]
    probabilities = pd.DataFrame(np.full((1, size), 1 / size), columns=names)
    return pystrat.correct_probabilities(probabilities, pd.Series(0.5, index=names))


def positives(size: int) -> Any:
    users, items = np.arange(size) // 10, np.arange(size) * 7919 % 1000
    return pystrat.NegativePairBatchSampler(users, items, 0.5, 1024, seed=1)


def triples(size: int) -> Any:
    users, items = np.arange(size) // 10, np.arange(size) * 7919 % 1000
    return pystrat.TripleBatchSampler(users, items, 1024, seed=1)


def part_of_rows(size: int) -> Any:
    return pystrat.EpochSubsetBatchSampler(size, size // 2, 256, seed=1)


def part_by_length(size: int) -> Any:
    """The number of batches depends on the draw of the first epoch."""
    lengths = np.arange(size) * 7919 % 500
    return len(pystrat.BatchesByLength(part_of_rows(size), lengths, max_tokens=5_000))


def perplexities(size: int) -> Any:
    return pystrat.PerplexityBatchSampler(size, size // 2, 256, seed=1)


def perplexities_by_length(size: int) -> Any:
    lengths = np.arange(size) * 7919 % 500
    return len(pystrat.PerplexityBatchSampler(size, size // 2, lengths=lengths, max_tokens=5_000, seed=1))


def siblings(size: int) -> Any:
    """Each sibling looks at all rows, of which there are a thousand whatever the size."""
    table = pd.DataFrame({"group": np.arange(1000) % 500, "size": np.arange(1000) + 1.0})
    node = {"column": "group", "weight": "proportional(size)", "row_weight": "size"}
    children = [{"name": f"node {number}", "value": number % 500, **node} for number in range(size)]
    return pystrat.TreeSampler(table, {"children": children}, length=1, seed=1)


def clones(size: int) -> Any:
    """Siblings with clones for each of a hundred values."""
    table = pd.DataFrame({"group": np.arange(1000) % 100, "size": np.arange(1000) + 1.0})
    child = {"name": "value", "for_each": True, "column": "group", "weight": "proportional(size)"}
    children = [
        {"name": f"node {number}", "weight": "proportional(size)", "children": [child]} for number in range(size)
    ]
    return pystrat.TreeSampler(table, {"children": children}, length=1, seed=1)


@lru_cache(maxsize=None)
def folder_of_all_files() -> "tempfile.TemporaryDirectory[str]":
    """Return a folder that exists as long as this process."""
    return tempfile.TemporaryDirectory()


@lru_cache(maxsize=None)
def folder_of(n_files: int, n_lines: int) -> Path:
    """Return a folder of new files; the first call for a size is slower, as is the first reading of the files."""
    folder = Path(tempfile.mkdtemp(dir=folder_of_all_files().name))
    for number in range(n_files):
        (folder / f"{number}.txt").write_text("a line of a file\n" * n_lines, encoding="ascii")
    return folder


def mixture_of_lines(size: int) -> Any:
    return CorpusMixtureBatchSampler(folder_of(2, size // 2), 256, sample=1_000, suffixes=[".txt"], seed=1)


def mixture_of_files(size: int) -> Any:
    folder = folder_of(size, 10)
    return CorpusMixtureBatchSampler(folder, 256, sample=1_000, temperature=5, suffixes=[".txt"], seed=1)


def rules_and_files(size: int) -> Any:
    """The size is that of the table of all rules and files, whose sides are equal."""
    side = round(size**0.5)
    return CorpusPlan(
        [f"file {name}" for name in range(side)], [10] * side, 5, [f"e%-{rule} 1" for rule in range(side)] + ["* 1"]
    )


def rare_events_of_lines(size: int) -> Any:
    folder = folder_of(2, size // 2)
    return RareEventBatchSampler([folder / "0.txt"], [folder / "1.txt"], 1, 256, seed=1)


def rare_events_of_files(size: int) -> Any:
    folder = folder_of(size, 10)
    return RareEventBatchSampler([folder / "0.txt"], sorted(folder.glob("*.txt"))[1:], 1, 256, seed=1)


def streamed(n_sources: int, n_rows: int, **known: Any) -> int:
    """Stream sources with rows of two strata in turn; return the number of batches."""
    from pystrat.stream import StratifiedStream

    stream = StratifiedStream(range(n_sources), 1, read=lambda _: range(n_rows), stratum=lambda row: row % 2, **known)
    return sum(1 for _ in stream)


def stream_with_counts(size: int) -> Any:
    counts = pd.DataFrame({"0": [size // 2], "1": [size // 2]})
    return streamed(1, size, counts=counts, seed=1)


def stream_of_sources(size: int) -> Any:
    return streamed(size, 2, counts=pd.DataFrame({"0": [1] * size, "1": [1] * size}), seed=1)


def stream_without_counts(size: int) -> Any:
    return streamed(1, size, strata=[0, 1], seed=1)


def stream_of_one_batch(size: int) -> Any:
    """All rows wait for the last one."""
    return streamed(1, size, strata=[0, 1], min_batch_size=size, shuffle=False)


def letters_of_a_name(size: int) -> Any:
    return CorpusPlan(["c" * size], [10], 5, [".-a.-a.-a.-a.-a.-a 1", "* 1"])


SIZES: dict[str, tuple[Callable[[int], Any], int]] = {
    "StratifiedBatchSampler, rows": (rows, 500_000),
    # Both sizes are beyond the caches; between 100,000 and 200,000 strata, the step out of one would count as growth.
    "StratifiedBatchSampler, strata": (strata, 400_000),
    "StratifiedBatchSampler, rows of two columns": (pairs_of_values, 200_000),
    "StratifiedBatchSampler, strata with a minimum each": (minimums, 2_000),
    "StratifiedBatchSampler, strata with a share each": (shares, 2_000),
    "StratifiedGroupBatchSampler, rows of groups together": (groups_together, 500_000),
    "StratifiedGroupBatchSampler, rows of groups apart": (groups_apart, 500_000),
    "StrataSubsetBatchSampler, rows": (subsets_of_rows, 1_000_000),
    "StrataSubsetBatchSampler, strata": (subsets_of_strata, 400_000),
    "ShardedStratifiedBatchSampler, rows": (rows_of_shards, 2_000_000),
    "ShardedStratifiedBatchSampler, shards": (shards, 2_000),
    "MultilabelBatchSampler, rows": (rows_with_labels, 5_000),
    "MultilabelBatchSampler, entries of a square of rows and labels": (labels_and_rows, 250_000),
    "UniformBatchSampler, rows": (uniform, 500_000),
    "WeightedBatchSampler, rows": (weights, 500_000),
    "PrioritizedBatchSampler, rows": (priorities, 500_000),
    "DownsampledBatchSampler, classes with a multiplier": (multipliers, 2_000),
    "correct_probabilities, classes": (corrected_classes, 2_000),
    "NegativePairBatchSampler, positives": (positives, 200_000),
    "TripleBatchSampler, positives": (triples, 500_000),
    "EpochSubsetBatchSampler, rows": (part_of_rows, 500_000),
    "EpochSubsetBatchSampler, rows by length": (part_by_length, 500_000),
    "PerplexityBatchSampler, rows": (perplexities, 500_000),
    "PerplexityBatchSampler, rows by length": (perplexities_by_length, 500_000),
    "CorpusMixtureBatchSampler, lines": (mixture_of_lines, 500_000),
    "CorpusMixtureBatchSampler, files": (mixture_of_files, 200),
    "RareEventBatchSampler, lines": (rare_events_of_lines, 500_000),
    "RareEventBatchSampler, files": (rare_events_of_files, 200),
    "StratifiedStream, rows with counts": (stream_with_counts, 100_000),
    "StratifiedStream, sources with counts": (stream_of_sources, 5_000),
    "StratifiedStream, rows without counts": (stream_without_counts, 100_000),
    "StratifiedStream, rows of one batch": (stream_of_one_batch, 400_000),
    "TreeSampler, siblings with a condition": (siblings, 1_000),
    "TreeSampler, siblings with clones": (clones, 200),
    "CorpusPlan, entries of a square of rules and files": (rules_and_files, 40_000),
    "CorpusPlan, letters of a name under '.-a' six times": (letters_of_a_name, 2_000),
}


if __name__ == "__main__":
    head()
    for name, (make, size) in SIZES.items():
        timings = interleaved({"twice": lambda: make(2 * size), "once": lambda: make(size)}, rounds=ROUNDS)
        show_ratio(f"time at twice the size, {name}, {size:,}", timings, "twice", "once", REACH)
