"""One table of samplers of every kind, over which the tests of all samplers go.

A further sampler is tested for its fingerprint, edited states, states of other ranks and seeds, and the same recipe
and batches in R as soon as it is in this table. A test fails if a public sampler is not in it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pystrat
import pystrat.corpus
from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    MultilabelBatchSampler,
    NegativePairBatchSampler,
    NoDuplicatesBatchSampler,
    OneStratumBatchSampler,
    PerLabelBatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    ShardedStratifiedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
    TreeSampler,
    TripleBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    shard_counts,
)
from pystrat.corpus import CorpusMixtureBatchSampler, RareEventBatchSampler

LABELS = [0, 1, 0, 1, 1, 0, 1, 1]
IN_TURN = [0, 1] * 12
ONE_OF_FOUR = [0] * 18 + [1] * 6
PAIRS: dict[str, Any] = {"users": [0, 1, 2], "items": [0, 1, 2], "n_items": 9}
USERS, ITEMS = (part.tolist() for part in np.divmod(np.arange(24), 6))
MANY_PAIRS: dict[str, Any] = {"users": USERS, "items": ITEMS, "n_items": 99}
LENGTHS = [1, 5, 2, 2, 7, 3, 1, 4, 4, 6] * 4
SHUFFLED = {"mode": "shuffle"}
LINES = 30  # of each file
# Those whose numbers stand for pairs, which both languages number from 0.
OF_PAIRS = {NegativePairBatchSampler, PerLabelBatchSampler, TripleBatchSampler}


@dataclass
class Specimen:
    """A valid call of a sampler, whose arguments have the same names in Python and R."""

    kind: type[BatchSampler]
    arguments: dict[str, Any]

    def make(self, **given: Any) -> BatchSampler:
        return self.kind(**{"seed": 1, **self.arguments, **given})

    def takes(self, parameter: str) -> bool:
        return parameter in inspect.signature(self.kind).parameters


def one_of(n_labels: int, labels: list[int]) -> pd.DataFrame:
    """Return a table of labels whose rows have one each."""
    return pd.DataFrame(np.eye(n_labels, dtype=np.int32)[labels], columns=list("abc"[:n_labels]))


def calls(folder: Path) -> dict[type[BatchSampler], list[dict[str, Any]]]:
    """Return the arguments of samplers that differ in one thing, kind by kind."""
    rare = {
        "positives": [folder / "a.txt"],
        "negatives": [folder / "b.rows", folder / "c.rows"],
        "multiplier": 1,
        "batch_size": 4,
    }
    corpus = {"source": folder, "batch_size": 4, "suffixes": [".txt"]}
    stages = {**corpus, "suffixes": [".rows"], "epoch_end": "first_exhausted"}
    counts = shard_counts({"a": LABELS, "b": LABELS})
    other_counts = shard_counts({"a": LABELS[:-1], "b": LABELS})
    shards = {"strata": LABELS, "min_samples_per_stratum": 1, "counts": counts, "shards": ["b"]}
    groups = {"strata": LABELS, "min_samples_per_stratum": 1}
    subset = {"strata": LABELS, "strata_per_batch": 1, "min_samples_per_stratum": 1}
    keys = {"keys": [0, 1, 2, 3, 4, 5, 6, 0], "batch_size": 3}
    two_keys = {"keys": {"a": list(range(8)), "b": list(range(1, 9))}, "batch_size": 2}
    downsampled = {"strata": ONE_OF_FOUR, "multiplier": 1, "batch_size": 3}
    part = {"n_rows": 40, "sample": 24, "batch_size": 2}
    by_length = {"n_rows": 40, "sample": 24, "lengths": LENGTHS}
    tree = {"table": {"x": LABELS}, "spec": SHUFFLED, "length": 8}
    return {
        StratifiedBatchSampler: [
            {"strata": IN_TURN, "min_samples_per_stratum": 1},
            {"strata": IN_TURN, "min_samples_per_stratum": 3},
            {"strata": IN_TURN, "min_samples_per_stratum": 1, "shuffle": False},
            {"strata": ONE_OF_FOUR, "mean_batch_size": 4, "balance": "under", "shuffle": False},
            {"strata": LABELS, "min_samples_per_stratum": 1},
            {"strata": LABELS[::-1], "min_samples_per_stratum": 1},
            {"strata": LABELS, "min_samples_per_stratum": 1, "seed": 2},
            {"strata": LABELS, "min_samples_per_stratum": 1, "shuffle": False, "seed": None},
            {"strata": LABELS, "min_samples_per_stratum": 3},
            {"strata": LABELS, "min_samples_per_stratum": 1, "assign": "even"},
            {"strata": LABELS, "mean_batch_size": 4, "balance": "over"},
            {"strata": LABELS, "mean_batch_size": 4, "balance": "under"},
        ],
        ShardedStratifiedBatchSampler: [
            {**shards, "min_samples_per_stratum": 2},
            {**shards, "counts": other_counts},
            {**shards, "seed": 2},
            {**shards, "scope": "local"},
            {**shards, "shuffle": False},
            shards,
        ],
        StrataSubsetBatchSampler: [
            {"strata": IN_TURN, "strata_per_batch": 2, "min_samples_per_stratum": 2},
            {
                "strata": [row % 5 for row in range(24)],
                "strata_per_batch": 2,
                "min_samples_per_stratum": 2,
                "balance": "mean",
            },
            subset,
            {**subset, "exact": True},
            {**subset, "balance": "mean"},
            {**subset, "strata_per_batch": 2},
        ],
        OneStratumBatchSampler: [
            {"strata": LABELS, "batch_size": 2},
            {"strata": LABELS, "batch_size": 2, "order": "round_robin"},
            {"strata": LABELS, "batch_size": 3},
        ],
        NoDuplicatesBatchSampler: [
            keys,
            {"keys": [*range(23), 0], "batch_size": 6, "strata": IN_TURN, "min_samples_per_stratum": 1},
            two_keys,
            {**two_keys, "across_columns": True},
        ],
        StratifiedGroupBatchSampler: [
            {"strata": IN_TURN, "min_samples_per_stratum": 1, "groups": [row % 12 for row in range(24)]},
            {**groups, "groups": [0, 0, 1, 1, 2, 2, 3, 3]},
            {**groups, "groups": [0, 0, 1, 1, 2, 3, 2, 3]},
            {**groups, "groups": [0, 1, 2, 3, 3, 0, 1, 4]},
            {**groups, "groups": [0, 1, 2, 3, 3, 2, 1, 4]},
            {**groups, "groups": [0, 1, 2, 3, 3, 0, 1, 4], "min_samples_per_stratum": 2},
            {**groups, "groups": [0, 1, 2, 3, 3, 0, 1, 4], "keep": "apart"},
        ],
        DownsampledBatchSampler: [
            {"strata": ONE_OF_FOUR, "multiplier": 1, "batch_size": 4},
            {**downsampled, "batch_size": 6},
            {**downsampled, "batch_size": 6, "in_turn": True},
            downsampled,
            {**downsampled, "weights": {1: 2}},
        ],
        PerLabelBatchSampler: [
            {"labels": one_of(3, [0, 1, 2] * 8), "positives_per_label": 1, "negatives_per_label": 2},
            {"labels": one_of(2, [0, 1] * 4), "positives_per_label": 1, "negatives_per_label": 1},
            {"labels": one_of(2, [0, 1] * 4), "positives_per_label": 1, "negatives_per_label": 2},
        ],
        MultilabelBatchSampler: [
            {"labels": one_of(2, IN_TURN), "min_samples_per_label": 2},
            {"labels": one_of(2, IN_TURN), "min_samples_per_label": 2, "shuffle": False},
            {"labels": one_of(2, [0, 1] * 4), "min_samples_per_label": 1},
            {
                "labels": pd.DataFrame([[0, 1], [1, 0]] * 3 + [[1, 1]] * 2, columns=["a", "b"]),
                "min_samples_per_label": 1,
            },
            {"labels": one_of(2, [0, 1] * 4), "min_samples_per_label": 2},
        ],
        NegativePairBatchSampler: [
            {**MANY_PAIRS, "ratio": 0.5, "batch_size": 8},
            {**PAIRS, "ratio": 0.5, "batch_size": 3},
            {**MANY_PAIRS, "ratio": 0.4, "batch_size": 8},
            {**PAIRS, "ratio": 0.5, "batch_size": 3, "unique": True},
        ],
        TripleBatchSampler: [
            {**MANY_PAIRS, "batch_size": 5},
            {**PAIRS, "batch_size": 3},
            {**PAIRS, "batch_size": 3, "unique": True},
            {**PAIRS, "batch_size": 2},
        ],
        UniformBatchSampler: [
            {"n_rows": 24, "batch_size": 2},
            {"n_rows": 10, "batch_size": 3},
            {"n_rows": 10, "batch_size": 3, "replacement": True},
            {"n_rows": 10, "batch_size": 3, "n_batches": 4},
        ],
        WeightedBatchSampler: [
            {"weights": [1.0] * 24, "batch_size": 2},
            {"weights": [1.0] * 10, "batch_size": 3},
            {"weights": [1.0] * 11, "batch_size": 3},
        ],
        PrioritizedBatchSampler: [
            {"n_rows": 24, "batch_size": 2},
            {"n_rows": 10, "batch_size": 3},
            {"n_rows": 10, "batch_size": 3, "alpha": 0.5},
            {"n_rows": 10, "batch_size": 3, "stratified": True},
            {"n_rows": 10, "batch_size": 3, "method": "rank"},
        ],
        EpochSubsetBatchSampler: [
            part,
            {**part, "sample": 23},
            {**part, "sample": 20, "batch_size": 4},
            {**part, "method": "partition"},
            {**by_length, "batch_size": 2, "window": 8, "method": "partition"},
            {**by_length, "batch_size": 5, "window": 9},
            {**by_length, "max_tokens": 14},
            {"n_rows": 10, "sample": 3, "batch_size": 2},
            {"n_rows": 10, "sample": 3, "batch_size": 2, "method": "partition", "seed": None},
        ],
        PerplexityBatchSampler: [
            {"n_rows": 10, "sample": 3, "batch_size": 2},
            {"n_rows": 10, "sample": 3, "batch_size": 2, "initial": 9},
        ],
        RareEventBatchSampler: [
            {**rare, "batch_size": 6},
            rare,
            {**rare, "negative_files_per_epoch": 1},
            {**rare, "negative_weight": 3},
        ],
        CorpusMixtureBatchSampler: [
            {**corpus, "suffixes": [".rows"], "batch_size": 3, "sample": 24},
            {**corpus, "suffixes": [".rows"], "batch_size": 3, "sample": 24, "shuffle": False},
            {**stages, "weights": {0: [1, 1], 3: [3, 1]}},
            {**stages, "weights": {0: [1, 1], 3: [2, 1]}},
            {**corpus, "sample": 10},
            {**corpus, "sample": 11},
        ],
        TreeSampler: [tree],
        TreeBatchSampler: [
            {"table": {"x": IN_TURN}, "spec": SHUFFLED, "batch_size": 2, "length": 24},
            {**tree, "batch_size": 2},
            {**tree, "batch_size": 2, "spec": {**SHUFFLED, "auxiliary": {"u": "uniform(0, 1)"}}},
            {**tree, "batch_size": 2, "spec": {**SHUFFLED, "auxiliary": {"u": "uniform(0, 2)"}}},
        ],
    }


def specimens(folder: Path) -> dict[str, Specimen]:
    """Return all specimens by name; those of samplers of files need the files of `write_files`."""
    return {
        f"{kind.__name__} {place}": Specimen(kind, arguments)
        for kind, of_kind in calls(folder).items()
        for place, arguments in enumerate(of_kind)
    }


def write_files(folder: Path) -> None:
    for name in ("a.txt", "b.rows", "c.rows"):
        (folder / name).write_text("line\n" * LINES)


def samplers(folder: Path) -> list[BatchSampler]:
    """Return a sampler of each specimen, whose files are written into a folder."""
    write_files(folder)
    return [specimen.make() for specimen in specimens(folder).values()]


def public_samplers() -> set[type[BatchSampler]]:
    """Return all public classes of samplers with a recipe, found by looking."""
    public = (getattr(module, name) for module in (pystrat, pystrat.corpus) for name in module.__all__)
    return {
        each for each in public if inspect.isclass(each) and issubclass(each, BatchSampler) and each is not BatchSampler
    }


NAMES = tuple(specimens(Path()))
KINDS = tuple(sorted(kind.__name__ for kind in public_samplers()))
