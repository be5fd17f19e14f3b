"""The golden vectors of sharded batches, which R's tests read as well."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from pystrat import ShardedStratifiedBatchSampler
from tests.reference.golden_sharded import strata_of
from tests.reference.golden_vectors import GOLDEN

CASES = json.loads((GOLDEN / "sharded.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[str(place) for place in range(len(CASES))])
def test_golden_vector(case: dict) -> None:
    given, expected = case["input"], case["expected"]
    table = pd.DataFrame(expected["table"]).rename(index="r{}".format, columns="s{}".format)
    strata = strata_of(given)
    sampler = ShardedStratifiedBatchSampler(
        [f"s{stratum}" for shard in given["shards"] for stratum in strata[shard]],
        given["min_samples_per_stratum"],
        counts=table,
        shards=[f"r{shard}" for shard in given["shards"]],
        seed=given["seed"],
        scope=given["scope"],
        shuffle=given["shuffle"],
    )
    assert [batch.tolist() for batch in sampler.batches(given["epoch"])] == expected["batches"]
