# An instance with the given strata; `NULL` is a data source without any information.
sampler_of = function(strata, ..., data_source = NULL) {
  batch_sampler_stratified(strata = strata, ...)(data_source)
}

# The published example: 20,000 rows, the first 600 of them positive.
published_labels = function() {
  rep(c(1L, 0L), times = c(600L, 19400L))
}

# Some batches of this plan hold one row more of a stratum than others. That holds for two of its three strata.
plan_with_ties = function() {
  batch_plan(rep(c("common", "rare", "long", "rare"), times = c(270, 40, 52, 3)), 7)
}

# A table of the rows of each label in each batch.
counts_in = function(...) {
  structure(data.frame(..., check.names = FALSE), class = c("batch_counts", "data.frame"))
}

# All batches of an iterator, up to the first time that it is exhausted.
drain = function(iterator) {
  batches = list()
  repeat {
    batch = iterator()
    if (coro::is_exhausted(batch)) {
      return(batches)
    }
    batches[[length(batches) + 1L]] = batch
  }
}

epoch_of = function(sampler, epoch) as.list(sampler$batches(epoch))

# The order of all rows in an epoch: that of a single batch of a single stratum.
order_of_epoch = function(n_rows, seed, epoch = 0) {
  batch_sampler_stratified(n_rows, strata = rep(1L, n_rows), seed = seed)(NULL)$batches(epoch)$rows
}

# The epoch that is delivered by the next iterator.
next_epoch_of = function(sampler) {
  drain(sampler$.iter())
}

# A dataset with n_rows rows, whose items are their numbers.
dataset_of = function(n_rows) {
  torch::dataset(
    initialize = function(n_rows) self$n_rows = n_rows,
    .getbatch = function(index) index,
    .length = function() self$n_rows
  )(n_rows)
}

deliver = function(...) {
  coro::collect(torch::dataloader(..., collate_fn = identity))
}

message_of = function(code) {
  conditionMessage(expect_error(code))
}

# The library where the package is installed, also where the tests run on its source.
installed_library = function() {
  folder = getNamespaceInfo("rbridge", "path")
  if (dir.exists(file.path(folder, "Meta"))) {
    return(dirname(folder))
  }
  library = tempfile("library")
  dir.create(library)
  callr::rcmd("INSTALL", c("--no-docs", "--no-test-load", paste0("--library=", library), folder), fail_on_status = TRUE)
  library
}

# The specification of a tree that draws two classes in turn, with auxiliary values.
turns = list(
  mode = "sequential",
  auxiliary = list(angle = "uniform(-10, 10)", side = "choice(['l', 'r'])", step = "counter()"),
  children = list(
    list(name = "active", column = "label", value = "active", mode = "shuffle"),
    list(name = "inactive", column = "label", value = "inactive", mode = "shuffle")
  )
)
