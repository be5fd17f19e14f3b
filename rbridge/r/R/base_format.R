# Summaries of an instance, without its class, and of a generator, one element per line.

format_setup = function(setup, next_epoch) {
  plan = setup$plan
  dropped = setup$counts[length(setup$counts)]
  c(
    sprintf("* Rows: %.0f%s", sum(plan$counts), if (dropped > 0L) sprintf(", and %.0f never sampled", dropped) else ""),
    sprintf("* Strata: %d, of %s: %s", length(plan$counts), show_rows(plan$counts), show_strata(plan)),
    sprintf("* Batches: %.0f, of %s, each with at least %s of every stratum", plan$n_batches,
      show_rows(batch_sizes(plan)), show_count(plan$minimum, "row")),
    sprintf("* Assigned: %s", plan$assign),
    format_row_order(setup$shuffle, setup, next_epoch)
  )
}

# The order of an instance; `setup` is a list with a seed, such as a recipe.
format_shuffled = function(setup, next_epoch) {
  sprintf("* Order: shuffled by seed %.0f, next epoch %.0f", setup$seed, next_epoch)
}

# The same, unless it does not shuffle.
format_row_order = function(shuffle, setup, next_epoch) {
  if (shuffle) format_shuffled(setup, next_epoch) else "* Order: of the dataset"
}

# For a generator, whose instances may draw their seeds.
format_seed = function(recipe) {
  if (!is.null(recipe$seed)) sprintf("* seed: %.0f", recipe$seed)
}

# While mlr3torch predicts
format_in_order = function(batches) {
  c(
    sprintf("* Rows: %d", length(batches$rows)),
    sprintf("* Batches: %d, of %s", length(batches$offsets) - 1L, show_rows(diff(batches$offsets))),
    "* Order: of the dataset, without strata, for mlr3torch predicts"
  )
}

# The settings of a generator, which a recipe holds as labels of any length.
format_labels = function(labels) {
  sprintf("* %s: %s", names(labels), vapply(labels, paste, "", collapse = ", "))
}

show_range = function(values) {
  paste(sprintf("%.0f", unique(range(values))), collapse = " to ")
}

# "1 row", "2 to 3 rows"
show_rows = function(counts) {
  paste(show_range(counts), if (all(counts == 1)) "row" else "rows")
}

show_strata = function(plan, most = 10L) {
  shown = seq_len(min(length(plan$counts), most))
  counts = sprintf("'%s' (%.0f)", plan$names[shown], plan$counts[shown])
  paste(c(counts, if (length(plan$counts) > most) "..."), collapse = ", ")
}

# The numbers of the first and the last of `n` rows, `most` in all.
ends_of = function(n, most) {
  if (n <= most) seq_len(n) else c(seq_len(most - most %/% 2), seq.int(to = n, length.out = most %/% 2))
}

# Prints the first and the last rows of a table, with their numbers if there are others between them.
print_ends = function(table, most) {
  n_more = nrow(table) - most
  print(table[ends_of(nrow(table), most), , drop = FALSE], row.names = n_more > 0)
  if (n_more > 0) {
    cat(sprintf("... and %.0f more\n", n_more))
  }
}
