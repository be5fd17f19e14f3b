"""One table of samplers of every kind, over which the tests of all samplers go, in both languages.

A further sampler is tested for its fingerprint, edited states, states of other ranks and seeds, unexpected values, and
the same recipe and batches in R as soon as it is in this table. A test fails if a public sampler is not in it.
`tests/reference/golden_specimens.py` writes the table for the tests of R.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pystrat
import pystrat.corpus
from pystrat import (
    BatchesByLength,
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
MANY_LABELS = [[0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]] * 3
SHUFFLED = {"mode": "shuffle"}
TEXT_FILES = ("a.txt", "b.rows", "c.rows")
LINES = 30  # of each file
N_LONG = 160  # rows of long specimens: sanitizers guard the ends of vectors only if they are long enough
# Those whose numbers stand for pairs, which both languages number from 0.
OF_PAIRS = {NegativePairBatchSampler, PerLabelBatchSampler, TripleBatchSampler}


@dataclass
class Specimen:
    """A valid call of a sampler, whose arguments have the same names in Python and R."""

    kind: type[BatchSampler]
    arguments: dict[str, Any]

    def make(self, **given: Any) -> BatchSampler:
        arguments = {"seed": 1, **self.arguments, **given}
        if "sampler" in arguments:  # which has the seed and the ranks
            given = {name: arguments.pop(name) for name in ("seed", "num_replicas", "rank") if name in arguments}
            arguments["sampler"] = arguments["sampler"].make(**given)
        return self.kind(**arguments)

    @property
    def is_endless(self) -> bool:
        return "length" in self.arguments and self.arguments["length"] is None

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
    shards = {"strata": LABELS, "min_samples_per_stratum": 1, "counts": counts, "shards": ["b"]}
    groups = {"strata": LABELS, "min_samples_per_stratum": 1}
    subset = {"strata": LABELS, "strata_per_batch": 1, "min_samples_per_stratum": 1}
    keys = {"keys": [0, 1, 2, 3, 4, 5, 6, 0], "batch_size": 3}
    two_keys = {"keys": {"a": list(range(8)), "b": list(range(1, 9))}, "batch_size": 2}
    downsampled = {"strata": ONE_OF_FOUR, "multiplier": 1, "batch_size": 3}
    part = {"n_rows": 40, "sample": 24, "batch_size": 2}
    by_length = {"lengths": [row * 5 % 7 for row in range(24)], "max_tokens": 18}
    tree = {"table": {"x": LABELS}, "spec": SHUFFLED, "length": 8}
    return {
        StratifiedBatchSampler: [
            {"strata": IN_TURN, "min_samples_per_stratum": 1},
            {"strata": IN_TURN, "min_samples_per_stratum": 1, "shuffle": False},
            {"strata": LABELS, "min_samples_per_stratum": 1},
            {"strata": LABELS[::-1], "min_samples_per_stratum": 1},
            {"strata": LABELS, "min_samples_per_stratum": 1, "shuffle": False, "seed": None},
            {"strata": LABELS, "min_samples_per_stratum": 1, "assign": "even"},
            {"strata": LABELS, "mean_batch_size": 4, "balance": "over"},
            {"strata": LABELS, "mean_batch_size": 4, "balance": "under"},
        ],
        ShardedStratifiedBatchSampler: [
            {**shards, "min_samples_per_stratum": 2},
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
            {**subset, "strata_per_batch": 2},
        ],
        OneStratumBatchSampler: [
            {"strata": LABELS, "batch_size": 2},
            {"strata": LABELS, "batch_size": 2, "order": "round_robin"},
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
            {**groups, "groups": [0, 1, 2, 3, 3, 0, 1, 4], "min_samples_per_stratum": 2},
            {**groups, "groups": [0, 1, 2, 3, 3, 0, 1, 4], "keep": "apart"},
        ],
        DownsampledBatchSampler: [
            {"strata": ONE_OF_FOUR, "multiplier": 1, "batch_size": 4},
            {**downsampled, "batch_size": 6, "in_turn": True},
            downsampled,
            {**downsampled, "weights": {1: 2}},
        ],
        PerLabelBatchSampler: [
            {"labels": one_of(3, [0, 1, 2] * 8), "positives_per_label": 1, "negatives_per_label": 2},
            {"labels": one_of(2, [0, 1] * 4), "positives_per_label": 1, "negatives_per_label": 2},
        ],
        MultilabelBatchSampler: [
            {"labels": one_of(2, IN_TURN), "min_samples_per_label": 2},
            {"labels": one_of(2, IN_TURN), "min_samples_per_label": 2, "shuffle": False},
            {
                "labels": pd.DataFrame([[0, 1], [1, 0]] * 3 + [[1, 1]] * 2, columns=["a", "b"]),
                "min_samples_per_label": 1,
            },
        ],
        NegativePairBatchSampler: [
            {**MANY_PAIRS, "ratio": 0.5, "batch_size": 8},
            {**PAIRS, "ratio": 0.5, "batch_size": 3},
            {**PAIRS, "ratio": 0.5, "batch_size": 3, "unique": True},
        ],
        TripleBatchSampler: [
            {**MANY_PAIRS, "batch_size": 5},
            {**PAIRS, "batch_size": 3},
            {**PAIRS, "batch_size": 3, "unique": True},
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
        ],
        PrioritizedBatchSampler: [
            {"n_rows": 24, "batch_size": 2},
            {"n_rows": 10, "batch_size": 3},
            {"n_rows": 10, "batch_size": 3, "stratified": True},
            {"n_rows": 10, "batch_size": 3, "method": "rank"},
        ],
        EpochSubsetBatchSampler: [
            part,
            {**part, "sample": 20, "batch_size": 4},
            {**part, "method": "partition"},
            {"n_rows": 10, "sample": 3, "batch_size": 2},
            {"n_rows": 10, "sample": 3, "batch_size": 2, "method": "partition", "seed": None},
        ],
        PerplexityBatchSampler: [
            {"n_rows": 24, "batch_size": 2},
            {"n_rows": 10, "batch_size": 2, "initial": 9},
        ],
        BatchesByLength: [
            {"sampler": Specimen(UniformBatchSampler, {"n_rows": 24, "batch_size": 8}), **by_length},
            {"sampler": Specimen(EpochSubsetBatchSampler, {**part, "n_rows": 24}), **by_length, "batch_size": 3},
            {
                "sampler": Specimen(StratifiedBatchSampler, {"strata": IN_TURN, "min_samples_per_stratum": 1}),
                **by_length,
            },
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
        ],
        TreeSampler: [tree],
        TreeBatchSampler: [
            {"table": {"x": IN_TURN}, "spec": SHUFFLED, "batch_size": 2, "length": 24},
            {**tree, "batch_size": 2},
            {**tree, "batch_size": 2, "spec": {**SHUFFLED, "auxiliary": {"u": "uniform(0, 1)"}}},
        ],
    }


def long_calls(folder: Path) -> dict[type[BatchSampler], list[dict[str, Any]]]:
    """Return the arguments of samplers of many rows, with the choices that lead to recipes of other forms."""
    rows = range(N_LONG)
    texts = ["abcb\u00e9"[row % 5] for row in rows]
    strata = pd.Categorical(texts)
    rare = [text == "b" for text in texts]
    counts = shard_counts({"s": strata[: N_LONG // 2], "t": strata[N_LONG // 2 :]})
    keys = {"a": [row % 50 for row in rows], "b": [row % 41 for row in rows]}
    users = [row % 40 for row in rows]
    items = [row // 40 + user % 3 for row, user in zip(rows, users)]
    pairs = {"users": users, "items": items, "batch_size": 20, "n_items": 50}
    subset = {"strata": strata, "strata_per_batch": 2, "min_samples_per_stratum": 4}
    groups = {"strata": strata, "min_samples_per_stratum": 2, "groups": [row % 16 for row in rows]}
    downsampled = {"strata": rare, "multiplier": 1.5, "batch_size": 20}
    rising = {"weights": [row + 1.0 for row in rows], "batch_size": 20}
    part = {"n_rows": N_LONG, "sample": 100}
    labels = pd.DataFrame({"x": [(row + 1) % 2 for row in rows], "y": [int((row + 1) % 3 == 0) for row in rows]})
    corpus = {"source": folder, "batch_size": 20, "sample": 40, "suffixes": [".rows"]}
    return {
        StratifiedBatchSampler: [
            {"strata": strata, "min_samples_per_stratum": 4},
            # The only one whose codes take 4 bytes.
            {"strata": [row % 300 for row in range(600)], "min_samples_per_stratum": 1, "assign": "even"},
            {"strata": strata, "mean_batch_size": 20, "balance": "over"},
        ],
        ShardedStratifiedBatchSampler: [
            {"strata": strata, "min_samples_per_stratum": 4, "counts": counts, "shards": ["s", "t"]}
        ],
        StrataSubsetBatchSampler: [subset, {**subset, "exact": True}, {**subset, "balance": "mean"}],
        OneStratumBatchSampler: [
            {"strata": strata, "batch_size": 20},
            {"strata": strata, "batch_size": 20, "order": "round_robin"},
        ],
        NoDuplicatesBatchSampler: [
            {"keys": keys["a"], "batch_size": 8, "strata": strata, "min_samples_per_stratum": 1},
            {"keys": keys, "batch_size": 8},
            {"keys": keys, "batch_size": 4, "across_columns": True},
        ],
        StratifiedGroupBatchSampler: [
            {**groups, "groups": pd.Categorical([f"{text} {row % 16}" for row, text in enumerate(texts)])},
            groups,
            {**groups, "keep": "apart"},
        ],
        DownsampledBatchSampler: [downsampled, {**downsampled, "in_turn": True}],
        PerLabelBatchSampler: [{"labels": labels, "positives_per_label": 2, "negatives_per_label": 3}],
        MultilabelBatchSampler: [{"labels": labels.assign(z=1), "min_samples_per_label": 2}],
        NegativePairBatchSampler: [
            {**pairs, "ratio": 0.5},
            {**pairs, "ratio": 0.5, "method": "per_user", "unique": True},
            {**pairs, "ratio": 0.5, "method": "popularity", "power": 0.5},
        ],
        TripleBatchSampler: [pairs, {**pairs, "negatives_per_positive": 3, "unique": True}],
        UniformBatchSampler: [
            {"n_rows": N_LONG, "batch_size": 20},
            {"n_rows": N_LONG, "batch_size": 20, "replacement": True},
        ],
        WeightedBatchSampler: [
            rising,
            {**rising, "weights": {0: rising["weights"], 2: [1.0] * N_LONG}},
            {**rising, "replacement": False},
        ],
        PrioritizedBatchSampler: [
            {"n_rows": N_LONG, "batch_size": 20, "capacity": N_LONG + 20},
            {"n_rows": N_LONG, "batch_size": 20, "method": "rank", "stratified": True},
        ],
        EpochSubsetBatchSampler: [
            {**part, "batch_size": 20, "method": "uniform_without_replacement"},
            {**part, "batch_size": 20, "method": "partition", "num_replicas": 3},
        ],
        PerplexityBatchSampler: [{"n_rows": N_LONG, "batch_size": 20, "maximum": -1.5}],
        BatchesByLength: [
            {
                "sampler": Specimen(EpochSubsetBatchSampler, {**part, "batch_size": 20}),
                **{"lengths": [row * 7 % 50 for row in rows], "batch_size": 8, "window": 50},
            }
        ],
        RareEventBatchSampler: [
            {
                "positives": [folder / "a.txt"],
                "negatives": [folder / "b.rows", folder / "c.rows"],
                "multiplier": 1,
                "batch_size": 20,
                "negative_files_per_epoch": 1,
            }
        ],
        CorpusMixtureBatchSampler: [
            corpus,
            {**corpus, "max_length": 9, "weights": {0: [1, 1], 2: [1, 2]}},
            {**corpus, "rules": ["b *", "* 1"], "assign": "even"},
        ],
        TreeBatchSampler: long_trees(texts),
    }


def long_trees(texts: list[str]) -> list[dict[str, Any]]:
    """Return the arguments of trees with nodes and auxiliary values of every form, persistent and endless ones."""
    leaf = {"name": "a", "column": "s", "value": "a", "row_weight": "w", "weight": 3}
    others = {"name": "others", "column": "s", "op": "ne", "value": "a", "mode": "shuffle"}
    auxiliary = {"angle": "uniform(-10, 10)", "side": "choice(['l', 'r'])", "step": "counter()"}
    each = {"mode": "shuffle", "children": [{"column": "s", "for_each": True}]}
    table = {"s": texts, "w": [row + 1.0 for row in range(len(texts))]}
    given = {"table": {"s": texts}, "batch_size": 20, "length": len(texts)}
    return [
        {**given, "table": table, "spec": {"auxiliary": auxiliary, "children": [leaf, others]}},
        {**given, "spec": each, "persistent": True},
        {**given, "spec": {"mode": "sequential"}, "length": None},
    ]


def specimens(folder: Path) -> dict[str, Specimen]:
    """Return all specimens by name; those of samplers of files need the files of `write_files`."""
    return named({"": calls(folder), "long ": long_calls(folder)})


def all_specimens(folder: Path) -> dict[str, Specimen]:
    """Return the specimens and the varied calls by name."""
    return {**specimens(folder), **named({"varied ": varied_calls(folder)})}


def named(forms: dict[str, dict[type, list[dict[str, Any]]]]) -> dict[str, Specimen]:
    """Return calls of some forms by the name of the sampler, the form and the place."""
    return {
        f"{kind.__name__} {form}{place}": Specimen(kind, arguments)
        for form, of_form in forms.items()
        for kind, of_kind in of_form.items()
        for place, arguments in enumerate(of_kind)
    }


def write_files(folder: Path) -> None:
    for name in TEXT_FILES:
        (folder / name).write_text("line\n" * LINES)


def samplers(folder: Path) -> list[BatchSampler]:
    """Return a sampler of each specimen that has epochs; the files of specimens are written into a folder."""
    write_files(folder)
    return [specimen.make() for specimen in specimens(folder).values() if not specimen.is_endless]


def varied_calls(folder: Path) -> dict[type[BatchSampler], list[dict[str, Any]]]:
    """Return the arguments of samplers with choices that the others lack: the core is tested with them."""
    taken = {"strata": ONE_OF_FOUR, "mean_batch_size": 4}
    of_five = {"strata": [row % 5 for row in range(24)], "strata_per_batch": 2}
    labels = pd.DataFrame(np.array(MANY_LABELS), columns=list("abc"))
    corpus = {"source": folder, "suffixes": [".rows"]}
    few_items = {"users": [row % 8 for row in range(24)], "items": [row * 5 % 7 for row in range(24)], "batch_size": 5}
    return {
        StratifiedBatchSampler: [
            {"strata": ONE_OF_FOUR, "min_samples_per_stratum": {0: 2, 1: 1}},
            {**taken, "min_samples_per_stratum": 3, "mean_batch_size": 9, "rare": "repeat"},
            {"strata": ONE_OF_FOUR, "min_samples_per_stratum": 9, "rare": "warn"},
            {"strata": ONE_OF_FOUR, "mean_batch_size": 2, "rare": "warn"},
            {**taken, "drop": "balanced"},
            {**taken, "balance": 8},
            {**taken, "shares": {0: 1, 1: 2}},
            {**taken, "cap": 9},
            {**taken, "temperature": 2},
        ],
        StrataSubsetBatchSampler: [{**of_five, "mean_batch_size": 5}],
        StratifiedGroupBatchSampler: [
            {"strata": IN_TURN, "mean_batch_size": 6, "groups": [row % 11 for row in range(24)]},
            {"strata": ONE_OF_FOUR, "mean_batch_size": 6, "groups": [row // 2 for row in range(24)], "keep": "apart"},
        ],
        DownsampledBatchSampler: [{"strata": ONE_OF_FOUR, "multiplier": {0: 0.5, 1: 1}, "batch_size": 3}],
        PerLabelBatchSampler: [
            {"labels": labels, "positives_per_label": 2, "negatives_per_label": 1, "labels_per_batch": 2}
        ],
        MultilabelBatchSampler: [
            {"labels": labels, "mean_batch_size": 6},
            {"labels": labels, "mean_batch_size": 1, "rare": "allow"},
            {"labels": labels, "min_samples_per_label": 3, "max_batches": "auto"},
        ],
        NegativePairBatchSampler: [
            {**MANY_PAIRS, "ratio": 0.25, "batch_size": 8, "method": "per_user"},
            {**MANY_PAIRS, "ratio": 0.25, "batch_size": 8, "method": "popularity", "reject_positives": False},
            {**few_items, "ratio": 0.5, "method": "popularity"},
            {**few_items, "n_items": 30, "ratio": Fraction(2, 7), "method": "per_user", "unique": True},
        ],
        WeightedBatchSampler: [
            {"weights": {0: [1.0] * 10, 3: [0.5] * 6 + [2.0] * 4}, "batch_size": 3},
            {"weights": [0.0, 0.5, 1.0, 2.0] * 3, "batch_size": 2, "replacement": False, "n_batches": 3},
        ],
        EpochSubsetBatchSampler: [
            {"n_rows": 40, "sample": 12, "batch_size": 2, "rows": {0: range(40), 3: range(20)}},
        ],
        PerplexityBatchSampler: [
            {"n_rows": 40, "batch_size": 4, "maximum": 9.0},
            {"n_rows": 40, "batch_size": 5, "maximum": 9.0, "clip": True},
        ],
        CorpusMixtureBatchSampler: [
            {
                **corpus,
                "batch_size": 4,
                "weights": {0: [1, 1], 3: [3, 1]},
                "epoch_end": "first_exhausted",
                "assign": "even",
            },
            {**corpus, "sample": 24, "batch_size": 3, "max_length": 2, "temperature": 2.5, "cap": 20},
        ],
        TreeBatchSampler: varied_trees(),
    }


def varied_trees() -> list[dict[str, Any]]:
    """Return the arguments of trees with several levels, clones, weights, and nodes that are pruned."""
    table = {"x": ONE_OF_FOUR, "y": [None, 0, 1, 2] * 6, "w": [0.5, 1.5, 0.0] * 8}
    leaf = {"name": "leaf", "column": "y", "value": [0, 2], "op": "in", "row_weight": "w", "repeat": 2}
    clones = {"name": "clones", "column": "y", "for_each": True, "missing": "stratum", "weight": "proportional(count)"}
    pruned = {"column": "y", "value": 9, "prune": "parent"}
    part_of_x = {"name": "x", "column": "x", "value": 1, "prune": "individual", "children": [clones, pruned]}
    children = [{**clones, "mode": "sequential"}, {**pruned, "prune": "individual"}]
    kept = {**part_of_x, "weight": "proportional(w)", "children": children}
    functions = ("uniform(0, 2)", "integers(0, 9)", "choice(['l', 'r'])", "counter()", "normal(0, 1)")
    two = [{"name": "a", "children": [leaf]}, {"name": "b", "children": [part_of_x, leaf]}]
    specifications: list[dict[str, Any]] = [
        {"children": [leaf, {"name": "rest", "column": "x", "value": 0, "mode": "shuffle", "weight": 2}]},
        {"children": [{**clones, "mode": "shuffle"}, {**kept, "repeat": 3}, {**leaf, "weight": 0.5}]},
        {"mode": "sequential", "repeat": 2, "children": [kept, leaf], "auxiliary": dict(zip("abcde", functions))},
        {"mode": "shuffle", "children": two},
    ]
    given = {"table": table, "batch_size": 4}
    each = {"mode": "shuffle", "children": [{"column": "x", "for_each": True, "mode": "shuffle"}]}
    return [
        *({**given, "spec": spec, "length": 30} for spec in specifications),
        *({**given, "spec": spec, "length": 10, "persistent": True, "num_replicas": 2} for spec in specifications),
        {**given, "spec": specifications[1], "length": None},
        {**given, "spec": each, "length": "root"},
    ]


def public_samplers() -> set[type[BatchSampler]]:
    """Return all public classes of samplers with a recipe, found by looking."""
    public = (getattr(module, name) for module in (pystrat, pystrat.corpus) for name in module.__all__)
    return {
        each for each in public if inspect.isclass(each) and issubclass(each, BatchSampler) and each is not BatchSampler
    }
