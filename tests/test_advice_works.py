"""What a refusal advises was tried: calls that follow it are not refused for the same parameter again."""

from __future__ import annotations

import re
from typing import Any, Iterator, Optional

import numpy as np
import pytest

import pystrat as ps
from tests.levels import IS_THOROUGH

N_CALLS = 1000 if IS_THOROUGH else 150
SAMPLERS = [
    ps.StratifiedBatchSampler,
    ps.StratifiedGroupBatchSampler,
    ps.StrataSubsetBatchSampler,
    ps.DownsampledBatchSampler,
    ps.PerLabelBatchSampler,
    ps.MultilabelBatchSampler,
    ps.ShardedStratifiedBatchSampler,
]
BALANCE = [None, None, None, "over", "under", 3]


def some(rng: np.random.Generator, most: int) -> int:
    return int(rng.integers(1, most + 1))


def some_strata(rng: np.random.Generator) -> list[int]:
    sizes = rng.integers(1, 7, some(rng, 3))
    return list(map(int, rng.permutation(np.repeat(np.arange(len(sizes)), sizes))))


def sizes(rng: np.random.Generator, name: str = "min_samples_per_stratum") -> dict[str, Any]:
    given = [{name: some(rng, 5)}, {"mean_batch_size": some(rng, 9)}]
    return [*given, {}, {**given[0], **given[1]}][rng.choice(4, p=[0.45, 0.45, 0.05, 0.05])]


def arguments_of(rng: np.random.Generator, sampler: type) -> dict[str, Any]:
    strata, rare = some_strata(rng), str(rng.choice(["error", "error", "warn", "allow"]))
    if sampler is ps.ShardedStratifiedBatchSampler:
        counts = ps.shard_counts({"a": strata, "b": some_strata(rng)})
        scope = str(rng.choice(["global", "local"]))
        return {"strata": strata, **sizes(rng), "counts": counts, "shards": ["a"], "scope": scope, "seed": 1}
    labels, balance = rng.integers(0, 2, (some(rng, 11), some(rng, 3))), BALANCE[rng.integers(6)]
    return {
        ps.StratifiedBatchSampler: {"strata": strata, **sizes(rng), "rare": rare, "balance": balance},
        ps.StratifiedGroupBatchSampler: {
            "strata": strata,
            **sizes(rng),
            "groups": rng.integers(0, 6, len(strata)).tolist(),
            "keep": str(rng.choice(["together", "apart"])),
            "rare": rare,
        },
        ps.StrataSubsetBatchSampler: {
            "strata": strata,
            "strata_per_batch": some(rng, 3),
            **sizes(rng),
            "exact": bool(rng.integers(2)),
            "rare": rare,
        },
        ps.DownsampledBatchSampler: {"strata": strata, "multiplier": some(rng, 4) / 2, "batch_size": some(rng, 9)},
        ps.PerLabelBatchSampler: {
            "labels": labels,
            "positives_per_label": some(rng, 3),
            "negatives_per_label": some(rng, 3),
        },
        ps.MultilabelBatchSampler: {"labels": labels, **sizes(rng, "min_samples_per_label"), "rare": rare},
    }[sampler] | {"num_replicas": some(rng, 3)}


def refused(sampler: type, arguments: dict[str, Any]) -> Optional[str]:
    """Return the message of a refusal."""
    try:
        sampler(**arguments)
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def advised(message: str, arguments: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield what each part of an advice changes; it is followed if one of the changes is made."""
    parameter, requirement, advice = re.findall(r"The '(\w+)' parameter (.*?) Got .*? instead\.(.*)", message)[0]
    limit = re.search(r"be at (?:most|least) ([1-9]\d*)", requirement)
    if limit is not None:
        yield [{parameter: int(limit[1])}]
    elif " it" in advice and isinstance(arguments.get(parameter), int):
        higher, lower = range(arguments[parameter] + 1, 50), range(1, arguments[parameter])
        yield [{parameter: value} for value in (lower if "Lower it" in advice else higher)]
    for name, value in re.findall(r"(?:Lower|Raise) '(\w+)' to at (?:most|least) (\d+)", advice):
        yield [{name: int(value)}]
    for name, first, other in re.findall(r"set '(\w+)' to '(\w+)'(?: or '(\w+)')?", advice):
        if first == "repeat":  # with the smallest minimum, if there is none
            yield [{"rare": "repeat", "min_samples_per_stratum": 1}]
        else:
            yield [{name: first}]
            yield [{name: other or first}]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_advice_is_not_refused(sampler: type) -> None:
    rng, n_tried = np.random.default_rng(1), 0
    for _ in range(N_CALLS):
        arguments = arguments_of(rng, sampler)
        message = refused(sampler, arguments)
        for changes in advised(message, arguments) if message is not None else ():
            again = [refused(sampler, {**arguments, **change}) for change in changes]
            same = str(message).partition(" parameter ")[0] + " parameter "
            n_tried += 1
            assert not all(text is not None and text.startswith(same) for text in again), (message, changes, again)
    assert n_tried > 5
