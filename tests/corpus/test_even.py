"""Mixtures whose every batch has the mix: plans by brute force, batches by plain Python, guarantees over epochs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat.corpus import CorpusMixtureBatchSampler, CorpusPlan
from tests.inside import core
from tests.reference.golden_mixtures import mixed_epoch
from tests.refused import refusals


def plan_of(lines: Any, batch_size: int, *, keeps: Any = None, **arguments: Any) -> Any:
    """Return the lines that an epoch draws of each file; `rules` are weights, and the rule of each file."""
    given = {"assign": "even", "batch_size": batch_size, "most_lines": 10**6, "epoch_end": "sample", **arguments}
    given["is_count"] = True
    weights, rules = given.get("weights"), given.pop("rules", None)
    data: dict[str, Any] = {"lines": np.array(lines, dtype=np.float64)}
    if weights is not None:
        data["keeps"] = np.array(keeps if keeps is not None else [0] * len(lines), dtype=np.uint8)
        data["file_weights"] = np.array(weights, dtype=np.float64)
    if rules is not None:
        data["rules"], data["file_rules"] = (np.array(numbers, dtype=np.float64) for numbers in rules)
    found = core.call("corpus_plan", given, data, lambda word, place: f"'{word} {int(place)}'")
    return [int(count) for count in found["drawn"]]


def largest_remainders(total: int, shares: list[Fraction]) -> list[int]:
    exact = [total * share for share in shares]
    counts = [floor(count) for count in exact]
    for file in sorted(range(len(shares)), key=lambda file: counts[file] - exact[file])[: total - sum(counts)]:
        counts[file] += 1
    return counts


def instance_of(lines: Any, taken: Any, batch_size: int, seed: int, shuffle: bool = True, **parts: Any) -> Any:
    numbers = {"lines": lines, "drawn": taken, "kept": [0] * len(lines), "batch_size": [batch_size]}
    flags = {"shuffle": shuffle, "even": True}
    made = {name: np.array(values, dtype=np.float64) for name, values in numbers.items()}
    made.update({name: np.array([flag], dtype=np.int32) for name, flag in flags.items()})
    return core.Instance("mixture", {**made, **parts}, seed)


def batches_of(instance: Any, epoch: int) -> list[list[int]]:
    drawn = instance.draw(epoch)
    return [rows.tolist() for rows in np.split(drawn["rows"], drawn["offsets"][1:-1])]


def test_plans_exhaustively() -> None:
    """Full batches, the floor or the ceiling of each share in an epoch and in every batch, or a refusal."""
    n_planned = 0
    for weights in product(range(1, 5), repeat=3):
        shares = [Fraction(weight, sum(weights)) for weight in weights]
        for batch_size, sample, replicas in product((1, 2, 5, 10), (1, 7, 20, 33), (1, 3)):
            step = batch_size * replicas
            total = ceil(Fraction(sample, step)) * step
            n_batches = total // batch_size
            expected = largest_remainders(total, shares)
            lines = [3, 8, 20]
            allowed = all(0 < k and ceil(Fraction(k, n_batches)) <= n for k, n in zip(expected, lines))
            try:
                found = plan_of(lines, batch_size, weights=weights, sample=sample, num_replicas=replicas)
            except ValueError as error:
                assert not allowed, error
                continue
            assert allowed and found == expected and sum(found) == total
            n_planned += 1
            for k, share in zip(found, shares):
                assert floor(batch_size * share) <= k // n_batches
                assert ceil(Fraction(k, n_batches)) <= ceil(batch_size * share)
    assert n_planned > 500


def test_files_of_a_rule_share_its_weight_and_still_round_to_full_batches() -> None:
    shares = [Fraction(5, 17) / 2, Fraction(12, 17) / 2, Fraction(1, 2)]
    for sample in range(1, 60):
        found = plan_of([5, 12, 40], 7, sample=sample, rules=([3, 3], [1, 1, 2]))
        assert found == largest_remainders(ceil(sample / 7) * 7, shares)


def test_kept_lines_are_part_of_full_batches() -> None:
    assert plan_of([5, 50, 9], 10, weights=[1, 1, 0], keeps=[0, 0, 1], sample=31) == [16, 15, 0]
    assert plan_of([5, 9], 4, weights=[0, 0], keeps=[1, 1], sample=14) == [0, 0], "nothing is drawn: 4 batches"


@pytest.mark.parametrize(("end", "expected"), [("first_exhausted", [30, 60]), ("all_exhausted", [40, 80])])
def test_ends_of_epochs_are_rounded_so_that_they_keep_their_promise(end: str, expected: list[int]) -> None:
    """By weights 1:2, the file of 35 lines ends the former after 105 lines, that of 70 the latter; 30 a step."""
    assert plan_of([35, 70], 10, weights=[1, 2], epoch_end=end, num_replicas=3, sample=None) == expected


def test_a_cap_is_the_lines_of_larger_files() -> None:
    lines = [5, 100, 4000]
    plan = CorpusPlan(["a", "b", "c"], lines, 1000, cap=200)
    assert [file.share for file in plan.files] == pytest.approx([n / 305 for n in (5, 100, 200)])
    both = CorpusPlan(["a", "b", "c"], lines, 1000, cap=400, temperature=2)
    roots = np.sqrt([5, 100, 400])
    assert [float(file.share) for file in both.files] == pytest.approx(roots / roots.sum())
    assert CorpusPlan(["a", "b", "c"], lines, 1000, cap=10**20).files[2].share == pytest.approx(4000 / 4105)
    with pytest.raises(ValueError, match="'cap' parameter must be left out if 'weights' is given. Got 3 instead"):
        CorpusPlan(["a"], [3], 2, weights=[1], cap=3)
    with pytest.raises(ValueError, match="'cap' parameter must be a positive integer. Got 0 instead"):
        CorpusPlan(["a"], [3], 2, cap=0)


@given(st.data())
def test_batches_are_those_of_plain_python(data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.integers(0, 8), min_size=1, max_size=4))
    taken = [data.draw(st.integers(0, 3 * size)) for size in lines]
    batch_size, seed = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 2**31 - 2))
    n_batches = -(-sum(taken) // batch_size)
    if sum(taken) == 0 or any(size and ceil(k / n_batches) > size for k, size in zip(taken, lines)):
        return
    shuffle = data.draw(st.booleans())
    instance = instance_of(lines, taken, batch_size, seed, shuffle)
    for epoch in (0, 3):
        expected = mixed_epoch(lines, taken, n_batches, seed=seed, epoch=epoch, shuffle=shuffle)
        assert batches_of(instance, epoch) == expected


@pytest.mark.parametrize("excluded", [[], [0, 5, 6, 20, 41]])
def test_every_epoch_and_batch_takes_its_share_of_every_line(excluded: list[int]) -> None:
    lines, taken, batch_size = [10, 30, 4], [25, 20, 3], 8
    remains = np.ones(sum(lines), dtype=bool)
    remains[excluded] = False
    parts: dict[str, Any] = {"remaining": np.packbits(remains, bitorder="little")} if excluded else {}
    instance = instance_of(lines, taken, batch_size, 3, **parts)
    files = np.repeat(range(3), lines)
    left = np.bincount(files[remains], minlength=3)
    seen = np.zeros(len(files), dtype=np.int64)
    where: list[set[int]] = [set() for _ in range(6)]
    for epoch in range(30):
        for number, batch in enumerate(batches_of(instance, epoch)):
            assert len(set(batch)) == len(batch) == batch_size
            held = np.bincount(files[batch], minlength=3)
            assert (held >= np.array(taken) // 6).all() and (held <= -(-np.array(taken) // 6)).all()
            where[number].add(int(held[2]))
            seen[batch] += 1
        for file in range(3):
            share = Fraction((epoch + 1) * taken[file], int(left[file]))
            assert set(seen[(files == file) & remains]) <= {floor(share), ceil(share)}
    assert not seen[~remains].any()
    assert all(counts == {0, 1} for counts in where), "each batch has a line of the smallest file in some epochs only"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, size in (("a", 40), ("b", 9), ("c", 300)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} {line}\n" for line in range(size)), encoding="utf-8")
    return tmp_path


def mixture_of(folder: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    chosen = {"batch_size": 10, "suffixes": [".txt"], "sample": 60, "assign": "even", "seed": 1, **parameters}
    return CorpusMixtureBatchSampler(folder, **chosen)


def held(mixture: CorpusMixtureBatchSampler, epoch: int) -> set[tuple[int, ...]]:
    """The lines of each file in the batches."""
    dataset = mixture.dataset()
    found = [[dataset[row][0][0] for row in batch] for batch in mixture.batches(epoch)]
    return {tuple(batch.count(name) for name in "abc") for batch in found}


def test_every_batch_has_the_weights(folder: Path) -> None:
    """With 1:1, shuffled batches of 10 had 2 to 7 lines of a file."""
    assert held(mixture_of(folder, weights=[1, 0, 1]), 3) == {(5, 0, 5)}
    assert held(mixture_of(folder, weights=[3, 2, 5]), 2) == {(3, 2, 5)}
    thirds = mixture_of(folder, weights=[1, 1, 1], num_replicas=4)
    assert held(thirds, 2) == {(3, 3, 4), (3, 4, 3), (4, 3, 3)}
    table = mixture_of(folder, weights={0: [1, 1, 0], 4: [0, 1, 4]})
    assert held(table, 3) == {(5, 5, 0)} and held(table, 4) == {(0, 2, 8)}
    some = mixture_of(folder, weights=[1, 0, 1], accept=lambda lines: not lines[0].endswith("7"))
    assert held(some, 1) == {(5, 0, 5)}
    dataset = some.dataset()
    assert not any(dataset[row][0].endswith("7") for batch in some.batches(2) for row in batch)


test_refused = refusals(
    mixture_of,
    [
        ({"weights": [0, 1, 0]}, "'weights' parameter must ask for at most 9 lines of 'b' in a batch. Got 10 instead."),
        ({"weights": [1, 0.001, 1]}, "must give each file with a share at least one line of an epoch. Got none for 'b"),
        ({"assign": "x"}, "'assign' parameter must be one of 'shuffled', 'even'. Got 'x' instead"),
        ({"batch_size": None, "weights": [1, 1, 1]}, "'batch_size' parameter must be a positive integer"),
        (
            {"epoch_end": "first_exhausted", "sample": None, "weights": [0, 1, "*"], "batch_size": 400},
            "'batch_size' parameter must be at most the lines that 'first_exhausted' gives an epoch",
        ),
    ],
    fixture="folder",
)
