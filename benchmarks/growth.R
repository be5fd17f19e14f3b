# How the time of R's functions grows: at twice the size over the size itself, near 2 if it is linear.
#
# R's own code passes vectors of rows to the core as they are; it loops over strata, files, nodes and the like.

source(file.path(rbridge::script_folder(), "rounds.R"))

rounds = 7L
reach = 2.8 # room for logarithms, and for memory that no longer fits a cache

instance_of = function(labels, generator) generator(list(.length = function() length(labels)))

iterated = function(stream) {
  following = stream$.iter()
  while (!coro::is_exhausted(following())) NULL
}

by_number = function(size, values) stats::setNames(rep_len(values, size), seq_len(size))

# A folder of new files of ten lines, one for each call of a size.
folder_of = function(size) {
  folder = tempfile()
  dir.create(folder)
  for (number in seq_len(size)) writeLines(rep("a line of a file", 10), file.path(folder, sprintf("%d.txt", number)))
  folder
}

# For each name a size, and a function of it that prepares the data and returns what is timed.
measured = list(
  "batch_plan(), strata" = list(size = 20000, prepare = function(size) {
    labels = rep(seq_len(size), 4)
    function() rbridge::batch_plan(labels, 1)
  }),
  "batch_plan(), strata with a minimum each" = list(size = 2000, prepare = function(size) {
    labels = rep(seq_len(size), 4)
    minimums = by_number(size, 1:2)
    function() rbridge::batch_plan(labels, minimums)
  }),
  "batch_plan(), strata with a share each" = list(size = 2000, prepare = function(size) {
    labels = rep(seq_len(size), 4)
    shares = by_number(size, 1 / size)
    function() rbridge::batch_plan(labels, mean_batch_size = 2 * size, shares = shares)
  }),
  "batch_sampler_stratified(), strata of two columns" = list(size = 20000, prepare = function(size) {
    columns = data.frame(a = rep(seq_len(size), 4), b = rep(c("x", "y"), 2 * size))
    function() instance_of(columns$a, rbridge::batch_sampler_stratified(1, strata = columns, seed = 1))
  }),
  "batch_sampler_stratified_group(), groups" = list(size = 20000, prepare = function(size) {
    groups = rep(seq_len(size), 4)
    function() {
      instance_of(groups, rbridge::batch_sampler_stratified_group(1, groups, strata = groups %% 5, seed = 1))
    }
  }),
  "batch_sampler_strata_subset(), strata" = list(size = 20000, prepare = function(size) {
    labels = rep(seq_len(size), 4)
    function() instance_of(labels, rbridge::batch_sampler_strata_subset(10, 4, strata = labels, seed = 1))
  }),
  "batch_sampler_multilabel(), rows" = list(size = 20000, prepare = function(size) {
    labels = outer(seq_len(size) * 7919, seq_len(20) * 104729, `+`) %% 10 == 0
    function() instance_of(labels[, 1], rbridge::batch_sampler_multilabel(labels, 2, rare = "allow", seed = 1))
  }),
  "batch_sampler_downsampled(), classes with a multiplier" = list(size = 2000, prepare = function(size) {
    labels = rep(seq_len(size), 2)
    multipliers = by_number(size, 0.5)
    function() {
      instance_of(labels, rbridge::batch_sampler_downsampled(multipliers, 2 * size, strata = labels, seed = 1))
    }
  }),
  "correct_probabilities(), classes" = list(size = 10000, prepare = function(size) {
    names = paste("class", seq_len(size))
    probabilities = matrix(1 / size, 1, size, dimnames = list(NULL, names))
    rates = stats::setNames(rep(0.5, size), names)
    function() rbridge::correct_probabilities(probabilities, rates)
  }),
  "effective_number_weights(), classes" = list(size = 20000, prepare = function(size) {
    labels = rep(seq_len(size), 2)
    function() rbridge::effective_number_weights(labels)
  }),
  "bin_target(), bins" = list(size = 20000, prepare = function(size) {
    values = seq_len(4 * size) * 7919 %% 104729
    function() rbridge::bin_target(values, size)
  }),
  "shard_counts(), shards" = list(size = 1000, prepare = function(size) {
    labels = stats::setNames(rep(list(rep(1:5, 4)), size), paste("shard", seq_len(size)))
    function() rbridge::shard_counts(labels)
  }),
  "bind_counts(), tables" = list(size = 1000, prepare = function(size) {
    tables = lapply(seq_len(size), function(shard) {
      matrix(4, 1, 5, dimnames = list(paste("shard", shard), letters[1:5]))
    })
    function() rbridge::bind_counts(tables)
  }),
  "batch_sampler_sharded(), shards" = list(size = 2000, prepare = function(size) {
    counts = matrix(4, size, 5, dimnames = list(paste("shard", seq_len(size)), 1:5))
    labels = rep(rep(1:5, each = 4), size)
    function() {
      instance_of(labels, rbridge::batch_sampler_sharded(1, counts, rownames(counts), seed = 1, strata = labels))
    }
  }),
  "batch_sampler_pairs(), users" = list(size = 20000, prepare = function(size) {
    users = rep(seq_len(size), each = 4)
    items = seq_len(4 * size) * 7919 %% 1000
    function() rbridge::batch_sampler_pairs(users, items, 0.5, 1024, seed = 1)(NULL)
  }),
  "batch_sampler_triples(), users" = list(size = 20000, prepare = function(size) {
    users = rep(seq_len(size), each = 4)
    items = seq_len(4 * size) * 7919 %% 1000
    function() rbridge::batch_sampler_triples(users, items, 1024, seed = 1)(NULL)
  }),
  "batch_sampler_tree(), siblings with a condition" = list(size = 500, prepare = function(size) {
    table = data.frame(group = rep(0:499, 2), size = seq_len(1000))
    children = lapply(seq_len(size), function(number) {
      list(name = paste("node", number), value = number %% 500, column = "group", weight = "proportional(size)",
        row_weight = "size")
    })
    function() rbridge::batch_sampler_tree(list(children = children), 1, 1, table = table, seed = 1)(NULL)
  }),
  "batch_sampler_tree(), levels" = list(size = 25, prepare = function(size) {
    table = data.frame(group = rep(0:499, 2), size = seq_len(1000))
    spec = list(name = "leaf")
    for (level in seq_len(size)) spec = list(name = paste("level", level), children = list(spec))
    function() rbridge::batch_sampler_tree(list(children = list(spec)), 1, 1, table = table, seed = 1)(NULL)
  }),
  "batch_sampler_tree(), clones" = list(size = 50000, prepare = function(size) {
    table = data.frame(group = rep(seq_len(size), 2), size = 1)
    children = list(list(name = "value", for_each = TRUE, column = "group", weight = "proportional(size)"))
    function() rbridge::batch_sampler_tree(list(children = children), 1, 1, table = table, seed = 1)(NULL)
  }),
  "batch_sampler_tree(), values of a condition" = list(size = 1000, prepare = function(size) {
    table = data.frame(group = rep(seq_len(size), 2), size = 1)
    children = list(list(name = "some", column = "group", op = "in", value = as.list(seq_len(size))))
    function() rbridge::batch_sampler_tree(list(children = children), 1, 1, table = table, seed = 1)(NULL)
  }),
  "batch_sampler_tree(), values of a choice" = list(size = 1000, prepare = function(size) {
    spec = list(children = list(list(name = "all")))
    spec$auxiliary = list(value = sprintf("choice([%s])", paste(seq_len(size), collapse = ", ")))
    function() rbridge::batch_sampler_tree(spec, 1, 1, table = data.frame(row = 1:10), seed = 1)(NULL)
  }),
  "batch_sampler_tree(), lines of YAML" = list(size = 500, prepare = function(size) {
    table = data.frame(group = rep(0:499, 2), size = seq_len(1000))
    spec = c("children:", sprintf("  - {name: node %d, column: group, value: %d}", seq_len(size), seq_len(size) %% 500))
    spec = paste(spec, collapse = "\n")
    function() rbridge::batch_sampler_tree(spec, 1, 1, table = table, seed = 1)(NULL)
  }),
  "batch_sampler_corpus_mixture(), files" = list(size = 200, prepare = function(size) {
    folder = folder_of(size)
    function() {
      rbridge::batch_sampler_corpus_mixture(folder, 256, 1000L, temperature = 5, suffixes = ".txt", seed = 1)
    }
  }),
  "batch_sampler_corpus_mixture(), pairs of a rule and a file" = list(size = 2500, prepare = function(size) {
    side = round(sqrt(size))
    folder = folder_of(side)
    rules = c(sprintf("e%%-%d 1", seq_len(side)), "* 1")
    function() {
      rbridge::batch_sampler_corpus_mixture(folder, 256, 1000L, rules, suffixes = ".txt", seed = 1)
    }
  }),
  "batch_sampler_corpus_mixture(), letters of a rule" = list(size = 20000, prepare = function(size) {
    folder = folder_of(2)
    rules = c(paste(strrep("a", size), "1"), "* 1")
    function() {
      rbridge::batch_sampler_corpus_mixture(folder, 256, 1000L, rules, suffixes = ".txt", seed = 1)
    }
  }),
  "batch_sampler_rare_events(), files" = list(size = 200, prepare = function(size) {
    files = list.files(folder_of(size), pattern = "txt$", full.names = TRUE)
    function() rbridge::batch_sampler_rare_events(as.list(files[1]), as.list(files[-1]), 1, 4, seed = 1)
  }),
  "stratified_stream(), sources with counts" = list(size = 1000, prepare = function(size) {
    sources = stats::setNames(rep(list(1:2), size), seq_len(size))
    counts = rbridge::count_sources(sources, identity, identity)
    function() iterated(rbridge::stratified_stream(sources, 1, identity, identity, counts = counts, seed = 1))
  }),
  "stratified_stream(), sources of one batch" = list(size = 1000, prepare = function(size) {
    sources = stats::setNames(rep(list(1:2), size), seq_len(size))
    function() {
      iterated(rbridge::stratified_stream(sources, size, identity, identity, strata = 1:2, shuffle = FALSE))
    }
  }),
  "batch_counts(), batches" = list(size = 50000, prepare = function(size) {
    labels = rep(c("a", "b"), size)
    batches = list(rows = seq_along(labels), offsets = 2 * (0:size))
    function() rbridge::batch_counts(batches, labels)
  }),
  "batch_counts(), strata" = list(size = 5000, prepare = function(size) {
    labels = rep(seq_len(size), 2)
    batches = list(rows = seq_along(labels), offsets = size * (0:2))
    function() rbridge::batch_counts(batches, labels)
  })
)

show_head()
for (name in names(measured)) {
  size = measured[[name]]$size
  contestants = list(once = measured[[name]]$prepare(size), twice = measured[[name]]$prepare(2 * size))
  seconds = interleaved(contestants, rounds, times = 1)
  claim = sprintf("R, time at twice the size, %s, %s", name, format(size, big.mark = ",", scientific = FALSE))
  show_ratio(claim, seconds, "twice", "once", reach)
}
