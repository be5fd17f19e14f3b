"""Stratified batches in plain Python, as docs/stratified.md says: strata, the plan and the rows of an epoch."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any, Iterable, Optional, Sequence

from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream, epoch_order, epoch_seed


def shown(value: Any, digits: int = 15) -> str:
    """Return a value as tables and messages show it."""
    if value is None or isinstance(value, (bool, str)):
        return "NA" if value is None else str(value).upper() if isinstance(value, bool) else value
    return f"{value + 0:.{digits}g}".replace("inf", "Inf")


def strata_of(columns: Iterable[Sequence[Any]], missing: str = "error") -> tuple[list[str], list[int]]:
    """Return the names of the strata in order of first appearance, and the number of each row's stratum.

    Rows with a missing value have the number of strata if they are dropped.
    """
    rows = list(zip(*columns))
    kept = [row for row in rows if missing != "drop" or None not in row]
    number = {row: place for place, row in enumerate(dict.fromkeys(kept))}
    return [", ".join(map(shown, row)) for row in number], [number.get(row, len(number)) for row in rows]


def half_up(number: Fraction) -> int:
    return floor(number + Fraction(1, 2))


def by_weights(weights: Sequence[Fraction], total: int) -> list[int]:
    """Divide a total by weights: each part ends where its share of the running sum, rounded down, ends."""
    ends = [floor(total * sum(weights[:place]) / (sum(weights) or 1)) for place in range(len(weights) + 1)]
    return [end - begin for begin, end in zip(ends, ends[1:])]


def weights_of(sizes: Sequence[int], temperature: Optional[float] = None, cap: Optional[int] = None) -> list[Fraction]:
    """Return the weights of a temperature and a cap."""
    capped = [min(size, cap or size) for size in sizes]
    if temperature is None or temperature == 1:
        return list(map(Fraction, capped))
    powers = [(size / max(capped)) ** (1 / temperature) for size in capped]
    return [Fraction(max(1, half_up(Fraction(power * 10**6)))) for power in powers]


def naive_plan(names: Sequence[Any], sizes: Sequence[int], parameters: dict[str, Any]) -> tuple[int, list[int]]:
    """Return the number of batches, and the rows of each stratum that an epoch takes."""
    minimum, size = parameters.get("min_samples_per_stratum"), parameters.get("mean_batch_size")
    replicas, balance, n_rows = parameters.get("num_replicas", 1), parameters.get("balance"), sum(sizes)
    given = minimum if isinstance(minimum, dict) else dict.fromkeys(names, minimum or 0)
    minimums = [given.get(name, 0) for name in names]
    taken = list(sizes)
    if parameters.get("rare") == "repeat":
        n_batches = replicas
        while sum(max(n, n_batches * m) for n, m in zip(sizes, minimums)) > n_batches * size:
            n_batches += replicas
        return n_batches, [max(n, n_batches * m) for n, m in zip(sizes, minimums)]
    if size is None:
        n_batches = min(n // m for n, m in zip(sizes, minimums) if m)
    elif "drop" in parameters:
        n_batches = n_rows // size
    elif balance is not None:
        taken = [{"over": max(sizes), "under": min(sizes)}.get(balance, balance)] * len(sizes)
        n_batches = half_up(Fraction(sum(taken), size))
    else:
        n_batches = half_up(Fraction(n_rows, size))
    n_batches = max(1, n_batches // replicas * replicas)
    if "drop" in parameters:
        lost = by_weights([Fraction(n - min(n, n_batches)) for n in sizes], n_rows - n_batches * size)
        taken = [n - left_out for n, left_out in zip(sizes, lost)]
    elif "shares" in parameters:
        shares = [Fraction(str(parameters["shares"][name])) for name in names]
        taken = by_weights(shares, n_batches * size)
    elif "temperature" in parameters or "cap" in parameters:
        weights = weights_of(sizes, parameters.get("temperature"), parameters.get("cap"))
        taken = by_weights(weights, n_batches * size)
    return n_batches, taken


class NaiveStratified:
    """The batches of a stratified sampler with these columns and parameters."""

    def __init__(self, columns: Iterable[Sequence[Any]], parameters: dict[str, Any]) -> None:
        self.names, self.codes = strata_of(columns, parameters.get("missing", "error"))
        self.sizes = [self.codes.count(stratum) for stratum in range(len(self.names))]
        self.n_batches, self.taken = naive_plan(self.names, self.sizes, parameters)
        self.minimum = min(self.taken) // self.n_batches
        self.assign = parameters.get("assign", "proportional")
        self.seed, self.shuffle = parameters["seed"], parameters.get("shuffle", True)

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch, in the order in which it has them."""
        is_permuted = self.shuffle and not self.minimum
        if self.taken != self.sizes or not is_permuted:
            return self.in_plan(epoch, is_permuted)
        batches, stream = self.in_plan(epoch), NaiveStream(epoch_seed(self.seed, epoch))
        stream.permutation(len(self.codes))
        return [batches[place] for place in stream.permutation(self.n_batches)]

    def in_plan(self, epoch: int, is_permuted: bool = False) -> list[list[int]]:
        """Return the batches of an epoch in the order of the plan; or as they are permuted, if it is not one pass."""
        if self.taken != self.sizes:
            seed = self.seed if self.shuffle else None
            arguments = {"seed": seed, "epoch": epoch, "is_permuted": is_permuted}
            return naive_epoch(self.codes, self.taken, self.n_batches, **arguments)
        n_rows = len(self.codes)
        order = epoch_order(n_rows, self.seed, epoch) if self.shuffle else range(n_rows)
        rows_of: list[list[int]] = [[] for _ in range(len(self.names) + 1)]
        for row in order:
            rows_of[self.codes[row]].append(row)
        if self.assign == "even" or not self.minimum:
            line = [row for rows in rows_of[:-1] for row in rows]
            return [line[batch :: self.n_batches] for batch in range(self.n_batches)]
        batches: list[list[int]] = [[] for _ in range(self.n_batches)]
        for rows in rows_of[:-1]:
            for rank, row in enumerate(rows, start=1):  # rank * B / n, rounded up
                batches[-(-rank * self.n_batches // len(rows)) - 1].append(row)
        return batches
