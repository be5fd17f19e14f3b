"""The golden vectors of uniform, weighted and prioritized batches, in JSON that every language reads.

``python -m tests.reference.golden_weighted`` writes ``tests/golden/weighted.json`` afresh. The R package's tests make
the same batches with R's own generator and a sum tree in plain R; here they come from the naive ones of this folder.
"""

from __future__ import annotations

import json
from typing import Any, Iterator

from tests.reference.golden_replay import NaiveReplay
from tests.reference.golden_vectors import GOLDEN, cut
from tests.reference.naive_random import NaiveStream, epoch_seed
from tests.reference.naive_ranks import NaiveRanks
from tests.reference.naive_sum_tree import NaiveTree

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


def made(numbers: dict[str, int], n: int) -> list[float]:
    """Return what the numbers of a case stand for."""
    return [i * numbers["multiplier"] % numbers["modulus"] / numbers["divisor"] for i in range(1, n + 1)]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch, those drawn outside epochs, and the importance weights."""
    if case["kind"] == "uniform":
        stream = NaiveStream(epoch_seed(case["seed"], case["epoch"]))
        size = case["batch_size"]
        draw: Any = stream.indices if case["replacement"] else stream.permutation
        return {"rows": cut([row for _ in range(case["n_batches"]) for row in draw(case["n"], size)])}
    naive: Any = (Ranks if case.get("method") == "rank" else Prioritized if "alpha" in case else Weighted)(case)
    naive.random = NaiveStream(epoch_seed(case["seed"], case["epoch"]))
    together = case.get("num_replicas", 1)
    batches: list[list[int]] = []
    for number in range(case["n_batches"]):
        for update in case["updates"]:
            if update["before"] == number:
                naive.change(update)
        if number % together == 0:
            batches += [naive.drawn(case["batch_size"]) for _ in range(together)]
    found: dict[str, Any] = {"rows": cut([row for batch in batches for row in batch])}
    if "alpha" in case:
        found["importance_weights"] = importance_weights(naive.weights_of_rows(), batches[-1], case)
    if "samples" in case:
        naive.random = NaiveStream(epoch_seed(case["seed"], 6_700_001))
        found["sampled"] = [row for k in case["samples"] for row in naive.drawn(k)]
    return found


class Weighted(NaiveTree):
    """Rows drawn by weights."""

    def __init__(self, case: dict[str, Any]) -> None:
        super().__init__(made(case["weights"], case["n"]), case["n"], 0)
        self.replacement = case["replacement"]

    def change(self, update: dict[str, Any]) -> None:
        for row in range(0, self.length, update["step"]):
            self.weights[row] = update["weight"]

    def drawn(self, count: int) -> list[int]:
        return self.sample(count, self.replacement)


class Prioritized:
    """Rows drawn by the powers of their priorities, which a naive replay buffer holds."""

    random: NaiveStream

    def __init__(self, case: dict[str, Any]) -> None:
        self.case, n = case, case["n"]
        self.replay = NaiveReplay(n, case["capacity"], case["alpha"], case["epsilon"])
        self.replay.update(list(range(n)), [value - 1 for value in made(case["priorities"], n)], None)

    def change(self, update: dict[str, Any]) -> None:
        rows = list(range(0, self.case["n"], update["step"]))
        self.replay.update(rows, [update["priority"]] * len(rows), None)
        self.replay.append(update["append"], None)

    def weights_of_rows(self) -> list[float]:
        return self.replay.weights()

    def drawn(self, count: int) -> list[int]:
        tree = NaiveTree(self.weights_of_rows(), self.case["capacity"], 0)
        tree.random = self.random
        if not self.case["stratified"]:
            return tree.sample(count)
        return [tree.row_at((place + self.random.uniform()) / count * tree.total) for place in range(count)]


class Ranks(NaiveRanks):
    """Rows drawn by the ranks of their priorities."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.n, self.sliced = case["n"], case["stratified"]
        super().__init__(self.n, case["capacity"], case["alpha"], 0)
        self.update(list(range(self.n)), [value - 1 for value in made(case["priorities"], self.n)])

    def change(self, update: dict[str, Any]) -> None:
        rows = list(range(0, self.n, update["step"]))
        self.update(rows, [update["priority"]] * len(rows))
        self.append(update["append"])

    def weights_of_rows(self) -> list[float]:
        return self.weights()

    def drawn(self, count: int) -> list[int]:
        return self.sample(count, self.sliced)


def importance_weights(weights: list[float], rows: list[int], case: dict[str, Any]) -> list[float]:
    """Return (n P(i)) ^ -beta of rows, divided by the largest of all rows if the case normalizes, with 12 digits."""
    of_all = [(len(weights) * weight / sum(weights)) ** -case["beta"] for weight in weights]
    largest = max(of_all) if case["normalize"] else 1
    return [float(f"{of_all[row] / largest:.12g}") for row in rows]


def as_text() -> str:
    """Return the text of the file: one case a line."""
    lines = [json.dumps({"input": case, "expected": expected_of(case)}) for case in cases()]
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "weighted.json").write_text(as_text(), encoding="utf-8")
