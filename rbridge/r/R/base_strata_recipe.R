# Shared by the kinds whose recipes have strata: codes, their number, and the batches to which their rows are dealt.

# Encoded strata as the core takes them.
strata_data = function(strata) {
  n_strata = length(strata$names)
  list(codes = recipe_codes(strata$codes, n_strata), n_strata = as.double(n_strata))
}

# A kind whose instances show their plan: list(counts = the rows of each stratum, and those that are in no batch, plan)
dealt_kind = function(kind, methods) {
  setup = function(recipe, private) {
    found = core_described(recipe)
    available = found$counts[-length(found$counts)]
    assign = if (found$even == 1) "even" else "proportional"
    list(counts = found$counts, plan = make_plan(found$taken, recipe$labels$names, found$n_batches, assign, available))
  }
  plan = function() composition_table(private$.setup$plan)
  table_kind(kind, setup = setup, methods = c(list(plan = plan), weight_methods(), methods))
}

# The members of instances that know how often an epoch takes the rows of each stratum, on average.
weight_methods = function() {
  list(
    class_weights = function(normalize = FALSE) {
      stats::setNames(stratum_weights(private, normalize), private$.recipe$labels$names)
    },
    weights = function(rows = NULL, normalize = FALSE) {
      weights = self$class_weights(normalize)
      codes = private$.recipe$parts$codes
      rows = if (is.null(rows)) seq_along(codes) else check_positions(rows, length(codes))
      unname(weights[as.integer(codes[rows]) + 1L])
    }
  )
}

# The training weights as the core orders them.
stratum_weights = function(private, normalize) {
  name = if (check_flag(normalize, "normalize")) "normalized" else "weights"
  core_described(private$.recipe)[[name]]
}
