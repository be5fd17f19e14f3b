"""The command line: its output, the files it writes, and that errors take one line."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rbridge.cli
from pystrat import StrataSubsetBatchSampler, StratifiedBatchSampler, StratifiedGroupBatchSampler, advise
from pystrat.cli import main

ROOT = Path(__file__).parents[1]
TABLE = pd.DataFrame({"autism": ["yes", "no", "no", None, "no"] * 20, "sex": ["m", "f"] * 50, "NA": ["NA", "x"] * 50})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "children.csv"
    TABLE.to_csv(path, index=False)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_plan_prints_the_plan(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", file, "--strata", "autism,sex", "--min-samples-per-stratum", 3, "--missing", "drop") == 0
    expected = StratifiedBatchSampler(TABLE[["autism", "sex"]], 3, missing="drop")
    assert capsys.readouterr().out == expected.plan.summary() + "\n"


def test_advise_prints_the_advice(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("advise", file, "--strata", "autism", "--batch-size", 8, "-m", 2, "--missing", "drop") == 0
    expected = advise(TABLE["autism"].to_frame(), 8, min_samples_per_stratum=2, missing="drop")
    assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize(
    "options, parameters",
    [
        ("--min-samples-per-stratum f=5 --min-samples-per-stratum m=1", {"min_samples_per_stratum": {"f": 5, "m": 1}}),
        ("--mean-batch-size 10 --shares f=1 --shares m=1.5", {"mean_batch_size": 10, "shares": {"f": 1, "m": 1.5}}),
        ("--mean-batch-size 10 --balance over", {"mean_batch_size": 10, "balance": "over"}),
        ("--mean-batch-size 10 --balance 30", {"mean_batch_size": 10, "balance": 30}),
        ("--mean-batch-size 9 --drop balanced", {"mean_batch_size": 9, "drop": "balanced"}),
        (
            "--min-samples-per-stratum 4 --mean-batch-size 9 --rare repeat",
            {"min_samples_per_stratum": 4, "mean_batch_size": 9, "rare": "repeat"},
        ),
    ],
)
def test_plan_of_what_is_wanted(
    options: str, parameters: dict[str, Any], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options may stand before the file, which none of them takes for a value."""
    assert run("plan", *options.split(), "--strata", "sex", file) == 0
    assert capsys.readouterr().out == StratifiedBatchSampler(TABLE["sex"], **parameters).plan.summary() + "\n"


