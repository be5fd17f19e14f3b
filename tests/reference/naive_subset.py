"""Batches of a few strata in plain Python: slow, and as the help of `StrataSubsetBatchSampler` says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterable, Iterator, Sequence

from tests.reference.naive_blocks import naive_blocks
from tests.reference.naive_exposure import naive_exposure
from tests.reference.naive_random import epoch_order
from tests.reference.naive_stratified import half_up, strata_of


class NaiveSubset:
    """The plan and the batches of a sampler with these columns and parameters."""

    def __init__(self, columns: Iterable[Sequence[Any]], parameters: dict[str, Any]) -> None:
        self.parameters, self.seed = parameters, parameters["seed"]
        self.wanted: int = parameters["strata_per_batch"]
        self.names, self.codes = strata_of(columns, parameters.get("missing", "error"))
        self.sizes = [self.codes.count(stratum) for stratum in range(len(self.names))]
        self.is_balanced = parameters.get("balance") is not None
        self.is_exact = self.is_balanced or parameters.get("exact", False)
        self.minimum: int = parameters.get("min_samples_per_stratum") or self.largest_minimum()
        replicas = parameters.get("num_replicas") or 1
        self.n_batches = self.number_of_batches() // replicas * replicas
        most = self.n_batches
        if self.is_balanced:
            most = -(-most * self.wanted // sum(size >= self.minimum for size in self.sizes))
        full = [size // self.minimum for size in self.sizes]
        least = 0 if self.is_exact else 1
        self.blocks = [most if self.is_balanced and n else max(least, min(n, most)) for n in full]

    def batches_of_mean(self) -> int:
        return max(1, half_up(Fraction(sum(self.sizes), self.parameters["mean_batch_size"])))

    def has_strata(self, n_batches: int, minimum: int) -> bool:
        """Return whether the strata have blocks of this minimum for so many batches."""
        return self.wanted * n_batches <= sum(min(size // minimum, n_batches) for size in self.sizes)

    def largest_minimum(self) -> int:
        n_batches, minimum = self.batches_of_mean(), 1
        while self.has_strata(n_batches, minimum + 1):
            minimum += 1
        return minimum

    def number_of_batches(self) -> int:
        if self.parameters.get("mean_batch_size"):
            return self.batches_of_mean()
        if self.is_balanced:
            balance: Any = self.parameters["balance"]
            sizes = [size for size in self.sizes if size >= self.minimum]
            totals = {"mean": sum(sizes), "over": len(sizes) * max(sizes), "under": len(sizes) * min(sizes)}
            total = totals[balance] if balance in totals else len(sizes) * balance
            return max(1, half_up(Fraction(total, self.wanted * self.minimum)))
        n_batches = 1
        while self.has_strata(n_batches + 1, self.minimum):
            n_batches += 1
        return n_batches

    def table(self) -> dict[str, list[int]]:
        """Return the rows of each stratum, the batches that hold it, and its fewest and most rows in them."""
        if self.is_exact:
            fewest = most = [self.minimum if n else 0 for n in self.blocks]
        else:
            fewest = [size // n for size, n in zip(self.sizes, self.blocks)]
            most = [-(-size // n) for size, n in zip(self.sizes, self.blocks)]
        return {"rows": self.sizes, "batches": self.blocks, "fewest": fewest, "most": most}

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch."""
        if self.is_balanced:
            shared = (self.codes, len(self.names), self.n_batches, self.wanted, self.minimum, self.seed)
            return next(naive_exposure(*shared, epoch))
        order = epoch_order(len(self.codes), self.seed, epoch)
        if not self.is_exact:
            return naive_blocks(order, self.codes, self.blocks, self.n_batches)
        blocks, codes = [], [len(self.names)] * len(self.codes)  # those of rows that the epoch leaves out
        for stratum, (n_blocks, n_before) in enumerate(self.turns(epoch)):
            rows = [row for row in epoch_order(len(codes), self.seed, 0) if self.codes[row] == stratum]
            blocks.append(n_blocks)
            for place in range(n_before * self.minimum, (n_before + n_blocks) * self.minimum):
                codes[rows[place % len(rows)]] = stratum
        return naive_blocks(order, codes, blocks, self.n_batches)

    def turns(self, epoch: int) -> Iterator[tuple[int, int]]:
        """Yield the blocks of each stratum in an exact epoch, and those in all epochs before it.

        The blocks of all strata form a line, and each epoch leaves out the next ones of it, cyclically.
        """
        line = [stratum for stratum, n_blocks in enumerate(self.blocks) for _ in range(n_blocks)]
        n_over = len(line) - self.wanted * self.n_batches
        rounds, place = divmod(epoch * n_over, len(line))
        for stratum, n_blocks in enumerate(self.blocks):
            n_before = (epoch - rounds) * n_blocks - line[:place].count(stratum)
            yield n_blocks - (line + line)[place : place + n_over].count(stratum), n_before
