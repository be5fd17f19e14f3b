# The sizes of classes, from which row weights are computed.

# -> list(codes = the class of each row, from 1 in order of first appearance, counts = the rows of each class)
class_sizes = function(labels) {
  classes = encode_classes(labels)
  list(codes = classes$codes, counts = as.double(tabulate(classes$codes, length(classes$names))))
}

# Labels are encoded like strata; errors name them 'labels'.
encode_classes = function(labels) {
  refuse_as("labels", {
    classes = encode_strata(labels, missing = NULL, are_strata = FALSE)
    check_missing(is.na(classes$codes), NULL)
    classes
  })
}
