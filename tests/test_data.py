"""The extracts of the National Survey of Children's Health that the project ships.

The tests hold the files to their documentation, ``data/README.md``: its tables are
read, and every count and value in them is checked.  The script that makes the files is tested
on a small survey made up here, since the survey's own files are not part of the repository.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
SCRIPT = ROOT / "data-raw" / "nsch.py"
YEARS = (2017, 2018, 2019)

# (rows, autism, no autism, unanswered)
COUNTS = {
    2017: (21_599, 606, 20_907, 86),
    2018: (30_530, 834, 29_582, 114),
    2019: (29_433, 868, 28_441, 124),
}


def read_extract(year: int) -> pd.DataFrame:
    with (DATA / f"nsch_{year}.csv.gz").open("rb") as stream:
        return pd.read_csv(stream, compression="gzip")


def readme_rows(heading: str) -> List[List[str]]:
    """The body of the last table under a heading of the README, as a list of rows of cells."""
    text = (DATA / "README.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = re.findall(r"(?:^\|.*\|\n)+", section, flags=re.MULTILINE)[-1]
    rows = [line.strip("|").split("|") for line in table.splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def number(text: str) -> int:
    return int(text.replace(",", ""))


SHARED_ROWS = readme_rows("Columns of all three files")
FURTHER_ROWS = readme_rows("Further columns of nsch_2017.csv.gz")


@pytest.fixture(scope="module")
def extracts() -> Dict[int, pd.DataFrame]:
    return {year: read_extract(year) for year in YEARS}


def name_of(row: List[str]) -> str:
    return row[0].strip("`")


# ---------------------------------------------------------------------------------------------
# Rows and counts


@pytest.mark.parametrize("year", YEARS)
def test_counts_of_autism(extracts: Dict[int, pd.DataFrame], year: int) -> None:
    autism = extracts[year]["autism"]
    counted = (
        len(autism),
        int((autism == "yes").sum()),
        int((autism == "no").sum()),
        int(autism.isna().sum()),
    )
    assert counted == COUNTS[year]


def test_counts_by_sex_and_age_group_are_as_documented(
    extracts: Dict[int, pd.DataFrame],
) -> None:
    documented = readme_rows('What "autism" means here')
    assert len(documented) == 18
    for year, sex, age_group, *counts in documented:
        frame = extracts[int(year)]
        chosen = frame[(frame["sex"] == sex) & (frame["age_group"] == age_group)]
        autism = chosen["autism"].fillna("empty").value_counts()
        assert [number(count) for count in counts] == [
            autism["yes"],
            autism["no"],
            autism["empty"],
        ]


# ---------------------------------------------------------------------------------------------
# Columns


def test_columns_are_the_documented_ones_in_order(extracts: Dict[int, pd.DataFrame]) -> None:
    shared = [name_of(row) for row in SHARED_ROWS]
    further = [name_of(row) for row in FURTHER_ROWS]
    assert list(extracts[2017].columns) == shared + further
    assert list(extracts[2018].columns) == shared
    assert list(extracts[2019].columns) == shared


@pytest.mark.parametrize("row", SHARED_ROWS, ids=name_of)
def test_shared_columns_are_missing_as_often_as_documented(extracts: Dict[int, pd.DataFrame], row: List[str]) -> None:
    documented = [number(count) for count in row[-1].split("/")]
    assert [int(extracts[year][name_of(row)].isna().sum()) for year in YEARS] == documented


@pytest.mark.parametrize("row", FURTHER_ROWS, ids=name_of)
def test_further_columns_are_missing_as_often_as_documented(extracts: Dict[int, pd.DataFrame], row: List[str]) -> None:
    assert int(extracts[2017][name_of(row)].isna().sum()) == number(row[-1])


def check_values(column: pd.Series, documented: str) -> None:
    span = re.match(r"`(\d+)` to `(\d+)`", documented)
    present = column.dropna()
    if span is None:
        assert set(present) == set(re.findall(r"`([^`]+)`", documented))
    else:
        assert (present == present.round()).all()
        assert (present.min(), present.max()) == (int(span[1]), int(span[2]))


@pytest.mark.parametrize("row", SHARED_ROWS[:-1] + FURTHER_ROWS, ids=name_of)
def test_values_are_the_documented_ones(extracts: Dict[int, pd.DataFrame], row: List[str]) -> None:
    for frame in extracts.values():
        if name_of(row) in frame:
            check_values(frame[name_of(row)], row[3])


@pytest.mark.parametrize("year", YEARS)
def test_survey_weight_is_positive(extracts: Dict[int, pd.DataFrame], year: int) -> None:
    weights = extracts[year]["survey_weight"]
    assert (weights > 0).all()
    assert 73e6 < weights.sum() < 74e6


@pytest.mark.parametrize("year", YEARS)
def test_sex_and_age_group_are_complete(extracts: Dict[int, pd.DataFrame], year: int) -> None:
    assert extracts[year][["sex", "age_group"]].notna().all(axis=None)


def test_age_group_follows_from_age(extracts: Dict[int, pd.DataFrame]) -> None:
    ages = extracts[2017].groupby("age_group")["age_years"]
    spans = {group: (age.min(), age.max()) for group, age in ages}
    assert spans == {"0-5": (0, 5), "6-11": (6, 11), "12-17": (12, 17)}


# ---------------------------------------------------------------------------------------------
# Nothing that identifies a child or gives the answer away


@pytest.mark.parametrize("year", YEARS)
def test_no_identifier(extracts: Dict[int, pd.DataFrame], year: int) -> None:
    frame = extracts[year]
    assert not {"hhid", "fipsst", "stratum", "state"} & {name.lower() for name in frame}
    assert (frame.nunique() < len(frame)).all()


def documented_sources() -> Set[str]:
    cells = [row[1] for row in SHARED_ROWS + FURTHER_ROWS]
    return {source for cell in cells for source in re.findall(r"`([^`]+)`", cell)}


def test_no_diagnosis_and_no_screener_is_a_source() -> None:
    allowed = {"K2Q35A", "K2Q01", "K2Q05"}  # the outcome, general health, born early
    battery = re.compile(r"K2Q|SC_K2Q|SC_CSHCN|TOTCSHCN|AUTISM|K6Q15|.*_(CURR|DESC)$")
    assert {source for source in documented_sources() if battery.match(source)} == allowed


def test_no_column_alone_gives_the_answer(extracts: Dict[int, pd.DataFrame]) -> None:
    frame = extracts[2017].dropna(subset=["autism"])
    outcome = (frame["autism"] == "yes").astype(float)
    positives = int(outcome.sum())
    negatives = len(outcome) - positives
    areas = pd.Series(dtype=float)
    for name in frame.columns.drop(["autism", "survey_weight"]):
        groups = pd.factorize(frame[name])[0]
        ranks = outcome.groupby(groups).transform("mean").rank()
        excess = ranks[outcome == 1].sum() - positives * (positives + 1) / 2
        areas[name] = excess / (positives * negatives)
    assert areas.max() < 0.75
    assert areas.idxmax() == "general_health"


# ---------------------------------------------------------------------------------------------
# The files and the script that makes them


@pytest.mark.parametrize("year", YEARS)
def test_file_header_holds_neither_time_nor_name(year: int) -> None:
    header = (DATA / f"nsch_{year}.csv.gz").read_bytes()[:8]
    assert header == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"


def test_files_are_small() -> None:
    sizes = [len((DATA / f"nsch_{year}.csv.gz").read_bytes()) for year in YEARS]
    assert sum(sizes) < 1_200_000


@pytest.fixture(scope="module")
def nsch() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("nsch", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["nsch"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["nsch"]


def made_up_survey(nsch: Any, year: int = 2017) -> pd.DataFrame:
    """Three children: the first code of every question, the last code, and no answer."""
    survey: Dict[str, List[float]] = {}
    for column in nsch.STRATA_COLUMNS + nsch.PREDICTOR_COLUMNS:
        for source, codes in column.sources.items():
            survey[source] = [list(codes)[0], list(codes)[-1], float("nan")]
    survey["hoursleep05"][1] = float("nan")
    survey["hoursleep"][0] = float("nan")
    survey["fwc"] = [14.46, 2.0, 100_000.04]
    survey["hhid"] = [1.0, 2.0, 3.0]
    survey["year"] = [float(year)] * 3
    return pd.DataFrame(survey)


def test_script_recodes(nsch: Any) -> None:
    extract = nsch.make_extract(made_up_survey(nsch))
    assert list(extract.columns) == list(read_extract(2017).columns)
    assert extract["autism"].tolist() == ["yes", "no", None]
    assert extract["age_group"].tolist() == ["0-5", "12-17", None]
    assert extract["survey_weight"].tolist() == ["14.5", "2.0", "100000.0"]
    assert extract["sleep_hours"].tolist() == [6, 11, None]
    assert extract["school_days_missed"].tolist() == [1, None, None]


def test_script_keeps_four_columns_of_other_years(nsch: Any) -> None:
    extract = nsch.make_extract(made_up_survey(nsch, year=2018))
    assert list(extract.columns) == list(read_extract(2018).columns)


def test_script_refuses_unknown_codes(nsch: Any) -> None:
    survey = made_up_survey(nsch)
    survey.loc[0, "k2q35a"] = 99
    with pytest.raises(ValueError, match=r"variable k2q35a has unknown codes: \[99\.0\]"):
        nsch.make_extract(survey)


def test_script_refuses_two_answers(nsch: Any) -> None:
    survey = made_up_survey(nsch)
    survey.loc[0, "hoursleep"] = 1
    with pytest.raises(ValueError, match="sleep_hours has rows with more than one answer"):
        nsch.make_extract(survey)


def test_script_refuses_an_unknown_year(nsch: Any) -> None:
    with pytest.raises(ValueError, match=r"must be one of .* Got \[2011\] instead"):
        nsch.make_extract(made_up_survey(nsch, year=2011))


def test_script_refuses_a_zip_without_a_stata_file(nsch: Any, tmp_path: Path) -> None:
    path = tmp_path / "empty.zip"
    zipfile.ZipFile(path, "w").close()
    with pytest.raises(ValueError, match="empty.zip must hold one .dta file. Got 0 instead"):
        nsch.read_survey(path)


def test_script_writes_the_same_bytes_on_every_run(nsch: Any, tmp_path: Path) -> None:
    stata = tmp_path / "survey.dta"
    made_up_survey(nsch).to_stata(stata, write_index=False)
    zipped = tmp_path / "survey.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(stata, stata.name)
    written = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        command = [sys.executable, str(SCRIPT), str(zipped), "--out", str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert "3 children, 43 columns; autism yes 1, no 1, unanswered 1" in done.stdout
        written.append((folder / "nsch_2017.csv.gz").read_bytes())
    assert written[0] == written[1]
    assert pd.read_csv(tmp_path / "first" / "nsch_2017.csv.gz")["birth_weight_ounces"][1] == 155
