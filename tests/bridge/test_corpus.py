"""Corpora from R: epoch subsets and mixtures as torch samplers, reports, plans as data.frames, and R's own draws."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import rbridge
from pystrat import EpochSubsetBatchSampler, PerplexityBatchSampler
from pystrat.base import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe

SIZES = {"IT1": 30, "MSDN": 60, "gold": 5, "news": 50}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name, size in SIZES.items():
        (tmp_path / f"{name}.txt").write_text("a line\n" * size, encoding="utf-8")
    return tmp_path


def mixture_of(corpus: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    given = {"rules": ["gold *", "IT,MSDN 20", "news 10"], "sample": 50, "seed": 1, **parameters}
    return CorpusMixtureBatchSampler(corpus, 8, suffixes=[".txt"], **given)


def perplexity_sampler() -> PerplexityBatchSampler:
    return PerplexityBatchSampler(20, 30, 8, maximum=None, seed=1)


def evaluated(base: Any, text: str) -> Any:
    return base["eval"](base["parse"](text=text))


@pytest.mark.parametrize("method", ["uniform", "uniform_without_replacement", "partition"])
def test_epoch_subsets_are_torch_samplers(method: str) -> None:
    sampler = EpochSubsetBatchSampler(30, 20, 6, method=method, seed=1)
    generator = rbridge.as_torch_sampler(sampler)
    delivered = rbridge.collect_rows(generator, 30)
    assert [batch.tolist() for batch in delivered] == [batch.tolist() for batch in sampler.batches(0)]


@pytest.mark.parametrize(
    "parameters",
    [
        {"n": 30, "sample": 20, "batch_size": 6},
        {"n": 30, "sample": 40, "batch_size": 6, "num_replicas": 3, "method": "partition"},
        {"n": 30, "sample": 20, "batch_size": 7, "method": "uniform_without_replacement"},
    ],
)
def test_recipes_of_epoch_subsets(parameters: dict[str, Any], r: Session) -> None:
    sampler = EpochSubsetBatchSampler(**parameters, seed=7)
    generator = r.call("batch_sampler_epoch_subset", **parameters, seed=7)
    assert_same_recipe(r, sampler, generator)
    assert_same_recipe(r, sampler, rbridge.as_torch_sampler(sampler))
    for epoch in (0, 5):
        batches = r.call_function(r.call_function(generator, None)["batches"], epoch)
        rows, offsets = (as_array(vector) for vector in batches)
        assert (rows - 1).tolist() == sampler.batches(epoch).rows.tolist()
        assert offsets.tolist() == sampler.batches(epoch).offsets.tolist()


def test_a_mixture_is_a_torch_sampler(corpus: Path) -> None:
    mixture = mixture_of(corpus)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(mixture), 145)
    assert [batch.tolist() for batch in delivered] == [batch.tolist() for batch in mixture.batches(0)]


def test_draws_are_those_of_a_live_r(corpus: Path, base: Any) -> None:
    mixture = mixture_of(corpus)
    plan = {file.name: file.drawn for file in mixture.plan.files}
    code = f"""function(s) {{
      kept = RNGkind("Mersenne-Twister", "Inversion", "Rejection")
      set.seed(s)
      lines = c(sample.int(30, {plan["IT1"]}, replace = TRUE), 30L + sample.int(60, {plan["MSDN"]}, replace = TRUE),
        90:94 + 1L, 95L + sample.int(50, {plan["news"]}, replace = TRUE))
      lines = lines[sample.int(length(lines))]
      set.seed(s)
      uniform = sample.int(1234, 100, replace = TRUE)
      set.seed(s)
      unique = sample.int(1234, 100, useHash = FALSE)
      do.call(RNGkind, as.list(kept))
      c(lines, uniform, unique)
    }}"""
    for epoch in range(3):
        found = (as_array(evaluated(base, code)(epoch_seed(1, epoch))) - 1).tolist()
        expected = mixture.batches(epoch).rows.tolist()
        for method in ("uniform", "uniform_without_replacement"):
            expected += EpochSubsetBatchSampler(1234, 100, 9, method=method, seed=1).batches(epoch).rows.tolist()
        assert found == expected


TRAIN = """
function(generator, n_epochs) {
  sampler = generator(NULL)
  trained = list()
  for (epoch in seq_len(n_epochs)) {
    next_batch = sampler$.iter()
    repeat {
      rows = next_batch()
      if (coro::is_exhausted(rows)) break
      trained[[length(trained) + 1L]] = rows
      sampler$report(rows, rows / 8)
    }
  }
  unlist(trained)
}
"""


def trained_in_python(n_epochs: int) -> list[int]:
    sampler = perplexity_sampler()
    trained: list[int] = []
    for _ in range(n_epochs):
        for rows in sampler:
            trained += rows
            sampler.report(rows, (np.array(rows) + 1) / 8)
    assert sampler.started
    return trained


def test_reports_from_r_lead_to_the_batches_of_python(r: Session, base: Any) -> None:
    rows = as_array(r.call_function(evaluated(base, TRAIN), rbridge.as_torch_sampler(perplexity_sampler()), 4))
    assert (rows - 1).tolist() == trained_in_python(4)


def test_a_refused_report_is_an_error_in_r(r: Session) -> None:
    instance = r.call_function(rbridge.as_torch_sampler(perplexity_sampler()), None)
    with pytest.raises(
        rbridge.RError, match="'nll' parameter of PerplexityBatchSampler.report must be finite and at least"
    ):
        r.call_function(instance["report"], np.array([1], dtype=np.int32), np.array([-1.0]))
    with pytest.raises(rbridge.RError, match="Got -1 for row position 2, counted from 0, instead."):
        r.call_function(instance["report"], np.array([3], dtype=np.int32), np.array([-1.0]))
    with pytest.raises(rbridge.RError, match="must hold row positions from 0 to 19, counted from 0. Got 20 instead."):
        r.call_function(instance["report"], np.array([21], dtype=np.int32), np.array([1.0]))


def test_a_plan_is_a_data_frame(corpus: Path, base: Any) -> None:
    with pytest.warns(UserWarning, match="'news'"):
        mixture = mixture_of(corpus, rules=["gold *", "IT,MSDN 20"])
    frame = rbridge.corpus_plan(mixture)
    assert tuple(base["class"](frame)) == ("data.frame",)
    columns = dict(zip(frame.names, frame))
    table = mixture.plan.table()
    assert list(columns) == list(table)
    assert list(columns["file"]) == table["file"].tolist()
    for name in ("lines", "uniform_share", "share", "drawn", "kept"):
        assert as_array(columns[name]).tolist() == table[name].astype(float).tolist()
    assert list(base["is.na"](columns["rule"])) == [False, False, False, True]
    assert not any(base["is.nan"](columns["rule"]))
    with pytest.raises(
        TypeError, match="'mixture' parameter of corpus_plan must be a CorpusMixtureBatchSampler. Got 3 instead."
    ):
        rbridge.corpus_plan(3)  # type: ignore[arg-type]


def test_names_that_are_no_text_are_shown(tmp_path: Path, base: Any, r: Session, rscript: Callable[..., str]) -> None:
    """A byte that is no character is not lost, in the plan and in errors that name the file, on both ways to R."""
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt"), "wb") as text:
        text.write(b"\xe9 line\n")
    mixture = CorpusMixtureBatchSampler(tmp_path, 1, suffixes=[".txt"], sample=1)
    frame = rbridge.corpus_plan(mixture)
    assert list(dict(zip(frame.names, frame))["file"]) == ["caf\\xe9"]
    (mixture.dataset().files[0].sides[0].path).write_bytes(b"longer than before\n")
    instance = r.call_function(rbridge.as_torch_sampler(mixture), None)
    with pytest.raises(rbridge.RError, match=r"caf\\udce9.txt has changed since its lines were found"):
        r.call_function(r.call_function(instance[".iter"]))
    code = """
    corpus = reticulate::import("pystrat.corpus")
    mixture = corpus$CorpusMixtureBatchSampler("{folder}", 1L, suffixes = list(".txt"), sample = 1L)
    cat(rbridge::corpus_plan(mixture)$file, "\\n")
    reticulate::py_run_string("import pathlib; [p.write_text('x') for p in pathlib.Path('{folder}').glob('*.txt')]")
    cat(tryCatch(rbridge::batch_sampler_python(mixture)(NULL)$.iter()(), error = conditionMessage))
    """
    told = rscript(code.replace("{folder}", str(tmp_path)), RETICULATE_PYTHON=sys.executable).splitlines()
    assert told[0].strip() == "caf\\xe9"
    assert "caf\\udce9.txt has changed since its lines were found" in told[1]


FROM_R = """
corpus = reticulate::import("pystrat.corpus")
mixture = corpus$CorpusMixtureBatchSampler("{folder}", 8, suffixes = list(".txt"), sample = 50L,
  rules = list("gold *", "IT,MSDN 20", "news 10"), seed = 1)
