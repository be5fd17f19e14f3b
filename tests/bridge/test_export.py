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


@pytest.mark.parametrize("name", ["sampler.R", "gr\u00f6\u00dfe.R", 'x"\nstop(1)\n.R', "back\\slash.R"])
def test_script_and_file_can_be_moved_and_have_any_name(
    name: str, tmp_path: Path, r: Session, evaluated: Callable[[str], Any]
) -> None:
    (tmp_path / "here").mkdir()
    assert rbridge.export_r(SAMPLER, str(tmp_path / "here" / name)) == tmp_path / "here" / name
    shutil.move(str(tmp_path / "here"), str(tmp_path / "there"))
    script = json.dumps(str(tmp_path / "there" / name), ensure_ascii=False)
    for options in ("", ", chdir = TRUE"):
        assert_same_sampler(r, SAMPLER, evaluated(f"source({script}{options})$value"))


def test_the_file_of_another_sampler_is_noticed(tmp_path: Path, r: Session, evaluated: Callable[[str], Any]) -> None:
    script = rbridge.export_r(SAMPLER, tmp_path / "sampler.R")
    other = rbridge.export_r(StratifiedBatchSampler(["b", "a"] * 8, 2, seed=6), tmp_path / "other.R")
    shutil.copy(other.with_suffix(".recipe"), script.with_suffix(".recipe"))
    with pytest.raises(rbridge.RError, match="'file' parameter must have the MD5 checksum(.|\n)*Export the script and"):
        r.call_function(evaluated("source"), str(script))


@pytest.mark.parametrize(
    ("sampler", "name", "error", "message"),
    [
        (StratifiedBatchSampler([0, 1] * 8, 2, seed=1, num_replicas=2, rank=0), "s.R", ValueError, "have no rank"),
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
