#' @title The National Survey of Children's Health, 2017
#'
#' @description
#' An extract of a real survey with a rare outcome: 606 of the 21,513 children with an answer have ever been diagnosed
#' with autism, 2.8 percent, boys far more often than girls.
#' A shuffled batch of 100 children often has one or two of them, and one batch in eighteen has none.
#' The vignettes and guides of this package train on it.
#'
#' The data describe who has been diagnosed; a model of them is not a screening tool and says nothing about causes.
#' The answers were given in confidence by parents: use them for statistics, and do not try to find out who anybody is.
#'
#' @details
#' Other diagnoses, treatment and whatever follows from a diagnosis are left out, and so are the household, the state
#' and the sampling stratum.
#' Weighted shares and means can be computed; standard errors that honor the design of the survey cannot.
#' Numbers from 1 to 4, 5 or 6 are ordered categories, listed in order.
#' A value is missing if the answer was not given or the question was not asked.
#' The folder `data` of the project has the same rows as a CSV file, two further years, and all details.
#'
#' @format
#' A `data.frame()` with one row for each of 21,599 children, in the order of the survey's file, and 43 columns, here
#' with the variables of the survey that they are made of:
#' \describe{
#'   \item{`autism`}{Ever told by a doctor that the child has autism or autism spectrum disorder (`K2Q35A`): `yes`,
#'     `no`.}
#'   \item{`sex`}{Sex of the child (`SC_SEX`): `female`, `male`.}
#'   \item{`age_group`}{Age of the child in years; the groups are those of the survey's three questionnaires
#'     (`SC_AGE_YEARS`): `0-5`, `6-11`, `12-17`.}
#'   \item{`survey_weight`}{How many children of the population the child represents, rounded to one decimal; the
#'     weights sum to about 73.4 million (`FWC`): above 0.}
#'   \item{`age_years`}{Age in years (`SC_AGE_YEARS`): `0` to `17`.}
#'   \item{`race`}{Race (`SC_RACE_R`): `white`, `black`, `american indian or alaska native`, `asian`, `native hawaiian
#'     or pacific islander`, `two or more`.}
#'   \item{`hispanic`}{Hispanic or Latino origin (`SC_HISPANIC_R`): `yes`, `no`.}
#'   \item{`birth_weight_ounces`}{Birth weight in ounces (`BIRTHWT_OZ_S`): `72` to `155`, where 72 is 72 or less and 155
#'     is 155 or more.}
#'   \item{`born_early`}{Born 3 or more weeks before the due date (`K2Q05`): `yes`, `no`.}
#'   \item{`general_health`}{General health, as the parent sees it (`K2Q01`): `1` to `5`: excellent, very good, good,
#'     fair, poor.}
#'   \item{`sleep_hours`}{Average hours of sleep in the past week (`HOURSLEEP05`, `HOURSLEEP`): `5` to `12`; from age 6
#'     on, 5 is less than 6 and 11 is 11 or more; up to age 5, 6 is less than 7 and 12 is 12 or more.}
#'   \item{`regular_bedtime`}{Goes to bed at the same time (`BEDTIME`): `1` to `5`: always, usually, sometimes, rarely,
#'     never.}
#'   \item{`television_time`}{Time a day spent watching television (`K7Q60_R`): `1` to `6`: none, less than 1 hour, 1
#'     hour, 2 hours, 3 hours, 4 or more hours.}
#'   \item{`computer_time`}{Time a day spent with computers, telephones and the like (`K7Q91_R`): `1` to `6`: none, less
#'     than 1 hour, 1 hour, 2 hours, 3 hours, 4 or more hours.}
#'   \item{`physical_activity`}{Days a week with 60 minutes of exercise, sport or play; asked from age 6 on
#'     (`PHYSACTIV`): `1` to `4`: none, 1 to 3 days, 4 to 6 days, every day.}
#'   \item{`school_days_missed`}{School days missed through illness or injury in the past 12 months; asked from age 6 on
#'     (`K7Q02R_R`): `1` to `5`: none, 1 to 3, 4 to 6, 7 to 10, 11 or more; empty also for 55 children who were not
#'     enrolled in school.}
#'   \item{`mother_age_at_birth`}{Age of the mother when the child was born, in years (`MOMAGE`): `18` to `45`, where 18
#'     is 18 or younger and 45 is 45 or older.}
#'   \item{`family_structure`}{Who the child lives with; "step family" has two parents of whom at least one is neither
#'     biological nor adoptive (`FAMILY_R`): `two parents married`, `two parents unmarried`, `step family married`,
#'     `step family unmarried`, `single mother`, `single father`, `grandparents`, `other relatives`.}
#'   \item{`household_size`}{People living at the address (`HHCOUNT`): `2` to `10`, where 10 is 10 or more.}
#'   \item{`children_in_household`}{Children in the household (`TOTKIDS_R`): `1` to `4`, where 4 is 4 or more.}
#'   \item{`household_language`}{Main language of the household (`HHLANGUAGE`): `english`, `spanish`, `other`.}
#'   \item{`household_generation`}{Where child and parents were born: first generation, child and parents abroad;
#'     second, at least one of the parents abroad; third or later, all parents in the United States; other, no parents
#'     reported (`HOUSE_GEN`): `first`, `second`, `third or later`, `other`.}
#'   \item{`parent_education`}{Highest education among the reported adults (`HIGRADE_TVIS`): `1` to `4`: less than high
#'     school, high school, some college or associate degree, college degree or higher.}
#'   \item{`parent_employed`}{Adult 1 was employed in at least 50 of the past 52 weeks (`A1_K11Q50_R`): `yes`, `no`.}
#'   \item{`parent_mental_health`}{Mental or emotional health of adult 1 (`A1_MENTHEALTH`): `1` to `5`: excellent, very
#'     good, good, fair, poor.}
#'   \item{`poverty_ratio`}{Family income in percent of the federal poverty level; the first of the file's six
#'     imputations (`FPL_I1`): `50` to `400`, where 50 is 50 or less and 400 is 400 or more.}
#'   \item{`food_insecurity`}{Food in the past 12 months (`FOODSIT`): `1` to `4`: could always afford good meals, always
#'     enough but not always the right kinds, sometimes not enough, often not enough.}
#'   \item{`insurance`}{Health insurance now (`INSTYPE`): `public`, `private`, `public and private`, `uninsured`.}
#'   \item{`family_meals`}{Days a week on which the family eats a meal together (`K8Q11`): `1` to `4`: none, 1 to 3
#'     days, 4 to 6 days, every day.}
#'   \item{`smoker_in_household`}{Someone in the household smokes (`K9Q40`): `yes`, `no`.}
#'   \item{`times_moved`}{Times the child has moved to a new address (`K11Q43R`): `0` to `13`, where 13 is 13 or more.}
#'   \item{`neighbours_help`}{People in the neighborhood help each other (`K10Q30`): `1` to `4`: definitely agree,
#'     somewhat agree, somewhat disagree, definitely disagree.}
#'   \item{`neighbourhood_safe`}{The child is safe in the neighborhood (`K10Q40_R`): `1` to `4`: definitely agree,
#'     somewhat agree, somewhat disagree, definitely disagree.}
#'   \item{`neighbourhood_park`}{The neighborhood has a park or playground (`K10Q12`): `yes`, `no`.}
#'   \item{`hard_to_afford_basics`}{Hard to cover basics like food or housing on the family's income (`ACE1`): `1` to
#'     `4`: never, rarely, somewhat often, very often.}
#'   \item{`parents_divorced`}{A parent or guardian was divorced or separated (`ACE3`): `yes`, `no`.}
#'   \item{`parent_died`}{A parent or guardian died (`ACE4`): `yes`, `no`.}
#'   \item{`parent_in_jail`}{A parent or guardian served time in jail (`ACE5`): `yes`, `no`.}
#'   \item{`violence_at_home`}{Saw or heard adults hit, kick or punch each other at home (`ACE6`): `yes`, `no`.}
#'   \item{`violence_in_neighbourhood`}{Was a victim of violence or witnessed it in the neighborhood (`ACE7`): `yes`,
#'     `no`.}
#'   \item{`lived_with_mental_illness`}{Lived with someone mentally ill, suicidal or severely depressed (`ACE8`): `yes`,
#'     `no`.}
#'   \item{`lived_with_addiction`}{Lived with someone who had a problem with alcohol or drugs (`ACE9`): `yes`, `no`.}
#'   \item{`treated_unfairly_for_race`}{Was treated or judged unfairly because of race or ethnic group (`ACE10`): `yes`,
#'     `no`.}
#' }
#'
#' @source
#' U.S. Census Bureau and Health Resources and Services Administration, Maternal and Child Health Bureau, National
#' Survey of Children's Health, topical data file, 2017,
#' <https://www.census.gov/programs-surveys/nsch/data/datasets.html>.
#' As a work of the United States federal government, the data are in the public domain (17 U.S.C. 105).
#' Neither bureau has made or endorsed this extract.
#'
#' @examples
#' answered = nsch_2017[!is.na(nsch_2017$autism), ]
#' table(answered$autism)
#'
#' # at least 2 children with autism in every batch, and at least 2 of each sex
#' generator = batch_sampler_stratified(2, strata = answered[c("autism", "sex")], seed = 1)
#' rows = generator(NULL)$batches(0)[[1]]
#' table(answered$autism[rows], answered$sex[rows])
"nsch_2017"
