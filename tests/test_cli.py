"""The command line: its output, the files it writes, and that errors take one line."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rbridge.cli
from pystrat import StrataSubsetBatchSampler, StratifiedBatchSampler, StratifiedGroupBatchSampler, advise
from pystrat.cli import main
from tests.test_docs import ROOT

TABLE = pd.DataFrame(
    {
        "autism": ["yes", "no", "no", None, "no"] * 20,
        "sex": ["m", "f"] * 50,
        "NA": ["NA", "x"] * 50,
        "sick": [1, 0] * 50,
        "known": [True, False] * 50,
        "site": ["f", "f", "m", "m"] * 25,
        "patient": [row % 14 for row in range(100)],
        "species": ["cat"] * 50 + ["dog"] * 29 + ["seed"] * 12 + ["rare"] * 9,  # names of options
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "children.csv"
    TABLE.to_csv(path, index=False)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


SEX, SICK, SPECIES = (TABLE[name] for name in ("sex", "sick", "species"))
grouped = partial(StratifiedGroupBatchSampler, SICK, groups=TABLE["patient"])
# Options, and the sampler that they stand for.
PLANS: dict[str, Any] = {
    "--strata autism,sex --min-samples-per-stratum 3 --missing drop": StratifiedBatchSampler(
        TABLE[["autism", "sex"]], 3, missing="drop"
    ),
    "-m f=5 -m m=1 --strata sex": StratifiedBatchSampler(SEX, {"f": 5, "m": 1}),
    "-m 1=2 -m 0=5 --strata sick": StratifiedBatchSampler(SICK, {1: 2, 0: 5}),
    "-m TRUE=2 -m FALSE=5 --strata known": StratifiedBatchSampler(TABLE["known"], {True: 2, False: 5}),
    "-m '1, f=1' --strata sick,site": StratifiedBatchSampler(TABLE[["sick", "site"]], {(1, "f"): 1}),
    "-m 3 --strata NA --na-values=": StratifiedBatchSampler(TABLE["NA"], 3),
    **{
        f"--mean-batch-size 10 {options} --strata sex": StratifiedBatchSampler(SEX, mean_batch_size=10, **parameters)
        for options, parameters in (
            ("--shares f=1 --shares m=1.5", {"shares": {"f": 1, "m": 1.5}}),
            ("--balance over", {"balance": "over"}),
            ("--balance 30", {"balance": 30}),
            ("--drop balanced --assign even", {"drop": "balanced", "assign": "even"}),
            ("-m 4 --rare repeat", {"min_samples_per_stratum": 4, "rare": "repeat"}),
        )
    },
    "-m 3 --strata sick --groups patient": grouped(3, keep="together"),
    "-m 3 --strata sick --groups patient --keep apart": grouped(3, keep="apart"),
    "--mean-batch-size 20 --strata sick --groups patient": grouped(mean_batch_size=20, keep="together"),
    "--strata-per-batch 2 -m 4 --seed 1 --strata species": StrataSubsetBatchSampler(SPECIES, 2, 4, seed=1),
    "--strata-per-batch 2 -m 4 --balance under --strata species": StrataSubsetBatchSampler(
        SPECIES, 2, 4, balance="under"
    ),
    "--strata-per-batch 2 --mean-batch-size 16 --strata species": StrataSubsetBatchSampler(
        SPECIES, 2, mean_batch_size=16
    ),
}


@pytest.mark.parametrize("options", PLANS)
def test_plan_prints_the_plan(options: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Options may stand before the file, which none of them takes for a value."""
    assert run("plan", *shlex.split(options), file) == 0
    assert capsys.readouterr().out == PLANS[options].plan.summary() + "\n"


def test_what_is_missing_and_the_delimiter_are_those_of_pandas_or_of_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pd.DataFrame({"id": range(8), "sex": ["f", "m", "NA", "-9"] * 2})
    table.to_csv(tmp_path / "table.csv", index=False, sep=";")
    for options, read in (
        ("--missing drop", {}),
        ("--missing drop --na-values=-9,x", {"na_values": ["-9", "x"], "keep_default_na": False}),
    ):
        assert run("plan", tmp_path / "table.csv", *shlex.split(f"--strata sex -m 1 --delimiter ';' {options}")) == 0
        strata = pd.read_csv(tmp_path / "table.csv", sep=";", **read)["sex"]
        expected = StratifiedBatchSampler(strata, 1, missing="drop").plan.summary()
        assert capsys.readouterr().out == expected + "\n"


