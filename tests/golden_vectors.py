"""The golden vectors: what samplers must give, in JSON that every language reads.

``python -m tests.golden_vectors`` writes ``tests/golden/batches.json`` afresh. A case has an ``input``, from which each
language makes its own ``expected``; rows are counted from 0. Lists longer than `WHOLE` rows are cut to their head,
their tail and a checksum, the sum of (i * x_i) mod (2^31 - 1) with i from 1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import numpy as np

from pystrat import StratifiedBatchSampler, epoch_permutation

GOLDEN = Path(__file__).parent / "golden"
WHOLE = 2000
MODULUS = 2**31 - 1
ABOUT = (
    "Rows are counted from 0. Lists of more than 2000 rows are cut to head, tail and checksum: the sum of "
    "(i * x_i) mod (2^31 - 1), i from 1. 'sizes' arranged in 'blocks': all rows of stratum 0, then of stratum 1, ...; "
    "'dealt': one row of each stratum in turn, as long as it has any. Written by tests/golden_vectors.py."
)


def labels_of(strata: dict[str, Any]) -> Any:
    """Return what a case's strata stand for: one label a row, or columns."""
    if "columns" in strata:
        return strata["columns"]
    sizes = np.array(strata["sizes"])
    if strata["arrangement"] == "blocks":
        return np.repeat(np.arange(len(sizes)), sizes)
    turn = np.concatenate([np.arange(size) for size in sizes])
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    return stratum[np.lexsort((stratum, turn))]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler gives."""
    sampler = StratifiedBatchSampler(labels_of(case["strata"]), **case["parameters"])
    plan = sampler.plan
    n_rows = sampler.strata.n_rows
    return {
        "n_batches": plan.n_batches,
        "min_samples_per_stratum": plan.min_samples_per_stratum,
        "strata": list(plan.strata),
        "counts": plan.counts.tolist(),
        "sizes": cut(plan.sizes),
        "epochs": [
            {
                "permutation": cut(epoch_permutation(n_rows, seed=sampler.seed, epoch=epoch)),
                "rows": cut(sampler.batches(epoch).rows),
            }
            for epoch in case["epochs"]
        ],
    }


def cut(values: Any) -> Any:
    """Return short lists whole, long ones as head, tail and checksum."""
    values = np.asarray(values, dtype=np.int64)
    if len(values) <= WHOLE:
        return values.tolist()
    checksum = int((values * np.arange(1, len(values) + 1) % MODULUS).sum() % MODULUS)
    return {
        "length": len(values),
        "head": values[:10].tolist(),
        "tail": values[-10:].tolist(),
        "checksum": checksum,
    }


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    yield from _every_number_of_strata()
    yield from _sizes_seeds_and_epochs()
    yield from _columns_and_missing_values()
    yield from _rare_strata()


def _case(name: str, strata: dict[str, Any], epochs: tuple[int, ...] = (0,), **parameters: Any) -> dict[str, Any]:
    parameters.setdefault("seed", 1)
    return {"name": name, "strata": strata, "parameters": parameters, "epochs": list(epochs)}


def _sizes(sizes: list[int], arrangement: str = "dealt") -> dict[str, Any]:
    return {"sizes": sizes, "arrangement": arrangement}


def _every_number_of_strata() -> Iterator[dict[str, Any]]:
    for k in range(1, 51):
        sizes = [2 + (7 * i + 3 * k) % 11 for i in range(k)]
        minimum = 1 + k % 3 if k % 2 else 1
        parameters = {
            "min_samples_per_stratum": min(minimum, min(sizes)),
            "assign": "even" if k % 4 == 3 else "proportional",
            "seed": (0, 1, 2**31 - 2)[k % 3],
        }
        arrangement = "blocks" if k % 2 else "dealt"
        yield _case(f"{k} strata", _sizes(sizes, arrangement), (k % 4,), **parameters)


def _sizes_seeds_and_epochs() -> Iterator[dict[str, Any]]:
    for seed in (0, 1, 2**31 - 2):
        for epoch in (0, 1, 2, 3, 6_700_000):
            strata = _sizes([7, 31, 3], "dealt" if epoch % 2 else "blocks")
            yield _case(f"seed {seed}, epoch {epoch}", strata, (epoch,), min_samples_per_stratum=1, seed=seed)
    yield _case("one row", _sizes([1]), min_samples_per_stratum=1)
    yield _case("n_min divides nothing evenly", _sizes([12, 111]), (0, 1), min_samples_per_stratum=5)
    yield _case("the longest whole list", _sizes([60, 1940], "blocks"), (0,), min_samples_per_stratum=3)
    yield _case("the shortest cut list", _sizes([61, 1940], "blocks"), (0,), min_samples_per_stratum=3)
    yield _case("the published simulation", _sizes([600, 19400], "blocks"), (0, 1), min_samples_per_stratum=3)
    yield _case("dataset order", _sizes([10, 25, 5]), (0, 1), min_samples_per_stratum=1, shuffle=False)
    yield _case("dataset order, even", _sizes([10, 25, 5]), min_samples_per_stratum=2, shuffle=False, assign="even")
    for assign in ("proportional", "even"):
        large = _sizes([100_000, 1, 65_536, 17])
        yield _case(f"up to 10^5 rows, {assign}", large, (0, 3), min_samples_per_stratum=1, assign=assign)
        large = _sizes([100_000, 1_000, 65_535], "blocks")
        yield _case(f"many batches, {assign}", large, (2,), min_samples_per_stratum=1, assign=assign)
        mean = _sizes([5_000, 3_000, 200])
        yield _case(f"mean batch size, {assign}", mean, (1,), mean_batch_size=64, assign=assign)
        yield _case(
            f"replicas, {assign}", _sizes([40, 90]), (0,), min_samples_per_stratum=3, num_replicas=4, assign=assign
        )


def _columns_and_missing_values() -> Iterator[dict[str, Any]]:
    columns = {
        "word": ["b", "a", None, "a", "b", "", "a", None, "b", "é", "a", "b"],
        "number": [2, 1, 1, None, 2.5, -0.0, 0, 1, 2, 1e300, 1, 2],
        "flag": [True, False, True, True, False, None, False, True, True, True, False, True],
    }
    for missing in ("stratum", "drop"):
        for chosen in (["word"], ["number"], ["flag"], ["number", "flag"], ["flag", "word", "number"]):
            yield _case(
                f"missing values: {missing}, columns {', '.join(chosen)}",
                {"columns": {name: columns[name] for name in chosen}},
                (0, 1),
                min_samples_per_stratum=1,
                missing=missing,
            )
    whole = {name: ["x", "y", "x", "x", "y", "y", "x", "y"] for name in ("left", "right")}
    whole["right"] = ["é", "é", "E", "E", "é", "E", "é", "E"]
    yield _case("several columns", {"columns": whole}, (0, 1, 2), min_samples_per_stratum=1)


def _rare_strata() -> Iterator[dict[str, Any]]:
    rare = _sizes([2, 30, 9])
    yield _case("rare: one batch", rare, (0, 1), min_samples_per_stratum=3, rare="allow")
    yield _case("rare: dealt evenly", rare, (0, 1), mean_batch_size=5, rare="allow")
    yield _case("rare: a batch a row", rare, (0,), mean_batch_size=1, rare="allow")
    yield _case("rare: replicas", rare, (0,), mean_batch_size=6, rare="allow", num_replicas=3)


def as_text() -> str:
    """Return the file's text: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "batches.json").write_text(as_text(), encoding="utf-8")
