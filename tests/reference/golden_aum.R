# What CRAN's package aum gives, the reference of the AUM loss in both languages.
# `Rscript tests/reference/golden_aum.R` writes tests/golden/aum.json afresh.
#
# A case has predictions, labels, the loss (of error rates), and the derivatives of each prediction from the left and
# from the right. Predictions are sixteenths, which float32 holds exactly, and tie the more the fewer of them there are.

predictions_of = function(n, n_distinct) {
  place = (seq_len(n) * 7919) %% 10007 %% n_distinct
  (place * 29 %% 211 - 100) / 16
}

# Every `every`-th row is positive, counted along a scrambled order.
labels_of = function(n, every) {
  as.integer((seq_len(n) * 104729) %% 10009 %% every == 0)
}

case = function(name, predictions, labels) {
  reference = aum::aum(aum::aum_diffs_binary(labels, denominator = "rate"), predictions)
  list(name = name, predictions = predictions, labels = labels, loss = reference$aum,
    left = reference$derivative_mat[, 1], right = reference$derivative_mat[, 2])
}

sizes = expand.grid(n = c(2, 3, 5, 12, 40, 150), n_distinct = c(2, 5, 30, 211), every = c(2, 3, 7))
cases = Map(
  function(n, n_distinct, every) {
    labels = labels_of(n, every)
    if (length(unique(labels)) == 1) {
      labels[1] = 1L - labels[1]
    }
    case(sprintf("%d rows, up to %d distinct, one in %d positive", n, n_distinct, every),
      predictions_of(n, n_distinct), labels)
  },
  sizes$n, sizes$n_distinct, sizes$every
)

about = paste(
  "The AUM loss of error rates, and the derivatives of each prediction from the left and from the right, as CRAN's",
  "package aum gives them. Written by tests/reference/golden_aum.R."
)
lines = vapply(cases, function(case) {
  vectors = c("predictions", "labels", "left", "right")
  case[vectors] = lapply(case[vectors], unname)
  case[c("name", "loss")] = lapply(case[c("name", "loss")], jsonlite::unbox)
  as.character(jsonlite::toJSON(case, digits = I(16)))
}, "")
header = paste0("{\"about\": ", jsonlite::toJSON(about, auto_unbox = TRUE), ",")
writeLines(c(header, "\"cases\": [", paste(lines, collapse = ",\n"), "]}"), "tests/golden/aum.json")
