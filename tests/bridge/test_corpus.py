"""Corpora from R: epoch subsets and mixtures as torch samplers, reports, plans as data.frames, and R's own draws."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pytest

import rbridge
from pystrat import EpochSubsetBatchSampler, PerplexityBatchSampler
from pystrat.base import epoch_seed
from pystrat.corpus import CorpusMixtureBatchSampler
from pystrat.corpus.line_file import LineFile
from rbridge._install import find_r
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe, assert_same_sampler

SIZES = {"IT1": 30, "MSDN": 60, "gold": 5, "news": 50}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name, size in SIZES.items():
        (tmp_path / f"{name}.txt").write_text("a line\n" * size, encoding="utf-8")
    return tmp_path


def mixture_of(corpus: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    given = {"rules": ["gold *", "IT,MSDN 20", "news 10"], "sample": 50, "seed": 1, **parameters}
    return CorpusMixtureBatchSampler(corpus, **{"batch_size": 8, "suffixes": [".txt"], **given})


def perplexity_sampler(**parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(20, 30, 8, maximum=None, seed=1, **parameters)


PERPLEXITY_BY_LENGTH = {"lengths": [1 + row * 13 % 29 for row in range(20)], "max_tokens": 150}


def evaluated(base: Any, text: str) -> Any:
    return base["eval"](base["parse"](text=text))


ACCEPT = "function(lines) nchar(lines$txt) %% 3 != 1"


def test_limits_for_each_side(tmp_path: Path, r: Session) -> None:
    for side, most in (("src", 9), ("tgt", 5)):
        lines = (f"{'w ' * (1 + line * 7 % most)}\n" for line in range(90))
        (tmp_path / f"a.{side}").write_text("".join(lines), encoding="utf-8")
    limits = np.array([6, 2], dtype=np.int32)
    mixture = CorpusMixtureBatchSampler(tmp_path, 8, sample=50, max_length=limits, seed=1)
    sample = np.array([50], dtype=np.int32)
    generator = r.call("batch_sampler_corpus_mixture", str(tmp_path), 8, sample=sample, max_length=limits, seed=1)
    assert_same_recipe(r, mixture, generator)


def test_accepted_lines_and_the_table_of_the_plan(corpus: Path, r: Session, base: Any) -> None:
    for name in SIZES:
        lines = (f"{'w ' * (1 + place % 9)}\n" for place in range(SIZES[name]))
        (corpus / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    mixture = mixture_of(corpus, accept=lambda lines: len(lines[0]) % 3 != 1)
    given = {"rules": ["gold *", "IT,MSDN 20", "news 10"], "suffixes": ".txt", "accept": evaluated(base, ACCEPT)}
    sample = np.array([50], dtype=np.int32)
    generator = r.call("batch_sampler_corpus_mixture", str(corpus), 8, sample=sample, seed=1, **given)
    assert_same_sampler(r, mixture, generator, (0, 3))
    frame = r.call("corpus_plan", generator)
    columns, table = dict(zip(frame.names, frame)), mixture.plan.table()
    assert list(columns) == list(table) and list(table)[2] == "excluded"
    assert as_array(columns["excluded"]).tolist() == table["excluded"].tolist() and table["excluded"].sum() > 0


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


def trained_in_python(sampler: PerplexityBatchSampler, n_epochs: int) -> list[int]:
    trained: list[int] = []
    for _ in range(n_epochs):
        for rows in sampler:
            trained += rows
            sampler.report(rows, (np.array(rows) + 1) / 8)
    assert sampler.started
    return trained


@pytest.mark.parametrize("by_length", [{}, PERPLEXITY_BY_LENGTH])
def test_reports_from_r_lead_to_the_batches_of_python(by_length: dict[str, Any], r: Session, base: Any) -> None:
    generator = rbridge.as_torch_sampler(perplexity_sampler(**by_length))
    rows = as_array(r.call_function(evaluated(base, TRAIN), generator, 4))
    assert (rows - 1).tolist() == trained_in_python(perplexity_sampler(**by_length), 4)


@pytest.mark.parametrize("by_length", [{}, PERPLEXITY_BY_LENGTH])
@pytest.mark.parametrize("stop", [0, 1, 3, 7])
def test_a_resumed_perplexity_sampler_goes_on_in_r(stop: int, by_length: dict[str, Any], r: Session) -> None:
    """Its epoch in R, with the reports as they are: an epoch that was begun has the rows that were drawn then."""
    sampler, resumed = (perplexity_sampler(**by_length) for _ in range(2))
    iterator = iter(sampler)
    for _ in range(stop):
        rows = next(iterator, None)
        if rows is None:
            iterator = iter(sampler)
            rows = next(iterator)
        sampler.report(rows, np.array(rows) / 20)
    resumed.load_state_dict(iterator.state_dict())
    assert_same_recipe(r, resumed, rbridge.as_torch_sampler(resumed))
    instance = r.call_function(rbridge.as_torch_sampler(resumed), None)
    r.call_function(instance["set_epoch"], resumed.epoch)
    next_batch, delivered = r.call_function(instance[".iter"]), []
    while isinstance(batch := r.call_function(next_batch), r.rinterface.IntSexpVector):
        delivered.append((as_array(batch) - 1).tolist())
    assert delivered == list(iterator) and delivered


@pytest.mark.filterwarnings("ignore:.* are above the maximum")
@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("maximum", [None, 10.0, -0.5])
def test_the_noise_ceiling_is_the_same(maximum: Optional[float], clip: bool, r: Session) -> None:
    dice = np.random.default_rng(1)
    nll = np.round(dice.uniform(0, 3, 3000), 2)
    chosen = {"maximum": maximum, "clip": clip and maximum is not None, "seed": 1}
    sampler = PerplexityBatchSampler(4000, 5000, 100, **chosen)
    instance = r.call_function(r.call("batch_sampler_perplexity", 4000, 5000, 100, **chosen), None)
    rows = dice.permutation(4000)[:3000]
    sampler.report(rows, nll)
    r.call_function(instance["report"], (rows + 1).astype(np.int32), nll)
    batches = r.call_function(instance["batches"], 0)
    assert (as_array(batches[0]) - 1).tolist() == sampler.batches(0).rows.tolist()
    assert as_array(r.call_function(instance["perplexities"])).tolist() == sampler.perplexities().tolist()
    assert as_array(r.call_function(instance["share_above_maximum"])).tolist() == [sampler.share_above_maximum]


def tuples_of(frame: Any) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(frame.names, frame)}


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"assign": "even", "rules": None, "cap": 20, "temperature": 1.5, "num_replicas": 2, "shuffle": False},
    ],
)
def test_recipes_of_mixtures(corpus: Path, parameters: dict[str, Any], r: Session, base: Any) -> None:
    mixture = mixture_of(corpus, **parameters)
    given = {"batch_size": 8, "rules": ["gold *", "IT,MSDN 20", "news 10"], "sample": 50, "seed": 1, **parameters}
    if isinstance(given["sample"], int):
        given["sample"] = np.array([given["sample"]], dtype=np.int32)
    generator = r.call("batch_sampler_corpus_mixture", str(corpus), suffixes=".txt", **given)
    assert_same_sampler(r, mixture, generator, (0, 3))
    frame = r.call("corpus_plan", generator)
    assert tuple(base["class"](frame)) == ("data.frame",)
    columns, table = dict(zip(frame.names, frame)), mixture.plan.table()
    assert list(columns) == list(table)
    for name in table:
        found = list(columns[name]) if name == "file" else as_array(columns[name])
        assert np.array_equal(found, table[name].to_numpy(), equal_nan=name != "file"), name


def test_a_file_that_no_rule_covers_is_named_in_both_languages(corpus: Path, r: Session, base: Any) -> None:
    rules = ["gold *", "IT,MSDN 20"]
    with pytest.warns(UserWarning, match="No rule covers these files, which are left out: 'news'."):
        mixture = mixture_of(corpus, rules=rules)
    sample = np.array([50], dtype=np.int32)
    with pytest.warns(UserWarning, match="No rule covers these files, which are left out: 'news'."):
        generator = r.call("batch_sampler_corpus_mixture", str(corpus), 8, sample, rules, ".txt", seed=1)
    assert_same_recipe(r, mixture, generator)
    columns = tuples_of(r.call("corpus_plan", generator))
    assert list(base["is.na"](columns["rule"][3])) == [True] and columns["drawn"][3] == 0


TEXTS = ["", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\r\n\r", "é\u2028b\x0b\x85c\n", "\ufeffa\n", "a\rb\n"]


def test_lines_and_their_index_are_the_same_in_both_languages(tmp_path: Path, r: Session) -> None:
    """Either language uses the index that the other one wrote."""
    for writer in ("python", "r"):
        for place, text in enumerate([*TEXTS, "x" * 9_000_000 + "\ny" * 3]):
            path = tmp_path / f"{writer}{place}.txt"
            path.write_bytes(text.encode())
            index = path.with_name(f".{path.name}.pystrat-lines")
            if writer == "r":
                r.call("line_index", str(path))
                written = index.stat()
            lines = LineFile(path)
            expected = [lines.line(number) for number in range(len(lines))]
            if writer == "python":
                written = index.stat()
            found = r.call("line_index", str(path))
            assert (index.stat().st_mtime_ns, index.stat().st_ino) == (written.st_mtime_ns, written.st_ino)
            assert dict(zip(found.names, found))["n_lines"][0] == len(expected)
            if expected:
                dataset = r.call("corpus_dataset", r.named_list(path=str(path)), ".txt")
                positions = np.arange(1, len(expected) + 1, dtype=np.int32)
                assert list(r.call_function(dataset["lines"], positions)[0]) == expected


def test_an_index_that_cannot_be_beside_its_file_is_shared_too(
    tmp_path: Path, r: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "corpus" / "text.txt", tmp_path / "cache"
    path.with_name(f".{path.name}.pystrat-lines").mkdir(parents=True)
    path.write_text("a\nb\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))  # R in this process sees it too
    r.call("line_index", str(path))
    written = [(file.name, file.stat().st_ino) for file in (cache / "pystrat" / "lines").iterdir()]
    assert len(LineFile(path)) == 2 and len(written) == 1
    assert [(file.name, file.stat().st_ino) for file in (cache / "pystrat" / "lines").iterdir()] == written


IN_PYTHON = """
import sys
from pystrat.corpus.line_file import LineFile
lines = LineFile(sys.argv[1])
print(len(lines), lines.line(99_999))
"""
IN_R = """
lines = rbridge::corpus_dataset(list(commandArgs(TRUE)), ".txt")
cat(length(lines), lines[100000]$txt)
"""
INDEX_IN = {"python": [sys.executable, "-c", IN_PYTHON], "r": [find_r("Rscript") or "Rscript", "-e", IN_R]}


@pytest.mark.parametrize("language", INDEX_IN)
@pytest.mark.parametrize("limit", [4_096, 100_000, 800_000 + 63])
def test_no_index_is_left_that_was_not_written_completely(language: str, limit: int, tmp_path: Path) -> None:
    """A limit on the size of a file stands for a full disk: the system writes a part, and refuses the rest."""
    path, cache = tmp_path / "corpus" / "text.txt", tmp_path / "cache" / "pystrat" / "lines"
    path.parent.mkdir()
    path.write_text("a line\n" * 100_000, encoding="utf-8")
    index = path.with_name(f".{path.name}.pystrat-lines")
    index.write_text("an index of another text", encoding="utf-8")

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [*INDEX_IN[language], str(path)],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        cwd=Path(__file__).parents[2],
        preexec_fn=limit_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["100000", "a", "line"]
    assert index.read_text(encoding="utf-8") == "an index of another text"
    assert sorted([*path.parent.iterdir(), *cache.iterdir()]) == [index, path]


def test_names_that_are_no_text_are_shown(tmp_path: Path, r: Session, rscript: Callable[..., str]) -> None:
    """A byte that is no character is not lost: in the plan, in errors that name the file, and when it is read."""
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt"), "wb") as text:
        text.write(b"line\n")
    mixture = CorpusMixtureBatchSampler(tmp_path, 1, suffixes=[".txt"], sample=1, seed=1)
    generator = rbridge.as_torch_sampler(mixture)
    in_r = r.call("batch_sampler_corpus_mixture", str(tmp_path), 1, np.array([1], dtype=np.int32), None, ".txt", seed=1)
    assert_same_recipe(r, mixture, in_r)
    assert tuples_of(r.call("corpus_plan", generator))["file"] == ["caf\\xe9"]
    instance = r.call_function(generator, None)
    dataset = r.call_function(instance["dataset"])
    assert list(r.call_function(dataset["lines"], 1)[0]) == ["line"]
    (mixture.dataset().files[0].sides[0].path).write_bytes(b"longer than before\n")
    with pytest.raises(rbridge.RError, match=r"caf\\xe9.txt has changed since its lines were found"):
        r.call_function(r.call_function(instance[".iter"]))


def test_an_exported_sampler_has_the_reports(tmp_path: Path, rscript: Callable[..., str]) -> None:
    told = perplexity_sampler()
    told.report(np.arange(20), np.linspace(0, 2, 20))
    script = rbridge.export_r(told, tmp_path / "sampler.R")
    drawn = json.loads(rscript(f"cat(jsonlite::toJSON(source('{script}')$value(NULL)$batches(0)$rows - 1L))"))
    assert drawn == told.batches(0).rows.tolist()


FROM_R = """
corpus = reticulate::import("pystrat.corpus")
mixture = corpus$CorpusMixtureBatchSampler("{folder}", 8, suffixes = list(".txt"), sample = 50L,
  rules = list("gold *", "IT,MSDN 20", "news 10"), seed = 1)
generator = rbridge::batch_sampler_python(mixture)
collected = rbridge::collect_rows(generator, n_rows = 145)
subset = reticulate::import("pystrat")$PerplexityBatchSampler(20, 30, 8, maximum = NULL, seed = 1)
train = {train}
cat(jsonlite::toJSON(digits = NA, list(
  rows = collected$rows - 1L,
  trained = train(rbridge::batch_sampler_python(subset), 4) - 1L,
  plan = rbridge::corpus_plan(generator)
)))
"""


def test_from_r_through_reticulate(corpus: Path, rscript: Callable[..., str]) -> None:
    code = FROM_R.format(folder=corpus, train=TRAIN)
    told = json.loads(rscript(code, RETICULATE_PYTHON=sys.executable))
    assert told["rows"] == mixture_of(corpus).batches(0).rows.tolist()
    assert told["trained"] == trained_in_python(perplexity_sampler(), 4)
    assert [row["file"] for row in told["plan"]] == list(SIZES)
    assert [(row["drawn"], row["kept"]) for row in told["plan"]] == [(10, 0), (20, 0), (0, 5), (15, 0)]