def test_plan_saves_a_picture_and_advise_prints_the_advice(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (["--strata", "sex"], ["--strata", "sick", "--groups", "patient"]):
        picture = tmp_path / f"{options[1]}.png"
        assert run("plan", file, *options, "-m", "3", "--plot", picture) == 0
        assert capsys.readouterr().out.endswith(f"\nSaved the plot to {picture}.\n")
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert run("advise", file, "--strata", "autism", "--batch-size", 8, "-m", 2, "--missing", "drop") == 0
    expected = advise(TABLE["autism"].to_frame(), 8, min_samples_per_stratum=2, missing="drop")
    assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize("suffix", [".csv.gz", ".dta"])
def test_batches_are_written_counted_from_one(suffix: str, tmp_path: Path) -> None:
    file, out = tmp_path / f"children{suffix}", tmp_path / "batches.csv"
    table = TABLE[["autism", "sex", "species"]]
    if suffix == ".dta":
        table.fillna("").to_stata(file, write_index=False)
    else:
        table.to_csv(file, index=False)
    for options, sampler in (
        ("--strata sex -m 4 --assign even", StratifiedBatchSampler(TABLE["sex"], 4, seed=1, assign="even")),
        ("--strata species --strata-per-batch 2 -m 4", StrataSubsetBatchSampler(TABLE["species"], 2, 4, seed=1)),
        ("--strata sex -m 4 --no-shuffle", StratifiedBatchSampler(TABLE["sex"], 4, seed=1, shuffle=False)),
    ):
        assert run("batches", file, *options.split(), "--seed", 1, "--epoch", 2, "--out", out) == 0
        written, batches = pd.read_csv(out), sampler.batches(2)
        assert (written["row"] - 1).tolist() == batches.rows.tolist()
        assert written.groupby("batch").size().tolist() == [len(batch) for batch in batches]
        assert written["batch"].iloc[0] == 1


def test_export_writes_the_script_and_its_data(file: Path, tmp_path: Path) -> None:
    script = tmp_path / "sampler.R"
    options = ["--strata", "sex", "--min-samples-per-stratum", "3", "--seed", "1", "--out", str(script)]
    assert rbridge.cli.main(["export-r", str(file), *options]) == 0
    assert "read_batch_sampler" in script.read_text() and (tmp_path / "sampler.recipe").is_file()
    before = file.read_bytes()
    assert rbridge.cli.main(["export-r", str(file), *options[:-1], str(file)]) == 2 and file.read_bytes() == before


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--strata sex -m none=1", "must name one of the strata"),
        ("--strata autism -m 3", "must have no missing values. Got 20 missing of 100 rows"),
        ("--strata sex -m 3 --keep apart", "The '--keep' option is not one of a StratifiedBatchSampler."),
        ("--strata sex --groups sick --no-shuffle", "The '--shuffle' option is not one of a StratifiedGroupBatch"),
        ("--strata sex --groups age", "The '--groups' option must name columns of the file. Got 'age' instead."),
        ("--strata sex --groups sick -m 1 --keep both", "The '--keep' option must be one of"),
        ("--strata sex --strata-per-batch 2", "'--min-samples-per-stratum' option must be given if 'mean_batch_size'"),
        ("--strata species -m 19", "the smallest stratum, 'rare', has 9 rows. Got 19 instead. Lower it, or set 'rare'"),
        ("--strata species -m many", "The '--min-samples-per-stratum' option must be"),
        ("--strata species -m 1 --seed -1", "The '--seed' option must be an integer from 0 to 2147483646. Got -1 ins"),
    ],
)
def test_an_error_names_options_takes_one_line_and_gives_two(
    options: str, message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("plan", file, *options.split()) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    assert told.err.startswith("pystrat: ") and message in told.err


def test_an_output_never_overwrites_the_input(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, before = tmp_path / "link.csv", file.read_bytes()
    link.symlink_to(file)
    for command in (("batches", "--out"), ("plan", "--plot")):
        for out in (file, link):
            assert run(command[0], file, "--strata", "sex", "-m", 1, command[1], out) == 2
            assert "The output must not be the file that is read." in capsys.readouterr().err
    assert file.read_bytes() == before


def test_names_in_a_file_do_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.csv"
    file.write_text("x\n" + "\x1b[31mred\nb\n" * 5)
    assert run("plan", file, "--strata", "x", "-m", 1) == 0
    assert run("plan", file, "--strata", "\x1b[2J", "-m", 1) == 2
    told = capsys.readouterr()
    assert "\\x1b[31mred" in told.out and "\\x1b[2J" in told.err and "\x1b" not in told.out + told.err


# Programs -------------------------------------------------------------------------------------------------------------


def commands_of_documents() -> list[str]:
    """Return the commands with arguments that the documents show."""
    texts = [path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]]
    found = [
        "".join(forms).split()
        for text in texts
        for forms in re.findall(
            r"`((?:pystrat|rbridge) [^`]+)`|^((?:pystrat|rbridge) .+)$", re.sub(r"\\\n *", "", text), re.MULTILINE
        )
    ]
    return [" ".join(words) for words in found if len(words) > 3]


@pytest.mark.parametrize("command", commands_of_documents())
def test_the_commands_of_the_documents_are_understood(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option that does not exist raises SystemExit, a file that does not exist gives two."""
    monkeypatch.chdir(tmp_path)
    TABLE.dropna().to_csv("children.csv", index=False)
    program, *arguments = shlex.split(command)
    run_command = {"pystrat": main, "rbridge": rbridge.cli.main}[program]
    assert run_command(arguments) == (0 if "children.csv" in arguments else 2)


def test_the_programs_start_and_a_reader_that_stops_is_no_error(file: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        asked = [sys.executable, "-m", "pystrat", "plan", str(file), "--strata", "sex", "-m", "3"]
        done = subprocess.run(asked, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    asked = [sys.executable, "-m", "rbridge", "export-r", str(file)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "--strata" in done.stderr
