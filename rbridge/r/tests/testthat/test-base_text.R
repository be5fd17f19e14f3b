# Text without characters: R shows the byte ff as <ff>, and takes it for this text after enc2utf8().

as_bytes = function(text) `Encoding<-`(text, "bytes")

# A call for each place where text becomes labels, ids or names.
places = list(
  strata = function(text) batch_sampler_stratified(1, strata = text, seed = 1),
  column = function(text) batch_sampler_stratified(1, strata = list(x = text), seed = 1),
  subset = function(text) batch_sampler_strata_subset(1, 1, strata = text, seed = 1),
  downsampled = function(text) batch_sampler_downsampled(1, 1, strata = text, seed = 1),
  groups = function(text) batch_sampler_stratified_group(1, groups = text, strata = c(1, 1), seed = 1),
  group_strata = function(text) batch_sampler_stratified_group(1, groups = c(1, 1), strata = text, seed = 1),
  labels = function(text) inverse_frequency_weights(text),
  counted = function(text) batch_counts(list(rows = 1:2, offsets = c(0, 2)), text),
  shards = function(text) shard_counts(list(a = text)),
  shard_names = function(text) shard_counts(stats::setNames(list(1, 2), text)),
  table_names = function(text) bind_counts(list(matrix(1, 1, 2, dimnames = list("a", text)))),
  rows_of_shard = function(text) {
    batch_sampler_sharded(1, matrix(2, 1, 1, dimnames = list("a", "x")), "a", seed = 1, strata = text)
  },
  source_names = function(text) count_sources(stats::setNames(list(1, 2), text), identity, identity),
  source_strata = function(text) count_sources(list(a = text), identity, identity),
  users = function(text) batch_sampler_pairs(text, c(1, 2), ratio = 0.5, batch_size = 2, n_items = 4),
  items = function(text) batch_sampler_triples(c(1, 2), text, batch_size = 2, n_users = 4),
  tree = function(text) {
    batch_sampler_tree(list(mode = "shuffle", children = list(list(column = "x", value = "<ff>"), list(name = "b"))), 1,
      1, table = list(x = text))
  },
  value = function(text) {
    batch_sampler_tree(list(mode = "shuffle", children = list(list(column = "x", value = text[1L]), list(name = "b"))),
      1, 1, table = list(x = "<ff>"))
  },
  node_name = function(text) {
    batch_sampler_tree(list(mode = "shuffle", children = list(list(column = text[1L], value = 1))), 1, 1,
      table = list(x = 1))
  },
  drawn = function(text) {
    batch_sampler_tree(list(auxiliary = list(x = text[1L])), 1, 1, table = list(x = 1))
  },
  drawn_name = function(text) {
    batch_sampler_tree(list(auxiliary = stats::setNames(list("counter()", "counter()"), text)), 1, 1,
      table = list(x = 1))
  },
  minimum = function(text) batch_sampler_stratified(stats::setNames(c(1, 1), text), strata = c("<ff>", "a"), seed = 1),
  codes = function(text) stratum_codes(c(0, 1), text),
  multilabel = function(text) batch_sampler_multilabel(matrix(1, 2, 2, dimnames = list(NULL, text)), 1)
)

test_that("text that is not Unicode is refused wherever it is taken", {
  for (place in names(places)) {
    for (text in list(c("\xff", "<ff>"), as_bytes(c("\xff", "<ff>")), c("\xff", "\\xff"))) {
      expect_match(message_of(places[[place]](text)), "Got text that is not Unicode( in column 'x')? instead.",
        info = place)
    }
  }
})

test_that("bytes that the locale cannot read are refused, and text of a marked encoding is read", {
  saved = Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", saved))
  Sys.setlocale("LC_CTYPE", "C")
  expect_match(message_of(places$labels(c("\xff", "<ff>"))), "Got text that is not Unicode instead.")
  expect_match(message_of(places$labels(factor(c("\xff", "<ff>")))), "Got text that is not Unicode instead.")
  latin1 = `Encoding<-`("\xe4", "latin1")
  expect_identical(places$labels(c(latin1, "\u00e4", NA)[1:2]), c(1, 1))
})

test_that("a column that is named by bytes is named in the message", {
  columns = list(list(1, 2))
  names(columns) = as_bytes("\xff")
  refused = "Got list values in column '<ff>' instead."
  expect_match(message_of(inverse_frequency_weights(columns)), refused, fixed = TRUE)
})
