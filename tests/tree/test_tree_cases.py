"""The published cases whose sequences are determined, from the example files; `describe()` has the others' shares."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pystrat import TreeBatchSampler

EXAMPLES = Path(__file__).parents[2] / "examples" / "tree"
RANDOM = np.random.default_rng(1)


def table_of(n_rows: int) -> pd.DataFrame:
    """5 % actives; 20 proteins of unequal sizes, the last ones without actives."""
    protein = np.minimum(RANDOM.geometric(0.15, n_rows), 20)
    active = (RANDOM.random(n_rows) < 0.05) & (protein <= 12)
    label = np.where(active, "active", "inactive")
    return pd.DataFrame({"label": label, "protein": [f"P{number:02}" for number in protein]})


TABLE = table_of(1_000)


def sampler_of(case: str, batch_size: int = 100, **parameters: Any) -> TreeBatchSampler:
    return TreeBatchSampler(TABLE, EXAMPLES / f"{case}.yaml", batch_size, **{"seed": 1, **parameters})


def test_case_3_undersampling_has_every_active_once_an_epoch() -> None:
    sampler = sampler_of("3-undersampling", length="active")
    actives = np.flatnonzero(TABLE["label"] == "active")
    assert sampler.length == 2 * len(actives)
    rows = sampler.batches(0).rows
    assert sorted(rows[::2]) == actives.tolist()
    assert set(TABLE["label"].iloc[rows[1::2]]) == {"inactive"}
    assert sampler.batches(1).rows[::2].tolist() != rows[::2].tolist()


def test_case_5_four_times_the_same_active_then_the_same_inactive() -> None:
    actives = np.flatnonzero(TABLE["label"] == "active").tolist()
    inactives = np.flatnonzero(TABLE["label"] == "inactive").tolist()
    rows = sampler_of("5-repeats", length=8 * len(actives)).batches(0).rows.tolist()
    expected = [row for pair in zip(actives, inactives) for row in [pair[0]] * 4 + [pair[1]] * 4]
    assert rows == expected


def test_case_6_pairs_share_the_protein_and_differ_in_activity() -> None:
    sampler = sampler_of("6-siamese-pairs", length="root")
    labels = TABLE.groupby("protein")["label"].nunique()
    both = set(labels.index[labels == 2])
    assert 0 < len(both) < len(labels)
    paths = sampler.describe().nodes["path"]
    assert len(paths) == 1 + 3 * len(both), "proteins without both classes are pruned, their children with them"
    assert {path for path in paths if path.count("/") == 1} == {f"root/protein[{name}]" for name in both}
    drawn = TABLE.iloc[sampler.batches(0).rows]
    first, second = drawn.iloc[::2].reset_index(drop=True), drawn.iloc[1::2].reset_index(drop=True)
    assert first["protein"].equals(second["protein"])
    assert set(first["label"]) == {"active"} and set(second["label"]) == {"inactive"}
    rounds = [drawn["protein"].iloc[begin : begin + 2 * len(both)] for begin in range(0, len(drawn), 2 * len(both))]
    assert all(Counter(part) == dict.fromkeys(both, 2) for part in rounds)
    kept = set(np.flatnonzero(TABLE["protein"].isin(both)))
    assert set(sampler.batches(0).rows.tolist()) == kept, "an epoch of the root has every row that is left"
    with pytest.warns(UserWarning, match="5, is not a multiple of the root's 'repeat', 2"):
        sampler_of("6-siamese-pairs", batch_size=5, length=10)
