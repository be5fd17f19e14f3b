# Extracted from test-stratified_rule.R:212

# prequel ----------------------------------------------------------------------
plan_of = function(counts, n_batches, assign) {
  make_plan(as.double(counts), names = as.character(seq_along(counts)), n_batches = n_batches, assign = assign)
}
batches_in_order = function(plan) {
  codes = rep(seq_along(plan$counts), times = plan$counts)
  epoch_batches(list(codes = recipe_codes(codes, length(plan$counts)), plan = plan, shuffle = FALSE), 0)
}
laid_out = function(plan) {
  batches = batches_in_order(plan)
  stratum = rep(seq_along(plan$counts), times = plan$counts)[batches$rows]
  batch = rep(seq_len(plan$n_batches), times = diff(batches$offsets))
  matrix(tabulate(batch + plan$n_batches * (stratum - 1), plan$n_batches * length(plan$counts)), plan$n_batches)
}
batch_by_rule = function(plan) {
  rank = sequence(plan$counts)
  rows = rep(plan$counts, plan$counts)
  if (plan$assign == "even") {
    (seq_along(rows) - 1) %% plan$n_batches + 1
  } else {
    (rank * plan$n_batches + rows - 1) %/% rows
  }
}
broken_promises = function(counts, n_batches, assign) {
  plan = plan_of(counts, n_batches, assign)
  batches = batches_in_order(plan)
  delivered = laid_out(plan)
  exact = rep(counts, each = n_batches) / n_batches
  kept = c(
    "every row once" = identical(sort(batches$rows), seq_len(sum(counts))),
    "the batch of the rule, in order of strata, then ranks" = identical(batches$rows, order(batch_by_rule(plan))),
    "the offsets are what is delivered" = identical(batch_offsets(plan), batches$offsets),
    "at least the promised minimum" = min(delivered) >= plan$minimum && plan$minimum == min(counts) %/% n_batches,
    "floor or ceiling" = all(delivered == floor(exact) | delivered == ceiling(exact)),
    "no batch empty" = all(rowSums(delivered) > 0),
    "sizes differ by at most 1" = assign == "proportional" || diff(range(rowSums(delivered))) <= 1,
    "the composition is what is delivered" = all(batch_composition(plan) == delivered)
  )
  names(kept)[!kept]
}
all_broken_promises = function(settings) {
  broken = character()
  for (counts in settings) {
    for (n_batches in unique(min(counts) %/% seq_len(min(counts)))) {
      for (assign in c("proportional", "even")) {
        failed = broken_promises(counts, n_batches, assign)
        broken = c(broken, sprintf("%s: %d batches of %s, %s", failed, n_batches, toString(counts), assign))
      }
    }
  }
  broken
}

# test -------------------------------------------------------------------------
recipe = attr(batch_sampler_stratified(1, strata = factor(c("a", "b", "b")), seed = 1), "settings")$recipe
recipe$parts$codes[2] = as.raw(7)
error = tryCatch(new_generator(recipe)(NULL)$batches(0), error = identity)
expect_s3_class(error, "rbridge_refusal")
expect_identical(error$parameter, "codes")
expect_identical(error$name, "batch_sampler_stratified")
