"""Mixtures of files in plain Python: the lines of each file, in fractions, and the batches of epochs."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor
from typing import Any, Optional

from tests.reference.naive_passes import naive_epoch
from tests.reference.naive_random import NaiveStream, epoch_seed


def groups_of(case: dict[str, Any], epoch: int) -> tuple[list[Optional[int]], list[Any]]:
    """Return the group of each file, called f0, f1, ..., and the weights of the groups, "*" for those that are kept."""
    lines, weights = case["lines"], case.get("weights")
    if "rules" in case:
        rules = [rule.split() for rule in case["rules"]]
        order = sorted(range(len(rules)), key=lambda rule: rules[rule][1] != "*")
        names = [f"f{file}" for file in range(len(lines))]
        found = [[rule for rule in order if rules[rule][0] == "*" or re.search(rules[rule][0], name)] for name in names]
        return [rule[0] if rule else None for rule in found], [weight for _, weight in rules]
    if isinstance(weights, dict):
        weights = weights[str(max(first for first in map(int, weights) if first <= epoch))]
    return list(range(len(lines))), lines if weights is None else weights


def plan_of(case: dict[str, Any], epoch: int = 0) -> tuple[list[int], list[int]]:
    """Return the lines that an epoch draws and keeps of each file."""
    lines, end, is_even = case["lines"], case.get("epoch_end", "sample"), case.get("assign") == "even"
    groups, weights = groups_of(case, epoch)
    of_files = [0 if group is None else weights[group] for group in groups]
    kept = [count if weight == "*" else 0 for count, weight in zip(lines, of_files)]
    sums = [sum(count for count, own in zip(lines, groups) if own == group) for group in range(len(weights))]
    exact = [Fraction(0 if weight == "*" or not total else str(weight)) for weight, total in zip(weights, sums)]
    shares = [
        Fraction(0)
        if group is None or not sum(exact) or not exact[group]
        else exact[group] / sum(exact) * count / sums[group]
        for count, group in zip(lines, groups)
    ]
    ratios = [count / share for count, share in zip(lines, shares) if share]
    if end == "sample":
        sample = Fraction(str(case["sample"]))
        requested = sample * (sum(lines) - sum(kept)) if sample < 1 else sample - sum(kept)
    else:
        requested = (min if end == "first_exhausted" else max)(ratios, default=Fraction(0))
    rounded = floor if end == "first_exhausted" else ceil
    if not is_even:
        return [rounded(requested * share) for share in shares], kept
    step = case["batch_size"] * case.get("num_replicas", 1)
    requested = rounded((sum(kept) + requested) / step) * step - sum(kept) if sum(shares) else Fraction(0)
    drawn = [floor(requested * share) for share in shares]
    rests = [drawn[file] - requested * shares[file] for file in range(len(lines))]
    for file in sorted(range(len(lines)), key=rests.__getitem__)[: int(requested) - sum(drawn)]:
        drawn[file] += 1
    return drawn, kept


def epoch_of(case: dict[str, Any], epoch: int) -> list[list[int]]:
    """Return the batches of an epoch."""
    lines, shuffle, end = case["lines"], case.get("shuffle", True), case.get("epoch_end", "sample")
    drawn, kept = plan_of(case, epoch)
    total, replicas = sum(drawn) + sum(kept), case.get("num_replicas", 1)
    n_batches = ceil(Fraction(ceil(Fraction(total, case["batch_size"])), replicas)) * replicas
    if case.get("assign") == "even":
        taken = [one + other for one, other in zip(drawn, kept)]
        return even_epoch(lines, taken, n_batches, seed=case["seed"], epoch=epoch, shuffle=shuffle)
    stream = NaiveStream(epoch_seed(case["seed"], epoch))
    rows: list[int] = []
    for file, count in enumerate(lines):
        places = list(range(kept[file]))
        if end == "sample" and drawn[file]:
            places += stream.indices(count, drawn[file]).tolist()
        elif drawn[file]:
            places += list(range(count)) * (drawn[file] // count) + stream.permutation(count, drawn[file] % count)
        rows += [sum(lines[:file]) + place for place in places]
    rows = [rows[place] for place in stream.permutation(total)] if shuffle else sorted(rows)
    ends = [batch * (total // n_batches) + min(batch, total % n_batches) for batch in range(n_batches + 1)]
    return [rows[begin:end] for begin, end in zip(ends, ends[1:])]


def even_epoch(
    lines: list[int], taken: list[int], n_batches: int, *, seed: int, epoch: int, shuffle: bool
) -> list[list[int]]:
    """Return the batches of an epoch whose every batch has the mix."""
    used = [file for file, count in enumerate(taken) if count > 0]
    strata = {file: stratum for stratum, file in enumerate(used)}
    codes = [strata.get(file, len(used)) for file, size in enumerate(lines) for _ in range(size)]
    counts = [taken[file] for file in used]
    is_permuted = min(counts) < n_batches
    return naive_epoch(codes, counts, n_batches, seed=seed if shuffle else None, epoch=epoch, is_permuted=is_permuted)
