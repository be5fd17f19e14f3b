"""Samplers of files that R and Python make independently: the same files, plans, lines and messages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import rbridge
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_sampler, columns_of
from tests.corpus.test_files import SOURCE, TARGETS, folder, write
from tests.corpus.test_lines import TEXTS

__all__ = ["folder"]  # the fixture

PAIRS: dict[str, Any] = {"source": SOURCE, "targets": TARGETS}
TABLE: dict[int, list[Any]] = {0: [1, 1], 3: ["*", 1], 4: [0.3, 7]}


@pytest.fixture
def in_folder(folder: Path, base: Any) -> Iterator[Path]:
    """The folder of files with unrelated names, and with one name in two folders, in which R works too."""
    for name in ("x", "y"):
        write(folder / name / "caf\u00e9.en", "en", 5)
        write(folder / name / "de", "de", 5)
    before = base["getwd"]()[0]
    base["setwd"](str(folder))
    yield folder
    base["setwd"](before)


def given_in_r(r: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as R takes them: numbers with texts are a list."""

    def crossed(value: Any) -> Any:
        if isinstance(value, dict):
            return r.named_list(**{str(name): crossed(each) for name, each in value.items()})
        kinds = {type(each) is str for each in value} if isinstance(value, list) else {True}
        if kinds == {False, True}:
            base = r.rinterface.baseenv
            return base["list"](*[each if isinstance(each, str) else float(each) for each in value])
        return value if kinds == {True} else np.array(value, dtype=np.float64)

    return {name: crossed(value) for name, value in given.items()}


def assert_same_plan(r: Session, sampler: CorpusMixtureBatchSampler, generator: Any, epoch: int = 0) -> None:
    frame = r.call("corpus_plan", generator, epoch)
    assert tuple(r.rinterface.baseenv["class"](frame)) == ("data.frame",)
    found, table = columns_of(frame), sampler.plan(epoch)
    table["rule"] = table["rule"].astype("float64")
    assert list(found) == list(table)
    for name in table:
        assert np.array_equal(found[name], table[name].to_numpy(), equal_nan=name != "file"), name


# Mixtures -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chosen",
    [
        {**PAIRS, "sample": 70, "weights": ["*", 2]},
        {**PAIRS, "sample": 70, "max_length": [9, 2]},
        {**PAIRS, "sample": 0.3, "rules": ["%.en$ 0.1", "^news 00.7"], "num_replicas": 2},
        {**PAIRS, "epoch_end": "all_exhausted", "weights": TABLE},
        {
            **{"source": [*SOURCE, "x/caf\u00e9.en", "y/caf\u00e9.en", "y/caf\u00e9.en"], "sample": 40},
            **{"targets": [*TARGETS, "x/de", "y/de", "x/de"], "rules": ["caf\u00e9 1", "* 2"]},
        },
        {"source": SOURCE, "suffixes": [""], "sample": 20, "assign": "even", "cap": 20, "temperature": 1.5},
    ],
    ids=str,
)
def test_mixtures_have_the_plan_the_batches_and_the_lines_of_python(
    chosen: dict[str, Any], in_folder: Path, r: Session
) -> None:
    chosen = {"batch_size": 8, "seed": 1, **chosen}
    mixture = CorpusMixtureBatchSampler(**chosen)
    generator = r.call("batch_sampler_corpus_mixture", **given_in_r(r, chosen))
    instance = assert_same_sampler(r, mixture, generator, range(6))
    for epoch in range(6):
        r.call_function(instance["set_epoch"], epoch)
        assert r.call_function(instance[".length"])[0] == len(mixture.batches(epoch))
        assert_same_plan(r, mixture, generator, epoch)
    dataset, python = r.call_function(instance["dataset"]), mixture.dataset()
    rows = mixture.batches(0).rows[:5]
    lines = [list(side) for side in r.call_function(dataset["lines"], rows + 1)]
    assert list(zip(*lines)) == [
        tuple(python[row]) if isinstance(python[row], tuple) else (python[row],) for row in rows
    ]


def test_accepted_lines_and_files_that_no_rule_covers(in_folder: Path, r: Session, evaluated: Any) -> None:
    chosen = {"source": SOURCE, "suffixes": [""], "sample": 20, "rules": ["%.en$ 1", "^ep 1"]}
    with pytest.warns(UserWarning, match="No rule covers '.*', which is left out.") as warned:
        mixture = CorpusMixtureBatchSampler(batch_size=8, seed=1, **chosen, accept=lambda lines: len(lines[0]) % 3 != 1)
    accept = evaluated("function(lines) nchar(lines[[1]]) %% 3 != 1")
    with pytest.warns(UserWarning) as warned_in_r:
        generator = r.call("batch_sampler_corpus_mixture", batch_size=8, seed=1, **given_in_r(r, chosen), accept=accept)
    assert str(warned_in_r[0].message) == str(warned[0].message)
    assert_same_sampler(r, mixture, generator)
    assert_same_plan(r, mixture, generator)
    assert mixture.plan()["excluded"].sum() > 0


def test_names_that_are_no_text_are_shown(tmp_path: Path, r: Session) -> None:
    """A byte that is no character is not lost: in the plan, in errors that name the file, and when it is read."""
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt"), "wb") as text:
        text.write(b"line\n")
    mixture = CorpusMixtureBatchSampler(tmp_path, 1, suffixes=[".txt"], sample=2, seed=1)
    in_r = r.call("batch_sampler_corpus_mixture", str(tmp_path), 1, 2, None, ".txt", seed=1)
    assert_same_sampler(r, mixture, in_r)
    generator = rbridge.as_torch_sampler(mixture)
    assert columns_of(r.call("corpus_plan", generator))["file"] == ["caf\\xe9"]
    instance = r.call_function(generator, None)
    assert list(r.call_function(r.call_function(instance["dataset"])["lines"], 1)[0]) == ["line"]
    mixture.dataset().table.found[0].paths[0].write_bytes(b"longer than before\n")
    with pytest.raises(rbridge.RError, match=r"caf\\xe9.txt has changed since its lines were found"):
        r.call_function(r.call_function(instance[".iter"]))


# Rare events ----------------------------------------------------------------------------------------------------------


# Lines and what is written --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*TEXTS[:-1], "x" * 9_000_000 + "\ny" * 3])  # R has no text with a zero byte
def test_lines_and_lengths_are_those_of_python(text: str, tmp_path: Path, r: Session) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    python = CorpusDataset([path], [".txt"])
    dataset = r.call("corpus_dataset", r.named_list(path=str(path)), ".txt")
    assert r.rinterface.baseenv["length"](dataset)[0] == len(python)
    assert as_array(r.call_function(dataset["lengths"])).tolist() == python.lengths().tolist()
    if len(python):
        positions = np.arange(1, len(python) + 1, dtype=np.int32)
        assert list(r.call_function(dataset["lines"], positions)[0]) == [line for line, in python]
