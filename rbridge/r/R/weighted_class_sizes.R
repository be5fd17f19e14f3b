# The sizes of classes, from which row weights are computed.

# -> list(codes = the class of each row, from 1 in order of first appearance, counts = the rows of each class)
# Labels are encoded like strata; errors name them 'labels'.
class_sizes = function(labels) {
  refuse_as("labels", {
    classes = encode_strata(labels, missing = NULL, are_strata = FALSE)
    check_missing(is.na(classes$codes), NULL)
  })
  list(codes = classes$codes, counts = stratum_counts(classes))
}

# The weights of rows by their classes; the rule is the one whose parameter is given.
weights_by_class = function(labels, ...) {
  classes = class_sizes(labels)
  weights_of_sizes(classes$counts, length(classes$codes), ...)[classes$codes]
}

# The weights of classes, or of labels, from the numbers of rows that have them.
weights_of_sizes = function(counts, n_rows, ...) {
  core_call("class_weights", list(counts = as.double(counts), n_rows = as.double(n_rows), ...))$weights
}
