# What print() shows of a generator and an instance, one element per line.

# The arguments, then where the values of rows come from.
format_arguments = function(recipe) {
  parts = recipe$parts
  given = if (is.null(recipe$open)) parts else recipe$open
  kind = sampler_kind(recipe$kind)
  of_rows = arguments_of_rows(recipe$kind, given)
  known = setdiff(names(formals(get(kind$class, envir = topenv()))), c("seed", of_rows))
  shown = lapply(intersect(known, names(given)), function(argument) {
    value = given[[argument]]
    named = parts[[paste0(argument, "_strata")]]
    if (!is.null(named)) {
      names(value) = recipe$labels$names[named + 1]
    }
    shown = show_value(if (is.integer(value)) value == 1L else value) # a flag
    if (!is.null(names(value)) && (is.numeric(value) || is.list(value))) { # by class or stratum
      shown = paste(sprintf("'%s': %s", names(value), vapply(unname(value), show_value, "")), collapse = ", ")
    }
    sprintf("* %s: %s", argument, shown)
  })
  seed = if (!is.null(recipe$seed)) sprintf("* seed: %.0f", recipe$seed)
  c(unlist(shown), seed, vapply(setdiff(of_rows, "rows"), function(argument) {
    sprintf("* %s: %s", argument, if (!is.null(recipe$open)) {
      value = recipe$open[[argument]]
      switch(mode(value), "NULL" = "of the dataset", character = show_names(value), "function" = "a function", "given")
    } else if (argument == "strata") {
      sprintf("%.0f, of %s", parts$n_strata, show_count(length(parts$codes), "row"))
    } else if (argument == "groups") {
      sprintf("%.0f", parts$n_groups)
    } else if (argument %in% c("keys", "labels")) {
      show_names(recipe$labels[[if (argument == "keys") "keys" else "names"]])
    } else {
      n_rows = if (argument == "n_rows") parts$n_rows else kind$n_rows(recipe)
      show_count(if (is.null(parts$users)) n_rows else length(parts$users), "row")
    })
  }, "", USE.NAMES = FALSE))
}

show_range = function(values) paste(sprintf("%.0f", unique(range(values))), collapse = " to ")

# "1 row", "2 to 3 rows"
show_rows = function(counts) paste(show_range(counts), if (all(counts == 1)) "row" else "rows")

# The numbers of the first and the last of `n` rows, `most` in all.
ends_of = function(n, most) {
  if (n <= most) seq_len(n) else c(seq_len(most - most %/% 2), seq.int(to = n, length.out = most %/% 2))
}