@pytest.mark.parametrize(
    "columns, options, wanted",
    [
        ("sick", ["-m", "1=2", "-m", "0=5"], {1: 2, 0: 5}),
        ("known", ["-m", "TRUE=2", "-m", "FALSE=5"], {True: 2, False: 5}),
        ("sick,sex", ["-m", "1, f=1"], {(1, "f"): 1}),
    ],
)
def test_strata_are_named_as_the_plan_prints_them(
    columns: str, options: list[str], wanted: dict[Any, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pd.DataFrame({"sick": [1, 0] * 20, "known": [True, False] * 20, "sex": ["f", "f", "m", "m"] * 10})
    table.to_csv(tmp_path / "rows.csv", index=False)
    assert run("plan", tmp_path / "rows.csv", "--strata", columns, *options) == 0
    plan = StratifiedBatchSampler(table[columns.split(",")], wanted).plan
    assert capsys.readouterr().out == plan.summary() + "\n"
    assert run("plan", tmp_path / "rows.csv", "--strata", columns, "-m", "none=1") == 2
    assert "must name one of the strata" in capsys.readouterr().err


def test_values_that_share_the_name_of_an_option_stay(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", file, "--strata", "autism", "-m", 3) == 2
    assert "Set '--missing' to 'stratum' or 'drop'" in capsys.readouterr().err


@pytest.mark.parametrize("keep", [None, "apart"])
def test_plan_of_groups(keep: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame({"sick": [1, 0] * 20, "patient": [row % 14 for row in range(40)]})
    table.to_csv(tmp_path / "images.csv", index=False)
    options = ["--strata", "sick", "--groups", "patient", "--min-samples-per-stratum", 3]
    assert run("plan", tmp_path / "images.csv", *options, *([] if keep is None else ["--keep", keep])) == 0
    expected = StratifiedGroupBatchSampler(table["sick"], 3, groups=table["patient"], keep=keep or "together")
    assert capsys.readouterr().out == expected.plan.summary() + "\n"
    options[-2:] = ["--mean-batch-size", 9]
    assert run("plan", tmp_path / "images.csv", *options, *([] if keep is None else ["--keep", keep])) == 0
    expected = StratifiedGroupBatchSampler(
        table["sick"], groups=table["patient"], mean_batch_size=9, keep=keep or "together"
    )
    assert capsys.readouterr().out == expected.plan.summary() + "\n"
    picture = tmp_path / "plan.png"
    assert run("plan", tmp_path / "images.csv", *options, "--plot", picture) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "options, message",
    [
        ("--keep apart", "'--keep' option must be left out unless '--groups' is given. Got 'apart'"),
        ("--groups sex --drop balanced", "'--drop' option must be left out if '--groups'"),
        ("--groups sex --no-shuffle", "'--no-shuffle' option must be left out if '--groups' is given."),
        ("--groups age", "'--groups' option must name columns of the file. Got 'age' instead."),
        ("--groups sex", "'--min-samples-per-stratum' option must be given, or '--mean-batch-size', and not both."),
        (
            "--groups sex --min-samples-per-stratum 1 --keep both",
            "'--keep' option must",
        ),
    ],
)
def test_options_of_groups(options: str, message: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", file, "--strata", "sex", *options.split()) == 2
    assert message in capsys.readouterr().err


def test_plan_of_some_strata_in_each_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame({"species": ["cat"] * 40 + ["dog"] * 25 + ["hen"] * 12 + ["owl"] * 9})
    table.to_csv(tmp_path / "pictures.csv", index=False)
    options = ["--strata", "species", "--strata-per-batch", 2, "-m", 4, "--seed", 1]
    assert run("plan", tmp_path / "pictures.csv", *options) == 0
    expected = StrataSubsetBatchSampler(table["species"], 2, 4, seed=1)
    assert capsys.readouterr().out == expected.plan.summary() + "\n"
    assert run("batches", tmp_path / "pictures.csv", *options, "--out", tmp_path / "batches.csv") == 0
    assert (pd.read_csv(tmp_path / "batches.csv")["row"] - 1).tolist() == expected.batches(0).rows.tolist()
    capsys.readouterr()
    balanced = StrataSubsetBatchSampler(table["species"], 2, 4, balance="under", seed=1)
    assert run("plan", tmp_path / "pictures.csv", *options, "--balance", "under") == 0
    assert capsys.readouterr().out == balanced.plan.summary() + "\n"
    of_mean = StrataSubsetBatchSampler(table["species"], 2, mean_batch_size=16, seed=1)
    sizes = ["--strata-per-batch", 2, "--mean-batch-size", 16]
    assert run("plan", tmp_path / "pictures.csv", "--strata", "species", *sizes) == 0
    assert capsys.readouterr().out == of_mean.plan.summary() + "\n"


@pytest.mark.parametrize(
    "options, message",
    [
        ("--shares a=1", "'--shares' option must be left out if '--strata-per-batch' is given. Got"),
        ("--balance half -m 2", "'--balance' option must be 'mean', 'over', 'under' or a positive integer. Got 'half'"),
        (
            "--keep apart",
            "'--keep' option must be left out if '--strata-per-batch' is given. Got 'apart'",
        ),
        ("--groups sex", "'--strata-per-batch' option must be left out if '--groups' is given. Got 2"),
        ("--rare repeat -m 3", "'--rare' option must be one of 'error', 'warn', 'allow'. Got 'repeat'"),
        ("", "'--min-samples-per-stratum' option must be given, or '--mean-batch-size', and not both. Got neither"),
    ],
)
def test_options_of_some_strata_in_each_batch(
    options: str, message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("plan", file, "--strata", "sex", "--strata-per-batch", 2, *options.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--strata kind -m 9",
            "The '--min-samples-per-stratum' option must be at most 5: the smallest stratum, 'rare', has 5 rows. Got 9 "
            "instead. Lower it, or set '--rare' to 'warn' or 'allow'. To repeat the rows of rare strata, which keeps "
            "the minimum, set '--rare' to 'repeat', and give '--mean-batch-size', too.",
        ),
        ("--strata kind --balance over", "The '--balance' option must be given together with '--mean-batch-size'."),
        ("--strata kind", "The '--min-samples-per-stratum' option must be given, or '--mean-batch-size', and not"),
        ("--strata age -m 1", "The '--strata' option must name columns of the file. Got 'age' instead."),
        ("--strata kind -m 1 --seed -1", "The '--seed' option must be an integer from 0 to 2147483646. Got -1 ins"),
        ("--strata kind -m rare=9", "ask for at most 5 rows of 'rare', which has 5. Got 9 instead. Lower it, or set "),
    ],
)
def test_errors_name_options(options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pd.DataFrame({"kind": ["rare"] * 5 + ["seed"] * 20}).to_csv(tmp_path / "kinds.csv", index=False)
    assert run("plan", tmp_path / "kinds.csv", *options.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("limits", ["80,", "many", "80,x"])
def test_limits_of_words_are_integers(limits: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("corpus", "plan", tmp_path, "--max-length", limits)
    message = f"--max-length: must be one integer, or several such as 80,120. Got '{limits}' instead."
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("options", [["f=3", "4"], ["4", "f=3"], ["4", "5"], ["x"], ["f=x"], ["f=3", "f=4"]])
def test_promises_are_one_number_or_named_ones(options: list[str], file: Path) -> None:
    given = [part for option in options for part in ("--min-samples-per-stratum", option)]
    with pytest.raises(SystemExit, match="2"):
        run("plan", *given, "--strata", "sex", file)


def test_m_is_short_for_the_minimum(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The one-line try of the README, on a file."""
    picture = tmp_path / "plan.png"
    assert run("plan", file, "--strata", "sex", "-m", "3", "--plot", picture) == 0
    summary = StratifiedBatchSampler(TABLE["sex"], 3).plan.summary()
    assert capsys.readouterr().out == f"{summary}\nSaved the plot to {picture}.\n"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_plan_saves_a_picture(file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "plan.png"
    assert run("plan", file, "--strata", "sex", "--mean-batch-size", 10, "--plot", picture) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".dta"])
def test_batches_are_written_counted_from_one(suffix: str, tmp_path: Path) -> None:
    file, out = tmp_path / f"children{suffix}", tmp_path / "batches.csv"
    table = TABLE[["autism", "sex"]]
    if suffix == ".dta":
        table.fillna("").to_stata(file, write_index=False)
    else:
        table.to_csv(file, index=False)
    options = ["--strata", "sex", "--min-samples-per-stratum", 4, "--seed", 1, "--epoch", 2, "--assign", "even"]
    assert run("batches", file, *options, "--out", out) == 0
    written = pd.read_csv(out)
    batches = StratifiedBatchSampler(TABLE["sex"], 4, seed=1, assign="even").batches(2)
    assert (written["row"] - 1).tolist() == batches.rows.tolist()
    assert written.groupby("batch").size().tolist() == [len(batch) for batch in batches]
    assert written["batch"].iloc[0] == 1


def test_only_empty_fields_are_missing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", file, "--strata", "NA", "--min-samples-per-stratum", 3) == 0
    assert "     NA    50" in capsys.readouterr().out


def test_export_writes_the_script_and_its_data(file: Path, tmp_path: Path) -> None:
    script = tmp_path / "sampler.R"
    options = ["--strata", "sex", "--min-samples-per-stratum", "3", "--seed", "1", "--out", str(script)]
    assert rbridge.cli.main(["export-r", str(file), *options]) == 0
    assert "read_batch_sampler" in script.read_text() and (tmp_path / "sampler.recipe").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strata", "age", "--mean-batch-size", 3], "Got 'age' instead. The file has 'autism', 'sex', 'NA'."),
        (["--strata", "autism", "--mean-batch-size", 3], "must have no missing values. Got 20 missing of 100 rows"),
        (["--strata", "sex", "--min-samples-per-stratum", 99], "must be at most 50: the smallest stratum, 'm', has 50"),
        (["--strata", "sex", "--min-samples-per-stratum", 3, "--seed", -1], "must be an integer from 0 to 2147483646."),
    ],
)
def test_an_error_takes_one_line_and_gives_two(
    file: Path, arguments: list, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("plan", file, *arguments) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    assert told.err.startswith("pystrat: ") and message in told.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.csv", "No such file or directory: 'nowhere.csv'"),
        (
            "table.xlsx",
            "table.xlsx: the name must end in one of .csv, .csv.gz, .csv.bz2, .csv.xz, .csv.zip, .dta",
        ),
    ],
)
def test_a_file_that_cannot_be_read(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", name, "--strata", "x", "--mean-batch-size", 3) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["FIFO", "device"])
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.dta"])
def test_a_file_that_is_not_regular_is_refused(
    name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    if kind == "FIFO":
        os.mkfifo(file)  # to open it would block
    else:
        file.symlink_to("/dev/zero")  # it has no end
    assert run("plan", file, "--strata", "x", "--mean-batch-size", 3) == 2
    assert f"{file}: must be a regular file, not a {kind}." in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_parquet_and_feather_need_pyarrow(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where pyarrow is there the file is read; where it is not, as in Debian 12, the message names it."""
    file = tmp_path / f"table{suffix}"
    if importlib.util.find_spec("pyarrow") is None:
        file.write_bytes(b"PAR1")
        assert run("plan", file, "--strata", "sex", "--mean-batch-size", 10) == 2
        assert "pandas needs pyarrow, which is not installed." in capsys.readouterr().err
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # pandas calls what newer releases of pyarrow deprecate
            getattr(TABLE, "to_" + suffix[1:])(file)
        assert run("plan", file, "--strata", "sex", "--mean-batch-size", 10) == 0


def commands_of_documents() -> list[str]:
    """Return the commands with arguments that the documents show."""
    texts = [
        re.sub(r"\\\n *", "", path.read_text(encoding="utf-8"))
        for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    ]
    found = [
        command
        for text in texts
        for command in re.findall(r"`((?:pystrat|rbridge) [^`]+)`|^((?:pystrat|rbridge) .+)$", text, re.MULTILINE)
    ]
    return [command for command in (" ".join("".join(forms).split()) for forms in found) if len(command.split()) > 3]


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


@pytest.mark.parametrize(
    "command", [["pystrat"], ["pystrat", "plan"], ["pystrat", "batches"], ["rbridge"], ["rbridge", "export-r"]]
)
def test_help_tells_everything(command: list[str]) -> None:
    asked = [sys.executable, "-m", *command, "--help"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: {command[0]}") and done.stderr == ""
    if len(command) > 1:
        for option in ("FILE", "--strata", "--min-samples-per-stratum", "--mean-batch-size", "--seed", "--missing"):
            assert option in done.stdout


def test_a_reader_that_stops_is_no_error(file: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        asked = [sys.executable, "-m", "pystrat", "plan", str(file), "--strata", "sex", "-m", "3"]
        done = subprocess.run(asked, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_wrong_options_give_two_without_a_traceback() -> None:
    asked = [sys.executable, "-m", "pystrat", "plan", "x.csv"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "--strata" in done.stderr
