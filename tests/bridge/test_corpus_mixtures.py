"""Mixtures that R and Python make by themselves: the same files, plans, lines and messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import rbridge
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe
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


def assert_same_batches(r: Session, sampler: CorpusMixtureBatchSampler, generator: Any, epochs: Any = (0, 3)) -> None:
    """Assert that a generator that R made is the sampler: the recipe, and the batches of some epochs."""
    assert_same_recipe(r, sampler, generator)
    assert_same_recipe(r, sampler, rbridge.as_torch_sampler(sampler))
    instance = r.call_function(generator, None)
    for epoch in epochs:
        rows, offsets = (as_array(vector) for vector in r.call_function(instance["batches"], epoch))
        assert (rows - 1).tolist() == sampler.batches(epoch).rows.tolist()
        assert offsets.tolist() == sampler.batches(epoch).offsets.tolist()


def integer(number: int) -> np.ndarray:
    return np.array([number], dtype=np.int32)


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
    assert_same_batches(r, mixture, generator)
    assert [file.name for file in mixture.plan.files][2:] == ["x/café.en", "y/café.en", "y/café.en (2)"]
    dataset = r.call("corpus_dataset", source, targets=targets)
    lines = [list(side) for side in r.call_function(dataset["lines"], np.array([1, 41, 55], dtype=np.int32))]
    python = CorpusDataset(source, targets=targets)
    assert lines == [list(side) for side in zip(python[0], python[40], python[54])]


@pytest.mark.parametrize(("given", "message"), [case for case in REFUSED if case[0] != {"source": [3]}])
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
