"""Rare events in files, in R: the same recipe from the same call, the same lines, weights and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import rbridge
from pystrat.base import epoch_seed
from pystrat.corpus import RareEventBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_sampler

SIZES = {"fraud a": 6, "fraud b": 5, "mon": 70, "tue": 31, "wed": 0, "thu": 52, "fri": 44}
SETTINGS: list[dict[str, Any]] = [
    {"multiplier": 1 / 3, "batch_size": 5, "negative_files_per_epoch": 3, "num_replicas": 2},
    {"multiplier": 2, "batch_size": 9, "negative_files_per_epoch": 3, "positive_weight": 2.0},
    {"multiplier": 2, "batch_size": 9, "negative_weight": 0.3},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[list[str], list[str]]:
    for name, size in SIZES.items():
        (tmp_path / name).write_text("".join(f"{name} {line}\n" for line in range(size)), encoding="utf-8")
    paths = [str(tmp_path / name) for name in SIZES]
    return paths[:2], paths[2:]


def in_r(r: Session, files: tuple[list[str], list[str]]) -> dict[str, Any]:
    return {name: r.rinterface.StrSexpVector(paths) for name, paths in zip(("positives", "negatives"), files)}


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_r_draws_the_same_lines_with_the_same_weights_and_files(
    settings: dict[str, Any], files: tuple[list[str], list[str]], r: Session
) -> None:
    sampler = RareEventBatchSampler(*files, **settings, seed=3)
    generator = r.call("batch_sampler_rare_events", **in_r(r, files), **settings, seed=3)
    epochs = (0, 1, 6_700_000)
    for instance in assert_same_sampler(r, sampler, generator, epochs):
        for epoch in epochs:
            for normalize in (False, True):
                weights = as_array(r.call_function(instance["class_weights"], epoch, normalize))
                assert weights == pytest.approx(sampler.class_weights(epoch, normalize=normalize).to_numpy(), rel=1e-15)
            assert list(r.call_function(instance["negative_files"], epoch)) == [
                str(path) for path in sampler.negative_files(epoch)
            ]
        plan = r.call_function(instance["plan"])
        assert np.array_equal([as_array(column) for column in plan], sampler.plan.composition().to_numpy().T)


def test_r_reads_the_same_lines_and_labels(files: tuple[list[str], list[str]], r: Session) -> None:
    sampler = RareEventBatchSampler(*files, 2, 9, negative_files_per_epoch=3, seed=3)
    dataset = sampler.dataset()
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    of_r = r.call_function(instance["dataset"])
    for batch in sampler.batches(1):
        item, label = r.call_function(of_r[".getbatch"], r.rinterface.IntSexpVector(batch + 1))
        assert list(zip(item, as_array(label))) == [dataset[position] for position in batch.tolist()]


def test_draws_are_those_of_a_live_r(files: tuple[list[str], list[str]], base: Any) -> None:
    sampler = RareEventBatchSampler(*files, 2, 9, negative_files_per_epoch=3, seed=3)
    sizes, begins = list(SIZES.values())[2:], np.cumsum(list(SIZES.values()))[1:-1]
    code = f"""function(s) {{
      kept = RNGkind("Mersenne-Twister", "Inversion", "Rejection")
      set.seed(s)
      lines = Map(function(begin, size) begin + seq_len(size) - 1, c({", ".join(map(str, begins))}),
        c({", ".join(map(str, sizes))}))
      pool = unlist(lines[sample.int(5)[1:3]])
      positions = c(0:10, pool[sample.int(length(pool), 22, useHash = FALSE)])
      dealt = positions[sample.int(33)]
      do.call(RNGkind, as.list(kept))
      unlist(split(c(dealt[dealt < 11], dealt[dealt >= 11]), rep_len(1:4, 33)), use.names = FALSE)
    }}"""
    for epoch in range(3):
        found = as_array(base["eval"](base["parse"](text=code))(epoch_seed(3, epoch)))
        assert found.tolist() == sampler.batches(epoch).rows.tolist()


def test_lists_of_files_are_refused_in_the_same_words(files: tuple[list[str], list[str]], r: Session) -> None:
    positives, negatives = files
    empty = [path for path in negatives if path.endswith("wed")]
    for lists in ((positives, [*negatives, "nowhere"]), (positives, [*negatives, positives[1]]), (empty, positives)):
        with pytest.raises(ValueError) as refused:
            RareEventBatchSampler(*lists, 1, 9)
        with pytest.raises(rbridge.RError) as refused_in_r:
            r.call("batch_sampler_rare_events", **in_r(r, lists), multiplier=1, batch_size=9)
        expected = str(refused.value).replace("RareEventBatchSampler", "batch_sampler_rare_events")
        assert str(refused_in_r.value) == expected


def test_an_exported_sampler_draws_and_reads_without_python(
    tmp_path: Path, files: tuple[list[str], list[str]], rscript: Callable[..., str]
) -> None:
    sampler = RareEventBatchSampler(*files, 2, 9, negative_files_per_epoch=2, seed=3)
    script = rbridge.export_r(sampler, tmp_path / "rare.R")
    code = f"""sampler = source("{script}")$value(NULL)
cat(sampler$batches(2)$rows - 1, sampler$dataset()[1]$item, sep = "\n")"""
    printed = rscript(code, RETICULATE_PYTHON="nowhere").splitlines()
    assert list(map(int, printed[:-1])) == sampler.batches(2).rows.tolist() and printed[-1] == "fraud a 0"
