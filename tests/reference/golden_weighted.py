"""The golden vectors of uniform, weighted and prioritized batches, in JSON that every language reads.

``python -m tests.reference.golden_weighted`` writes ``tests/golden/weighted.json`` afresh. The R package's tests make
the same batches with R's own generator and a sum tree in plain R.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from pystrat import PrioritizedBatchSampler, UniformBatchSampler, WeightedBatchSampler
from tests.reference.golden_vectors import GOLDEN, cut

ABOUT = (
    "Rows are counted from 0; 'rows' are those of all batches of the epoch, one after the other. 'uniform': batches of"
    " 'n' rows that are equally likely. 'weighted': weight i, from 1, is (i * multiplier mod modulus) / divisor; "
    "before batch 'before', rows whose number is a multiple of 'step' get the weight 'weight'; 'num_replicas' batches "
    "are drawn together, before an update that comes in between. 'prioritised': there are 'n' rows and place for "
    "'capacity'; priority i, from 1, is (i * multiplier mod modulus) / divisor - 1, told of all rows before batch 0. "
    "Before batch 'before', rows whose number is a multiple of 'step' get the priority 'priority', and then 'append' "
    "rows are added, which get the largest abs(priority) + epsilon ever told and take the places of the oldest where "
    "there is no other. The weights of draws are (abs(priority) + epsilon) ^ alpha; 'stratified' draws one row from "
    "each of 'batch_size' equal slices of their sum. With 'method' rank the weights are rank ^ -alpha, where rank 1 has"
    " the largest abs(priority), equal ones by row number, the slices follow the ranks, and there is no epsilon. "
    "'importance_weights' are those of the last batch's rows after it,"
    " with 12 digits, since powers differ in the last. 'samples' are the numbers of rows that are drawn outside epochs "
    "after the last batch, from the stream of epoch 6700001, and 'sampled' these rows. "
    "Long lists are cut as in batches.json. Written by "
    "tests/reference/golden_weighted.py."
)


def epoch_cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases of epochs."""
    for n, batch_size, n_batches in (
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
                    "n_batches": n_batches,
                    "replacement": replacement,
                    "seed": seed,
                    "epoch": epoch,
                }
    for n, batch_size, n_batches in ((1, 1, 3), (8, 5, 6), (9, 4, 6), (64, 30, 5), (65, 40, 4), (600, 33, 12)):
        for replacement in (True, False):
            for multiplier, modulus, divisor in ((5, 9, 8), (7, 101, 3)):
                updates = [{"before": 1, "step": 3, "weight": 1e-9}, {"before": 2, "step": 2, "weight": 1e6 / 3}]
                yield {
                    "kind": "weighted",
                    "n": n,
                    "weights": {"multiplier": multiplier, "modulus": modulus, "divisor": divisor},
                    "batch_size": min(batch_size, (n + 1) // 2) if not replacement else batch_size,
                    "n_batches": n_batches,
                    "replacement": replacement,
                    "seed": multiplier,
                    "epoch": modulus,
                    "updates": updates if n > 1 else updates[1:],
                }
    for n, batch_size, n_batches, num_replicas in ((9, 4, 6, 2), (65, 20, 9, 3)):
        yield {
            "kind": "weighted",
            "n": n,
            "weights": {"multiplier": 5, "modulus": 9, "divisor": 8},
            "batch_size": batch_size,
            "n_batches": n_batches,
            "num_replicas": num_replicas,
            "replacement": True,
            "seed": 5,
            "epoch": 1,
            "updates": [{"before": before, "step": before + 1, "weight": before / 3} for before in range(1, n_batches)],
        }
    for n, capacity, batch_size, n_batches in ((1, 1, 2, 2), (8, 9, 5, 6), (60, 64, 30, 5), (590, 600, 33, 8)):
        for stratified in (False, True):
            for alpha, beta, normalize in ((0.6, 0.4, True), (1.7, 1.0, False)):
                yield {
                    "kind": "prioritised",
                    "n": n,
                    "capacity": capacity,
                    "alpha": alpha,
                    "beta": beta,
                    "epsilon": 0.01,
                    "stratified": stratified,
                    "normalize": normalize,
                    "priorities": {"multiplier": 7, "modulus": 101, "divisor": 30},
                    "batch_size": batch_size,
                    "n_batches": n_batches,
                    "seed": n,
                    "epoch": capacity,
                    "updates": [
                        {"before": 1, "step": 3, "priority": -4.5, "append": n // 8},
                        {"before": 1, "step": 2, "priority": 0.0, "append": n // 4},
                    ],
                }


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases: those of epochs, and some of them again with samples."""
    of_epochs = list(epoch_cases())
    yield from of_epochs
    yield from (ranked(case) for case in of_epochs if case["kind"] == "prioritised")
    yield from (with_samples(case) for case in of_epochs if case["kind"] != "uniform" and case["n"] in (9, 64, 60))


def ranked(case: dict[str, Any]) -> dict[str, Any]:
    """Return the input of a case with ranks, and samples."""
    return with_samples({**{name: value for name, value in case.items() if name != "epsilon"}, "method": "rank"})


def with_samples(case: dict[str, Any]) -> dict[str, Any]:
    """Return the input of a case that also draws rows outside epochs."""
    return {**case, "samples": [3, 1, 4]}


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch."""
    if case["kind"] == "prioritised":
        return prioritised(case)
    options = {name: case[name] for name in ("replacement", "n_batches", "seed", "num_replicas") if name in case}
    if case["kind"] == "uniform":
        sampler = UniformBatchSampler(case["n"], case["batch_size"], **options)
        return {"rows": cut(sampler.batches(case["epoch"]).rows)}
    made = case["weights"]
    numbers = range(case["n"])
    weights = [(i + 1) * made["multiplier"] % made["modulus"] / made["divisor"] for i in numbers]
    weighted = WeightedBatchSampler(weights, case["batch_size"], **options)
    weighted.set_epoch(case["epoch"])
    iterator = iter(weighted)
    rows: list[int] = []
    for batch in range(case["n_batches"]):
        for update in case["updates"]:
            if update["before"] == batch:
                changed = list(range(0, case["n"], update["step"]))
                weighted.update(changed, [update["weight"]] * len(changed))
        rows += next(iterator)
    return {"rows": cut(rows), **sampled(weighted, case)}


def sampled(sampler: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows that a case draws outside epochs."""
    if "samples" not in case:
        return {}
    return {"sampled": [row for k in case["samples"] for row in sampler.sample(k).tolist()]}


def prioritised(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch, and the importance weights of the last batch's."""
    names = ("alpha", "beta", "epsilon", "method", "stratified", "normalize", "capacity", "n_batches", "seed")
    options = {name: case[name] for name in names if name in case}
    sampler = PrioritizedBatchSampler(case["n"], case["batch_size"], **options)
    sampler.set_epoch(case["epoch"])
    made = case["priorities"]
    numbers = range(case["n"])
    sampler.update(numbers, [(i + 1) * made["multiplier"] % made["modulus"] / made["divisor"] - 1 for i in numbers])
    iterator = iter(sampler)
    rows: list[int] = []
    batch: list[int] = []
    for number in range(case["n_batches"]):
        for update in case["updates"]:
            if update["before"] == number:
                changed = list(range(0, case["n"], update["step"]))
                sampler.update(changed, [update["priority"]] * len(changed))
                sampler.append(update["append"])
        batch = next(iterator)
        rows += batch
    importance_weights = [float(f"{x:.12g}") for x in sampler.importance_weights(batch)]
    return {"rows": cut(rows), "importance_weights": importance_weights, **sampled(sampler, case)}


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "weighted.json").write_text(as_text(), encoding="utf-8")
