# Text without characters: R shows the byte ff as <ff>, and takes it for this text after enc2utf8().

as_bytes = function(text) `Encoding<-`(text, "bytes")

of_tree = function(spec, table = list(x = 1)) batch_sampler_tree(spec, 1, 1, table = table)

# A call for each place where text becomes labels, ids or names.
places = list(
  strata = function(text) batch_sampler_stratified(1, strata = text, seed = 1),
  factor = function(text) batch_sampler_stratified(1, strata = list(x = factor(1:2, labels = text)), seed = 1),
  groups = function(text) batch_sampler_stratified_group(1, groups = text, strata = c(1, 1), seed = 1),
  labels = function(text) inverse_frequency_weights(text),
  counted = function(text) batch_counts(list(rows = 1:2, offsets = c(0, 2)), text),
  shards = function(text) shard_counts(list(a = text)),
  shard_names = function(text) shard_counts(stats::setNames(list(1, 2), text)),
  rows_of_shard = function(text) {
    batch_sampler_sharded(1, matrix(2, 1, 1, dimnames = list("a", "x")), "a", seed = 1, strata = text)(NULL)
  },
  source_names = function(text) count_sources(stats::setNames(list(1, 2), text), identity, identity),
  users = function(text) batch_sampler_pairs(text, c(1, 2), ratio = 0.5, batch_size = 2, n_items = 4),
  items = function(text) batch_sampler_triples(c(1, 2), text, batch_size = 2, n_users = 4),
  tree = function(text) of_tree(list(children = list(list(column = "x", value = "<ff>"))), list(x = text)),
  node_name = function(text) of_tree(list(children = list(list(column = text[1L], value = 1)))),
  drawn = function(text) of_tree(list(auxiliary = list(x = text[1L]))),
  multilabel = function(text) batch_sampler_multilabel(matrix(1, 2, 2, dimnames = list(NULL, text)), 1)
)

test_that("text that is not Unicode is refused wherever it is taken", {
  for (place in names(places)) {
    for (text in list(c("\xff", "<ff>"), as_bytes(c("\xff", "<ff>")), c("\xff", "\\xff"))) {
      expect_match(message_of(places[[place]](text)), "Got text that is not Unicode( in column 'x')? instead.",
        info = place)
    }
  }
  columns = stats::setNames(list(list(1, 2)), as_bytes("\xff"))
  expect_error(inverse_frequency_weights(columns), "Got list values in column '<ff>' instead.", fixed = TRUE)
})
