"""Uniform, weighted and prioritized batches, from the naive tree, ranks and replay buffer of this folder."""

from __future__ import annotations

from typing import Any

from tests.reference.golden_replay import NaiveReplay
from tests.reference.golden_vectors import cut, joined
from tests.reference.naive_random import NaiveStream, epoch_seed
from tests.reference.naive_ranks import NaiveRanks
from tests.reference.naive_sum_tree import NaiveTree


def made(numbers: dict[str, int], n: int) -> list[float]:
    """Return what the numbers of a case stand for."""
    return [i * numbers["multiplier"] % numbers["modulus"] / numbers["divisor"] for i in range(1, n + 1)]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the case's epoch, those drawn outside epochs, and the importance weights."""
    if case["kind"] == "uniform":
        stream = NaiveStream(epoch_seed(case["seed"], case["epoch"]))
        size = case["batch_size"]
        draw: Any = stream.indices if case["replacement"] else stream.permutation
        return {"rows": cut(joined(draw(case["n"], size) for _ in range(case["n_batches"])))}
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
    found: dict[str, Any] = {"rows": cut(joined(batches))}
    if "alpha" in case:
        found["importance_weights"] = importance_weights(naive.weights_of_rows(), batches[-1], case)
    if "samples" in case:
        naive.random = NaiveStream(epoch_seed(case["seed"], 6_700_001))
        found["sampled"] = joined(map(naive.drawn, case["samples"]))
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
