"""Calls of samplers with which both languages make one recipe, besides the specimens: each parameter in its forms."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Dict

import numpy as np
import pandas as pd

from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    MultilabelBatchSampler,
    NegativePairBatchSampler,
    NoDuplicatesBatchSampler,
    PerLabelBatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    ShardedStratifiedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TripleBatchSampler,
    shard_counts,
)
from pystrat.corpus import RareEventBatchSampler
from tests.specimens import Specimen, all_specimens, named

Calls = Dict[str, Specimen]

LABELS = [2.5, 1.0, 2.5, 1.0, 1.0, 1.0, 2.5, 3.0, 3.0, 3.0, 3.0]
MISSING = ["b", None, "\u00e9", "b", "b", "", "\u00e9", "", None]
ODD = ['quote "', "back\\slash", "\u00e9\n\t\x01", "\U0001f600", "NA", "", "'", "%s", "\u200f"]
MANY = [float(row % 300) for row in range(600)]
USERS, ITEMS = [0, 0, 1, 2, 3, 3, 4, 4, 4, 4, 0], [0, 3, 1, 3, 2, 3, 0, 1, 2, 3, 3]
LARGE = {"n_users": 2**21, "n_items": 2**31 - 1}  # nearly 2^52 cells
SHARDS = {
    "b.csv": ["x"] * 9 + ["y"] * 4,
    "a.csv": ["y"] * 7 + ["x"] * 3 + ["z"] * 2,
    "\u00e9.csv": ["x"] * 20 + ["y", "z"],
    "C.csv": ["z"] * 6 + ["x"] * 2 + ["y"],
}


def random_labels(n_rows: int, n_labels: int, seed: int, most: float = 0.3) -> pd.DataFrame:
    draws = np.random.default_rng(seed).random((n_rows, n_labels))
    names = [f"label {place}" for place in range(n_labels)]
    return pd.DataFrame((draws < np.geomspace(0.05, most, n_labels)).astype(np.int32), columns=names)


def further_calls(folder: Path) -> dict[type[BatchSampler], list[dict[str, Any]]]:
    """Return arguments in the forms that neither the specimens nor the varied calls have."""
    part = {"n_rows": 30, "sample": 20, "batch_size": 7}
    prioritized = {"n_rows": 10, "batch_size": 3}
    pairs = {"users": USERS, "items": ITEMS}
    many_groups = {"strata": MANY, "groups": list(range(600)), "mean_batch_size": 4, "rare": "allow"}
    few_groups = {"strata": MISSING, "groups": list("ghigjkikh"), "missing": "stratum", "rare": "allow"}
    per_label = {"labels": random_labels(900, 6, seed=3), "labels_per_batch": 2, "n_batches": 7, "num_replicas": 2}
    rare = {"positives": [folder / "a.txt"], "negatives": [folder / "b.rows", folder / "c.rows"], "batch_size": 9}
    shards: dict[str, Any] = {
        "strata": SHARDS["a.csv"] + SHARDS["C.csv"], "min_samples_per_stratum": None, "mean_batch_size": 14,
        "counts": shard_counts(SHARDS), "shards": ["a.csv", "C.csv"],
    }  # fmt: skip
    return {
        StratifiedBatchSampler: [
            {"strata": MISSING, "min_samples_per_stratum": 2, "missing": "drop", "assign": "even", "num_replicas": 1},
            {"strata": MISSING, "mean_batch_size": 4, "missing": "stratum", "shuffle": False, "rare": "allow"},
            {"strata": LABELS, "mean_batch_size": 4, "shares": {1: 1.5, 2.5: 1, 3: 0.5}},
            {"strata": ODD * 4, "min_samples_per_stratum": 2, "assign": "even", "num_replicas": 2},
            {"strata": LABELS, "min_samples_per_stratum": 10**20, "rare": "allow"},
        ],
        ShardedStratifiedBatchSampler: [shards, {**shards, "shuffle": False}],
        StrataSubsetBatchSampler: [
            {"strata": MANY, "strata_per_batch": 2, "min_samples_per_stratum": 2, "exact": True},
        ],
        NoDuplicatesBatchSampler: [{"keys": {"a": LABELS, "b": LABELS}, "batch_size": 2, "num_replicas": 2}],
        StratifiedGroupBatchSampler: [
            {**few_groups, "min_samples_per_stratum": 10**12},
            {**many_groups, "num_replicas": 2},
        ],
        DownsampledBatchSampler: [
            {"strata": LABELS, "multiplier": {1: 1, 3: 0.75}, "batch_size": 4, "in_turn": True, "num_replicas": 2},
            {"strata": LABELS, "multiplier": Fraction(4, 3), "batch_size": 4, "majority": 1.0},
        ],
        PerLabelBatchSampler: [{**per_label, "positives_per_label": 2, "negatives_per_label": 5}],
        MultilabelBatchSampler: [
            {"labels": random_labels(400, 20, seed=4, most=0.6), "min_samples_per_label": 1e20, "rare": "allow"},
        ],
        NegativePairBatchSampler: [
            {**pairs, "ratio": 0.55, "batch_size": 6, "method": "per_user", "full_users": "skip"},
            {**pairs, "ratio": 0.001, "batch_size": 1200, **LARGE},
            {**pairs, "ratio": Fraction(2**70, 3 * 2**70 + 1), "batch_size": 9, "n_items": 9},
        ],
        TripleBatchSampler: [{**pairs, "batch_size": 2, "negatives_per_positive": 50, "unique": True, **LARGE}],
        PrioritizedBatchSampler: [
            {**prioritized, "alpha": 1.5, "beta": 1, "epsilon": 0.25, "normalize": False, "num_replicas": 2},
            {**prioritized, "capacity": 20, "method": "rank", "alpha": 0.7},
        ],
        EpochSubsetBatchSampler: [
            {**part, "sample": 5, "rows": {0: range(0, 30, 4), 3: range(30)}, "method": "partition"},
        ],
        PerplexityBatchSampler: [
            {"n_rows": 40, "batch_size": 2, "initial": 9.5, "maximum": 8.0, "clip": True, "num_replicas": 2}
        ],
        RareEventBatchSampler: [{**rare, "multiplier": 1.4, "positive_weight": 2.0}],
    }


def all_calls(folder: Path) -> Calls:
    """Return the specimens and all other calls by name; those of trees have their specification as a mapping."""
    return {**all_specimens(folder), **named({"further ": further_calls(folder)})}
