"""Mixtures that R and Python make independently: the same files, plans, lines and messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import rbridge
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler, CorpusPlan
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_sampler
from tests.corpus.test_division import REFUSED as REFUSED_WEIGHTS
from tests.corpus.test_files import REFUSED, SOURCE, TARGETS, folder, write

__all__ = ["folder"]  # the fixture


@pytest.fixture
def in_folder(folder: Path, r: Session) -> Iterator[Path]:
    """The folder of files with unrelated names, in which R works too."""
    base = r.rinterface.baseenv
    before = base["getwd"]()[0]
    base["setwd"](str(folder))
    yield folder
    base["setwd"](before)


def integer(number: int) -> np.ndarray:
    return np.array([number], dtype=np.int32)


def in_r(r: Session, weights: Any) -> Any:
    """Return weights as R takes them: numbers, or a list of numbers and texts."""
    if all(isinstance(weight, (int, float)) for weight in weights):
        return np.array(weights, dtype=np.float64)
    base = r.rinterface.baseenv
    return base["list"](*[weight if isinstance(weight, str) else float(weight) for weight in weights])


def test_files_of_unrelated_names(in_folder: Path, r: Session) -> None:
    for name in ("x", "y"):
        write(in_folder / name / "café.en", "en", 5)
        write(in_folder / name / "de", "de", 5)
    source = [*SOURCE, "x/café.en", "y/café.en", "y/café.en"]
    targets = [*TARGETS, "x/de", "y/de", "x/de"]
    mixture = CorpusMixtureBatchSampler(source, 8, targets=targets, sample=40, rules=["café 1", "* 2"], seed=1)
    generator = r.call(
        "batch_sampler_corpus_mixture", source, 8, integer(40), ["café 1", "* 2"], targets=targets, seed=1
    )
    assert_same_sampler(r, mixture, generator, (0, 3))
    assert [file.name for file in mixture.plan.files][2:] == ["x/café.en", "y/café.en", "y/café.en (2)"]
    dataset = r.call("corpus_dataset", source, targets=targets)
    lines = [list(side) for side in r.call_function(dataset["lines"], np.array([1, 41, 55], dtype=np.int32))]
    python = CorpusDataset(source, targets=targets)
    assert lines == [list(side) for side in zip(python[0], python[40], python[54])]


def test_files_without_partners_are_taken_as_they_are(in_folder: Path, r: Session) -> None:
    mixture = CorpusMixtureBatchSampler(SOURCE, 8, suffixes=[""], sample=20, rules=["%.en$ 1", "* 2"], seed=1)
    rules = ["%.en$ 1", "* 2"]
    generator = r.call("batch_sampler_corpus_mixture", SOURCE, 8, integer(20), rules, suffixes="", seed=1)
    assert_same_sampler(r, mixture, generator, (0, 3))
    lines = r.call_function(r.call("corpus_dataset", SOURCE, suffixes="")["lines"], np.array([40], dtype=np.int32))
    assert [list(side) for side in lines] == [list(CorpusDataset(SOURCE, [""])[39])]


# What R has no second form of: a list of one number is a number, and one text is a vector of texts.
ONLY_IN_PYTHON: list[dict[str, Any]] = [{"source": [3]}, {"suffixes": ".txt"}]


@pytest.mark.parametrize(("given", "message"), [case for case in REFUSED if case[0] not in ONLY_IN_PYTHON])
def test_lists_that_make_no_pairs_are_refused_in_the_same_words(
    in_folder: Path, given: dict[str, Any], message: str, r: Session
) -> None:
    (in_folder / "folder").mkdir()
    (in_folder / "link").symlink_to("europarl.en")
    chosen = {"source": SOURCE, "targets": TARGETS, **given}
    with pytest.raises(rbridge.RError) as refused:
        r.call("corpus_dataset", **chosen)
    with pytest.raises((TypeError, ValueError)) as expected:
        CorpusDataset(**chosen)
    if isinstance(chosen["source"], list) and isinstance(chosen["targets"], list):  # else it is one file in R
        assert str(refused.value) == str(expected.value).replace("CorpusDataset", "corpus_dataset")


@pytest.mark.parametrize("chosen", [{"weights": [3, 0.1]}, {"weights": ["*", 2]}, {"temperature": 2.5}])
def test_shares_by_numbers_and_by_temperature(in_folder: Path, chosen: dict[str, Any], r: Session) -> None:
    mixture = CorpusMixtureBatchSampler(SOURCE, 8, targets=TARGETS, sample=70, seed=1, **chosen)
    given = {name: in_r(r, value) if name == "weights" else value for name, value in chosen.items()}
    generator = r.call("batch_sampler_corpus_mixture", SOURCE, 8, integer(70), targets=TARGETS, seed=1, **given)
    assert_same_sampler(r, mixture, generator, (0, 3))


@pytest.mark.parametrize("epoch_end", ["first_exhausted", "all_exhausted"])
@pytest.mark.parametrize(
    "chosen", [{}, {"weights": [3, 0.7]}, {"weights": ["*", 2]}, {"num_replicas": 3, "shuffle": False}]
)
def test_epochs_until_files_are_exhausted(in_folder: Path, epoch_end: str, chosen: dict[str, Any], r: Session) -> None:
    mixture = CorpusMixtureBatchSampler(SOURCE, 8, targets=TARGETS, epoch_end=epoch_end, seed=1, **chosen)
    given = {name: in_r(r, value) if name == "weights" else value for name, value in chosen.items()}
    generator = r.call("batch_sampler_corpus_mixture", SOURCE, 8, targets=TARGETS, epoch_end=epoch_end, seed=1, **given)
    assert_same_sampler(r, mixture, generator, (0, 3))


TABLE: dict[int, list[Any]] = {0: [1, 1], 3: ["*", 1], 4: [0.3, 7]}


def table_in_r(r: Session, table: dict[int, list[Any]]) -> Any:
    return r.named_list(**{str(epoch): in_r(r, weights) for epoch, weights in table.items()})


@pytest.mark.parametrize("chosen", [{"epoch_end": "all_exhausted"}, {"sample": 0.5, "num_replicas": 2}])
def test_tables_of_weights(in_folder: Path, chosen: dict[str, Any], tmp_path: Path, r: Session, base: Any) -> None:
    mixture = CorpusMixtureBatchSampler(SOURCE, 4, targets=TARGETS, weights=TABLE, seed=1, **chosen)
    generator = r.call(
        "batch_sampler_corpus_mixture", SOURCE, 4, targets=TARGETS, weights=table_in_r(r, TABLE), seed=1, **chosen
    )
    assert_same_sampler(r, mixture, generator, range(6))
    script = rbridge.export_r(mixture, tmp_path / "mixture.R")
    exported = base["$"](base["source"](str(script)), "value")
    instance = r.call_function(exported, r.rinterface.NULL)
    for epoch in range(6):
        r.call_function(instance["set_epoch"], epoch)
        assert r.call_function(instance[".length"])[0] == len(mixture.batches(epoch))
        frame = r.call("corpus_plan", exported, epoch)
        assert list(frame[list(frame.names).index("drawn")]) == [file.drawn for file in mixture.plan_of(epoch).files]


def test_a_function_of_the_epoch_stays_in_its_language(in_folder: Path, tmp_path: Path, r: Session, base: Any) -> None:
    mixture = CorpusMixtureBatchSampler(SOURCE, 8, targets=TARGETS, weights=lambda epoch: [1, epoch], sample=20, seed=1)
    for cross in (rbridge.as_torch_sampler, export):
        with pytest.raises(TypeError) as refused:
            cross(mixture)
        assert str(refused.value) == (
            "The 'sampler' parameter must have weights that can be written down. Got a function of the "
            "epoch instead. Give a table of the weights from certain epochs on, such as {0: [1, 1], 5: [3, 1]}."
        )
    weights = base["eval"](base["parse"](text="function(epoch) c(1, epoch)"))
    generator = r.call("batch_sampler_corpus_mixture", SOURCE, 8, integer(20), targets=TARGETS, weights=weights, seed=1)
    instance = r.call_function(generator, r.rinterface.NULL)
    for epoch in range(3):
        rows, offsets = (as_array(vector) for vector in r.call_function(instance["batches"], epoch))
        assert (rows - 1).tolist() == mixture.batches(epoch).rows.tolist()
        assert offsets.tolist() == mixture.batches(epoch).offsets.tolist()


def export(mixture: CorpusMixtureBatchSampler) -> Path:
    return rbridge.export_r(mixture, "mixture.R")


@pytest.mark.parametrize(("weights", "message"), [case for case in REFUSED_WEIGHTS if isinstance(case[0], list)])
def test_other_weights_are_refused_in_the_same_words(weights: Any, message: str, r: Session, base: Any) -> None:
    lines = np.array([30.0, 60, 5, 900])
    values = [float(weight) if type(weight) is int else weight for weight in weights]
    crossed = base["list"](*[r.rinterface.NULL if value is None else value for value in values])
    with pytest.raises(rbridge.RError) as refused:
        r.call("make_corpus_plan", list("abcd"), lines, integer(100), weights=crossed)
    with pytest.raises(ValueError) as expected:
        CorpusPlan(list("abcd"), [30, 60, 5, 900], 100, weights=weights)
    assert str(refused.value) == str(expected.value).replace("CorpusPlan", "rbridge")
