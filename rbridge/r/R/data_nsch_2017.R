#' @title The National Survey of Children's Health, 2017
#'
#' @description
#' An extract of a real survey with a rare outcome: 606 of the 21,513 children with an answer have ever been diagnosed
#' with autism, 2.8 percent, boys far more often than girls.
#' The vignettes and guides of this package train on it.
#' The data describe who has been diagnosed; a model of them is not a screening tool and says nothing about causes.
#'
#' @details
#' Other diagnoses, treatment and whatever follows from a diagnosis are left out, and so are the household, the state
#' and the sampling stratum.
#' A value is missing if the answer was not given or the question was not asked.
#' The folder `data` of the project has the same rows as a CSV file, two further years, and what each column means.
#'
#' @format
#' A `data.frame()` with one row for each of 21,599 children, in the order of the survey's file, and 43 columns:
#' * the outcome: `autism`, whether a doctor has ever told that the child has autism or autism spectrum disorder, `yes`
#'   or `no`;
#' * strata: `sex` and `age_group`, years of age in three groups;
#' * `survey_weight`, how many children of the population the child represents;
#' * factors, such as `race`, `born_early`, `family_structure` and `insurance`;
#' * numbers, such as `age_years`, `birth_weight_ounces`, `sleep_hours` and `poverty_ratio`; those from 1 to 4, 5 or 6
#'   are ordered categories, such as `general_health` and `family_meals`.
#'
#' @source
#' U.S. Census Bureau and Health Resources and Services Administration, Maternal and Child Health Bureau, National
#' Survey of Children's Health, topical data file, 2017,
#' <https://www.census.gov/programs-surveys/nsch/data/datasets.html>, in the public domain (17 U.S.C. 105).
#' Neither bureau has made or endorsed this extract.
#' The answers were given in confidence by parents: use them for statistics, and do not try to find out who anybody is.
#'
#' @examples
#' answered = nsch_2017[!is.na(nsch_2017$autism), ]
#' generator = batch_sampler_stratified(2, strata = answered[c("autism", "sex")], seed = 1)
#' rows = generator(NULL)$batches(0)[[1]]
#' table(answered$autism[rows], answered$sex[rows])
"nsch_2017"
