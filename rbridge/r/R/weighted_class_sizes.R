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
