"""Make the project's extracts of the National Survey of Children's Health.

Reads the topical public-use files of the United States Census Bureau, as they are published
(one Stata zip a year: 2017, 2018 and 2019), and writes one small table a year,
``nsch_YEAR.csv.gz``, one row a child in the file's own order. The table of 2017 has all
columns, those of the other years only what a count of autism by sex and age needs::

    python3 data-raw/nsch.py nsch_2017_topical_Stata.zip --out data

data/README.md says what each column means. The same zip always gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Mapping, Tuple, Union

import pandas as pd

Value = Union[int, str, None]
Codes = Mapping[int, Value]

YEARS = (2017, 2018, 2019)
YEAR_WITH_PREDICTORS = 2017
WEIGHT_SOURCE = "fwc"
WEIGHT_COLUMN = "survey_weight"

YES_NO: Codes = {1: "yes", 2: "no"}

AGE_GROUP: Codes = {
    **{age: "0-5" for age in range(0, 6)},
    **{age: "6-11" for age in range(6, 12)},
    **{age: "12-17" for age in range(12, 18)},
}
RACE: Codes = {
    1: "white",
    2: "black",
    3: "american indian or alaska native",
    4: "asian",
    5: "native hawaiian or pacific islander",
    6: "other",
    7: "two or more",
}
FAMILY_STRUCTURE: Codes = {
    1: "two parents married",
    2: "two parents unmarried",
    3: "step family married",
    4: "step family unmarried",
    5: "single mother",
    6: "single father",
    7: "grandparents",
    8: "other relatives",
}
GENERATION: Codes = {1: "first", 2: "second", 3: "third or later", 4: "other"}
INSURANCE: Codes = {1: "public", 2: "private", 3: "public and private", 5: "uninsured"}
# The youngest children's scale of sleep starts at "less than 7 hours", the others' at
# "less than 6 hours"; each category becomes its number of hours, the first one hour less.
SLEEP_HOURS_TO_AGE_5: Codes = {code: code + 5 for code in range(1, 8)}
SLEEP_HOURS_FROM_AGE_6: Codes = {code: code + 4 for code in range(1, 8)}
# Code 6 says that the child was not enrolled in school, so that there were no days to miss.
SCHOOL_DAYS_MISSED: Codes = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: None}


def numbers(low: int, high: int) -> Codes:
    """Return the codes of a variable whose whole numbers mean themselves."""
    return {number: number for number in range(low, high + 1)}


@dataclass(frozen=True)
class Column:
    """A column of the extract, and the survey's variables that it comes from, each with what its codes become.

    A code that becomes None is left empty. The variables of a column were asked of different children, and each row
    takes the one that was answered.
    """

    name: str
    sources: Mapping[str, Codes]


# The columns of every year; the survey weight follows them.
STRATA_COLUMNS: Tuple[Column, ...] = (
    Column("autism", {"k2q35a": YES_NO}),
    Column("sex", {"sc_sex": {1: "male", 2: "female"}}),
    Column("age_group", {"sc_age_years": AGE_GROUP}),
)

PREDICTOR_COLUMNS: Tuple[Column, ...] = (
    # The child
    Column("age_years", {"sc_age_years": numbers(0, 17)}),
    Column("race", {"sc_race_r": RACE}),
    Column("hispanic", {"sc_hispanic_r": YES_NO}),
    Column("birth_weight_ounces", {"birthwt_oz_s": numbers(72, 155)}),
    Column("born_early", {"k2q05": YES_NO}),
    Column("general_health", {"k2q01": numbers(1, 5)}),
    Column(
        "sleep_hours",
        {"hoursleep05": SLEEP_HOURS_TO_AGE_5, "hoursleep": SLEEP_HOURS_FROM_AGE_6},
    ),
    Column("regular_bedtime", {"bedtime": numbers(1, 5)}),
    Column("television_time", {"k7q60_r": numbers(1, 6)}),
    Column("computer_time", {"k7q91_r": numbers(1, 6)}),
    Column("physical_activity", {"physactiv": numbers(1, 4)}),
    Column("school_days_missed", {"k7q02r_r": SCHOOL_DAYS_MISSED}),
    # The family
    Column("mother_age_at_birth", {"momage": numbers(18, 45)}),
    Column("family_structure", {"family_r": FAMILY_STRUCTURE}),
    Column("household_size", {"hhcount": numbers(1, 10)}),
    Column("children_in_household", {"totkids_r": numbers(1, 4)}),
    Column("household_language", {"hhlanguage": {1: "english", 2: "spanish", 3: "other"}}),
    Column("household_generation", {"house_gen": GENERATION}),
    Column("parent_education", {"higrade_tvis": numbers(1, 4)}),
    Column("parent_employed", {"a1_k11q50_r": YES_NO}),
    Column("parent_mental_health", {"a1_menthealth": numbers(1, 5)}),
    Column("poverty_ratio", {"fpl_i1": numbers(50, 400)}),
    Column("food_insecurity", {"foodsit": numbers(1, 4)}),
    Column("insurance", {"instype": INSURANCE}),
    Column("family_meals", {"k8q11": numbers(1, 4)}),
    Column("smoker_in_household", {"k9q40": YES_NO}),
    Column("times_moved", {"k11q43r": numbers(0, 13)}),
    # The neighborhood
    Column("neighbours_help", {"k10q30": numbers(1, 4)}),
    Column("neighbourhood_safe", {"k10q40_r": numbers(1, 4)}),
    Column("neighbourhood_park", {"k10q12": YES_NO}),
    # Adverse experiences
    Column("hard_to_afford_basics", {"ace1": numbers(1, 4)}),
    Column("parents_divorced", {"ace3": YES_NO}),
    Column("parent_died", {"ace4": YES_NO}),
    Column("parent_in_jail", {"ace5": YES_NO}),
    Column("violence_at_home", {"ace6": YES_NO}),
    Column("violence_in_neighbourhood", {"ace7": YES_NO}),
    Column("lived_with_mental_illness", {"ace8": YES_NO}),
    Column("lived_with_addiction", {"ace9": YES_NO}),
    Column("treated_unfairly_for_race", {"ace10": YES_NO}),
)


def read_survey(path: Path) -> pd.DataFrame:
    """Read the Stata file inside a zip of the Census Bureau; Stata's four kinds of missing value are NaN."""
    with zipfile.ZipFile(path) as archive:
        members = [name for name in archive.namelist() if name.lower().endswith(".dta")]
        if len(members) != 1:
            raise ValueError(f"{path.name} must hold one .dta file. Got {len(members)} instead.")
        content = io.BytesIO(archive.read(members[0]))
    return pd.read_stata(content, convert_categoricals=False)


