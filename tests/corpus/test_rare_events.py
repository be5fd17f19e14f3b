"""Rare events in files: exact counts, equally likely subsets of files, and weights that represent all lines."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from pystrat.core.seeds import epoch_seed
from pystrat.corpus import RareEventBatchSampler
from tests.reference.naive_random import NaiveStream
from tests.refused import refusals

POSITIVES, NEGATIVES = (3, 4), (20, 5, 0, 31, 12)
N_POSITIVES = sum(POSITIVES)


def write(folder: Path, name: str, sizes: tuple[int, ...]) -> list[Path]:
    paths = [folder / f"{name} {place}" for place in range(len(sizes))]
    for path, size in zip(paths, sizes):
        path.write_text("".join(f"{path.name}, line {line}\n" for line in range(size)), encoding="utf-8")
    return paths


def sampler_of(
    folder: Path,
    multiplier: Any = 1.5,
    batch_size: int = 6,
    negatives: tuple[int, ...] = NEGATIVES,
    **parameters: Any,
) -> RareEventBatchSampler:
    files = write(folder, "positive", POSITIVES), write(folder, "negative", negatives)
    options = {"negative_files_per_epoch": 4, "seed": 1, **parameters}
    return RareEventBatchSampler(*files, multiplier, batch_size, **options)


def files_of(sampler: RareEventBatchSampler, epoch: int) -> tuple[int, ...]:
    """The places of the epoch's files of negatives in their list, sorted."""
    return tuple(sorted(int(path.name.split()[1]) for path in sampler.negative_files(epoch)))


