"""A script that makes the same sampler in a plain R session, without Python."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import pytest

import rbridge
from pystrat import DownsampledBatchSampler, StratifiedBatchSampler
from rbridge._install import find_r

ODD = ['quote "', "back\\slash", "é\n\t\x01", "😀", "NA", "", "'", "%s", "\u200f"]
SHOW = """
generator = source("{script}"{chdir})$value
instance = generator(NULL)
batches = instance$batches(1)
cat(jsonlite::toJSON(list(rows = batches$rows - 1L, offsets = batches$offsets, strata = names(instance$plan()))))
"""


def expected(sampler: Any) -> dict[str, Any]:
    batches = sampler.batches(1)
    return {
        "rows": batches.rows.tolist(),
        "offsets": batches.offsets.tolist(),
        "strata": list(sampler.plan.strata),
    }


@pytest.mark.parametrize(
    "sampler",
    [
        StratifiedBatchSampler(ODD * 4, 2, seed=5, assign="even", num_replicas=2),
        StratifiedBatchSampler([1.5, None, 2.5] * 40, mean_batch_size=7, seed=2**31 - 2, missing="drop"),
        StratifiedBatchSampler([1.5, None, 2.5] * 40, 3, seed=0, missing="stratum", shuffle=False),
        StratifiedBatchSampler(["a"] * 20 + ["b"], 10**20, seed=1, rare="allow"),
        StratifiedBatchSampler(list(range(300)) * 2, 2, seed=1),
        DownsampledBatchSampler(["a"] * 20 + ["b"] * 50, Fraction(4, 3), 10, seed=1, in_turn=True),
    ],
    ids=repr,
)
def test_the_script_makes_the_same_sampler(sampler: Any, tmp_path: Path, rscript: Callable[..., str]) -> None:
    script = rbridge.export_r(sampler, tmp_path / "sampler.R")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sampler.R", "sampler.recipe"]
    assert json.loads(rscript(SHOW.format(script=script, chdir=""))) == expected(sampler)


def test_script_and_data_can_be_moved_and_called_from_anywhere(tmp_path: Path, rscript: Callable[..., str]) -> None:
    sampler = StratifiedBatchSampler(["a", "b"] * 8, 2, seed=5)
    (tmp_path / "here").mkdir()
    rbridge.export_r(sampler, tmp_path / "here" / "sampler.R")
    shutil.move(str(tmp_path / "here"), str(tmp_path / "there"))
    for script, chdir in (("there/sampler.R", ""), ("there/sampler.R", ", chdir = TRUE")):
        assert json.loads(rscript(SHOW.format(script=script, chdir=chdir))) == expected(sampler)
    show = (tmp_path / "there" / "sampler.R").read_text(encoding="ascii") + "\n"
    (tmp_path / "there" / "sampler.R").write_text("generator = {" + show + "}\ncat(generator(NULL)$.length())")
    from rbridge._install import find_r

    import subprocess

    command = [str(find_r("Rscript")), "there/sampler.R"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "4", "run by Rscript itself"


def test_the_same_sampler_gives_the_same_bytes(tmp_path: Path) -> None:
    sampler = StratifiedBatchSampler(["a", "b"] * 8, 2, seed=5)
    written = []
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        script = rbridge.export_r(sampler, tmp_path / folder / "sampler.R")
        written.append((script.read_bytes(), script.with_suffix(".recipe").read_bytes()))
    assert written[0] == written[1]


def test_an_odd_name_of_the_script_is_no_code(tmp_path: Path, rscript: Callable[..., str]) -> None:
    sampler = StratifiedBatchSampler(["a", "b"] * 8, 2, seed=5)
    for name in ("größe.R", 'x"\nstop(1)\n.R', "it's.R"):
        script = rbridge.export_r(sampler, tmp_path / name)
        code = f"cat(source({json.dumps(str(script), ensure_ascii=False)})$value(NULL)$.length())"
        assert rscript(code, LC_ALL="C.UTF-8") == "4"


def test_the_data_file_of_another_export_is_noticed(tmp_path: Path, rscript: Callable[..., str]) -> None:
    script = rbridge.export_r(StratifiedBatchSampler(["a", "b"] * 8, 2, seed=5), tmp_path / "sampler.R")
    other = rbridge.export_r(StratifiedBatchSampler(["b", "a"] * 7 + ["a", "b"], 2, seed=5), tmp_path / "other.R")
    shutil.copy(other.with_suffix(".recipe"), script.with_suffix(".recipe"))
    code = f'cat(tryCatch(source("{script}"), error = conditionMessage))'
    told = rscript(code)
    assert "The 'file' parameter must have the MD5 checksum" in told
    assert told.endswith("Export the script and its file again.")


def test_what_cannot_be_exported_is_refused(tmp_path: Path) -> None:
    sampler = StratifiedBatchSampler(["a", "b"] * 8, 2, seed=1, num_replicas=2, rank=0)
    with pytest.raises(ValueError, match="'sampler' parameter must have no rank"):
        rbridge.export_r(sampler, tmp_path / "sampler.R")
    with pytest.raises(TypeError, match="'sampler' parameter must be a sampler of pystrat"):
        rbridge.export_r("sampler", tmp_path / "sampler.R")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'path' parameter must end in .R. Got '.*sampler.txt' instead."):
        rbridge.export_r(StratifiedBatchSampler(["a", "b"], 1), tmp_path / "sampler.txt")
    assert list(tmp_path.iterdir()) == []


IN_PYTHON = """
import sys, pystrat, rbridge
rbridge.export_r(pystrat.StratifiedBatchSampler([0, 1] * 50_000, 1, seed=1), sys.argv[1] + ".R")
"""
IN_R = """
generator = rbridge::batch_sampler_stratified(1, strata = rep(0:1, 50000), seed = 1)
rbridge::write_batch_sampler(generator, paste0(commandArgs(TRUE), ".recipe"))
"""
WRITE_IN = {"python": [sys.executable, "-c", IN_PYTHON], "r": [find_r("Rscript") or "Rscript", "-e", IN_R]}


@pytest.mark.parametrize("language", WRITE_IN)
@pytest.mark.parametrize("limit", [500, 4_096, 100_000])
def test_a_file_that_cannot_be_written_completely_is_an_error(language: str, limit: int, tmp_path: Path) -> None:
    """A limit on the size of a file stands for a full disk: the system writes a part, and refuses the rest."""
    recipe = tmp_path / "sampler.recipe"
    recipe.write_text("another recipe", encoding="utf-8")

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [*WRITE_IN[language], str(tmp_path / "sampler")],
        cwd=Path(__file__).parents[2],
        preexec_fn=limit_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert ("File too large" if language == "python" else "sampler.recipe cannot be written: ") in done.stderr
    assert recipe.read_text(encoding="utf-8") == "another recipe"
    assert list(tmp_path.iterdir()) == [recipe]