def survey_year(survey: pd.DataFrame) -> int:
    """Return the one year that a survey file is about."""
    found = sorted(int(year) for year in survey["year"].unique())
    if len(found) != 1 or found[0] not in YEARS:
        raise ValueError(f"The survey's year must be one of {YEARS}. Got {found} instead.")
    return found[0]


def recode(values: pd.Series, codes: Codes) -> pd.Series:
    """Turn the survey's codes into the extract's values."""
    unknown = sorted(float(value) for value in set(values) - set(codes))
    if unknown:
        raise ValueError(f"The variable {values.name} has unknown codes: {unknown}.")
    recoded = [codes[int(value)] for value in values]
    return pd.Series(recoded, index=values.index, dtype=object)


def make_column(survey: pd.DataFrame, column: Column) -> pd.Series:
    """Make one column of the extract."""
    answered = survey[list(column.sources)].notna().sum(axis=1)
    if (answered > 1).any():
        raise ValueError(f"The column {column.name} has rows with more than one answer.")
    made = pd.Series([None] * len(survey), index=survey.index, dtype=object)
    for source, codes in column.sources.items():
        answers = survey[source].dropna()
        made.loc[answers.index] = recode(answers, codes)
    return made


def make_extract(survey: pd.DataFrame) -> pd.DataFrame:
    """Make the extract of one year."""
    made: Dict[str, pd.Series] = {}
    for column in STRATA_COLUMNS:
        made[column.name] = make_column(survey, column)
    made[WEIGHT_COLUMN] = survey[WEIGHT_SOURCE].map("{:.1f}".format)
    if survey_year(survey) == YEAR_WITH_PREDICTORS:
        for column in PREDICTOR_COLUMNS:
            made[column.name] = make_column(survey, column)
    return pd.DataFrame(made)


def write_extract(extract: pd.DataFrame, path: Path) -> None:
    """Write an extract as gzipped CSV, the same bytes every time."""
    text = extract.to_csv(index=False, na_rep="", lineterminator="\n")
    with path.open("wb") as raw:
        # Neither a name nor a time goes into the header.
        with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as compressed:
            compressed.write(text.encode("ascii"))


def describe(extract: pd.DataFrame, path: Path) -> str:
    """Say in one line what an extract holds."""
    autism = extract["autism"]
    return (
        f"{path.name}: {path.stat().st_size:,} bytes, {len(extract):,} children, "
        f"{extract.shape[1]} columns; autism yes {(autism == 'yes').sum():,}, "
        f"no {(autism == 'no').sum():,}, unanswered {autism.isna().sum():,}"
    )


def main() -> None:
    """Read the zips named on the command line and write their extracts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("zips", metavar="ZIP", nargs="+", type=Path, help="a year's Stata zip")
    parser.add_argument("--out", type=Path, required=True, help="folder for the extracts")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for zipped in arguments.zips:
        survey = read_survey(zipped)
        extract = make_extract(survey)
        path = arguments.out / f"nsch_{survey_year(survey)}.csv.gz"
        write_extract(extract, path)
        print(describe(extract, path))


if __name__ == "__main__":
    main()
