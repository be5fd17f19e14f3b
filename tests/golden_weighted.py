"""The golden vectors of uniform and weighted batches, in JSON that every language reads.

``python -m tests.golden_weighted`` writes ``tests/golden/weighted.json`` afresh. The R package's tests make the same
batches with R's own generator and a sum tree in plain R.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from pystrat import UniformSampler, WeightedBatchSampler
from tests.golden_vectors import GOLDEN, cut

ABOUT = (
    "Rows are counted from 0; 'rows' are those of all batches of the epoch, one after the other. 'uniform': batches of "
    "'n' rows that are equally likely. 'weighted': weight i, from 1, is (i * multiplier mod modulus) / divisor; before "
    "batch 'before', rows whose number is a multiple of 'step' get the weight 'weight'. Long lists are cut as in "
    "batches.json. Written by tests/golden_weighted.py."
)


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    for n, batch_size, num_batches in (
        (1, 1, 2),
        (10, 3, 5),
        (10, 10, 3),
        (700, 256, 4),
        (65_536, 7, 9),
        (70_000, 300, 3),
    ):
        for replacement in (False, True):
            for seed, epoch in ((0, 0), (1, 3), (2**31 - 2, 6_700_000)):
                yield {
                    "kind": "uniform",
                    "n": n,
                    "batch_size": batch_size,
                    "num_batches": num_batches,
                    "replacement": replacement,
                    "seed": seed,
                    "epoch": epoch,
                }
    for n, batch_size, num_batches in ((1, 1, 3), (8, 5, 6), (9, 4, 6), (64, 30, 5), (65, 40, 4), (600, 33, 12)):
        for replacement in (True, False):
            for multiplier, modulus, divisor in ((5, 9, 8), (7, 101, 3)):
                updates = [{"before": 1, "step": 3, "weight": 1e-9}, {"before": 2, "step": 2, "weight": 1e6 / 3}]
                yield {
                    "kind": "weighted",
                    "n": n,
                    "weights": {"multiplier": multiplier, "modulus": modulus, "divisor": divisor},
                    "batch_size": min(batch_size, (n + 1) // 2) if not replacement else batch_size,
                    "num_batches": num_batches,
                    "replacement": replacement,
                    "seed": multiplier,
                    "epoch": modulus,
                    "updates": updates if n > 1 else updates[1:],
                }


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch."""
    options = {name: case[name] for name in ("replacement", "num_batches", "seed")}
    if case["kind"] == "uniform":
        sampler = UniformSampler(case["n"], case["batch_size"], **options)
        return {"rows": cut(sampler.batches(case["epoch"]).rows)}
    made = case["weights"]
    numbers = range(case["n"])
    weights = [(i + 1) * made["multiplier"] % made["modulus"] / made["divisor"] for i in numbers]
    weighted = WeightedBatchSampler(weights, case["batch_size"], **options)
    weighted.set_epoch(case["epoch"])
    iterator = iter(weighted)
    rows: list[int] = []
    for batch in range(case["num_batches"]):
        for update in case["updates"]:
            if update["before"] == batch:
                changed = list(range(0, case["n"], update["step"]))
                weighted.update(changed, [update["weight"]] * len(changed))
        rows += next(iterator)
    return {"rows": cut(rows)}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "weighted.json").write_text(as_text(), encoding="utf-8")