collected = rbridge::collect_rows(rbridge::batch_sampler_python(mixture), n_rows = 145)
subset = corpus$PerplexityBatchSampler(20, 30, 8, maximum = NULL, seed = 1)
train = {train}
plan = rbridge::corpus_plan(mixture)
cat(jsonlite::toJSON(digits = NA, list(
  rows = collected$rows - 1L,
  trained = train(rbridge::batch_sampler_python(subset), 4) - 1L,
  class = class(plan),
  plan = plan,
  none = tryCatch(rbridge::corpus_plan(3), error = conditionMessage),
  other = tryCatch(rbridge::corpus_plan(subset), error = conditionMessage)
)))
"""


def test_from_r_through_reticulate(corpus: Path, rscript: Callable[..., str]) -> None:
    code = FROM_R.format(folder=corpus, train=TRAIN)
    told = json.loads(rscript(code, RETICULATE_PYTHON=sys.executable))
    assert told["rows"] == mixture_of(corpus).batches(0).rows.tolist()
    assert told["trained"] == trained_in_python(4)
    assert told["class"] == ["data.frame"]
    assert [row["file"] for row in told["plan"]] == list(SIZES)
    assert [(row["drawn"], row["kept"]) for row in told["plan"]] == [(10, 0), (20, 0), (0, 5), (15, 0)]
    assert told["none"] == [
        "The 'mixture' parameter of corpus_plan must be a CorpusMixtureBatchSampler. Got 3 instead."
    ]
    assert "must be a CorpusMixtureBatchSampler. Got 4 values instead." in told["other"][0]


def test_the_example_for_r_in_the_documents(rscript: Callable[..., str]) -> None:
    document = Path(__file__).parents[2] / "docs" / "corpus.md"
    example = document.read_text(encoding="utf-8").split("```r\n")[1].split("```")[0]
    printed = rscript(example + "print(subset$state_dict()$epoch)", RETICULATE_PYTHON=sys.executable).splitlines()
    assert [line.split()[-2:] for line in printed[1:3]] == [["70", "0"], ["30", "0"]]
    assert printed[3].split()[1].strip('"') in ("generic", "news")
    assert printed[4] == "[1] 1", "the epoch that was trained on is over"