def naive_epoch(n_chosen: int, count: int, n_batches: int, seed: int, sizes: tuple[int, ...]) -> list[list[int]]:
    """An epoch as documented, line after line, on the reference generator."""
    reference = NaiveStream(seed)
    chosen = reference.permutation(len(sizes))[:n_chosen]
    begins = [N_POSITIVES + sum(sizes[:file]) for file in range(len(sizes))]
    pool = [begins[file] + line for file in chosen for line in range(sizes[file])]
    drawn = []
    for left in range(len(pool), len(pool) - count, -1):
        place = reference.index(left)
        drawn.append(pool[place])
        pool[place] = pool[left - 1]
    positions = [*range(N_POSITIVES), *drawn]
    order = reference.permutation(len(positions))
    dealt = [row for row in order if row < N_POSITIVES] + [row for row in order if row >= N_POSITIVES]
    return [[positions[row] for row in dealt[batch::n_batches]] for batch in range(n_batches)]


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=6),
    n_chosen=st.integers(1, 6),
    multiplier=st.decimals("0.1", "6", places=2),
    batch_size=st.integers(1, 60),
    replicas=st.integers(1, 3),
    epoch=st.integers(0, 6_700_000),
)
def test_an_epoch_is_as_documented(
    tmp_path: Path, sizes: list[int], n_chosen: int, multiplier: Any, batch_size: int, replicas: int, epoch: int
) -> None:
    count = int(Fraction(str(multiplier)) * N_POSITIVES + Fraction(1, 2))
    total = N_POSITIVES + count
    n_batches = -(-(-(-total // batch_size)) // replicas) * replicas
    n_chosen = min(n_chosen, len(sizes))
    if not 0 < count <= sum(sorted(sizes)[:n_chosen]) or n_batches > min(N_POSITIVES, count):
        return
    options = {"negative_files_per_epoch": n_chosen, "num_replicas": replicas}
    sampler = sampler_of(tmp_path, float(multiplier), batch_size, tuple(sizes), **options)
    batches = [batch.tolist() for batch in sampler.batches(epoch)]
    assert batches == naive_epoch(n_chosen, count, n_batches, epoch_seed(1, epoch), tuple(sizes))
    rows = [row for batch in batches for row in batch]
    assert len(set(rows)) == len(rows) == total and set(range(N_POSITIVES)) < set(rows)
    ends = np.cumsum(sizes)
    found = {int(np.searchsorted(ends, row - N_POSITIVES, side="right")) for row in rows if row >= N_POSITIVES}
    assert found <= set(files_of(sampler, epoch)) and len(files_of(sampler, epoch)) == n_chosen
    lengths = [len(batch) for batch in batches]
    assert len(sampler) == n_batches and max(lengths) <= batch_size and max(lengths) - min(lengths) <= 1
    of_positives = [sum(row < N_POSITIVES for row in batch) for batch in batches]
    composition = [[held, size - held] for held, size in zip(of_positives, lengths)]
    assert composition == sampler.plan.composition().to_numpy().tolist()


@pytest.mark.parametrize("n_chosen", [1, 2, 3, 4])
def test_the_weighted_negatives_of_all_subsets_of_files_are_all_negatives(tmp_path: Path, n_chosen: int) -> None:
    """Exactly: over all subsets, probability times share of lines that are drawn times weight is 1 for each line."""
    sizes = (7, 11, 30, 8)
    sampler = sampler_of(tmp_path, 1, 7, sizes, negative_files_per_epoch=n_chosen)
    weights: dict[tuple[int, ...], Fraction] = {}
    normalized: dict[tuple[int, ...], float] = {}
    epoch = 0
    while len(weights) < comb(4, n_chosen):
        chosen = files_of(sampler, epoch)
        weights[chosen] = Fraction(sampler.class_weights(epoch)["negative"]).limit_denominator(1000)
        normalized[chosen] = sampler.class_weights(epoch, normalize=True).mean()
        epoch += 1
    for file in range(4):
        expectation = Fraction(0)
        for chosen in combinations(range(4), n_chosen):
            if file in chosen:
                lines = sum(sizes[other] for other in chosen)
                expectation += Fraction(1, comb(4, n_chosen)) * Fraction(sampler.n_negatives, lines) * weights[chosen]
        assert expectation == 1
    assert np.mean(list(normalized.values())) == pytest.approx(1), "normalized weights have the mean 1 over all subsets"


def test_given_weights_are_those_of_every_epoch(tmp_path: Path) -> None:
    given = sampler_of(tmp_path, positive_weight=3, negative_weight=np.float64(0.5))
    assert given.class_weights(7).to_dict() == {"positive": 3, "negative": 0.5}
    given.set_epoch(5)
    normalized = given.class_weights(normalize=True)
    assert normalized["positive"] / normalized["negative"] == pytest.approx(6)
    assert (7 * normalized["positive"] + 11 * normalized["negative"]) / 18 == pytest.approx(1)
    assert given.negative_files() == given.negative_files(5)


def test_a_loader_delivers_lines_and_labels(tmp_path: Path) -> None:
    sampler = sampler_of(tmp_path)
    names = [*(f"positive {place}" for place in range(2)), *(f"negative {place}" for place in range(5))]
    texts = [f"{name}, line {line}" for name, size in zip(names, (*POSITIVES, *NEGATIVES)) for line in range(size)]
    loader: Any = DataLoader(sampler.dataset(), batch_sampler=sampler, num_workers=1)
    for (lines, labels), positions in zip(loader, sampler.batches(0)):
        assert list(lines) == [texts[position] for position in positions]
        assert labels.tolist() == (positions < N_POSITIVES).tolist() and labels.dtype == torch.float32
    dataset = sampler.dataset(transform=len)
    assert dataset[0] == (len(texts[0]), 1) and dataset[N_POSITIVES] == (len(texts[N_POSITIVES]), 0)
    assert len(dataset) == len(texts) == sampler.n_lines


def test_files_that_an_epoch_does_not_draw_from_may_be_gone_and_others_may_not(tmp_path: Path) -> None:
    sampler = sampler_of(tmp_path, 0.5, 20, (20, 5, 31), negative_files_per_epoch=1)
    kept = sampler.negative_files(0)[0]
    other = next(path for path in tmp_path.glob("negative *") if path != kept)
    expected = sampler.batches(0).rows.tolist()
    os.unlink(other)
    assert sampler.batches(0).rows.tolist() == expected
    os.utime(kept, ns=(1, 1))
    with pytest.raises(RuntimeError, match="has changed since its lines were found"):
        sampler.batches(0)


FILES = "negative_files_per_epoch"


test_refused_parameters = refusals(
    sampler_of,
    [
        ({"multiplier": 0.01}, "'multiplier' .* must keep at least 1 row: be at least 0.5 / 7. Got 0.01"),
        ({"multiplier": 9.8}, "'multiplier' .* must ask for at most 68 negatives, the lines of all files. Got 9.8"),
        ({"multiplier": 2.5, FILES: 3}, "'neg.* be at least 4, so that the files of every epoch have 18 lines. Got 3 "),
        ({FILES: 6}, "'negative_files_per_epoch' .* must be at most 5, the number of files of negatives. Got 6"),
        ({"batch_size": 1}, "'batch_size' .* must be at least 3, for at most 7 batches: the smallest stratum, 'positi"),
        ({"num_replicas": 8}, "'num_replicas' .* must be at most 7: the smallest stratum, 'positive', has 7 rows"),
    ],
    fixture="tmp_path",
)


def test_refused_files(tmp_path: Path) -> None:
    files = write(tmp_path, "file", (3, 9, 0))
    link = tmp_path / "link"
    link.symlink_to(files[1])
    for positives, negatives, message in (
        ([], files[1:], "The 'positives' parameter must list at least one file. Got none instead."),
        (files[:1], [], "The 'negatives' parameter must list at least one file. Got none instead."),
        ("a", files, "must be a list of files. Got 'a' instead. One file alone is a list of one."),
        ([3], files, "must be a list of files. Got a list with 3 instead."),
        ([tmp_path / "x"], files, f"must have regular files. Got no file '{tmp_path / 'x'}' instead"),
        (files[:1], [tmp_path], f"must have regular files. Got the folder '{tmp_path}' instead"),
        (files[:1], [files[1], files[0]], f"'{files[0]}', which is '{files[0]}', instead"),
        (files[:1], [files[1], link], f"list each file once. Got '{link}', which is '{files[1]}', instead"),
        (files[2:], files[:2], "The 'positives' parameter must have at least one line. Got 0 lines instead."),
    ):
        with pytest.raises((TypeError, ValueError)) as error:
            RareEventBatchSampler(positives, negatives, 1, 9)
        assert message in str(error.value)
