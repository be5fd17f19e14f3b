"""The extracts of the National Survey of Children's Health that the project ships, and the script that makes them.

The script is tested on a small survey made up here, since the survey's own files are not part of the repository.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Iterator

import pandas as pd
import pytest

from tests.test_docs import ROOT

DATA = ROOT / "data"
SCRIPT = ROOT / "data-raw" / "nsch.py"
YEARS = (2017, 2018, 2019)
# (rows, autism, no autism, unanswered)
COUNTS = {2017: (21_599, 606, 20_907, 86), 2018: (30_530, 834, 29_582, 114), 2019: (29_433, 868, 28_441, 124)}


@pytest.fixture(scope="module")
def extracts() -> dict[int, pd.DataFrame]:
    return {year: pd.read_csv(DATA / f"nsch_{year}.csv.gz") for year in YEARS}


@pytest.mark.parametrize("year", YEARS)
def test_rows_are_counted_have_a_weight_and_no_identifier(extracts: dict[int, pd.DataFrame], year: int) -> None:
    frame = extracts[year]
    autism = frame["autism"]
    counted = (len(frame), (autism == "yes").sum(), (autism == "no").sum(), autism.isna().sum())
    assert tuple(map(int, counted)) == COUNTS[year]
    assert (frame["survey_weight"] > 0).all() and 73e6 < frame["survey_weight"].sum() < 74e6
    assert frame[["sex", "age_group"]].notna().all(axis=None)
    assert not {"hhid", "fipsst", "stratum", "state"} & {name.lower() for name in frame}
    assert (frame.nunique() < len(frame)).all()
    header = (DATA / f"nsch_{year}.csv.gz").read_bytes()[:8]
    assert header == b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "neither time nor name"


# The script -----------------------------------------------------------------------------------------------------------


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
    """Return three children: the first code of every question, the last code, and no answer."""
    survey: dict[str, list[float]] = {}
    for sources in [*nsch.STRATA_COLUMNS.values(), *nsch.PREDICTOR_COLUMNS.values()]:
        for source, codes in sources.items():
            survey[source] = [list(codes)[0], list(codes)[-1], float("nan")]
    survey["hoursleep05"][1] = survey["hoursleep"][0] = float("nan")
    survey["fwc"] = [14.46, 2.0, 100_000.04]
    survey["hhid"] = [1.0, 2.0, 3.0]
    survey["year"] = [float(year)] * 3
    return pd.DataFrame(survey)


def test_the_script_recodes_and_writes_the_same_bytes_on_every_run(
    nsch: Any, extracts: dict[int, pd.DataFrame], tmp_path: Path
) -> None:
    extract = nsch.make_extract(made_up_survey(nsch))
    assert list(extract.columns) == list(extracts[2017])
    assert extract["autism"].tolist() == ["yes", "no", None] and extract["age_group"].tolist() == ["0-5", "12-17", None]
    assert extract["survey_weight"].tolist() == ["14.5", "2.0", "100000.0"]
    assert extract["sleep_hours"].tolist() == [6, 11, None] and extract["school_days_missed"].tolist() == [
        1,
        None,
        None,
    ]
    assert list(nsch.make_extract(made_up_survey(nsch, year=2018)).columns) == list(extracts[2018])
    made_up_survey(nsch).to_stata(tmp_path / "survey.dta", write_index=False)
    with zipfile.ZipFile(tmp_path / "survey.zip", "w") as archive:
        archive.write(tmp_path / "survey.dta", "survey.dta")
    written = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        command = [sys.executable, str(SCRIPT), str(tmp_path / "survey.zip"), "--out", str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert "3 children, 43 columns; autism: {'yes': 1, 'no': 1, None: 1}" in done.stdout
        written.append((folder / "nsch_2017.csv.gz").read_bytes())
    assert written[0] == written[1]
    assert pd.read_csv(tmp_path / "first" / "nsch_2017.csv.gz")["birth_weight_ounces"][1] == 155
