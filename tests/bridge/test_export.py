"""A script that makes the same sampler in a plain R session; test_specimens.py runs those of all kinds there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest

import rbridge
from pystrat import BatchSampler, StratifiedBatchSampler
from rbridge.session import Session
from tests.bridge.foreign import Shuffled
from tests.bridge.recipes import assert_same_sampler

SAMPLER = StratifiedBatchSampler(["a", "b"] * 8, 2, seed=5)


@pytest.fixture
def sourced(base: Any, tmp_path: Path, evaluated: Callable[[str], Any]) -> Any:
    """Return the generator of a script; R works in the folder of the test."""
    before = base["getwd"]()[0]
    base["setwd"](str(tmp_path))
    yield lambda script, options="": evaluated(f"source({json.dumps(str(script), ensure_ascii=False)}{options})$value")
    base["setwd"](before)


def test_script_and_file_can_be_moved_and_called_from_anywhere(tmp_path: Path, r: Session, sourced: Any) -> None:
    (tmp_path / "here").mkdir()
    assert rbridge.export_r(SAMPLER, str(tmp_path / "here" / "sampler.R")) == tmp_path / "here" / "sampler.R"
    shutil.move(str(tmp_path / "here"), str(tmp_path / "there"))
    for script, options in (("there/sampler.R", ""), ("there/sampler.R", ", chdir = TRUE")):
        assert_same_sampler(r, SAMPLER, sourced(script, options))


@pytest.mark.parametrize("name", ["gr\u00f6\u00dfe.R", 'x"\nstop(1)\n.R', "it's.R", "back\\slash.R"])
def test_an_odd_name_of_the_script_is_no_code(name: str, tmp_path: Path, r: Session, sourced: Any) -> None:
    assert_same_sampler(r, SAMPLER, sourced(rbridge.export_r(SAMPLER, tmp_path / name)))


def test_the_same_sampler_gives_the_same_bytes_and_the_file_of_another_one_is_noticed(
    tmp_path: Path, r: Session, evaluated: Callable[[str], Any]
) -> None:
    written = []
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        script = rbridge.export_r(SAMPLER, tmp_path / folder / "sampler.R")
        written.append((script.read_bytes(), script.with_suffix(".recipe").read_bytes()))
    assert written[0] == written[1]
    assert sorted(path.name for path in script.parent.iterdir()) == ["sampler.R", "sampler.recipe"]
    other = rbridge.export_r(StratifiedBatchSampler(["b", "a"] * 8, 2, seed=6), tmp_path / "other.R")
    shutil.copy(other.with_suffix(".recipe"), script.with_suffix(".recipe"))
    with pytest.raises(rbridge.RError, match="'file' parameter must have the MD5 checksum(.|\n)*Export the script and"):
        r.call_function(evaluated("source"), str(script))


@pytest.mark.parametrize(
    ("sampler", "name", "error", "message"),
    [
        (StratifiedBatchSampler([0, 1] * 8, 2, seed=1, num_replicas=2, rank=0), "s.R", ValueError, "have no rank"),
        ("sampler", "s.R", TypeError, "'sampler' parameter must be a sampler of pystrat. Got 'sampler' instead."),
        (Shuffled(seed=1), "s.R", TypeError, "'sampler' parameter must be a sampler of pystrat"),
        (SAMPLER, "sampler.txt", ValueError, "'path' parameter must end in .R. Got '.*sampler.txt' instead."),
    ],
)
def test_what_cannot_be_exported_is_refused(
    sampler: BatchSampler, name: str, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        rbridge.export_r(sampler, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
