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
from pathlib import Path
from typing import Mapping, Union

import pandas as pd

Codes = Mapping[int, Union[int, str, None]]
# What a column comes from: variables of the survey, each with what its codes become; None is left empty. The variables
# of a column were asked of different children, and each row takes the one that was answered.
Sources = Mapping[str, Codes]

YEARS = (2017, 2018, 2019)
YEAR_WITH_PREDICTORS = 2017

YES_NO: Codes = {1: "yes", 2: "no"}

AGE_GROUP: Codes = {age: "0-5" if age < 6 else "6-11" if age < 12 else "12-17" for age in range(18)}
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


# The columns of every year; the survey weight follows them.
STRATA_COLUMNS: Mapping[str, Sources] = {
    "autism": {"k2q35a": YES_NO},
    "sex": {"sc_sex": {1: "male", 2: "female"}},
    "age_group": {"sc_age_years": AGE_GROUP},
}

PREDICTOR_COLUMNS: Mapping[str, Sources] = {
    # The child
    "age_years": {"sc_age_years": numbers(0, 17)},
    "race": {"sc_race_r": RACE},
    "hispanic": {"sc_hispanic_r": YES_NO},
    "birth_weight_ounces": {"birthwt_oz_s": numbers(72, 155)},
    "born_early": {"k2q05": YES_NO},
    "general_health": {"k2q01": numbers(1, 5)},
    "sleep_hours": {"hoursleep05": SLEEP_HOURS_TO_AGE_5, "hoursleep": SLEEP_HOURS_FROM_AGE_6},
    "regular_bedtime": {"bedtime": numbers(1, 5)},
    "television_time": {"k7q60_r": numbers(1, 6)},
    "computer_time": {"k7q91_r": numbers(1, 6)},
    "physical_activity": {"physactiv": numbers(1, 4)},
    "school_days_missed": {"k7q02r_r": SCHOOL_DAYS_MISSED},
    # The family
    "mother_age_at_birth": {"momage": numbers(18, 45)},
    "family_structure": {"family_r": FAMILY_STRUCTURE},
    "household_size": {"hhcount": numbers(1, 10)},
    "children_in_household": {"totkids_r": numbers(1, 4)},
    "household_language": {"hhlanguage": {1: "english", 2: "spanish", 3: "other"}},
    "household_generation": {"house_gen": GENERATION},
    "parent_education": {"higrade_tvis": numbers(1, 4)},
    "parent_employed": {"a1_k11q50_r": YES_NO},
    "parent_mental_health": {"a1_menthealth": numbers(1, 5)},
    "poverty_ratio": {"fpl_i1": numbers(50, 400)},
    "food_insecurity": {"foodsit": numbers(1, 4)},
    "insurance": {"instype": INSURANCE},
    "family_meals": {"k8q11": numbers(1, 4)},
    "smoker_in_household": {"k9q40": YES_NO},
    "times_moved": {"k11q43r": numbers(0, 13)},
    # The neighborhood
    "neighbours_help": {"k10q30": numbers(1, 4)},
    "neighbourhood_safe": {"k10q40_r": numbers(1, 4)},
    "neighbourhood_park": {"k10q12": YES_NO},
    # Adverse experiences
    "hard_to_afford_basics": {"ace1": numbers(1, 4)},
    "parents_divorced": {"ace3": YES_NO},
    "parent_died": {"ace4": YES_NO},
    "parent_in_jail": {"ace5": YES_NO},
    "violence_at_home": {"ace6": YES_NO},
    "violence_in_neighbourhood": {"ace7": YES_NO},
    "lived_with_mental_illness": {"ace8": YES_NO},
    "lived_with_addiction": {"ace9": YES_NO},
    "treated_unfairly_for_race": {"ace10": YES_NO},
}


def survey_year(survey: pd.DataFrame) -> int:
    """Return the one year that a survey file is about."""
    found = sorted(int(year) for year in survey["year"].unique())
    if len(found) != 1 or found[0] not in YEARS:
        raise ValueError(f"The survey's year must be one of {YEARS}. Got {found} instead.")
    return found[0]


def make_column(survey: pd.DataFrame, name: str, sources: Sources) -> pd.Series:
    """Make one column of the extract: the values of the codes that were answered."""
    made = pd.Series([None] * len(survey), index=survey.index, dtype=object)
    if (survey[list(sources)].notna().sum(axis=1) > 1).any():
        raise ValueError(f"The column {name} has rows with more than one answer.")
    for source, codes in sources.items():
        answers = survey[source].dropna()
        unknown = sorted(float(value) for value in set(answers) - set(codes))
        if unknown:
            raise ValueError(f"The variable {source} has unknown codes: {unknown}.")
        made.loc[answers.index] = [codes[int(value)] for value in answers]
    return made


def make_extract(survey: pd.DataFrame) -> pd.DataFrame:
    """Make the extract of one year."""
    made = {name: make_column(survey, name, sources) for name, sources in STRATA_COLUMNS.items()}
    made["survey_weight"] = survey["fwc"].map("{:.1f}".format)
    if survey_year(survey) == YEAR_WITH_PREDICTORS:
        made.update({name: make_column(survey, name, sources) for name, sources in PREDICTOR_COLUMNS.items()})
    return pd.DataFrame(made)


def main() -> None:
    """Read the zips named on the command line and write their extracts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("zips", metavar="ZIP", nargs="+", type=Path, help="a year's Stata zip")
    parser.add_argument("--out", type=Path, required=True, help="folder for the extracts")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for zipped in arguments.zips:
        survey = pd.read_stata(zipped, compression="zip", convert_categoricals=False)
        extract = make_extract(survey)
        path = arguments.out / f"nsch_{survey_year(survey)}.csv.gz"
        text = extract.to_csv(index=False, na_rep="", lineterminator="\n")
        # Neither a name nor a time goes into the header, so the bytes are always the same.
        with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as compressed:
            compressed.write(text.encode("ascii"))
        counts = extract["autism"].value_counts(dropna=False).to_dict()
        print(f"{path.name}: {len(extract):,} children, {extract.shape[1]} columns; autism: {counts}")


if __name__ == "__main__":
    main()
